//! Any bytes are an answer: bots that print noise never break the loop, the record, or the pages
//! and tables made from it.

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};

use super::small;

/// Bytes from `/dev/urandom`, some turns with an exit status or a signal.
const BYTES: &str = "\
head -c $((RANDOM % 400)) /dev/urandom
head -c $((RANDOM % 300)) /dev/urandom >&2
case $((RANDOM % 8)) in 0) exit $((RANDOM % 256));; 1) kill -11 $$;; 2) kill -15 $$;; esac";

/// Almost actions: right words, wrong blanks, letters, line ends and lengths.
const WORDS: &str = r#"
words=(B M L P NO N S E W NE NW SE SW b '' ' ' $'\t' $'\r' $'\n' $'\xff' $'\xc3' 9999999999999 -1 '"' '$(x)')
for ((left = RANDOM % 5; left >= 0; left--)); do
  printf '%s' "${words[RANDOM % ${#words[@]}]}"
  ((RANDOM % 2)) && printf ' '
done
((RANDOM % 2)) && printf '\n'
exit 0"#;

fn noisy() -> TestEnv {
    let env = small();
    bot(&env, "bytes", BYTES);
    bot(&env, "words", WORDS);
    env
}

#[test]
#[ignore = "long: tests of channels and of leagues show its parts"]
fn a_tournament_with_noise_is_played_recorded_and_verified() {
    let env = noisy();
    let text = joust_testkit::league::SMALL.replace("max_rounds: 6", "max_rounds: 60");
    env.write("tournament.yaml", &text);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    for id in bout_ids(&env) {
        env.run(["replay", &id]).expect(0);
        let bout = env.run(["replay", &id, "--format", "json", "--turns"]).expect(0).json();
        assert!(bout["turns"].as_array().is_some_and(|turns| !turns.is_empty()), "{bout}");
    }
    let again = env.run(["rerun", &bout_ids(&env)[0]]);
    assert!(matches!(again.status, Some(0 | 1)), "{:?}\n{}", again.status, again.stderr);
}

#[test]
fn a_single_bout_with_noise_is_shown_and_logged() {
    let env = noisy();
    for rules in ["documented", "original"] {
        let arguments = ["play", "battlebots", "bots/bytes", "bots/words", "--show", "-v"];
        let more = ["--debug", "--rules", rules, "-o", "max_rounds=80", "--log", rules];
        let ran = env.run(arguments.into_iter().chain(more)).expect(0);
        let escape = |text: &str| text.chars().any(|one| one.is_control() && one != '\n');
        assert!(!escape(&ran.stdout) && !escape(&ran.stderr), "{}\n{}", ran.stdout, ran.stderr);
    }
}

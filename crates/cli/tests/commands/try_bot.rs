//! `joust try`: a candidate against the field, outside the league.

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;
use serde_json::Value;

use super::small;

/// Writes a candidate that is in no field.
fn candidate(env: &TestEnv, source: &str) {
    let manifest = "name: candidate\nlanguage: bash\nentry: main.sh\n";
    env.write("mine/candidate/bot.yaml", manifest);
    env.write("mine/candidate/main.sh", &format!("{source}\n"));
}

fn tried(env: &TestEnv, more: &[&str]) -> Value {
    let words = ["try", "mine/candidate", "--format", "json", "--quiet"];
    env.run(words.iter().chain(more)).expect(0).json()
}

fn count(report: &Value, list: &str) -> usize {
    let opponents = report["opponents"].as_array().expect("opponents");
    opponents.iter().map(|row| row[list].as_array().map_or(0, Vec::len)).sum()
}

#[test]
fn a_candidate_meets_the_field_until_it_is_decided_and_leaves_the_league_as_it_is() {
    let env = small();
    env.run(["run", "--quiet"]).expect(0);
    let league = env.run(["standings", "--format", "json"]).expect(0).stdout;
    candidate(&env, "echo NO");
    let report = tried(&env, &["--against", "shooter"]);
    assert_eq!(
        (&report["ended"], &report["field"]["answer"]),
        (&"decided".into(), &"weaker".into())
    );
    assert_eq!(report["opponents"].as_array().map(Vec::len), Some(1), "{report}");
    let bouts = report["bouts"].as_u64().expect("a number");
    let outcomes = ["won", "drawn", "lost"].map(|list| count(&report, list));
    assert_eq!(outcomes.iter().sum::<usize>() as u64, bouts);
    assert_eq!(report["rank"]["of"], 4, "{report}");
    assert_eq!(env.run(["standings", "--format", "json"]).expect(0).stdout, league);
    // Its bouts are found, and can be judged again.
    let database = report["database"].as_str().expect("a path");
    let lost = env.run(["bouts", "--database", database, "--bot", "candidate", "--lost"]).expect(0);
    assert_eq!(lost.stdout.lines().count(), outcomes[2]);
    let verified = env.run(["verify", "--database", database, "--format", "json"]).expect(0).json();
    assert_eq!(verified["bouts"].as_array().map(Vec::len), Some(outcomes.iter().sum()));
    // The same version has nothing more to play.
    let again = tried(&env, &["--against", "shooter"]);
    assert_eq!((&again["played"], &again["bouts"]), (&0.into(), &report["bouts"]));
}

#[test]
fn a_version_is_compared_with_the_one_before_it_in_the_same_bouts() {
    let env = small();
    candidate(&env, "echo NO");
    let first = tried(&env, &["--against", "shooter"]);
    assert!(first["last"].is_null(), "{first}");
    candidate(&env, "echo NO # a word");
    let second = tried(&env, &["--against", "shooter"]);
    assert_eq!(second["last"]["version"], first["version"], "{second}");
    assert_ne!(second["version"], first["version"]);
    assert_eq!(second["last"]["gain"][0], 0.0, "it does the same with the same seeds: {second}");
    assert!(second["last"]["sets"].as_u64() > Some(0), "{second}");
}

#[test]
fn a_bot_of_the_field_is_tried_against_the_others_by_its_name() {
    let env = small();
    // However early the time is over: nothing was interrupted.
    for budget in ["1ms", "1s"] {
        let ran = env.run(["try", "waiter", "--against", "shooter,walker", "--budget", budget]);
        let ran = ran.expect(0);
        assert!(ran.stdout.contains("against 2 bots of league"), "{}", ran.stdout);
    }
    let ran = env.run(["try", "waiter", "--against", "waiter"]).expect(2);
    assert!(ran.stderr.contains("the field of `league` has no bot `waiter`"), "{}", ran.stderr);
}

#[test]
fn a_candidate_that_fails_in_every_turn_is_told_of_with_its_last_words() {
    let env = small();
    candidate(&env, "echo no such file >&2; exit 3");
    let ran = env.run(["try", "mine/candidate", "--against", "waiter", "--budget", "5s"]).expect(0);
    let told =
        ran.stdout.lines().find(|line| line.starts_with("failed in every turn: candidate: "));
    let told = told.unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(told.ends_with(" exit-nonzero: no such file"), "{told}");
    assert!(!ran.stdout.contains("faults: "), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_tried_says_why() {
    let env = small();
    let refused = |words: &[&str], status, text: &str| {
        let ran = env.run(["try"].iter().chain(words)).expect(status);
        assert!(ran.stderr.contains(text), "{}", ran.stderr);
    };
    refused(&["nobody"], 2, "there is neither a file nor a bot `nobody`");
    refused(&["waiter", "--event", "cup"], 2, "the events are `league`");
    refused(&["waiter", "--against", "nobody"], 2, "its bots are: shooter, walker");
    refused(&["waiter", "-f", "other.yaml"], 2, "the file does not exist");
    bot(&env, "broken", "exit 0");
    env.write("bots/broken/bot.yaml", "name: broken\nlanguage: bash\nentry: gone.sh\n");
    refused(&["broken"], 6, "`broken` cannot be built");
    refused(&["bots/broken"], 6, "hint: `joust bot check battlebots bots/broken` tells more");
    env.write(".joust/try/league/waiter", "no folder");
    refused(&["waiter"], 4, "`.joust/try/league/waiter` cannot be written: ");
    refused(&["waiter"], 4, "hint: the bouts of tries are kept in `.joust/try` beside the");
}

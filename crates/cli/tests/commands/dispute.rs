//! `replay`, `verify`, `rerun`, `play`, `bot`: one bout at a time.

use joust_testkit::league::{bot, bout_ids};

use super::small;

#[test]
fn a_recorded_bout_is_drawn_verified_and_reproduced() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let drawn = env.run(["replay", &id]).expect(0);
    assert!(
        drawn.stdout.contains("round 1: ") && !drawn.stdout.contains("round 0"),
        "{}",
        drawn.stdout
    );
    env.run(["verify", &id]).expect(0);
    let again = env.run(["rerun", &id, "--format", "json"]).expect(0).json();
    assert_eq!(again["reproduced"], true);
    assert_eq!(again["state_hash"], again["recorded_state_hash"]);
}

#[test]
fn a_round_s_view_is_printed_byte_for_byte() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let view = env.run(["replay", &id, "--round", "1", "--seat", "0"]).expect(0);
    assert!(view.stdout.starts_with("..........\n.Y........\n"), "{}", view.stdout);
    assert!(view.stdout.ends_with("Y hp=10\nX hp=10\n"), "{}", view.stdout);
}

#[test]
fn a_replay_tells_times_and_draws_no_more_than_a_seat_was_shown() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let drawn = env.run(["replay", &id]).expect(0).stdout;
    let told = drawn.lines().filter(|line| line.starts_with("round ") && line.contains(" ms)"));
    assert_eq!(told.count(), drawn.matches("\nround ").count(), "{drawn}");
    let seen = env.run(["replay", &id, "--seat", "1"]).expect(0).stdout;
    assert_eq!(seen, drawn, "documented rules hide nothing");
    let refused = env.run(["replay", &id, "--seat", "2"]).expect(2).stderr;
    assert!(refused.contains("its seats are 0 to 1"), "{refused}");
}

#[test]
fn a_bot_that_is_not_repeatable_is_reported_and_the_result_stands() {
    let env = small();
    bot(
        &env,
        "moody",
        "case $(date +%N | cut -c1-7 | sed 's/^0*//')x in *[13579]x) echo N;; *) echo S;; esac",
    );
    env.run(["run", "--only", "moody"]).expect(0);
    let unlike = bout_ids(&env).into_iter().any(|id| env.run(["rerun", &id]).status == Some(1));
    assert!(unlike, "at least one of the bouts differs");
    env.run(["verify"]).expect(0);
}

#[test]
fn play_prints_one_bout_as_json_with_its_turns() {
    let env = small();
    let arguments = [
        "play",
        "battlebots",
        "bots/shooter",
        "bots/walker",
        "-o",
        "max_rounds=3",
        "--format",
        "json",
        "--turns",
    ];
    let bout = env.run(arguments).expect(0).json();
    assert_eq!(bout["game"], "battlebots");
    assert_eq!(bout["rounds"], 3);
    assert_eq!(bout["seats"][0]["bot"], "shooter");
    assert_eq!(bout["turns"].as_array().map(Vec::len), Some(6));
    assert_eq!(bout["turns"][0]["action"], "B SE");
}

#[test]
fn faults_are_named_in_the_record() {
    let env = small();
    bot(&env, "failing", "echo N; exit 3");
    bot(&env, "silent", "true");
    let arguments = [
        "play",
        "battlebots",
        "bots/failing",
        "bots/silent",
        "-o",
        "max_rounds=2",
        "--format",
        "json",
    ];
    let bout = env.run(arguments).expect(0).json();
    assert_eq!(bout["seats"][0]["verdicts"]["exit-nonzero"], 2);
    assert_eq!(bout["seats"][1]["verdicts"]["no-output"], 2);
}

#[test]
fn play_writes_a_replay_folder_and_replaces_only_its_own() {
    let env = small();
    let arguments =
        ["play", "battlebots", "bots/shooter", "bots/walker", "-o", "max_rounds=2", "--log", "out"];
    env.run(arguments).expect(0);
    assert!(env.path().join("out/round-001/seat-0/view.txt").is_file());
    env.run(arguments).expect(2);
    env.run(arguments.into_iter().chain(["--force"])).expect(0);
    env.write("mine/file", "mine");
    let mine = arguments[..6].iter().copied().chain(["--log", "mine", "--force"]);
    env.run(mine).expect(2);
    assert!(env.path().join("mine/file").is_file());
}

#[test]
fn bot_turn_runs_a_bot_on_a_recorded_view() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let ran = env.run(["bot", "turn", "bots/walker", "--bout", &id, "--round", "1"]).expect(0);
    assert_eq!(ran.stdout, "E\n");
    for (round, hint) in [("0", "rounds are numbers from 1"), ("7", "its rounds are 1 to 6")] {
        let refused = env.run(["bot", "turn", "bots/walker", "--bout", &id, "--round", round]);
        assert!(refused.expect(2).stderr.contains(hint), "{round}");
    }
}

#[test]
fn bot_check_reports_timing_and_faults() {
    let env = small();
    env.run(["bot", "check", "battlebots", "bots/walker"]).expect(0);
    bot(&env, "failing", "exit 1");
    let ran = env.run(["bot", "check", "battlebots", "bots/failing"]).expect(1);
    assert!(ran.stdout.contains("exit-nonzero: 5\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("left after 5 turns that all failed the same way"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr.matches("bout 1, round ").count(), 5, "{}", ran.stderr);
}

#[test]
fn a_decision_is_kept_with_its_reason_and_shown() {
    let env = small();
    env.run(["run"]).expect(0);
    env.run(["bot", "disqualify", "walker", "--reason", "copied"]).expect(0);
    let table = env.run(["standings"]).expect(0);
    assert!(table.stdout.contains("copied"), "{}", table.stdout);
    env.run(["bot", "restore", "walker", "--reason", "appeal"]).expect(0);
    let table = env.run(["standings"]).expect(0);
    assert!(!table.stdout.contains("copied"), "{}", table.stdout);
    let head = env.run(["standings", "--format", "json"]).expect(0).json()["head"].clone();
    let again = env.run(["bot", "restore", "walker", "--reason", "appeal"]).expect(0);
    assert!(again.stderr.contains("takes part already"), "{}", again.stderr);
    let now = env.run(["standings", "--format", "json"]).expect(0).json()["head"].clone();
    assert_eq!(now, head, "nothing was recorded");
    env.run(["bot", "disqualify", "nobody", "--reason", "x"]).expect(2);
}

#[test]
fn an_amended_result_is_recorded_beside_the_old_one() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    env.run(["rerun", &id, "--amend", "--reason", "the power failed"]).expect(0);
    env.run(["verify"]).expect(0);
    env.run(["rerun", &id, "--amend"]).expect(2);
}

//! Judges and bots as Botzone has them, of our own writing: bots that stay and bots that are
//! started for every turn, in JSON and in plain lines.

use super::with_adapter;
use crate::env;

const TOURNAMENT: &str = "\
games:
  botzone-nim: { referee: botzone }
  botzone-both: { referee: botzone }
events:
  - { game: botzone-nim, bots: ['botzone/bots/nim-*'], bouts: 2 }
  - { game: botzone-both, bots: ['botzone/bots/both-*'], bouts: 1 }
";

#[test]
#[ignore = "long: many starts of a referee"]
fn judges_play_with_bots_that_stay_and_bots_that_are_started_for_every_turn() {
    let env = env();
    with_adapter(&env, "botzone");
    env.write("tournament.yaml", TOURNAMENT);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    let standings = env.run(["standings", "--format", "csv"]).expect(0).stdout;
    for bot in ["nim-kept", "nim-per-turn", "both-kept", "both-per-turn"] {
        assert!(standings.contains(bot), "{standings}");
    }
    let faults = env.run(["bouts", "--faults", "--format", "csv"]).expect(0).stdout;
    assert_eq!(faults.lines().count(), 1, "{faults}");
}

#[test]
fn an_answer_that_is_no_json_is_told_the_judge_as_such() {
    let env = env();
    with_adapter(&env, "botzone");
    let keep = "print('hello\\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)";
    env.write("wordy.py", &format!("import sys\nfor line in sys.stdin:\n    {keep}\n"));
    let words = [
        "play",
        "botzone/games/botzone-both.yaml",
        "wordy.py",
        "botzone/bots/both-kept",
        "--format",
        "json",
    ];
    let bout = env.run(words).expect(0).json();
    assert_eq!(bout["seats"][0]["verdicts"]["illegal-output"], 5, "{bout}");
    assert_eq!(bout["seats"][1]["rank"], 1, "{bout}");
}

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

/// A judge whose requests are objects, not in the order of their numbers.
const JUDGE: &str = "\
import json
given = json.load(__import__('sys').stdin)
answers = [entry['0'] for entry in given['log'][1::2]]
wrong = [one for one in answers if one['response'] != {'x0': 1, 'x1': 3, 'y0': 2, 'y1': 4}]
if wrong or len(answers) == 2:
    said = {'command': 'finish', 'content': {'0': 0 if wrong else 2, '1': 1}}
else:
    said = {'command': 'request', 'content': {'0': {'x0': 1, 'x1': 3, 'y0': 2, 'y1': 4}}}
print(json.dumps(said))
";

#[test]
fn a_request_that_is_an_object_comes_in_plain_words_and_so_does_its_answer() {
    let env = env();
    with_adapter(&env, "botzone");
    let game = std::fs::read_to_string(env.path().join("botzone/games/botzone-nim.yaml"));
    let game = game.expect("it is there").replace("nim", "words");
    env.write("botzone/games/botzone-words.yaml", &game);
    env.write("botzone/judges/words.py", JUDGE);
    let keep = "print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)";
    let echo = format!("assert input() == '1'\nwhile True:\n    print(input())\n    {keep}\n");
    env.write("echo.py", &echo);
    let turns = "name: turns\nlanguage: python\nentry: turns.py\nargs: [main.py]\n";
    env.write("turns/bot.yaml", turns);
    std::fs::copy(env.path().join("botzone/turns.py"), env.path().join("turns/turns.py"))
        .expect("a file can be copied");
    let main = "for _ in range(2 * int(input()) - 2):\n    input()\nprint(input())\n";
    env.write("turns/main.py", main);
    for bot in ["echo.py", "turns"] {
        let game = "botzone/games/botzone-words.yaml";
        let words = ["play", game, bot, "echo.py", "--format", "json", "--turns"];
        let bout = env.run(words).expect(0).json();
        assert_eq!(bout["seats"][0]["score"], 2, "{bot}: {bout}");
        assert_eq!(bout["turns"][0]["action"], "1 2 3 4", "{bot}: {bout}");
    }
}

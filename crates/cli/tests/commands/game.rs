//! `joust game`: a custom game is made, checked, measured and played; steps that fail or do not
//! repeat are named.

use joust_testkit::env::TestEnv;

use super::env;

/// Makes a game in Python, with one passage of its program replaced.
fn game(name: &str, passage: &str, by: &str) -> TestEnv {
    let env = env();
    env.run(["game", "new", "python", name]).expect(0);
    let file = format!("{name}/connect_four.py");
    let text = std::fs::read_to_string(env.path().join(&file)).expect("it was made");
    assert!(text.contains(passage), "{passage}");
    env.write(&file, &text.replace(passage, by));
    env
}

fn check(env: &TestEnv, name: &str, status: i32) -> String {
    env.run(["game", "check", name, "--seeds", "1"]).expect(status).stdout
}

#[test]
fn a_game_that_was_made_is_in_order_and_plays_a_tournament() {
    let env = game("my-game", "import re", "import re");
    let said = check(&env, "my-game", 0);
    // Five kinds of answers, each alone and interleaved with itself.
    assert_eq!(said.matches("repeats  ").count(), 10, "{said}");
    assert!(said.contains("`can: [rejudge, bouts]` is correct\n"), "{said}");
    assert!(said.ends_with("OK: bouts can be replayed exactly\n"), "{said}");
    let said = env.run(["game", "bench", "my-game", "--bouts", "3"]).expect(0).stdout;
    assert!(said.contains("µs of wall clock each, bots left out"), "{said}");
    env.run(["run", "my-game/tournament.yaml"]).expect(0);
    env.run(["verify", "-f", "my-game/tournament.yaml"]).expect(0);
    let standings = ["standings", "-f", "my-game/tournament.yaml", "--format", "json"];
    let standings = env.run(standings).expect(0).json().to_string();
    for bot in ["python", "javascript", "bash"] {
        assert!(standings.contains(bot), "{standings}");
    }
}

#[test]
#[ignore = "long: many starts of a referee"]
fn the_first_step_that_differs_is_named_and_what_makes_it_differ() {
    let left = "next(x for x in range(columns) if len(board[x]) < rows)";
    let any = "int({str(x) for x in range(columns) if len(board[x]) < rows}.pop())";
    let said = check(&game("hashes", left, any), "hashes", 1);
    assert!(said.contains("because of another hash seed\n"), "{said}");
    assert!(said.contains("\n  after answer "), "{said}");

    let told = "f\"board {columns} {rows}\"";
    let said = check(&game("zone", told, "__import__('time').tzname[0]"), "zone", 1);
    assert!(said.contains("at the start seat 0 is shown `UTC`, and then `+14`"), "{said}");
    assert!(said.contains("because of another time zone\n"), "{said}");

    let kept = "f\"board {len(KEPT)} {columns}\"";
    let env = game("leaky", told, kept);
    let file = env.path().join("leaky/connect_four.py");
    let text = std::fs::read_to_string(&file).expect("it was made");
    let leaky = text.replace("import re\n", "import re\nKEPT = []\n");
    env.write(
        "leaky/connect_four.py",
        &leaky.replace("def play(bout):\n", "def play(bout):\n    KEPT.append(bout)\n"),
    );
    let said = check(&env, "leaky", 1);
    assert!(said.contains("bouts by turns in one process"), "{said}");
    assert!(said.contains("because of another bout in the same process"), "{said}");

    let said = check(&game("lucky", told, "str(__import__('random').random())"), "lucky", 1);
    assert!(said.contains("because of nothing but a new process"), "{said}");
    assert!(said.contains("FAILED: bouts cannot be replayed"), "{said}");
}

#[test]
fn a_referee_that_fails_is_told_with_the_answer_that_made_it_fail() {
    let said = check(&game("fragile", "if number else len(board)", ""), "fragile", 1);
    assert!(said.contains("FAILED   random bytes"), "{said}");
    assert!(said.contains("the last of them of seat 0: `ok` "), "{said}");
    assert!(said.contains("the referee gives up: "), "{said}");

    let said = check(
        &game("chatty", "import re\n", "import os\nimport re\nos.write(1, b'Hi\\n')\n"),
        "chatty",
        1,
    );
    assert!(said.contains("message 1, byte 1: the line is not an object of JSON"), "{said}");
}

#[test]
fn what_cannot_be_made_or_found_is_an_error_with_a_hint() {
    let env = env();
    let said = env.run(["game", "new", "cobol", "mine"]).expect(2).stderr;
    assert!(said.contains("there are kits in: python, javascript, go, java, rust, cpp"), "{said}");
    let said = env.run(["game", "new", "python", "Mine!"]).expect(2).stderr;
    assert!(said.contains("lower-case words joined by `-`"), "{said}");
    let said = env.run(["game", "check", "nowhere"]).expect(2).stderr;
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn a_referee_that_never_starts_is_not_tried_again_and_again() {
    let env = game("mute", "import re\n", "import re\nraise SystemExit('no')\n");
    let said = check(&env, "mute", 1);
    assert_eq!(said.matches("FAILED  ").count(), 2, "{said}");
    assert!(said.contains("no bout begins: the others are not tried\n"), "{said}");
}

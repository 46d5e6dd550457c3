//! Mistakes in a `game.yaml`.

use super::pondering::try_own;

#[track_caller]
fn refused(game: &str) -> String {
    try_own("", game).expect_err("it was accepted").to_string()
}

#[track_caller]
fn assert_refused(game: &str, place: &str, message: &str, hint: &str) {
    let told = refused(game);
    assert_eq!(told.matches("error: ").count(), 1, "{told}");
    for expected in [place, message, hint] {
        assert!(told.contains(expected), "{expected:?} in {told}");
    }
}

#[test]
fn every_option_of_a_referee_needs_a_default() {
    let rows = "options:\n  rows: { type: integer }\n";
    assert_refused(rows, "game.yaml:3:9", "the option has no default", "`default: 7`");
    for other in ["{ type: boolean }", "{ enum: [small, large] }", "{ type: integer, default: 7 }"]
    {
        try_own("", &format!("options:\n  rows: {other}\n")).expect("it is complete");
    }
}

#[test]
fn a_minimum_above_the_maximum_is_refused() {
    let rows = "options:\n  rows: { type: integer, minimum: 5, maximum: 1, default: 3 }\n";
    let message = "the minimum 5 is above the maximum";
    assert_refused(rows, "game.yaml:3:35", message, "`minimum: 1, maximum: 5`");
    let huge = "options:\n  rows: { type: integer, default: 9223372036854775808 }\n";
    assert_refused(huge, "game.yaml:3:35", "the number is out of range", "to 9223372036854775807");
}

#[test]
fn memory_in_which_nothing_starts_is_refused() {
    let message = "no program starts in 1KiB";
    assert_refused("limits: { memory: 1KiB }\n", "game.yaml:2:19", message, "the least is 1MiB");
    try_own("", "limits: { memory: 1MiB }\n").expect("something starts in it");
    let bots = try_own("limits: { memory: 1KiB }", "").expect_err("nothing starts").to_string();
    assert!(bots.contains(message) && bots.contains("tournament.yaml:5:23"), "{bots}");
}

#[test]
fn with_one_program_a_turn_all_that_it_prints_is_the_answer() {
    let message = "all that a bot prints is its answer";
    for answer in ["{ lines: 2 }", "{ until: go }", "{ prefix: \"move \" }"] {
        let game = format!("channel: argv\nanswer: {answer}\n");
        assert_refused(&game, "game.yaml:3:9", message, "`channel: lines`");
    }
    try_own("", "channel: argv\nanswer: { lines: 1 }\n").expect("that is how it is anyway");
}

#[test]
fn rules_lie_in_the_game_s_folder() {
    let message = "does not stay inside the game's folder";
    for path in ["/etc/passwd", "../../x.md", "a/../../x.md"] {
        assert_refused(&format!("rules: {path}\n"), "game.yaml:2:8", message, "rules.md");
    }
    try_own("", "rules: ./referee.py\n").expect("it lies in the folder");
}

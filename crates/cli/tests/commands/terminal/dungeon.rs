//! Coder One's modes: interactive, paused, single steps, endless, reload, record.

use std::fs;

use joust_testkit::env::TestEnv;

use super::super::env;
use super::{A_WHILE, play, rows};

fn says(word: &str) -> String {
    format!(
        "class Agent:\n    def next_move(self, game_state, player_state):\n        return '{word}'\n"
    )
}

fn folder() -> TestEnv {
    let env = env();
    env.write("idle.py", &says(""));
    env.write("other.py", &says(""));
    env
}

const KEYS: &str = "arrows or w up, a left, d down walk, space bomb";

#[test]
fn a_person_plays_key_by_key_and_sees_keys_pause_and_result() {
    let env = folder();
    let arguments = ["coderone-dungeon", "--human", "idle.py", "--start-paused", "--turn-log"];
    let options = ["r.jsonl", "-o", "max_iterations=8", "-o", "tick_ms=50"];
    let mut game = play(&env, &[&arguments[..], &options[..]].concat());
    let screen = game.until("paused; Enter resumes");
    assert!(screen.contains(KEYS), "{screen}");
    assert!(screen.contains("Enter pauses and resumes, r new map, Ctrl-D gives up"), "{screen}");
    let later = game.look_for(A_WHILE);
    assert_eq!(rows(&later, "   start").len(), 1, "one picture:\n{later}");
    assert!(later.contains("paused; Enter resumes"), "{later}");
    game.press("\rw");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(["you won", "you drew", "you lost"].iter().any(|end| screen.contains(end)), "{screen}");
    assert!(!screen.contains("paused"), "{screen}");
    assert_eq!(rows(&screen, "  seat ").len(), 2, "{screen}");
    let recorded = fs::read_to_string(env.path().join("r.jsonl")).expect("it is written");
    assert!(recorded.contains(r#""action":"u""#), "{recorded}");
}

#[test]
fn r_begins_another_map_or_says_that_there_is_none() {
    let env = folder();
    let common = ["coderone-dungeon", "--human", "idle.py", "--start-paused", "-o", "tick_ms=50"];
    let mut game = play(&env, &common);
    game.until("paused");
    game.press("r");
    game.until("a new map: --seed 1");
    game.press("\u{3}");
    assert_eq!(game.end().0, Some(130));
    let mut game = play(&env, &[&common[..], &["--log", "replay"]].concat());
    game.until("paused");
    game.press("r");
    let screen = game.until("r: there is no new map here");
    assert!(!screen.contains("r new map"), "{screen}");
    game.press("\u{4}");
    game.until("Ctrl-D again gives your seat away");
    game.press("\u{3}");
    let (status, screen) = game.end();
    assert_eq!(status, Some(130));
    assert!(screen.contains("interrupted: this bout is lost"), "{screen}");
}

#[test]
fn a_bout_is_stepped_through_at_a_terminal() {
    let env = folder();
    let arguments = ["coderone-dungeon", "idle.py", "other.py", "--show", "--single-step"];
    let mut game = play(&env, &[&arguments[..], &["-o", "max_iterations=1"]].concat());
    for tick in ["tick 1", "tick 2"] {
        game.until_screen(tick, |screen| screen.contains(tick) && screen.contains("paused"));
        game.press("\r");
    }
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(rows(&screen, "tick ").len(), 1, "one picture stays:\n{screen}");
}

#[test]
fn endless_maps_leave_their_results_and_end_well() {
    let env = folder();
    let arguments = ["coderone-dungeon", "idle.py", "other.py", "--endless", "--show"];
    let options = ["-o", "max_iterations=3", "--wait-end", "300ms", "--delay", "10ms"];
    let mut game = play(&env, &[&arguments[..], &options[..]].concat());
    let screen = game.until_screen("two results", |screen| rows(screen, "  seat 0").len() == 2);
    assert!(screen.contains("a new map: --seed 1"), "{screen}");
    game.press("\u{3}");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("ended after") && screen.contains("has no result"), "{screen}");
}

#[test]
fn an_agent_that_cannot_be_imported_is_named_and_its_repair_begins_the_bout_again() {
    let env = folder();
    env.write("editor.py", &says("u"));
    let arguments = ["coderone-dungeon", "editor.py", "idle.py", "--reload", "--show"];
    let options = ["--clock", "realtime", "-o", "max_iterations=0", "-o", "tick_ms=50"];
    let mut game = play(&env, &[&arguments[..], &options[..]].concat());
    game.until("tick 3");
    env.write("editor.py", "import no_such_module_anywhere\n");
    game.until("No module named 'no_such_module_anywhere'");
    let screen = game.look_for(A_WHILE);
    assert_eq!(rows(&screen, "`editor` (seat 0) in round").len(), 1, "it stays, once:\n{screen}");
    env.write("editor.py", &says("d"));
    game.until_screen("the bout from the start", |screen| {
        let again = screen.rsplit_once("`editor.py` has changed: the bout begins again");
        again.is_some_and(|(_, now)| now.contains("tick ") && !now.contains("no_such_module"))
    });
    game.press("\u{3}");
    assert_eq!(game.end().0, Some(130));
}

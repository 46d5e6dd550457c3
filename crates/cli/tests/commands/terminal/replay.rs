//! A replay at a terminal: in one place, with keys.

use joust_testkit::env::TestEnv;
use joust_testkit::pty::Pty;

use super::super::small;
use super::rows;

fn replay(env: &TestEnv, delay: &str) -> Pty {
    env.run(["run", "--quiet"]).expect(0);
    let arguments = ["replay", "walker", "waiter", "--last", "--delay", delay];
    Pty::start(&env.command(arguments))
}

#[test]
fn a_replay_is_drawn_in_one_place_and_says_who_won() {
    let env = small();
    let (status, screen) = replay(&env, "50ms").end();
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(rows(&screen, "   round 6").len(), 1, "one picture stands:\n{screen}");
    assert!(!screen.contains("round 1") && !screen.contains("q quits"), "{screen}");
    assert_eq!(rows(&screen, "waiter and walker drew").len(), 1, "{screen}");
}

#[test]
fn keys_pause_step_and_leave() {
    let env = small();
    let mut player = replay(&env, "1h");
    player.until("1 of 6");
    player.until("space pauses, arrows step");
    player.press(" ");
    player.until("1 of 6, paused");
    player.press("\u{1b}[C");
    player.until("2 of 6, paused");
    player.press("\u{1b}[F");
    player.until("6 of 6, paused");
    player.press("\u{1b}[D");
    let screen = player.until("5 of 6, paused");
    assert_eq!(rows(&screen, " of 6").len(), 1, "{screen}");
    player.press("q");
    let (status, screen) = player.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("waiter and walker drew"), "{screen}");
}

#[test]
fn ctrl_c_ends_a_replay_and_gives_the_terminal_back() {
    let env = small();
    let mut player = replay(&env, "1h");
    player.until("1 of 6");
    player.press("\u{3}");
    assert_eq!(player.end().0, Some(130));
}

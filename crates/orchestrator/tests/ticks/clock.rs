//! When the clock strikes.

use std::time::Duration;

use joust_orchestrator::model::Pace;

use crate::fixtures::*;

#[test]
fn in_real_time_it_strikes_on_time_whatever_the_bots_do() {
    let dungeon =
        Dungeon { pace: Pace::Realtime, tick_ms: 10, iterations: 18, ..Dungeon::default() };
    let bout = dungeon.play([instant(), silent()]);
    // Twenty ticks, the first at once.
    assert!(bout.stored.result.took >= Duration::from_millis(190));
    assert_eq!(bout.stored.result.rounds, 20);
}

#[test]
fn eager_it_strikes_as_soon_as_every_bot_has_acted() {
    let dungeon = Dungeon { tick_ms: 5_000, iterations: 100, ..Dungeon::default() };
    let bout = dungeon.play([instant(), instant()]);
    assert!(bout.stored.result.took < Duration::from_secs(60), "500 s would be in real time");
}

#[test]
fn eager_and_real_time_give_fast_bots_the_same_game() {
    let play = |pace| {
        Dungeon { pace, tick_ms: 60, iterations: 10, ..Dungeon::default() }
            .play([instant(), instant()])
    };
    let (eager, realtime) = (play(Pace::Eager), play(Pace::Realtime));
    if realtime.seat(0).answers_late + realtime.seat(1).answers_late == 0 {
        assert_eq!(eager.stored.result.state_hash, realtime.stored.result.state_hash);
    }
}

#[test]
fn lockstep_gives_the_same_log_whoever_answers_first() {
    let dungeon = Dungeon { pace: Pace::Lockstep, ..Dungeon::default() };
    let later = Duration::from_millis(2);
    let one = dungeon.play([slow(later), instant()]);
    let other = dungeon.play([instant(), slow(later)]);
    assert_eq!(one.stored.result.action_log, other.stored.result.action_log);
    let eager = Dungeon::default();
    let (one, other) = (eager.play([slow(later), instant()]), eager.play([instant(), slow(later)]));
    assert_ne!(one.stored.result.action_log, other.stored.result.action_log);
    assert_eq!(one.stored.result.state_hash, other.stored.result.state_hash);
}

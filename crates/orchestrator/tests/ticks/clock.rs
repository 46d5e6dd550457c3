//! Times at which the clock strikes.

use std::time::Duration;

use joust_model::ClockMode;

use crate::fixtures::*;
use crate::scripted::ScriptedLive;

#[test]
fn in_real_time_it_strikes_on_time_whatever_the_bots_do() {
    let dungeon =
        Dungeon { pace: ClockMode::Realtime, tick_ms: 10, iterations: 18, ..Dungeon::default() };
    let bout = dungeon.play([instant(), silent()]);
    // Twenty ticks, the first at once.
    assert!(bout.stored.result.took >= Duration::from_millis(190));
    assert_eq!(bout.stored.result.rounds, 20);
}

/// Ticks of 20 ms with a bot that answers after 60 ms.
fn with_slow_bot(pace: ClockMode, iterations: u32, bot: ScriptedLive) -> Bout {
    let dungeon = Dungeon { pace, tick_ms: 20, iterations, ..Dungeon::default() };
    dungeon.play([bot, instant()])
}

#[test]
fn time_that_the_machine_takes_from_a_bot_moves_the_strike_at_every_pace() {
    for pace in ClockMode::ALL {
        let late = with_slow_bot(pace, 5, slow(Duration::from_millis(60)));
        assert!(late.seat(0).ticks_idle > 0, "{pace:?}: it is slow, and the machine is not");
        let bout = with_slow_bot(pace, 5, slow(Duration::from_millis(60)).starved());
        let seat = bout.seat(0);
        assert_eq!((seat.ticks_idle, seat.answers_late), (0, 0), "{pace:?}");
        assert!(!bout.stored.result.contended, "{pace:?}");
    }
}

#[test]
fn a_bot_that_the_machine_gives_no_processor_makes_its_bout_contended() {
    let bout = with_slow_bot(ClockMode::Realtime, 1, silent().starved());
    assert!(bout.seat(0).ticks_idle > 0 && bout.stored.result.contended);
    assert!(!with_slow_bot(ClockMode::Realtime, 1, silent()).stored.result.contended);
}

#[test]
fn eager_it_strikes_as_soon_as_every_bot_has_acted() {
    let dungeon = Dungeon { tick_ms: 5_000, iterations: 100, ..Dungeon::default() };
    let bout = dungeon.play([instant(), instant()]);
    assert!(bout.stored.result.took < Duration::from_secs(60), "500 s would be in real time");
}

/// Answers at once with a word that hangs on the request alone.
fn mover() -> ScriptedLive {
    bot(|request, _| vec![(NOW, answer(request, ["u", "r", "d", "l"][request.0 as usize % 4]))])
}

#[test]
fn a_whole_bout_is_the_same_at_every_pace_for_bots_that_answer_in_time() {
    let play = |pace| {
        let dungeon = Dungeon { pace, tick_ms: 1, iterations: 1800, ..Dungeon::default() };
        let bout = dungeon.play([mover(), mover()]);
        for seat in [0, 1] {
            let result = bout.seat(seat);
            assert_eq!((result.answers_late, result.ticks_idle), (0, 0), "{pace:?}");
            assert_eq!(result.verdicts.faults(), 0, "{pace:?}");
        }
        bout
    };
    let [realtime, eager, lockstep] =
        [ClockMode::Realtime, ClockMode::Eager, ClockMode::Lockstep].map(play);
    assert_eq!(realtime.stored.result.rounds, 1802);
    for other in [&eager, &lockstep] {
        assert_eq!(other.stored.result.rounds, 1802);
        assert_eq!(other.stored.result.state_hash, realtime.stored.result.state_hash);
        for seat in [0, 1] {
            assert_eq!(other.actions(seat), realtime.actions(seat));
        }
    }
}

#[test]
fn lockstep_gives_the_same_log_whoever_answers_first() {
    let dungeon = Dungeon { pace: ClockMode::Lockstep, ..Dungeon::default() };
    let later = Duration::from_millis(2);
    let one = dungeon.play([slow(later), instant()]);
    let other = dungeon.play([instant(), slow(later)]);
    assert_eq!(one.stored.result.action_log, other.stored.result.action_log);
    let eager = Dungeon::default();
    let (one, other) = (eager.play([slow(later), instant()]), eager.play([instant(), slow(later)]));
    assert_ne!(one.stored.result.action_log, other.stored.result.action_log);
    assert_eq!(one.stored.result.state_hash, other.stored.result.state_hash);
}

//! Agents that are slower than the clock, in the measured patterns of the
//! original (specification 4.3). The bots keep a time of their own, which the
//! states they are shown move on by a tick each: how busy the machine is plays no
//! part.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_model::ClockMode;
use joust_referee::RequestId;

use crate::fixtures::*;
use crate::scripted::ScriptedLive;

/// A tick of the original.
const TICK_MS: u32 = 100;
/// Time that it takes to carry a state to an agent and to begin with the next.
const CARRY_MS: u32 = 1;

/// The states that an agent was called with, by the ticks that made them.
type Seen = Arc<Mutex<Vec<u32>>>;

/// An agent whose call with the state of a tick takes `costs_ms(tick)`. While it
/// is busy states pile up, and it takes the newest next.
fn agent(costs_ms: fn(u32) -> u32) -> (ScriptedLive, Seen) {
    let seen = Seen::default();
    let noted = Arc::clone(&seen);
    let mut busy: Option<(u32, RequestId)> = None;
    let script = bot(move |request, _| {
        // Two seats; the first request is made at the end of tick 0.
        let now_ms = (request.0 / 2 - 1) * TICK_MS;
        let mut newest = Some(request);
        let begin = |at_ms: u32, newest: &mut Option<RequestId>| {
            let request = newest.take()?;
            let tick = request.0 / 2 - 1;
            noted.lock().expect("nobody panics").push(tick);
            Some((at_ms + CARRY_MS + costs_ms(tick), request))
        };
        busy = busy.or_else(|| begin(now_ms, &mut newest));
        let mut answers = Vec::new();
        while let Some((done_ms, answered)) = busy.filter(|(done, _)| *done < now_ms + TICK_MS) {
            answers.push((NOW, answer(answered, "u")));
            busy = begin(done_ms, &mut newest);
        }
        answers
    });
    (script, seen)
}

/// Plays 19 ticks and returns in which of them the agent's orders were carried
/// out and which states it saw; it has earned nothing but `ok`.
fn pattern(pace: ClockMode, costs_ms: fn(u32) -> u32) -> (Vec<u32>, Vec<u32>) {
    let dungeon = Dungeon { pace, tick_ms: 5, iterations: 17, ..Dungeon::default() };
    let (slow, seen) = agent(costs_ms);
    let bout = dungeon.play([slow, instant_mover()]);
    assert_eq!(bout.faults(0), [], "{pace:?}");
    let acted = bout.actions(0).into_iter().zip(0..).filter(|(action, _)| !action.is_empty());
    let acted = acted.map(|(_, tick)| tick).collect();
    let seen = seen.lock().expect("nobody panics").clone();
    (acted, seen)
}

/// Walks and never lays a bomb.
fn instant_mover() -> ScriptedLive {
    bot(|request, _| vec![(NOW, answer(request, ["u", "r", "d", "l"][request.0 as usize % 4]))])
}

#[test]
fn an_agent_of_250_ms_sees_and_acts_in_the_measured_ticks() {
    for pace in ClockMode::ALL {
        let (acted, seen) = pattern(pace, |_| 250);
        assert_eq!(acted, [3, 6, 8, 11, 13, 16, 18], "{pace:?}");
        assert_eq!(seen[..6], [0, 2, 5, 7, 10, 12], "{pace:?}");
    }
}

#[test]
fn one_slow_call_costs_a_tick_of_lag_to_the_end() {
    for pace in ClockMode::ALL {
        let (acted, seen) = pattern(pace, |tick| if tick == 5 { 250 } else { 1 });
        // Nothing in 6 and 7; the answer for state 5 in 8, that for state 7 in 9.
        assert_eq!(acted, [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18], "{pace:?}");
        assert_eq!(seen[..8], [0, 1, 2, 3, 4, 5, 7, 8], "{pace:?}");
    }
}

#[test]
fn played_again_it_is_shown_what_it_saw_one_by_one() {
    let dungeon = Dungeon { tick_ms: 5, iterations: 17, ..Dungeon::default() };
    let (slow, _) = agent(|_| 250);
    let recorded = dungeon.play([slow, instant_mover()]);
    let (shown, overlaps) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (all, too_early) = (Arc::clone(&shown), Arc::clone(&overlaps));
    let takes = Duration::from_millis(3);
    let mut due = Instant::now();
    let other = bot(move |request, _| {
        all.fetch_add(1, Ordering::Relaxed);
        too_early.fetch_add(u32::from(Instant::now() < due), Ordering::Relaxed);
        due = Instant::now() + takes;
        vec![(takes, answer(request, "u"))]
    });
    let again = dungeon.again([other, instant_mover()], &recorded);
    assert_eq!(again.stored.result.action_log, recorded.stored.result.action_log);
    assert_eq!(shown.load(Ordering::Relaxed), 7);
    assert_eq!(overlaps.load(Ordering::Relaxed), 0);
}

#[test]
fn an_agent_that_keeps_up_acts_in_every_tick_after_the_first() {
    for pace in ClockMode::ALL {
        let (acted, seen) = pattern(pace, |_| 90);
        assert_eq!(acted, (1..19).collect::<Vec<_>>(), "{pace:?}");
        assert_eq!(seen[..5], [0, 1, 2, 3, 4], "{pace:?}");
    }
}

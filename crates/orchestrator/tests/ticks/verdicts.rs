//! Verdicts of a bot on a clock.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_model::{Exit, Limits};
use joust_play::Processors;
use joust_play::channel::live::Event;
use joust_referee::{Limit, Parts, RequestId, Verdict};

use crate::fixtures::*;
use crate::scripted::ScriptedLive;

#[test]
fn bots_that_answer_at_once_are_never_late_or_idle() {
    let bout = Dungeon::default().play([instant(), instant()]);
    for seat in [0, 1] {
        let result = bout.seat(seat);
        assert_eq!((result.ticks_idle, result.answers_late), (0, 0));
        assert_eq!(result.verdicts.faults(), 0);
    }
    assert_eq!(bout.stored.result.rounds, 22);
}

#[test]
fn not_acting_is_legal_and_counted() {
    let dungeon = Dungeon { tick_ms: 2, ..Dungeon::default() };
    let bout = dungeon.play([silent(), instant()]);
    // The first tick comes before the first view.
    assert_eq!(bout.count(0, Verdict::Ok), bout.seat(0).ticks_idle + 1);
    assert_eq!(bout.seat(0).verdicts.faults(), 0);
}

#[test]
fn a_late_answer_is_used_in_the_tick_in_which_it_is_there() {
    let mut asked = 0;
    let late_once = bot(move |request, _| {
        asked += 1;
        match asked {
            // The third is late, and while the bot thinks about it it sees nothing else.
            3 => vec![(Duration::from_millis(450), answer(request, "u"))],
            4 => Vec::new(),
            _ => vec![(NOW, answer(request, "u"))],
        }
    });
    let dungeon = Dungeon { tick_ms: 300, iterations: 6, ..Dungeon::default() };
    let bout = dungeon.play([late_once, instant()]);
    assert_eq!(bout.seat(0).answers_late, 1, "{:?}", bout.actions(0));
    assert_eq!(bout.seat(0).verdicts.faults(), 0);
    // Used in the tick after the one it was meant for.
    let acted: Vec<bool> = bout.actions(0).iter().map(|action| !action.is_empty()).collect();
    assert_eq!(acted[..6], [false, true, true, false, true, true]);
}

#[test]
fn a_bot_that_dies_earns_its_verdict_once() {
    let mut asked = 0;
    let dying = bot(move |request, _| {
        asked += 1;
        match asked {
            5 => vec![(NOW, crash())],
            _ => vec![(NOW, answer(request, "u"))],
        }
    });
    let bout = Dungeon::default().play([dying, instant()]);
    assert_eq!(bout.faults(0), [(5, Verdict::Crash)]);
    assert_eq!(bout.faults(1), []);
    let fault = bout.turns.iter().find(|turn| !turn.verdict().is_ok()).expect("it is recorded");
    assert_eq!((fault.exit, fault.stderr.as_slice()), (Exit::Signal(11), &b"a trace"[..]));
    assert_eq!(bout.stored.result.rounds, 22, "the other plays on");
}

#[test]
fn a_bot_that_is_never_ready_earns_one_timeout() {
    let stillborn = ScriptedLive::new(None, Box::new(|_, _| Vec::new()));
    let dungeon = Dungeon {
        tick_ms: 2,
        limits: Limits { start: Duration::from_millis(30), ..Limits::default() },
        ..Dungeon::default()
    };
    let bout = dungeon.play([stillborn, instant()]);
    let faults = bout.faults(0);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].1, Verdict::Timeout);
    assert!(bout.seat(0).limits_hit.contains(Limit::Wall));
}

#[test]
fn a_late_joiner_plays_after_its_timeout() {
    let late = ScriptedLive::new(
        Some(Duration::from_millis(80)),
        Box::new(|request, _: &Parts| vec![(Duration::from_millis(90), answer(request, "u"))]),
    );
    let dungeon = Dungeon {
        tick_ms: 50,
        iterations: 8,
        limits: Limits { start: Duration::from_millis(20), ..Limits::default() },
        ..Dungeon::default()
    };
    let bout = dungeon.play([late, instant()]);
    assert_eq!(bout.count(0, Verdict::Timeout), 1);
    assert!(bout.actions(0).iter().any(|action| !action.is_empty()), "{:?}", bout.actions(0));
}

#[test]
fn an_answer_to_what_was_not_asked_breaks_the_protocol_and_is_not_used() {
    let mut asked = 0;
    let ahead = bot(move |request, _| {
        asked += 1;
        let honest = (NOW, answer(request, "u"));
        match asked {
            4 => vec![(NOW, answer(RequestId(request.0 + 100), "p")), honest],
            _ => vec![honest],
        }
    });
    let bout = Dungeon::default().play([ahead, instant()]);
    assert_eq!(bout.count(0, Verdict::ProtocolViolation), 1);
    assert!(!bout.actions(0).iter().any(|action| action == "p"));
}

#[test]
fn a_second_answer_to_one_request_breaks_the_protocol() {
    let mut asked = 0;
    let twice = bot(move |request, _| {
        asked += 1;
        let count = if asked == 4 { 2 } else { 1 };
        (0..count).map(|_| (NOW, answer(request, "u"))).collect()
    });
    let bout = Dungeon::default().play([twice, instant()]);
    assert_eq!(bout.count(0, Verdict::ProtocolViolation), 1);
}

#[test]
fn a_fault_that_is_not_the_end_costs_one_tick() {
    let mut asked = 0;
    let faulty = bot(move |request, _| {
        asked += 1;
        let fault = || Event::Fault {
            verdict: Verdict::OutputLimit,
            reason: "a message above the cap".to_owned(),
        };
        match asked {
            6 => vec![(NOW, fault())],
            _ => vec![(NOW, answer(request, "u"))],
        }
    });
    let bout = Dungeon::default().play([faulty, instant()]);
    assert_eq!(bout.faults(0), [(6, Verdict::OutputLimit)]);
}

#[test]
fn the_wall_budget_ends_the_bot_that_uses_it_up_and_not_the_other() {
    let dungeon = Dungeon {
        tick_ms: 40,
        iterations: 30,
        limits: Limits { bout: Duration::from_millis(200), ..Limits::default() },
        ..Dungeon::default()
    };
    let bout = dungeon.play([silent(), instant()]);
    assert_eq!(bout.count(0, Verdict::Timeout), 1);
    assert_eq!(bout.seat(1).verdicts.faults(), 0);
    assert_eq!(bout.stored.result.rounds, 32);
}

#[test]
fn with_too_few_processors_seats_are_asked_one_after_the_other() {
    let busy_until = Arc::new(Mutex::new(Instant::now()));
    let overlaps = Arc::new(AtomicU32::new(0));
    let thinking = Duration::from_millis(2);
    let bots = [0, 1].map(|_| {
        let (busy_until, overlaps) = (Arc::clone(&busy_until), Arc::clone(&overlaps));
        bot(move |request, _| {
            let mut until = busy_until.lock().expect("nobody panics");
            overlaps.fetch_add(u32::from(Instant::now() < *until), Ordering::Relaxed);
            *until = Instant::now() + thinking;
            vec![(thinking, answer(request, "u"))]
        })
    });
    let dungeon = Dungeon { processors: Processors::Shared, ..Dungeon::default() };
    let shared = dungeon.play(bots);
    assert_eq!(overlaps.load(Ordering::Relaxed), 0, "nobody is asked while another thinks");
    assert_eq!(shared.seat(0).verdicts.faults(), 0);
    assert_eq!((shared.seat(0).ticks_idle, shared.seat(1).ticks_idle), (0, 0));
    assert!(!shared.stored.result.contended);
}

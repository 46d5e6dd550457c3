//! A disputed bout over a wire is played again exactly as it was: connections open and close, and
//! every piece of a message arrives, in the same ticks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::recorded_inputs;
use joust_model::{Bytes, ClockMode, GameOptions, Limits, Setting};
use joust_orchestrator::dispute::compare;
use joust_play::channel::live::{Event, LiveChannel, News, PollTarget, SeatConnection};
use joust_play::channel::{Answered, ChannelError, LimitMode, Usage};
use joust_play::{ClockBout, NullObserver, Processors, play_live};
use joust_referee::{Catalogue, Input, Parts, RequestId, Verdict};
use joust_testkit::game;

use crate::fixtures::*;
use crate::scripted::ScriptedLive;

type Does = Vec<(Duration, Event)>;
type Script = dyn FnMut(u32, &str) -> Does + Send;

/// A client whose output is a function of the lines it receives, with its connection.
struct Client {
    inner: ScriptedLive,
    script: Box<Script>,
    unread: Vec<(u32, Vec<u8>)>,
}

fn client(script: impl FnMut(u32, &str) -> Does + Send + 'static) -> Client {
    let inner = ScriptedLive::new(Some(NOW), Box::new(|_, _| Vec::new()));
    Client { inner, script: Box::new(script), unread: Vec::new() }
}

impl LiveChannel for Client {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.inner.plan(NOW, opened(0));
        self.inner.start()
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.inner.descriptors(wanted);
    }

    fn wake_at(&self) -> Option<Instant> {
        self.inner.wake_at()
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        self.inner.receive(news)
    }

    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError> {
        self.inner.ask(request, view)
    }

    fn send(&mut self, to: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        if self.inner.is_over() {
            return Ok(());
        }
        let known = self.unread.iter().position(|(number, _)| *number == to.0);
        let index = known.unwrap_or_else(|| {
            self.unread.push((to.0, Vec::new()));
            self.unread.len() - 1
        });
        self.unread[index].1.extend_from_slice(bytes);
        while let Some(end) = self.unread[index].1.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread[index].1.drain(..=end).collect();
            for (after, event) in (self.script)(to.0, &String::from_utf8_lossy(&line[..end])) {
                self.inner.plan(after, event);
            }
        }
        Ok(())
    }

    fn disconnect(&mut self, connection: SeatConnection) -> Result<(), ChannelError> {
        self.inner.plan(NOW, Event::Closed(connection));
        Ok(())
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        self.inner.usage()
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.inner.end()
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

fn opened(number: u32) -> Event {
    Event::Opened(SeatConnection(number))
}

fn says(number: u32, text: &str) -> Event {
    let bytes = Arc::from(text.as_bytes());
    Event::Message { connection: SeatConnection(number), bytes }
}

/// Plays `turns` turns by the clock, or as the record has it.
fn play(rules: &str, turns: i64, clients: [Client; 2], recorded: Option<&Bout>) -> Bout {
    let tick_ms = 20;
    let mut plan = Dungeon { pace: ClockMode::Realtime, ..Dungeon::default() }.plan();
    plan.game = "uwcs-bomberman".to_owned();
    plan.revision = game("uwcs-bomberman").spec().revision;
    plan.rules = rules.to_owned();
    let options = [("tick_ms", tick_ms), ("window_ms", 2 * tick_ms), ("turns", turns)];
    let options = options.map(|(name, value)| (name.to_owned(), Setting::Int(value)));
    plan.options = GameOptions(options.into_iter().collect()).into();
    plan.limits = Limits { output: Bytes::from_kib(64), ..Limits::default() }.into();
    let mut channels: Vec<Box<dyn LiveChannel>> =
        clients.into_iter().map(|client| Box::new(client) as Box<dyn LiveChannel>).collect();
    let log = |bout: &Bout| recorded_inputs(&bout.stored.result.action_log).expect("a sound log");
    let played = play_live(ClockBout {
        game: &game(&plan.game),
        plan: &plan,
        channels: &mut channels,
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        limit_mode: LimitMode::Configured,
        processors: Processors::ForEverySeat,
        recorded: recorded.map(log),
    });
    Bout::new(plan, &played.expect("the bout is played to its end"))
}

/// Registers at once and walks in a circle. It thinks for `busy` in about every third tick, one
/// after the other, and sends every second action in pieces and without a line's end.
fn walker(busy: Duration) -> Client {
    let (mut ticks, mut free_at) = (0_usize, Instant::now());
    client(move |_, line| match line.split(' ').next() {
        Some("INIT") => vec![(NOW, says(0, "REGISTER walker pw\n"))],
        Some("TICK") => {
            ticks += 1;
            let word = ["UP", "LEFT", "DOWN", "RIGHT"][ticks % 4];
            let thinks = if ticks % 3 == 0 { busy } else { NOW };
            // One after the other, however long either is on its way.
            free_at = free_at.max(Instant::now()) + thinks + Duration::from_millis(2);
            let after = free_at.saturating_duration_since(Instant::now());
            if ticks % 2 == 0 {
                return vec![(after, says(0, &format!("ACTION {word}\n")))];
            }
            vec![
                (after, says(0, "ACTI")),
                (after, says(0, &format!("ON {word}"))),
                (after, says(0, "")),
            ]
        }
        _ => Vec::new(),
    })
}

/// Registers, opens and closes a second connection, and stands still.
fn doubler(pause: Duration) -> Client {
    client(move |number, line| match (number, line) {
        (0, "INIT") => vec![(NOW, says(0, "REGISTER double pw\n"))],
        (0, "TICK 3") => vec![(pause, opened(1)), (pause, says(1, "hello\nACTION UP\n"))],
        (1, "TICK 6") => vec![(pause, Event::Closed(SeatConnection(1)))],
        (0, "TICK 8") => vec![(pause, opened(2))],
        _ => Vec::new(),
    })
}

fn kinds(bout: &Bout) -> (usize, usize, usize) {
    let inputs = recorded_inputs(&bout.stored.result.action_log).expect("a sound log");
    let count = |is: fn(&Input) -> bool| inputs.iter().filter(|input| is(input)).count();
    (
        count(|input| matches!(input, Input::Opened { .. })),
        count(|input| matches!(input, Input::Message { .. })),
        count(|input| matches!(input, Input::Closed { .. })),
    )
}

fn assert_reproduced(recorded: &Bout, again: &Bout) {
    let (then, now) = (&recorded.stored.result, &again.stored.result);
    let inputs = |log: &[u8]| recorded_inputs(log).expect("a sound log");
    let (before, after) = (inputs(&then.action_log), inputs(&now.action_log));
    for (number, pair) in before.iter().zip(&after).enumerate() {
        assert_eq!(pair.0, pair.1, "input {number}");
    }
    assert_eq!(before.len(), after.len());
    assert_eq!((&then.state_hash, then.rounds), (&now.state_hash, now.rounds));
    let comparison = compare(&Catalogue::built_in(), &recorded.stored, &again.stored)
        .expect("both can be judged");
    assert!(comparison.is_reproduced(), "{comparison:?}");
}

#[test]
fn a_bout_over_a_wire_is_reproduced_by_faster_clients() {
    for rules in ["documented", "original"] {
        let slow = Duration::from_millis(30);
        let recorded = play(rules, 12, [walker(slow), doubler(slow)], None);
        let (opened, messages, closed) = kinds(&recorded);
        assert_eq!((opened, closed), (4, 1), "{rules}");
        assert!(messages > 12, "{rules}: {messages}");
        let again = play(rules, 12, [walker(NOW), doubler(NOW)], Some(&recorded));
        assert_reproduced(&recorded, &again);
    }
}

#[test]
fn clients_that_are_slower_now_are_waited_for() {
    let recorded = play("documented", 6, [walker(NOW), doubler(NOW)], None);
    let slow = Duration::from_millis(90);
    let again = play("documented", 6, [walker(slow), doubler(slow)], Some(&recorded));
    assert_reproduced(&recorded, &again);
}

#[test]
fn the_end_of_a_client_is_reproduced() {
    let dying = || {
        client(|_, line| match line {
            "INIT" => vec![(NOW, says(0, "REGISTER short pw\n"))],
            "TICK 3" => vec![(NOW, Event::Closed(SeatConnection(0))), (NOW, crash())],
            _ => Vec::new(),
        })
    };
    let recorded = play("original", 8, [dying(), walker(NOW)], None);
    assert_eq!(recorded.count(0, Verdict::Crash), 1);
    let again = play("original", 8, [dying(), walker(NOW)], Some(&recorded));
    assert_reproduced(&recorded, &again);
    assert_eq!(again.faults(0), recorded.faults(0));
}

#[test]
fn a_line_without_end_closes_its_connection_again() {
    let endless = || {
        client(|number, line| match (number, line) {
            (0, "INIT") => vec![(NOW, says(0, "REGISTER long pw\n"))],
            (0, "TICK 2") => vec![(NOW, says(0, &"x".repeat(5000)))],
            _ => Vec::new(),
        })
    };
    let recorded = play("documented", 8, [endless(), walker(NOW)], None);
    assert_eq!(recorded.stored.result.seats[0].rank, 2, "it left");
    let again = play("documented", 8, [endless(), walker(NOW)], Some(&recorded));
    assert_reproduced(&recorded, &again);
}

#[test]
fn a_client_that_says_something_else_is_found_out() {
    let acts = |word: &'static str| {
        client(move |_, line| match line {
            "INIT" => vec![(NOW, says(0, "REGISTER other pw\n"))],
            "TICK 1" => vec![(NOW, says(0, "ACTION UP\n"))],
            "TICK 2" => vec![(NOW, says(0, &format!("ACTION {word}\n")))],
            _ => Vec::new(),
        })
    };
    let recorded = play("documented", 4, [acts("LEFT"), doubler(NOW)], None);
    let again = play("documented", 4, [acts("DOWN"), doubler(NOW)], Some(&recorded));
    let comparison = compare(&Catalogue::built_in(), &recorded.stored, &again.stored)
        .expect("both can be judged");
    let divergence = comparison.divergence.expect("the second action differs");
    assert_eq!(divergence.seat, 0, "{divergence}");
}

//! Tests of a person at a keyboard.

use std::io::{self, PipeReader, Write};
use std::os::fd::OwnedFd;
use std::time::Instant;

use joust_referee::{Key, Parts, RequestId};

use super::{Keyboard, Keys};
use crate::channel::live::{ClockControl, Event, LiveChannel, News};

const KNOWN: &[(char, &str)] = &[('w', "u"), ('\u{2191}', "u"), (' ', "b")];

fn piped(reader: PipeReader) -> Keyboard {
    Keyboard { input: OwnedFd::from(reader).into(), notify: Box::new(|_| {}) }
}

fn person() -> (Keys, io::PipeWriter) {
    let (reader, writer) = io::pipe().expect("a pipe can be made");
    let mut keys = Keys::new(piped(reader), &Key::list(KNOWN));
    keys.receive(&mut Vec::new()).expect("it is ready");
    (keys, writer)
}

/// Presses `pressed` and returns the answered requests, with the answers.
fn press(keys: &mut Keys, writer: &mut io::PipeWriter, pressed: &[u8]) -> Vec<(u32, String)> {
    writer.write_all(pressed).expect("it is read");
    take(keys)
}

fn take(keys: &mut Keys) -> Vec<(u32, String)> {
    let mut news = Vec::new();
    keys.receive(&mut news).expect("nothing can fail");
    let answer = |news: News| match news.event {
        Event::Answer { request, parts } => {
            let word = parts.get("").unwrap_or_default();
            (request.0, String::from_utf8_lossy(word).into_owned())
        }
        other => panic!("{other:?}"),
    };
    news.into_iter().map(answer).collect()
}

fn ask(keys: &mut Keys, request: u32) {
    keys.ask(RequestId(request), &Parts::none()).expect("nothing can fail");
}

#[test]
fn every_request_takes_one_key_and_the_rest_wait() {
    let (mut keys, mut writer) = person();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"W x"), [(1, "u".to_owned())]);
    ask(&mut keys, 2);
    assert!(keys.wake_at().is_some_and(|at| at <= Instant::now()), "it is due");
    assert_eq!(take(&mut keys), [(2, "b".to_owned())]);
}

#[test]
fn arrows_are_keys_even_in_pieces() {
    let (mut keys, mut writer) = person();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"\x1b["), []);
    assert_eq!(press(&mut keys, &mut writer, b"A"), [(1, "u".to_owned())]);
}

#[test]
fn enter_holds_the_clock_and_keys_are_not_heard_meanwhile() {
    let (mut keys, mut writer) = person();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"\nw"), []);
    assert_eq!(keys.clock_control(), ClockControl::Pause);
    assert_eq!(press(&mut keys, &mut writer, b"\n "), [(1, "b".to_owned())]);
    assert_eq!(keys.clock_control(), ClockControl::Run);
}

#[test]
fn another_bout_begins_held_and_with_no_orders_waiting() {
    let (keys, mut writer) = person();
    let mut keys = keys.renewing();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"w R\nw"), [(1, "u".to_owned())]);
    assert_eq!(keys.clock_control(), ClockControl::NewBout);
    keys.restart();
    assert_eq!(keys.clock_control(), ClockControl::Pause);
    ask(&mut keys, 2);
    assert!(keys.wake_at().is_some(), "what was pressed since is to be read");
    assert_eq!(take(&mut keys), [(2, "u".to_owned())]);
    assert_eq!(keys.clock_control(), ClockControl::Run);
}

#[test]
fn step_by_step_the_clock_is_held_after_every_tick() {
    let (keys, mut writer) = person();
    let mut keys = keys.step_by_step();
    assert_eq!(keys.clock_control(), ClockControl::Run);
    for _ in 0..2 {
        keys.on_tick();
        assert_eq!(keys.clock_control(), ClockControl::Pause);
        assert_eq!(press(&mut keys, &mut writer, b"\n"), []);
        assert_eq!(keys.clock_control(), ClockControl::Run);
    }
}

#[test]
fn an_onlooker_has_the_clock_and_is_nobody_s_seat() {
    let (reader, mut writer) = io::pipe().expect("a pipe can be made");
    let mut keys = Keys::onlooker(piped(reader)).held();
    assert_eq!(keys.clock_control(), ClockControl::Pause);
    assert_eq!(press(&mut keys, &mut writer, b"w\n"), []);
    assert_eq!(keys.clock_control(), ClockControl::Run);
}

#[test]
fn who_has_left_holds_nobody_up() {
    let (mut keys, mut writer) = person();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"\n"), []);
    drop(writer);
    assert_eq!(take(&mut keys), []);
    assert_eq!(keys.clock_control(), ClockControl::Run);
    let mut wanted = Vec::new();
    keys.descriptors(&mut wanted);
    assert!(wanted.is_empty());
}

#[test]
fn the_seat_is_given_away_by_the_second_press_alone() {
    let (mut keys, mut writer) = person();
    ask(&mut keys, 1);
    assert_eq!(press(&mut keys, &mut writer, b"\x04w"), [(1, "u".to_owned())]);
    assert!(keys.is_here, "another key takes it back");
    press(&mut keys, &mut writer, b"\x04");
    assert!(keys.is_here, "once is not enough");
    press(&mut keys, &mut writer, b"\x04");
    assert!(!keys.is_here);
}

//! A person in a seat of a game on a clock: single keys, no Enter.
//!
//! Every key that the game knows is an order. A request takes one order; what is
//! pressed faster waits for the requests that follow. Enter holds the clock and
//! lets it run again; while it is held, orders are not heard. R asks for another
//! bout, which begins held. Who has left gives no more orders, and the bout goes
//! on. An onlooker has the clock and no orders.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use joust_referee::{LimitSet, Part, Parts, RequestId, Verdict};

use super::{Event, LiveChannel, News, Wanted, Wish};
use crate::channel::poll::is_readable;
use crate::channel::{Answered, ChannelError, Usage};
use crate::model::Exit;

/// The key that asks for another bout.
const NEW_BOUT: char = 'r';

/// Keys that wait for a request; what is pressed beyond is not heard.
const MOST_WAITING: usize = 256;

/// Where keys come from, as a terminal sends them.
pub trait Keyboard: Send {
    /// Returns what to poll for keys.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// Reads what has been pressed: nothing when it has ended.
    ///
    /// # Errors
    ///
    /// What the descriptor says.
    fn read(&mut self, keys: &mut [u8]) -> io::Result<usize>;

    /// Tells whether the clock is held from now on.
    fn held(&mut self, is_held: bool);
}

/// A person's way into a bout on a clock.
pub struct Keys {
    keyboard: Box<dyn Keyboard>,
    known: &'static [(char, &'static str)],
    unread: Vec<u8>,
    open: Option<RequestId>,
    waiting: VecDeque<&'static str>,
    answered: Vec<(RequestId, &'static str)>,
    is_here: bool,
    is_held: bool,
    is_told: bool,
    /// Whether another bout can be asked for.
    renews: bool,
    wants_another: bool,
    /// Whether the clock is held after every tick.
    steps: bool,
    seated_at: Instant,
}

impl Keys {
    /// Lets somebody look on who has a hand on the clock.
    #[must_use]
    pub fn onlooker(keyboard: Box<dyn Keyboard>) -> Self {
        Self { is_told: true, ..Self::new(keyboard, &[]) }
    }

    /// Holds the clock from the beginning.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.hold(true);
        self
    }

    /// Holds the clock after every tick.
    #[must_use]
    pub fn step_by_step(mut self) -> Self {
        self.steps = true;
        self
    }

    /// Takes R as the wish for another bout.
    #[must_use]
    pub fn renewing(mut self) -> Self {
        self.renews = true;
        self
    }

    /// Seats somebody whose keys mean the answers in `known`.
    #[must_use]
    pub fn new(keyboard: Box<dyn Keyboard>, known: &'static [(char, &'static str)]) -> Self {
        Self {
            keyboard,
            known,
            unread: Vec::new(),
            open: None,
            waiting: VecDeque::new(),
            answered: Vec::new(),
            is_here: true,
            is_held: false,
            is_told: false,
            renews: false,
            wants_another: false,
            steps: false,
            seated_at: Instant::now(),
        }
    }

    fn press(&mut self, key: char) {
        if key == '\n' {
            return self.hold(!self.is_held);
        }
        let key = key.to_ascii_lowercase();
        if key == NEW_BOUT && self.renews {
            self.wants_another = true;
            return;
        }
        let known = self.known.iter().find(|(known, _)| *known == key);
        let Some((_, word)) = known.filter(|_| !self.is_held) else { return };
        match self.open.take() {
            Some(request) => self.answered.push((request, word)),
            None if self.waiting.len() < MOST_WAITING => self.waiting.push_back(word),
            None => {}
        }
    }
}

impl Keys {
    fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
        self.keyboard.held(is_held);
    }
}

/// Takes the first key off what was read; `None` where that is no whole key.
/// What is no key of any game is the character NUL.
fn first_key(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [] | [0x1b] | [0x1b, b'[' | b'O'] => None,
        [0x1b, b'[' | b'O', direction, ..] => {
            let key = match direction {
                b'A' => '\u{2191}',
                b'B' => '\u{2193}',
                b'C' => '\u{2192}',
                b'D' => '\u{2190}',
                _ => '\0',
            };
            Some((key, 3))
        }
        [b'\r', ..] => Some(('\n', 1)),
        [byte, ..] if byte.is_ascii() && *byte != 0x1b => Some((char::from(*byte), 1)),
        _ => Some(('\0', 1)),
    }
}

impl LiveChannel for Keys {
    fn start(&mut self) -> Result<(), ChannelError> {
        Ok(())
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<Wanted<'a>>) {
        if self.is_here {
            wanted.push(Wanted { descriptor: self.keyboard.descriptor(), for_writing: false });
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let is_unread = !self.wants_another && first_key(&self.unread).is_some();
        let is_due = !self.is_told || !self.answered.is_empty() || is_unread;
        is_due.then_some(self.seated_at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let at = Instant::now();
        if !self.is_told {
            self.is_told = true;
            news.push(News { at, event: Event::Ready });
            return Ok(());
        }
        if self.answered.is_empty() && self.is_here && is_readable(self.keyboard.descriptor())? {
            let mut keys = [0; 64];
            match self.keyboard.read(&mut keys) {
                Ok(0) => self.is_here = false,
                Ok(read) => self.unread.extend_from_slice(&keys[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.is_here = false,
            }
            // Who has left holds nobody up.
            self.is_held &= self.is_here;
        }
        // What follows the wish for another bout is meant for that.
        while !self.wants_another
            && let Some((key, length)) = first_key(&self.unread)
        {
            self.unread.drain(..length);
            self.press(key);
        }
        for (request, word) in self.answered.drain(..) {
            let part = Part { name: "".into(), bytes: word.as_bytes().into() };
            news.push(News { at, event: Event::Answer { request, parts: Parts(vec![part]) } });
        }
        Ok(())
    }

    fn ask(&mut self, request: RequestId, _: &Parts) -> Result<(), ChannelError> {
        match self.waiting.pop_front() {
            Some(word) => self.answered.push((request, word)),
            None => self.open = Some(request),
        }
        Ok(())
    }

    fn wish(&self) -> Wish {
        match (self.wants_another, self.is_held) {
            (true, _) => Wish::NewBout,
            (false, true) => Wish::StandStill,
            (false, false) => Wish::Run,
        }
    }

    fn struck(&mut self) {
        if self.steps && self.is_here {
            self.hold(true);
        }
    }

    /// The original begins a new map with empty queues, and held if somebody
    /// asked for it.
    fn begin_anew(&mut self) {
        self.open = None;
        self.waiting.clear();
        self.answered.clear();
        if std::mem::take(&mut self.wants_another) && self.is_here {
            self.hold(true);
        }
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        Ok(Usage::default())
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.is_here = false;
        Ok(Answered {
            parts: Parts::none(),
            verdict: Verdict::Ok,
            limits_hit: LimitSet::default(),
            usage: Usage::default(),
            exit: Exit::Running,
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        })
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read, Write};
    use std::os::fd::AsFd;

    use super::*;

    const KNOWN: &[(char, &str)] = &[('w', "u"), ('\u{2191}', "u"), (' ', "b")];

    struct Piped(PipeReader);

    impl Keyboard for Piped {
        fn descriptor(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }

        fn read(&mut self, keys: &mut [u8]) -> io::Result<usize> {
            self.0.read(keys)
        }

        fn held(&mut self, _: bool) {}
    }

    fn person() -> (Keys, io::PipeWriter) {
        let (reader, writer) = io::pipe().expect("a pipe can be made");
        let mut keys = Keys::new(Box::new(Piped(reader)), KNOWN);
        keys.receive(&mut Vec::new()).expect("it is ready");
        (keys, writer)
    }

    /// Presses `pressed` and returns the requests answered, with the answers.
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
        assert_eq!(keys.wish(), Wish::StandStill);
        assert_eq!(press(&mut keys, &mut writer, b"\n "), [(1, "b".to_owned())]);
        assert_eq!(keys.wish(), Wish::Run);
    }

    #[test]
    fn another_bout_begins_held_and_with_no_orders_waiting() {
        let (keys, mut writer) = person();
        let mut keys = keys.renewing();
        ask(&mut keys, 1);
        assert_eq!(press(&mut keys, &mut writer, b"w R\nw"), [(1, "u".to_owned())]);
        assert_eq!(keys.wish(), Wish::NewBout);
        keys.begin_anew();
        assert_eq!(keys.wish(), Wish::StandStill);
        ask(&mut keys, 2);
        assert!(keys.wake_at().is_some(), "what was pressed since is to be read");
        assert_eq!(take(&mut keys), [(2, "u".to_owned())]);
        assert_eq!(keys.wish(), Wish::Run);
    }

    #[test]
    fn step_by_step_the_clock_is_held_after_every_tick() {
        let (keys, mut writer) = person();
        let mut keys = keys.step_by_step();
        assert_eq!(keys.wish(), Wish::Run);
        for _ in 0..2 {
            keys.struck();
            assert_eq!(keys.wish(), Wish::StandStill);
            assert_eq!(press(&mut keys, &mut writer, b"\n"), []);
            assert_eq!(keys.wish(), Wish::Run);
        }
    }

    #[test]
    fn an_onlooker_has_the_clock_and_is_nobody_s_seat() {
        let (reader, mut writer) = io::pipe().expect("a pipe can be made");
        let mut keys = Keys::onlooker(Box::new(Piped(reader))).held();
        assert_eq!(keys.wish(), Wish::StandStill);
        assert_eq!(press(&mut keys, &mut writer, b"w\n"), []);
        assert_eq!(keys.wish(), Wish::Run);
    }

    #[test]
    fn who_has_left_holds_nobody_up() {
        let (mut keys, mut writer) = person();
        ask(&mut keys, 1);
        assert_eq!(press(&mut keys, &mut writer, b"\n"), []);
        drop(writer);
        assert_eq!(take(&mut keys), []);
        assert_eq!(keys.wish(), Wish::Run);
        let mut wanted = Vec::new();
        keys.descriptors(&mut wanted);
        assert!(wanted.is_empty());
    }
}

//! Keyboard of a person in a seat of a game with a clock: single keys, without Enter.
//!
//! Every key that the game knows is an order. Each request takes one order; further orders wait for
//! later requests. Enter holds the clock and releases it again; while it is held, orders are
//! ignored. R requests another bout, which begins with the clock held. Ctrl-D, pressed twice,
//! leaves the seat; then there are no more orders, and the bout continues. An onlooker controls the
//! clock but gives no orders.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::time::Instant;

use joust_referee::{Key, Part, Parts, RequestId};

use crate::channel::live::{ClockControl, Event, LiveChannel, News, PollTarget};
use crate::channel::poll::is_readable;
use crate::channel::{Answered, ChannelError};
use crate::transfer::at_once;

/// The key that requests another bout.
const NEW_BOUT: char = 'r';

/// Ctrl-D, which leaves the seat when it is pressed twice.
const LEAVE: char = '\u{4}';

/// Number of keys that may wait for requests; further ones are ignored.
const MOST_WAITING: usize = 256;

/// Channel to a person in a bout with a clock.
pub struct Keys {
    keyboard: Keyboard,
    known: Vec<Key>,
    unread: Vec<u8>,
    orders: Orders,
    is_here: bool,
    is_held: bool,
    is_told: bool,
    options: KeyOptions,
    wants_another: bool,
    is_leaving: bool,
    /// True if a message is displayed that the next key removes.
    is_said: bool,
    seated_at: Instant,
}

/// Options of a person at a keyboard.
#[derive(Clone, Copy, Debug, Default)]
struct KeyOptions {
    /// True if another bout can be requested.
    renews: bool,
    /// True if the clock is held after every tick.
    steps: bool,
}

/// Orders of a person, and the request that takes the next one.
#[derive(Default)]
struct Orders {
    /// Request that waits for an order.
    open: Option<RequestId>,
    /// Orders that wait for requests.
    waiting: VecDeque<String>,
    answered: Vec<(RequestId, String)>,
}

impl Orders {
    fn give(&mut self, order: String) {
        match self.open.take() {
            Some(request) => self.answered.push((request, order)),
            None if self.waiting.len() < MOST_WAITING => self.waiting.push_back(order),
            None => {}
        }
    }

    fn request(&mut self, request: RequestId) {
        match self.waiting.pop_front() {
            Some(order) => self.answered.push((request, order)),
            None => self.open = Some(request),
        }
    }
}

impl Keys {
    /// Makes the keyboard of an onlooker, who controls the clock.
    pub fn onlooker(keyboard: Keyboard) -> Self {
        Self { is_told: true, ..Self::new(keyboard, &[]) }
    }

    /// Holds the clock from the beginning.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.hold(true);
        self
    }

    /// Holds the clock again after every tick.
    #[must_use]
    pub fn step_by_step(mut self) -> Self {
        self.options.steps = true;
        self
    }

    /// Makes R request another bout.
    #[must_use]
    pub fn renewing(mut self) -> Self {
        self.options.renews = true;
        self
    }

    /// Makes the keyboard of a seated person, whose keys mean the answers in `known`.
    pub fn new(keyboard: Keyboard, known: &[Key]) -> Self {
        Self {
            keyboard,
            known: known.to_vec(),
            unread: Vec::new(),
            orders: Orders::default(),
            is_here: true,
            is_held: false,
            is_told: false,
            options: KeyOptions::default(),
            wants_another: false,
            is_leaving: false,
            is_said: false,
            seated_at: Instant::now(),
        }
    }

    fn press(&mut self, key: char) {
        let is_leaving = std::mem::take(&mut self.is_leaving);
        if std::mem::take(&mut self.is_said) {
            self.say_how_the_clock_is();
        }
        let key = key.to_ascii_lowercase();
        match key {
            '\n' => return self.hold(!self.is_held),
            LEAVE => return self.leave(is_leaving),
            NEW_BOUT if self.options.renews => {
                self.wants_another = true;
                return;
            }
            NEW_BOUT => return self.say(KeyNotice::NoNewBout),
            _ => {}
        }
        let known = self.known.iter().find(|known| known.key == key);
        let Some(known) = known.filter(|_| !self.is_held) else { return };
        self.orders.give(known.answer.clone());
    }

    /// Leaves the seat after a confirmation; an onlooker has no seat.
    fn leave(&mut self, is_sure: bool) {
        if self.known.is_empty() {
            return;
        }
        if is_sure {
            self.is_here = false;
            return (self.keyboard.notify)(KeyNotice::Left);
        }
        self.is_leaving = true;
        self.say(KeyNotice::Leaving);
    }

    fn say(&mut self, what: KeyNotice) {
        self.is_said = true;
        (self.keyboard.notify)(what);
    }

    fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
        self.say_how_the_clock_is();
    }

    fn say_how_the_clock_is(&mut self) {
        (self.keyboard.notify)(if self.is_held { KeyNotice::Held } else { KeyNotice::Running });
    }
}

impl LiveChannel for Keys {
    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        if self.is_here {
            wanted.push(PollTarget { descriptor: self.keyboard.input.as_fd(), for_writing: false });
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let is_unread = !self.wants_another && first_key(&self.unread).is_some();
        let is_due = !self.is_told || !self.orders.answered.is_empty() || is_unread;
        is_due.then_some(self.seated_at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let at = Instant::now();
        if !self.is_told {
            self.is_told = true;
            news.push(News { at, event: Event::Ready });
            return Ok(());
        }
        if self.orders.answered.is_empty()
            && self.is_here
            && is_readable(self.keyboard.input.as_fd())?
        {
            let mut keys = [0; 64];
            match at_once(|| self.keyboard.input.read(&mut keys)) {
                Ok(None) => {}
                Ok(Some(0)) | Err(_) => self.is_here = false,
                Ok(Some(read)) => self.unread.extend_from_slice(&keys[..read]),
            }
            // A person who has left cannot hold the clock.
            self.is_held &= self.is_here;
        }
        // Keys after a request for another bout belong to that bout.
        while !self.wants_another
            && let Some((key, length)) = first_key(&self.unread)
        {
            self.unread.drain(..length);
            self.press(key);
            self.is_held &= self.is_here;
        }
        for (request, word) in self.orders.answered.drain(..) {
            let part = Part { name: "".into(), bytes: word.as_bytes().into() };
            news.push(News { at, event: Event::Answer { request, parts: Parts(vec![part]) } });
        }
        Ok(())
    }

    fn ask(&mut self, request: RequestId, _: &Parts) -> Result<(), ChannelError> {
        self.orders.request(request);
        Ok(())
    }

    fn clock_control(&self) -> ClockControl {
        match (self.wants_another, self.is_held) {
            (true, _) => ClockControl::NewBout,
            (false, true) => ClockControl::Pause,
            (false, false) => ClockControl::Run,
        }
    }

    fn on_tick(&mut self) {
        if self.options.steps && self.is_here {
            self.hold(true);
        }
    }

    /// Clears the queues, as the original does for a new map, and holds the clock if the person
    /// asked for the new bout.
    fn restart(&mut self) {
        self.orders = Orders::default();
        if std::mem::take(&mut self.wants_another) && self.is_here {
            self.hold(true);
        }
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.is_here = false;
        Ok(Answered::still_there())
    }
}

/// Keyboard of a person.
pub struct Keyboard {
    /// Source of keys as a terminal sends them.
    pub input: File,
    /// Receiver of notices to the person.
    pub notify: Box<dyn FnMut(KeyNotice) + Send>,
}

/// The key Home.
pub const HOME: char = '\u{2196}';

/// The key End.
pub const END: char = '\u{2198}';

/// Notice to a person at a keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNotice {
    /// The clock is held.
    Held,
    /// The clock runs, and there is no other message.
    Running,
    /// Another bout was requested, but there is none.
    NoNewBout,
    /// The person leaves the seat if the same key is pressed again.
    Leaving,
    /// The person has left the seat.
    Left,
}

/// Returns the first key of some bytes, with its length; `None` if it is incomplete. Arrows are
/// arrow characters, Home and End `\u{2196}` and `\u{2198}`; other keys without a character are
/// NUL.
pub fn first_key(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [] | [0x1b] | [0x1b, b'[' | b'O'] | [0x1b, b'[', b'1' | b'4'] => None,
        [0x1b, b'[', b'1', b'~', ..] => Some((HOME, 4)),
        [0x1b, b'[', b'4', b'~', ..] => Some((END, 4)),
        [0x1b, b'[' | b'O', direction, ..] => {
            let key = match direction {
                b'A' => '\u{2191}',
                b'B' => '\u{2193}',
                b'C' => '\u{2192}',
                b'D' => '\u{2190}',
                b'H' => HOME,
                b'F' => END,
                _ => '\0',
            };
            Some((key, 3))
        }
        [b'\r', ..] => Some(('\n', 1)),
        [byte, ..] if byte.is_ascii() && *byte != 0x1b => Some((char::from(*byte), 1)),
        _ => Some(('\0', 1)),
    }
}

#[cfg(test)]
mod tests;

//! Keyboard of a person in a seat of a game with a clock: single keys, without Enter.
//!
//! Every key that the game knows is an order. Each request takes one order; further orders wait for
//! later requests. Enter holds the clock and releases it again; while it is held, orders are
//! ignored. R requests another bout, which begins with the clock held. Ctrl-D, pressed twice,
//! leaves the seat; then there are no more orders, and the bout continues. An onlooker controls the
//! clock but gives no orders.

mod channel;
mod keyboard;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Instant;

use joust_referee::{Key, RequestId};

pub use keyboard::{END, HOME, KeyNotice, Keyboard, first_key};

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

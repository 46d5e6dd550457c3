//! Everything a game tells the outside world.

use std::sync::Arc;

use crate::{Connection, Outcome, Parts, RequestId, Seat, Verdict};

/// Which of the configured limits a request falls under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineClass {
    /// Until a long-lived bot is ready.
    Start,
    /// One turn.
    Turn,
    /// One tick of a game on a clock.
    Tick,
}

/// Who a message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendTo {
    /// One connection.
    Connection(Connection),
    /// Every connection.
    All,
}

/// One thing a game tells the outside world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Asks a seat for an action.
    Ask {
        /// Whom.
        seat: Seat,
        /// The request's number.
        request: RequestId,
        /// What the seat is shown.
        parts: Parts,
        /// Which limits apply.
        deadline: DeadlineClass,
    },
    /// Sends bytes to a connection.
    Send {
        /// To whom.
        to: SendTo,
        /// What.
        bytes: Arc<[u8]>,
    },
    /// A living seat is not asked in this round.
    Skip {
        /// Whom.
        seat: Seat,
    },
    /// Judges an answer given before: the final verdict (the machine's, or
    /// `illegal-output`, `no-output`, `ok`) and the action in the game's words.
    Judged {
        /// Whose answer.
        seat: Seat,
        /// The request it answered.
        request: RequestId,
        /// The final verdict.
        verdict: Verdict,
        /// The action taken, in the game's own notation; empty for none.
        action: String,
    },
    /// A round or tick was completed; `round` counts from 0.
    RoundOver {
        /// The round just completed.
        round: u32,
    },
    /// The bout is over. Nothing follows.
    Over(Outcome),
}

/// A reusable list of [`Output`]s, in order.
#[derive(Debug, Default)]
pub struct Outputs(pub Vec<Output>);

impl Outputs {
    /// Makes an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one output.
    pub fn push(&mut self, output: Output) {
        self.0.push(output);
    }

    /// Takes all outputs out, in order, keeping the memory.
    pub fn drain(&mut self) -> impl Iterator<Item = Output> + '_ {
        self.0.drain(..)
    }
}

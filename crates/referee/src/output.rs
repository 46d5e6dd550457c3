//! Outputs of a game: everything it tells the outside world.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::{Connection, Outcome, Parts, RequestId, Seat, SeatNumber, Verdict};

/// Class of configured limits of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineClass {
    /// Until a long-lived bot is ready.
    Start,
    /// A turn of a game that asks and waits.
    Turn,
    /// One tick of a game on a clock.
    Tick,
    /// So many milliseconds, where that is shorter than a turn.
    Own {
        /// Milliseconds.
        ms: u32,
    },
}

impl DeadlineClass {
    /// Returns the time that the game gives for a request, if it does.
    #[must_use]
    pub fn own(self) -> Option<Duration> {
        match self {
            Self::Own { ms } => Some(Duration::from_millis(ms.into())),
            Self::Start | Self::Turn | Self::Tick => None,
        }
    }
}

/// Receiver of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendTo {
    /// This connection alone.
    Connection(Connection),
    /// Every open connection, registered or not.
    All,
}

/// Layout of a view and its answer in files, for games whose bots read and write files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The seat's key, as the bot knows it: `A`.
    pub key: Arc<str>,
    /// The folder of this request, relative to the root of the bout's files: `12/A`.
    pub folder: Arc<str>,
    /// The names of the files that may hold the answer. Those the bot leaves come
    /// back as parts of these names.
    pub answers: Cow<'static, [Cow<'static, str>]>,
    /// Files that lie in the folder above; bots of the original found them there.
    pub above: Parts,
}

/// One thing a game tells the outside world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Asks a seat for an action.
    Ask {
        /// The seat that is asked.
        seat: Seat,
        /// The number that the answer must name.
        request: RequestId,
        /// The view.
        parts: Parts,
        /// Limits of the bout that apply.
        deadline: DeadlineClass,
        /// Layout of view and answer in files; `None` for games that have none.
        files: Option<Files>,
    },
    /// Sends bytes to a connection.
    Send {
        /// One connection, or all.
        to: SendTo,
        /// The message, the same for every receiver.
        bytes: Arc<[u8]>,
    },
    /// Closes a connection.
    Close {
        /// Its number.
        connection: Connection,
    },
    /// A living seat is not asked in this round.
    Skip {
        /// The seat that is passed over.
        seat: Seat,
    },
    /// Judges an answer given before: the final verdict (the machine's, or
    /// `illegal-output`, `no-output`, `ok`) and the action in the game's words.
    Judged {
        /// The seat that answered.
        seat: Seat,
        /// The request it answered.
        request: RequestId,
        /// The final verdict.
        verdict: Verdict,
        /// The action taken, in the game's own notation; empty for none.
        action: Cow<'static, str>,
    },
    /// Counters of seats after a number of rounds. It comes before
    /// the [`Output::RoundOver`] of the last of them.
    Numbers {
        /// Number of rounds: 0 at the start.
        after: u32,
        /// The numbers, in the order in which they are shown.
        numbers: Vec<SeatNumber>,
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
///
/// To show a position costs more than to play it. The host of a bout asks for
/// all that is shown ([`Outputs::new`]); one that judges a recorded bout again and
/// looks at nothing does not ([`Outputs::without_views`]). The game is the same.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Outputs that were not yet taken.
    pub list: Vec<Output>,
    is_blind: bool,
}

impl Outputs {
    /// Makes an empty list for everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty list for judgements: it leaves out requests and sent data
    /// ([`Output::Ask`], [`Output::Send`]). Everything else is the same.
    pub fn without_views() -> Self {
        Self { list: Vec::new(), is_blind: true }
    }

    /// Returns whether views, files and messages are wanted.
    pub fn wants_views(&self) -> bool {
        !self.is_blind
    }

    /// Appends one output.
    pub fn push(&mut self, output: Output) {
        if self.is_blind && matches!(output, Output::Ask { .. } | Output::Send { .. }) {
            return;
        }
        self.list.push(output);
    }

    /// Takes all outputs out, in order, keeping the memory.
    pub fn drain(&mut self) -> impl Iterator<Item = Output> + '_ {
        self.list.drain(..)
    }
}

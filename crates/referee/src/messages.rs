//! Messages between a referee and its caller: inputs, outputs, and the named parts of views and
//! answers.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::{Outcome, Seat, SeatNumber, Verdict};

/// The number of a request, unique within a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u32);

/// A connection to a game that is played over a wire, numbered from 0 by arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection(pub u32);

/// One input of a game.
///
/// The list of a bout's inputs, with the raw bytes as they came, is its action
/// log; folding [`crate::Judge::next`] over it gives the same game again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A seat's answer to a request. `verdict` is what the machine saw; the game decides
    /// whether the bytes are an action. `parts` is empty unless `verdict` is
    /// [`Verdict::Ok`], except in a game of move files: there a file that a bot left
    /// counts even if the bot crashed or failed, as in the originals.
    Answer {
        /// The seat that answers.
        seat: Seat,
        /// The request of the [`crate::Output::Ask`] it answers.
        request: RequestId,
        /// The answer, its bytes as they came.
        parts: Parts,
        /// Verdict of the request before the game looked at the bytes.
        verdict: Verdict,
    },
    /// Bytes that arrived on a connection, as one read returned them.
    Message {
        /// The connection they arrived on.
        connection: Connection,
        /// The bytes of one read.
        bytes: Arc<[u8]>,
    },
    /// A connection was made; `seat` when the listener belongs to one.
    Opened {
        /// Its number.
        connection: Connection,
        /// The seat that owns the socket it came in by.
        seat: Option<Seat>,
    },
    /// A connection was closed.
    Closed {
        /// Its number.
        connection: Connection,
    },
    /// A person sits in a seat; comes once, before the first answer. Rules about
    /// programs that seem to have stopped do not apply to people.
    Person {
        /// The seat of the person.
        seat: Seat,
    },
    /// The next tick of the game's clock is due.
    Tick,
    /// Forces the next draws of the kind `draw`; recorded games use it.
    Resolved {
        /// The kind of draw, as the game names it.
        draw: String,
        /// The outcomes of the draws, in the order in which they are made.
        values: Vec<i64>,
    },
}

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

/// One named piece of a view or an answer.
///
/// The empty name stands for the only piece there is (an argument, a line);
/// other names are file names such as `state.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The piece's name; empty for argv, pipes and lines.
    pub name: Arc<str>,
    /// The raw bytes, shared by all seats that see the same.
    pub bytes: Arc<[u8]>,
}

/// The name of the part of an answer that says what it took: microseconds, in digits.
const TOOK: &str = "took_us";

impl Part {
    /// Makes the part of an answer that says how long the bot took for it.
    pub fn took(duration: Duration) -> Self {
        static NAME: LazyLock<Arc<str>> = LazyLock::new(|| TOOK.into());
        Self { name: NAME.clone(), bytes: duration.as_micros().to_string().as_bytes().into() }
    }
}

/// A view or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Parts(pub Vec<Part>);

impl Parts {
    /// Makes the single unnamed part that argv, pipes and lines carry.
    pub fn single(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(vec![Part { name: Arc::default(), bytes: bytes.into() }])
    }

    /// Makes the answer of a seat that gave none.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns how long the bot took for this answer, where that is recorded.
    pub fn took(&self) -> Duration {
        let digits = self.get(TOOK).and_then(|bytes| std::str::from_utf8(bytes).ok());
        Duration::from_micros(digits.and_then(|digits| digits.parse().ok()).unwrap_or_default())
    }

    /// Returns the answer without what it took: what is compared where a bout is played
    /// again.
    pub fn untimed(&self) -> Self {
        Self(self.0.iter().filter(|part| &*part.name != TOOK).cloned().collect())
    }

    /// Returns the bytes of the part called `name`, if there is one.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        // Most answers have one part without a name, and judging compares them millions of times.
        let is_it = |part: &&Part| match name {
            "" => part.name.is_empty(),
            name => *part.name == *name,
        };
        self.0.iter().find(is_it).map(|part| &*part.bytes)
    }
}

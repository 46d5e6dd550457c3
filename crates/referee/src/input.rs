//! Inputs of a game: everything that it receives from outside.

use std::sync::Arc;

use crate::{Parts, Seat, Verdict};

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

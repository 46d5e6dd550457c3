//! Seating: admission of players, and the continuation after a game.

use crate::{Connection, Seat};

/// Rule by which connections become players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Every registered connection.
    Anyone,
    /// The first of each seat's registered connections. Other
    /// connections of a seat, and those that belong to no seat, are audience.
    OnePerSeat,
}

/// Continuation after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// Nothing: the server stops playing.
    OneGame,
    /// The next game, at once.
    BackToBack,
}

/// A registered connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Candidate {
    pub(in super::super) connection: Connection,
    pub(in super::super) seat: Option<Seat>,
    pub(in super::super) name: String,
}

/// Returns the candidates that may become players, in the order from which the draw
/// starts: by connection, or by seat, so that a seat's luck does not depend on the
/// order in which clients arrive.
pub(in super::super) fn admit(admission: Admission, registered: Vec<Candidate>) -> Vec<Candidate> {
    let mut admitted = registered;
    if admission == Admission::OnePerSeat {
        admitted.retain(|candidate| candidate.seat.is_some());
        admitted.sort_by_key(|candidate| (candidate.seat, candidate.connection));
        admitted.dedup_by_key(|candidate| candidate.seat);
    }
    admitted
}

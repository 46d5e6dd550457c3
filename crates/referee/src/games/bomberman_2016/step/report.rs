//! What happened in a round: each player's fate and the facts of `engine.log`.

use super::super::{Bomb, Command, MAX_PLAYERS, PowerUp, Square};
use crate::Seat;

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Carried out.
    Done,
    /// Ignored: the player was killed at the start of the round.
    Dead,
    /// Refused: 3.5 says when.
    Rejected,
    /// The player lost a movement conflict.
    Lost,
    /// The move was accepted, but its target was still occupied when it was
    /// carried out.
    Blocked,
}

impl Fate {
    /// Returns the word used in recordings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Dead => "dead",
            Self::Rejected => "rejected",
            Self::Lost => "lost",
            Self::Blocked => "blocked",
        }
    }
}

/// One fact of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A player standing at `at` submitted a command.
    Submitted {
        /// Who.
        seat: Seat,
        /// Where it stood.
        at: Square,
        /// The command.
        command: Command,
    },
    /// A bomb exploded.
    Detonated(Bomb),
    /// A player rolled a number in a movement conflict.
    Rolled {
        /// Who.
        seat: Seat,
        /// From 0 to 99.
        number: u8,
    },
    /// A player lost a movement conflict.
    Lost(Seat),
    /// A player's command was refused.
    Refused {
        /// Who.
        seat: Seat,
        /// What.
        command: Command,
    },
    /// A player's target was still occupied.
    Blocked(Seat),
    /// A player took a power-up.
    Took {
        /// Who.
        seat: Seat,
        /// What.
        power_up: PowerUp,
    },
    /// A wall was destroyed.
    WallDestroyed(Square),
    /// A player was taken off the map.
    PlayerKilled {
        /// Who.
        seat: Seat,
        /// Where.
        at: Square,
    },
    /// A player earned points with bombs.
    Scored {
        /// Who.
        seat: Seat,
        /// How many.
        points: i64,
    },
}

/// What happened in a round. Reused, so that a round needs no memory of its own.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What became of each seat's command; `None` for a seat without one.
    pub fates: [Option<Fate>; MAX_PLAYERS],
    /// The facts, in order.
    pub events: Vec<Event>,
}

impl Report {
    /// Makes an empty report.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(in super::super) fn clear(&mut self) {
        self.fates = [None; MAX_PLAYERS];
        self.events.clear();
    }

    pub(in super::super) fn note(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(in super::super) fn decide(&mut self, seat: Seat, fate: Fate) {
        self.fates[seat.index()] = Some(fate);
    }
}

//! Report of a round: each player's fate and the facts of `engine.log`.

use super::super::{Bomb, Command, MAX_PLAYERS, PowerUp, Square};
use crate::Seat;
use crate::named::named;

named! {
    /// Result of a command.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CommandResult {
        /// Carried out.
        Done = "done",
        /// Ignored: the player was killed at the start of the round.
        Dead = "dead",
        /// Refused, as [Commands](crate::docs::bomberman_2016#commands) says.
        Rejected = "rejected",
        /// The player lost a movement conflict.
        Lost = "lost",
        /// The move was accepted, but its target was still occupied when it was
        /// carried out.
        Blocked = "blocked",
    }
}

/// One fact of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A player standing at `at` submitted a command.
    Submitted {
        /// The seat of the player.
        seat: Seat,
        /// The block it stood on when it submitted the command.
        at: Square,
        /// The command as submitted, accepted or not.
        command: Command,
    },
    /// A bomb exploded, by its timer or in a chain.
    Detonated(Bomb),
    /// A player rolled a number in a movement conflict.
    Rolled {
        /// The seat of the player.
        seat: Seat,
        /// The number, from 0 to 99; the lowest loses.
        number: u8,
    },
    /// A player lost a movement conflict.
    Lost(Seat),
    /// A player's command was refused.
    Refused {
        /// The seat of the player.
        seat: Seat,
        /// The command that had no effect.
        command: Command,
    },
    /// A player's target was still occupied.
    Blocked(Seat),
    /// A player took a power-up.
    Took {
        /// The seat of the player.
        seat: Seat,
        /// The kind of power-up.
        power_up: PowerUp,
    },
    /// A wall was destroyed.
    WallDestroyed(Square),
    /// A player was taken off the map.
    PlayerKilled {
        /// The seat of the player.
        seat: Seat,
        /// The block it died on.
        at: Square,
    },
    /// A player earned points with bombs.
    Scored {
        /// The seat of the player.
        seat: Seat,
        /// Points of one chain, walls and bounties together.
        points: i64,
    },
}

/// Events of a round. Reused, so that a round needs no memory of its own.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Result of each seat's command; `None` for a seat without one.
    pub command_results: [Option<CommandResult>; MAX_PLAYERS],
    /// The facts, in the order of `engine.log`.
    pub events: Vec<Event>,
}

impl Report {
    /// Makes an empty report.
    pub fn new() -> Self {
        Self::default()
    }

    pub(in super::super) fn clear(&mut self) {
        self.command_results = [None; MAX_PLAYERS];
        self.events.clear();
    }

    pub(in super::super) fn note(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(in super::super) fn decide(&mut self, seat: Seat, fate: CommandResult) {
        self.command_results[seat.index()] = Some(fate);
    }
}

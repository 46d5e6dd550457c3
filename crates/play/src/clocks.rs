//! Clocks of a bout: the remaining time of each seat, where an external referee limits it, and the
//! times that are recorded.

use std::time::Duration;

use joust_model::BoutPlan;
use joust_referee::{Clocks, DeadlineClass, GameSpec, Part, Parts, Seat};

use crate::channel::{Answered, Port, find};

/// The clocks of a bout. Games with a built-in referee have only the limits.
pub(super) struct BoutClocks {
    clocks: Clocks,
    /// True if the game receives the time that an answer took.
    is_told: bool,
}

impl BoutClocks {
    pub(super) fn of(game: &GameSpec, plan: &BoutPlan) -> Self {
        let is_server = find(&game.channel).is_ok_and(|channel| channel.port == Port::OfTheBot);
        Self { clocks: plan.clocks(game), is_told: is_server || game.external.is_some() }
    }

    /// Returns the time limit of a seat's request.
    pub(super) fn allowed(&self, seat: Seat, deadline: DeadlineClass) -> Duration {
        self.clocks.allowed(seat, deadline.own())
    }

    /// Returns a seat's view with its clock filled in.
    pub(super) fn fill(&self, seat: Seat, view: &Parts) -> Parts {
        self.clocks.fill(seat, view)
    }

    /// Charges a seat's clock and returns its answer for the record.
    pub(super) fn charge(&mut self, seat: Seat, answered: &Answered) -> Parts {
        if !self.is_told {
            return answered.parts.clone();
        }
        let took = Part::took(answered.usage.wall.saturating_sub(answered.usage.stall));
        let parts = Parts(answered.parts.0.iter().cloned().chain([took]).collect());
        self.clocks.charge(seat, parts.took());
        parts
    }
}

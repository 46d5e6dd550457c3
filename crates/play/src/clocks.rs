//! Clocks of a bout whose game has a referee of its own: what each seat has, and what is
//! recorded of what it used.

use std::time::Duration;

use joust_model::BoutPlan;
use joust_referee::{Clocks, DeadlineClass, GameSpec, Part, Parts, Seat};

use crate::channel::Answered;

/// The clocks of a bout; without a referee of its own a game has none but the limits.
pub(super) struct BoutClocks {
    clocks: Clocks,
    /// True if the game is informed of the time that an answer took.
    is_told: bool,
}

impl BoutClocks {
    pub(super) fn of(game: &GameSpec, plan: &BoutPlan) -> Self {
        Self { clocks: plan.clocks(game), is_told: game.external.is_some() }
    }

    /// Returns how long a seat has for a request.
    pub(super) fn allowed(&self, seat: Seat, deadline: DeadlineClass) -> Duration {
        self.clocks.allowed(seat, deadline.own())
    }

    /// Returns what a seat is shown, its clock filled in.
    pub(super) fn fill(&self, seat: Seat, view: &Parts) -> Parts {
        self.clocks.fill(seat, view)
    }

    /// Charges a seat and returns its answer as it is recorded.
    pub(super) fn charge(&mut self, seat: Seat, answered: &Answered) -> Parts {
        let mut parts = answered.parts.clone();
        if self.is_told {
            parts.0.push(Part::took(answered.usage.wall.saturating_sub(answered.usage.stall)));
            self.clocks.charge(seat, parts.took());
        }
        parts
    }
}

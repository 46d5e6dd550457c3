//! Observers of a running bout.

use std::ops::ControlFlow;

use joust_referee::{Input, Parts, Scene, Seat};

use joust_model::{NumberRecord, Round, TurnRecord};

use crate::PlayError;

/// Passes an event to an observer, and stops the bout if the observer abandons it.
///
/// # Errors
///
/// [`PlayError::Cancelled`], if the observer abandons the bout.
pub(crate) fn notify(
    observer: &mut dyn BoutObserver,
    event: &BoutEvent<'_>,
) -> Result<(), PlayError> {
    match observer.observe(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PlayError::Cancelled),
    }
}

/// Event of a bout for an observer.
pub enum BoutEvent<'a> {
    /// A seat is about to be asked.
    Asked {
        /// The round.
        round: Round,
        /// The seat.
        seat: u8,
        /// The view for the bot.
        view: &'a Parts,
    },
    /// The referee is about to receive an input.
    Input(&'a Input),
    /// A turn has been judged.
    Turn(&'a TurnRecord),
    /// Numbers were reported: by the referee at the end of a round, or by a bot in its turn.
    Numbers(&'a [NumberRecord]),
    /// A round is over; `scene` is the position after it.
    Round {
        /// The round.
        round: Round,
        /// The position.
        scene: &'a dyn Fn() -> Scene,
        /// Returns the game's own name for the player in a seat, if it has one.
        name: &'a dyn Fn(Seat) -> Option<String>,
    },
    /// The bout begins.
    Begin {
        /// The position.
        scene: &'a dyn Fn() -> Scene,
    },
}

/// Observer of a bout.
pub trait BoutObserver {
    /// Handles an event; `Break` abandons the bout.
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()>;
}

/// Observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl BoutObserver for NullObserver {
    fn observe(&mut self, _: &BoutEvent<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

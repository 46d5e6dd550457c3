//! Watchers: people and programs that look on while a bout is played.

use joust_referee::{Input, Parts, Scene, Seat};

use joust_model::{NumberRecord, TurnRecord};

use crate::PlayError;

/// Decision to continue or abandon a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The bout continues.
    Continue,
    /// The bout is abandoned.
    Stop,
}

impl Flow {
    /// Goes on, or gives up the bout.
    pub(crate) fn go_on(self) -> Result<(), PlayError> {
        match self {
            Self::Continue => Ok(()),
            Self::Stop => Err(PlayError::Cancelled),
        }
    }
}

/// One thing a watcher sees.
pub enum Moment<'a> {
    /// A seat is about to be asked.
    Asked {
        /// The round, from 0.
        round: u32,
        /// The seat.
        seat: u8,
        /// View that it is shown.
        view: &'a Parts,
    },
    /// The referee is about to be told something.
    Input(&'a Input),
    /// A turn has been judged.
    Turn(&'a TurnRecord),
    /// Numbers were said: by the referee of the position that a round ends with, or by a
    /// bot of its turn.
    Numbers(&'a [NumberRecord]),
    /// A round is over; `scene` is the position after it.
    Round {
        /// The round, from 0.
        round: u32,
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

/// Somebody who looks on.
pub trait Watcher {
    /// Takes one moment and says whether to go on.
    fn see(&mut self, moment: &Moment<'_>) -> Flow;
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watcher for Silent {
    fn see(&mut self, _: &Moment<'_>) -> Flow {
        Flow::Continue
    }
}

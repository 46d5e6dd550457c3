//! Games with a clock: at each tick, the referee gets what bots have sent by then.
//!
//! One thread plays the whole bout. It waits for all seats at once, and passes input to the referee
//! in order of arrival, and a tick whenever the clock says so. The plan's [`ClockMode`] determines
//! when that is. The list of those inputs is the bout's action log, so judging it again needs no
//! clock.
//!
//! Not acting is legal: a tick without an answer is `ok` with no action. A bot earns another
//! verdict once, in the tick in which its cause is noticed: the bot ended, exceeded a limit, broke
//! the protocol, was not ready within its start limit (it may join late), or used up the wall
//! budget of the bout.

mod again;
mod bout;
mod events;
mod interval;
mod outputs;
mod seat;

use joust_referee::{Game, Input};

use super::{BoutObserver, PlayError, Played};
use crate::channel::LimitMode;
use crate::channel::live::LiveChannel;
use joust_model::BoutPlan;
use joust_model::cancel::Cancel;

/// Distribution of processors to the seats of a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processors {
    /// Every seat has its processors to itself.
    ForEverySeat,
    /// There are fewer processors. Where the clock mode allows it, the seats are asked one after
    /// the other; a bout in real time is marked as oversubscribed.
    Shared,
}

/// Inputs of a bout with a clock.
pub struct ClockBout<'a> {
    /// The game.
    pub game: &'a Game,
    /// Plan of the bout.
    pub plan: &'a BoutPlan,
    /// Channels to the seats' bots, in seat order, not started. After them come those of onlookers,
    /// who only control the clock.
    pub channels: &'a mut [Box<dyn LiveChannel>],
    /// Observer of the bout.
    pub observer: &'a mut dyn BoutObserver,
    /// Signal to stop.
    pub cancel: &'a Cancel,
    /// Mode of the time limits.
    pub limit_mode: LimitMode,
    /// Distribution of processors to the seats.
    pub processors: Processors,
    /// The inputs of an earlier play. With them, every answer is taken in the same tick again,
    /// however long that takes, and the bots only get the requests that they answered there.
    pub recorded: Option<Vec<Input>>,
}

/// Plays a bout with a clock to its end.
///
/// # Errors
///
/// [`PlayError`] when the machine failed or the run is being stopped; faults of bots are part of
/// the result.
pub fn play_live(setup: ClockBout<'_>) -> Result<Played, PlayError> {
    bout::Bout::start(setup)?.play()
}

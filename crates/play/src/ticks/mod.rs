//! Games on a clock: it strikes, and the referee gets what bots have sent by then.
//!
//! One thread plays the whole bout. It waits for all seats at once, hands
//! whatever comes to the referee in the order in which it came, and a tick when
//! the clock strikes; how the clock strikes is the plan's [`ClockMode`]. The list of
//! those inputs is the bout's action log, so judging it again needs no clock.
//!
//! Not acting is legal: a tick without an answer is `ok` with no action. A bot
//! earns another verdict once, in the tick in which that is noticed: it ended,
//! passed a limit, broke the protocol, was not ready when its start limit passed
//! (it may join late), or used up the wall budget of the bout.

mod again;
mod bout;
mod events;
mod interval;
mod links;
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
    /// There are fewer processors. Where the pace allows it the seats are asked
    /// one after the other; a bout in real time is marked as oversubscribed.
    Shared,
}

/// Inputs of a bout on a clock.
pub struct ClockBout<'a> {
    /// The game.
    pub game: &'a Game,
    /// Plan of the bout.
    pub plan: &'a BoutPlan,
    /// A way to every seat's bot, in seat order, none of them started; after them
    /// those of onlookers, who have a say about the clock only.
    pub channels: &'a mut [Box<dyn LiveChannel>],
    /// Observer of the bout.
    pub observer: &'a mut dyn BoutObserver,
    /// Signal to stop.
    pub cancel: &'a Cancel,
    /// State of the limits on time.
    pub limit_mode: LimitMode,
    /// Distribution of processors to the seats.
    pub processors: Processors,
    /// The inputs of an earlier play: then every answer is taken in the tick in
    /// which it was taken there, however long that lasts, and the bots are shown
    /// what they took notice of there.
    pub recorded: Option<Vec<Input>>,
}

/// Plays a bout on a clock to its end.
///
/// # Errors
///
/// [`PlayError`] when the machine failed or the run is being stopped; whatever
/// a bot does is part of the result.
pub fn play_live(setup: ClockBout<'_>) -> Result<Played, PlayError> {
    bout::Bout::start(setup)?.play()
}

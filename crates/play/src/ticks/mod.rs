//! Games on a clock: it strikes, and the referee is told who had said what by
//! then.
//!
//! One thread plays the whole bout. It waits for all seats at once, hands
//! whatever comes to the referee in the order in which it came, and a tick when
//! the clock strikes; how the clock strikes is the plan's [`Pace`]. The list of
//! those inputs is the bout's action log, so judging it again needs no clock.
//!
//! Not acting is legal: a tick without an answer is `ok` with no action. A bot
//! earns another verdict once, in the tick in which that is noticed: it ended,
//! passed a limit, broke the protocol, was not ready when its start limit passed
//! (it may join late), or used up the wall budget of the bout.

mod again;
mod bout;
mod contention;
mod events;
mod interval;
mod links;
mod outputs;
mod seat;

use std::io::Read;

use joust_referee::Input;

use super::{PlayError, Played, Watcher};
use crate::channel::Limiting;
use crate::channel::live::LiveChannel;
use joust_model::BoutPlan;
use joust_model::cancel::Cancel;

/// The longest action log that is read, bytes; a bout's log is far below it.
const LONGEST_LOG: u64 = 1 << 30;

/// Whether the seats of a bout can think at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Every seat has its processors to itself.
    ForEverySeat,
    /// There are fewer processors. Where the pace allows it the seats are asked
    /// one after the other; a bout in real time counts as contended.
    Shared,
}

/// Everything that comes together to play a bout on a clock.
pub struct LiveTable<'a> {
    /// What is played.
    pub plan: &'a BoutPlan,
    /// A way to every seat's bot, in seat order, none of them started; after them
    /// those of onlookers, who have a say about the clock only.
    pub channels: &'a mut [Box<dyn LiveChannel>],
    /// Who looks on.
    pub watcher: &'a mut dyn Watcher,
    /// Whether to stop.
    pub cancel: &'a Cancel,
    /// Whether the limits on time hold.
    pub limiting: Limiting,
    /// Whether the seats can think at the same time.
    pub room: Room,
    /// The inputs of an earlier play: then every answer is taken in the tick in
    /// which it was taken there, however long that lasts, and the bots are shown
    /// what they took notice of there.
    pub recorded: Option<Vec<Input>>,
}

/// Returns the inputs of an action log as it is stored, zstd-compressed.
///
/// # Errors
///
/// [`PlayError::Recorded`] when it is damaged.
pub fn recorded_inputs(action_log: &[u8]) -> Result<Vec<Input>, PlayError> {
    let mut bytes = Vec::new();
    zstd::stream::read::Decoder::new(action_log)
        .and_then(|decoder| decoder.take(LONGEST_LOG).read_to_end(&mut bytes))
        .map_err(|error| PlayError::Recorded(error.to_string()))?;
    joust_referee::log::decode(&bytes).map_err(|error| PlayError::Recorded(error.to_string()))
}

/// Plays a bout on a clock to its end.
///
/// # Errors
///
/// [`PlayError`] when the machine failed or the run is being stopped; whatever
/// a bot does is part of the result.
pub fn play_live(table: LiveTable<'_>) -> Result<Played, PlayError> {
    bout::Bout::start(table)?.play()
}

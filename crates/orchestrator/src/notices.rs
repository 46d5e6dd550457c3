//! Everything that happens while a tournament runs, for whoever listens.

use std::time::Duration;

use crate::model::{BoutPlan, BoutResult};

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Notice {
    /// A bot's build begins.
    BuildStarted {
        /// The bot.
        bot: String,
    },
    /// A bot's build ended well.
    Built {
        /// The bot.
        bot: String,
        /// Whether it was there already.
        cached: bool,
        /// How long it took.
        took: Duration,
    },
    /// A bot could not be built; it has lost its place, not the tournament.
    NotBuilt {
        /// The bot.
        bot: String,
        /// Why, on several lines, escaped.
        reason: String,
    },
    /// A language is being measured.
    Calibrating {
        /// The language.
        language: String,
        /// The game.
        game: String,
    },
    /// What is going to be played, before it is.
    Planned {
        /// The event.
        event: String,
        /// Matches with a bout to play.
        matches: u64,
        /// Bouts to play.
        bouts: u64,
        /// How long that will take.
        time: Duration,
        /// Whether bouts were played before; otherwise their length is assumed.
        is_from_results: bool,
    },
    /// Playing begins.
    Scheduled {
        /// The event.
        event: String,
        /// Bouts of the whole event.
        bouts: u64,
        /// Bouts that have a result already.
        finished: u64,
    },
    /// What the bots of the event that is scheduled have so far, before anything
    /// more is played.
    Table(Vec<Standing>),
    /// A bout begins.
    BoutStarted(Box<BoutPlan>),
    /// A bout is over and stored.
    BoutFinished(Box<BoutResult>),
    /// A bout was voided by a fault of the machine and is played again.
    BoutVoided {
        /// The bout.
        bout: Box<BoutPlan>,
        /// Why.
        reason: String,
        /// Which try failed, from 1.
        attempt: u32,
    },
    /// Something a person should know.
    Warning(String),
    /// The event is over.
    EventFinished {
        /// The event.
        event: String,
    },
}

/// What a bot has so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The bot.
    pub bot: String,
    /// Its points, in halves.
    pub halves: u64,
    /// Its bouts.
    pub bouts: u64,
}

/// Somebody who wants to know.
pub trait Listener: Send + Sync {
    /// Takes one notice.
    fn notice(&self, notice: &Notice);
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Listener for Nobody {
    fn notice(&self, _: &Notice) {}
}

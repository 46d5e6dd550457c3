//! Request for a try, and the errors that prevent one.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use joust_bots::BotProblem;
use joust_config::Tournament;
use joust_store::StoreError;

use crate::machine::MachineError;
use crate::pipeline::{RunError, RunOptions};

/// Request.
#[derive(Clone, Debug)]
pub struct TryRequest {
    /// The tournament whose field the candidate meets.
    pub tournament: Tournament,
    /// Path of the candidate, or the name of a bot of the field.
    pub bot: PathBuf,
    /// The event; `None` for the only one, or the one that has the candidate.
    pub event: Option<String>,
    /// Opponents by name; all when it is empty.
    pub against: Vec<String>,
    /// Time for bouts.
    pub time: Duration,
    /// Options of the runs: `jobs`, `isolation` and `cache` count.
    pub run: RunOptions,
}

/// Reason why a candidate was not tried.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// The tournament has several events, and none was named.
    #[error("the tournament has several events: {}", .0.join(", "))]
    SeveralEvents(Vec<String>),
    /// There is nothing to try.
    #[error("there is neither a file nor a bot `{}`", joust_model::escaped(&.wanted.display().to_string()))]
    NoCandidate {
        /// Name that was asked for.
        wanted: PathBuf,
        /// The bots of the field.
        known: Vec<String>,
    },
    /// The candidate's files cannot be used.
    #[error("{}", .0.iter().map(|problem| format!("error: {problem}")).collect::<Vec<_>>().join("\n"))]
    Unreadable(Vec<BotProblem>),
    /// The field has no such bot.
    #[error("the field of `{event}` has no bot `{}`", joust_model::escaped(.wanted))]
    NoSuchOpponent {
        /// The event.
        event: String,
        /// Name that was asked for.
        wanted: String,
        /// The bots there are, without the candidate.
        known: Vec<String>,
    },
    /// There are too few bots to play against.
    #[error("`{event}` has {} to play against, and a match takes {players}", joust_model::counted(*.opponents, "bot"))]
    TooFew {
        /// The event.
        event: String,
        /// Bots that could be built, without the candidate.
        opponents: usize,
        /// Bots of a match, the candidate included.
        players: u8,
    },
    /// The candidate cannot be built, and why, on several lines, escaped.
    #[error("`{}` cannot be built: {reason}", joust_model::escaped(.bot))]
    NotBuilt {
        /// The candidate.
        bot: String,
        /// Its game.
        game: String,
        /// Why.
        reason: String,
    },
    /// Databases of tries cannot be kept.
    #[error("`{}` cannot be written", .folder.display())]
    Folder {
        /// Their folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine cannot be made ready.
    #[error(transparent)]
    NotReady(#[from] MachineError),
}

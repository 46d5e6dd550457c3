//! Reasons why a run ended early.

use crate::machine::MachineError;
use joust_bots::BotProblem;
use joust_cluster::transport::TransportError;
use joust_model::counted;
use joust_play::calibrate::NotCalibrated;
use joust_play::channel::ChannelError;
use joust_store::StoreError;

/// Reason why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No event has this name.
    #[error("the tournament has no event `{}`", joust_model::escaped(.wanted))]
    NoSuchEvent {
        /// The name.
        wanted: String,
        /// The events there are.
        known: Vec<String>,
    },
    /// No bot has this name.
    #[error("no event has a bot `{}`", joust_model::escaped(.wanted))]
    NoSuchBot {
        /// The name.
        wanted: String,
        /// The bots there are, in order.
        known: Vec<String>,
    },
    /// The bots cannot be used.
    #[error("{}", .0.iter().map(|problem| format!("error: {problem}")).collect::<Vec<_>>().join("\n"))]
    Discover(Vec<BotProblem>),
    /// The machine cannot be made ready.
    #[error(transparent)]
    NotReady(MachineError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `--strict` met a bot that cannot be built.
    #[error("{} could not be built: {}", counted(.0.len(), "bot"), .0.join(", "))]
    NotBuilt(Vec<String>),
    /// `--strict` met a bot that this machine could not build.
    #[error("{0}")]
    Machine(String),
    /// Each shard would draw a seed of its own.
    #[error(
        "`seed: drawn` draws one seed for a database, and every shard has a database of its own"
    )]
    SeedOfShards,
    /// The machine failed before anything was played.
    #[error("clients cannot be tried")]
    Trial(#[from] ChannelError),
    /// The workers cannot be reached.
    #[error(transparent)]
    Workers(#[from] TransportError),
    /// The builds cannot be made ready for workers.
    #[error("builds cannot be read for the workers")]
    Builds(#[source] std::io::Error),
    /// The bots cannot be watched.
    #[error("the bots cannot be watched")]
    Watch(#[source] std::io::Error),
    /// The run was stopped before anything was played.
    #[error("interrupted")]
    Interrupted,
    /// A language cannot be measured.
    #[error("language `{language}` cannot be calibrated for `{game}`")]
    Calibrate {
        /// The language.
        language: String,
        /// The game.
        game: String,
        /// Why.
        #[source]
        source: Box<NotCalibrated>,
    },
}

impl From<MachineError> for RunError {
    fn from(error: MachineError) -> Self {
        match error {
            MachineError::Interrupted => Self::Interrupted,
            error => Self::NotReady(error),
        }
    }
}

impl RunError {
    /// Returns the machine's fault that prevented the measurement of a language.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Calibrate { source, .. } if source.is_of_machine() => Some(source.to_string()),
            _ => None,
        }
    }
}

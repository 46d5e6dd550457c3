//! Notices of a coordinator, for the organiser.

use joust_model::counted;

/// Event that an organiser may want to see.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum CoordinatorNotice {
    /// A worker has come.
    #[error("worker `{worker}` is there with {}", counted(*.cores, "core"))]
    WorkerJoined {
        /// Its name.
        worker: String,
        /// Processors it plays on.
        cores: usize,
        /// Its time of day, milliseconds since 1970.
        clock: i64,
    },
    /// A worker cannot play.
    #[error("worker `{worker}` cannot play: {why}")]
    WorkerRefused {
        /// Its name.
        worker: String,
        /// The difference that prevents it.
        why: String,
    },
    /// A worker has fallen silent.
    #[error("worker `{0}` is gone; what it held is played elsewhere")]
    WorkerLost(String),
    /// Batches are sent again.
    #[error("lost batches of bouts, handed out again: {0}")]
    BatchesRequeued(usize),
    /// No worker plays.
    #[error("no worker is there: `joust worker URL` starts one")]
    NoWorkers,
    /// Bouts wait for a suitable machine. The text says what a present one lacks.
    #[error("bouts wait that no worker there can play: {0}")]
    NoSuitableWorker(String),
    /// The transport does not answer.
    #[error("waiting for the server: {0}")]
    ServerUnavailable(String),
    /// The transport refuses bouts.
    #[error("the server takes no bouts, trying again: {0}")]
    ServerRefuses(String),
    /// The transport answers again.
    #[error("the server answers again")]
    ServerAvailable,
    /// The transport had lost its contents.
    #[error("the server had lost what waited; it is handed out again")]
    ServerWiped,
    /// A worker fails more often than the others.
    #[error(
        "worker `{worker}` fails more often than the others, at {failed} of {of} bouts: look at its \
         machine"
    )]
    WorkerFailsOften {
        /// Its name.
        worker: String,
        /// Bouts that failed on it.
        failed: u64,
        /// Bouts it has played.
        of: u64,
    },
    /// Nothing of a worker counts any more, because too many of its results were refused.
    #[error(
        "worker `{worker}` is excluded from this event, because {refused} of its results were \
         refused: look at its machine and its owner"
    )]
    WorkerExcluded {
        /// Its name.
        worker: String,
        /// Number of its results that were refused.
        refused: u32,
    },
    /// A result was refused.
    #[error("a result of worker `{worker}` is refused: {why}")]
    ResultRefused {
        /// Worker that sent it.
        worker: String,
        /// Reason for the refusal.
        why: String,
    },
}

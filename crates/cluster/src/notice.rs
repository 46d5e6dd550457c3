//! Notices of a coordinator, for the organiser.

use std::fmt;

use joust_model::counted;

/// Event that an organiser may want to see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CoordinatorNotice {
    /// A worker has come.
    WorkerJoined {
        /// Its name.
        worker: String,
        /// Processors it plays on.
        cores: usize,
        /// Its time of day, milliseconds since 1970.
        clock: i64,
    },
    /// A worker cannot play.
    WorkerRefused {
        /// Its name.
        worker: String,
        /// The difference that prevents it.
        why: String,
    },
    /// A worker has fallen silent.
    WorkerLost(String),
    /// Batches are sent again.
    BatchesRequeued(usize),
    /// No worker plays.
    NoWorkers,
    /// Bouts wait for a suitable machine. The text says what a present one lacks.
    NoSuitableWorker(String),
    /// The transport does not answer.
    ServerUnavailable(String),
    /// The transport refuses bouts.
    ServerRefuses(String),
    /// The transport answers again.
    ServerAvailable,
    /// The transport had lost its contents.
    ServerWiped,
    /// A worker fails more often than the others.
    WorkerFailsOften {
        /// Its name.
        worker: String,
        /// Bouts that failed on it.
        failed: u64,
        /// Bouts it has played.
        of: u64,
    },
    /// A result was refused.
    ResultRefused {
        /// Worker that sent it.
        worker: String,
        /// Reason for the refusal.
        why: String,
    },
}

impl fmt::Display for CoordinatorNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkerJoined { worker, cores, .. } => {
                write!(f, "worker `{worker}` is there with {}", counted(*cores, "core"))
            }
            Self::WorkerRefused { worker, why } => {
                write!(f, "worker `{worker}` cannot play: {why}")
            }
            Self::WorkerLost(worker) => {
                write!(f, "worker `{worker}` is gone; what it held is played elsewhere")
            }
            Self::BatchesRequeued(batches) => {
                let has = if *batches == 1 { "was lost and is" } else { "were lost and are" };
                let batches = match batches {
                    1 => "1 batch of bouts".to_owned(),
                    more => format!("{more} batches of bouts"),
                };
                write!(f, "{batches} {has} handed out again")
            }
            Self::NoWorkers => f.write_str("no worker is there: `joust worker URL` starts one"),
            Self::NoSuitableWorker(why) => {
                write!(f, "bouts wait that no worker there can play: {why}")
            }
            Self::ServerUnavailable(why) => write!(f, "waiting for the server: {why}"),
            Self::ServerRefuses(why) => write!(f, "the server takes no bouts, trying again: {why}"),
            Self::ServerAvailable => f.write_str("the server answers again"),
            Self::ServerWiped => {
                f.write_str("the server had lost what waited; it is handed out again")
            }
            Self::WorkerFailsOften { worker, failed, of } => write!(
                f,
                "worker `{worker}` fails more often than the others, at {failed} of {of} bouts: \
                 look at its machine"
            ),
            Self::ResultRefused { worker, why } => {
                write!(f, "a result of worker `{worker}` is refused: {why}")
            }
        }
    }
}

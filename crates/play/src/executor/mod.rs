//! Executors: they take a stream of planned bouts and return events, including the result of each
//! bout.
//!
//! A plan may be delivered twice, and a result is stored once per bout id, so an executor may run
//! anywhere: in this thread ([`bout`]), on this machine's cores ([`Local`]), or on other machines.
//! The only signals from an executor are [`ExecutorEvent`]s and its end, so a remote one behaves
//! like a local one.

pub mod bout;
mod cores;
mod local;
mod needs;
pub mod persistent;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use joust_model::{BoutId, BoutResult, Round};
use joust_referee::Scene;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Receiver, Sender};

pub use cores::{CoreClaim, CoreLoad, Cores, NotEnoughCores, available};
pub use local::{Local, Sharing};
pub use needs::{
    Assignment, CoreNeeds, Equipment, FewerCores, MachineOffer, Needs, Neighbours, Toolchain,
};

/// Maximum time between an executor's reports of the bouts it holds.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// The future of a running executor.
pub type Executing = Pin<Box<dyn Future<Output = Result<(), ExecutorLost>> + Send>>;

/// Reason why an executor has ended before all bouts were played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorLost(pub String);

/// Executor of bouts.
pub trait Executor: Send + Sync {
    /// Plays incoming bouts and sends their results, until the assignments end or the run is
    /// cancelled, and then ends. Takes a new assignment only when it can be played soon, which
    /// creates back-pressure. Nothing happens until the future is polled, and polling never blocks.
    ///
    /// It reports each bout that begins, and sends an [`ExecutorEvent::Heartbeat`] at least every
    /// [`HEARTBEAT`]. A bout that it has taken and that several heartbeats omit counts as lost, and
    /// so does a bout that it has not delivered by its end; lost bouts are played again. A silent
    /// executor is abandoned.
    ///
    /// # Errors
    ///
    /// [`ExecutorLost`] when it cannot continue.
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing;

    /// Returns how many bouts are played at once.
    fn parallel(&self) -> usize;
}

/// Event of an executor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutorEvent {
    /// A bout begins.
    BoutStarted(BoutId),
    /// A bout that is played elsewhere has reached a position. It is only sent if
    /// [`Listener::wants_positions`](joust_model::notices::Listener::wants_positions) is true.
    Position {
        /// The bout.
        bout: BoutId,
        /// The round.
        round: Round,
        /// The position after it.
        #[serde(with = "joust_model::scene_bytes")]
        scene: Arc<Scene>,
    },
    /// The bouts that the executor has taken and not delivered yet.
    Heartbeat(Vec<BoutId>),
    /// A bout has a result or a failure.
    Delivered(Box<Delivery>),
}

/// Result of a planned bout, or of a match that is played as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The bout; for a match, the first one.
    pub bout: BoutId,
    /// Its result, or the machine's failure, which applies to the whole match.
    pub result: Result<BoutResult, Failure>,
    /// The results of the further bouts, in the order of their assignment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<BoutResult>,
}

impl Delivery {
    /// Makes the delivery of one bout.
    pub fn new(bout: BoutId, result: Result<BoutResult, Failure>) -> Self {
        Self { bout, result, rest: Vec::new() }
    }

    /// Makes the delivery of an assignment whose first bout is `bout`: all its results, in order,
    /// or none.
    pub fn of_all(bout: BoutId, results: Result<Vec<BoutResult>, Failure>) -> Self {
        let mut results = match results {
            Ok(results) => results.into_iter(),
            Err(failure) => return Self::new(bout, Err(failure)),
        };
        let nothing = || Failure::Infrastructure("the executor gave no result".to_owned());
        let result = results.next().ok_or_else(nothing);
        Self { bout, result, rest: results.collect() }
    }

    /// Returns all its results; none after a failure.
    pub fn results(&self) -> impl Iterator<Item = &BoutResult> {
        self.result.iter().chain(self.result.is_ok().then_some(&self.rest).into_iter().flatten())
    }

    /// Returns all its results, or the failure.
    ///
    /// # Errors
    ///
    /// [`Failure`] when the machine failed.
    pub fn into_results(self) -> Result<Vec<BoutResult>, Failure> {
        let mut results = vec![self.result?];
        results.extend(self.rest);
        Ok(results)
    }
}

impl From<Delivery> for ExecutorEvent {
    fn from(delivery: Delivery) -> Self {
        Self::Delivered(Box::new(delivery))
    }
}

/// Reason why a bout has no result. It is never a bot's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// The machine failed, with the causes, outermost first.
    #[error("{0}")]
    Infrastructure(String),
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_executor_says_survives_a_wire() {
        let bout = BoutId([7; 8]);
        let failed = Failure::Infrastructure("the power failed".to_owned());
        let events = [
            ExecutorEvent::BoutStarted(bout),
            ExecutorEvent::Heartbeat(vec![bout, BoutId([9; 8])]),
            Delivery::new(bout, Err(failed)).into(),
            Delivery::new(bout, Err(Failure::Cancelled)).into(),
        ];
        for event in events {
            let text = serde_json::to_string(&event).expect("it is plain data");
            assert_eq!(serde_json::from_str::<ExecutorEvent>(&text).expect("it is whole"), event);
        }
    }
}

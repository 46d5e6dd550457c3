//! Executors: they take a stream of planned bouts and give events, among them what
//! came of each.
//!
//! A plan may be delivered twice and a result is stored once by its bout's id, so an
//! executor may be anywhere: in this thread ([`bout`]), on this machine's cores
//! ([`Local`]), on other machines. All that is known of one comes as an
//! [`ExecutorEvent`] or as its own end, so that one far away is seen as one here is.

pub mod bout;
mod cores;
mod equipment;
mod event;
mod local;
mod needs;
pub mod persistent;

use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Receiver, Sender};

pub use cores::{CoreClaim, CoreLoad, Cores, NotEnoughCores, available};
pub use equipment::Equipment;
pub use event::{Delivery, ExecutorEvent, Failure};
pub use local::{Local, Sharing};
pub use needs::{Assignment, CoreNeeds, FewerCores, MachineOffer, Needs, Neighbours, Toolchain};

/// Maximum time between an executor's reports of the bouts it holds.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// An executor at work.
pub type Executing = Pin<Box<dyn Future<Output = Result<(), ExecutorLost>> + Send>>;

/// Why an executor has ended before it had played everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorLost(pub String);

/// Plays bouts somewhere.
pub trait Executor: Send + Sync {
    /// Plays every bout that comes in and sends what came of it, until the
    /// assignments end or the run is cancelled, and then ends itself. Takes a new one
    /// only when it can play it soon, which is the back-pressure. Nothing happens
    /// until it is polled, and polling never blocks.
    ///
    /// It tells of each bout that begins, and sends an [`ExecutorEvent::Heartbeat`]
    /// every [`HEARTBEAT`] or more often. A bout that it took and that several
    /// heartbeats leave out is lost, and so is what it has not delivered by its end:
    /// both are played again. A silent executor is given up.
    ///
    /// # Errors
    ///
    /// [`ExecutorLost`] when it cannot go on.
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing;

    /// Returns how many bouts are played at once.
    fn parallel(&self) -> usize;
}

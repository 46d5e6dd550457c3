//! Executors: they take a stream of planned bouts and return events, including the result of each
//! bout.
//!
//! A plan may be delivered twice, and a result is stored once per bout id, so an executor may run
//! anywhere: in this thread ([`bout`]), on this machine's cores ([`Local`]), or on other machines.
//! The only signals from an executor are [`ExecutorEvent`]s and its end, so a remote one behaves
//! like a local one.

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

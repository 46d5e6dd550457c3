//! Turns a stream of plans into a stream of results.
//!
//! A plan may be delivered twice and a result is stored once by its bout id,
//! so an executor may be anywhere: in this thread ([`bout`]), on this machine's
//! cores ([`Local`]), one day on other machines.

pub mod bout;
mod cores;
mod local;

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender};

use crate::channel::Host;
use joust_bots::Build;
use joust_model::cancel::Cancel;
use joust_model::clock::Clock;
use joust_model::{BoutPlan, BoutResult, BuildHash, Calibration};

pub use cores::{Cores, NotEnoughCores, available};
pub use local::{Local, Sharing};

/// What came of a plan.
#[derive(Debug)]
pub struct Delivery {
    /// The plan.
    pub plan: BoutPlan,
    /// Its result, or why the machine failed to play it.
    pub result: Result<BoutResult, Failure>,
}

/// Why a plan has no result. Never a bot's fault.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The machine failed; the texts say why, outermost first.
    #[error("{0}")]
    Infrastructure(String),
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
}

/// Plays bouts somewhere.
pub trait Executor: Send + Sync {
    /// Plays every plan that comes in and sends what came of it, until the
    /// plans end or the run is cancelled. Takes a new plan only when it can
    /// play it soon, which is the back-pressure.
    ///
    /// Dropping the last sender says that nobody plays any more; a plan that was
    /// taken and not delivered by then is played again.
    fn execute(&self, plans: Receiver<BoutPlan>, deliveries: Sender<Delivery>);

    /// Returns how many bouts are played at once.
    fn parallel(&self) -> usize;
}

/// What every bout on this machine needs.
pub struct Equipment {
    /// The machine's sandbox.
    pub host: Host,
    /// Builds by their hash.
    pub builds: HashMap<BuildHash, Arc<Build>>,
    /// Calibrations by language and game.
    pub calibrations: HashMap<(String, String), Calibration>,
    /// This machine's name in results.
    pub machine: String,
    /// The time of day, for the record.
    pub clock: Arc<dyn Clock>,
    /// Whether to stop.
    pub cancel: Cancel,
}

impl Equipment {
    /// Returns the calibration for `language` in `game`; zero when there is none.
    #[must_use]
    pub fn calibration(&self, language: &str, game: &str) -> Calibration {
        let key = (language.to_owned(), game.to_owned());
        self.calibrations.get(&key).cloned().unwrap_or_default()
    }
}

//! Workers: a tournament's bouts played on several machines.
//!
//! `CoordinatorSession` is the side of `joust run --workers`: it makes the executor of an
//! event, and its validator judges every result again before it is stored. [`work`] is the side
//! of `joust worker`: its `host` says whether this machine can play an event, takes the
//! builds in, measures the languages and plays on cores that no other worker of this machine has.

mod coordinator;
mod discovery;
mod host;
mod result_validator;
mod worker;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use coordinator::{CoordinatorSession, EventDispatch, needed_referee};
pub use discovery::list_workers;
pub use host::ProcessorError;
use joust_model::BuildHash;
pub use worker::{WorkerError, WorkerOptions, usual_name, work};

/// The version of Joust that bouts are played with.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Default time for which a worker may hold bouts without a heartbeat.
pub const USUAL_LEASE: Duration = Duration::from_secs(30);

/// Returns the hash of each language of a table.
fn language_hashes(table: &BTreeMap<String, impl Debug>) -> BTreeMap<String, BuildHash> {
    let hash =
        |definition: &_| BuildHash::of("joust-language-1", &[format!("{definition:?}").as_bytes()]);
    table.iter().map(|(id, definition)| (id.clone(), hash(definition))).collect()
}

/// Options for handing a run's bouts to workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkersOptions {
    /// Address of the server.
    pub url: String,
    /// The file with the seed of this coordinator's key, where the server wants one.
    pub credentials: Option<PathBuf>,
    /// Time for which a worker may hold bouts without a heartbeat.
    pub lease: Duration,
}

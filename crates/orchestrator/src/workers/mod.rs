//! Workers: a tournament's bouts played on several machines.
//!
//! `CoordinatorSession` is the side of `joust run --workers`: it makes the executor of an
//! event, and its validator judges every result again before it is stored. [`work`] is the side
//! of `joust worker`: its `host` says whether this machine can play an event, takes the
//! builds in, measures the languages and plays on cores that no other worker of this machine has.

mod coordinator;
mod host;
mod result_validator;
mod worker;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use async_recursion::async_recursion as boxed;
use joust_cluster::transport::TransportError;
use joust_cluster::transport::nats::{Address, PresenceQuery};
use joust_cluster::{Announcement, WorkerState};
use joust_model::{BuildHash, clock};
use joust_report::{WorkerBouts, WorkerLine};

pub(crate) use coordinator::{CoordinatorSession, EventDispatch, needed_referee};
pub use host::ProcessorError;
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

/// Returns the workers that answer at a server, by name.
///
/// # Errors
///
/// [`TransportError`] when the server cannot be used.
#[boxed]
pub async fn list_workers(address: &Address<'_>) -> Result<Vec<WorkerLine>, TransportError> {
    let there = PresenceQuery::connect(address).await?.list_workers().await?;
    let now = clock::now();
    Ok(there.iter().map(|it| line(it, now)).collect())
}

/// Returns a worker's line; `now` in milliseconds since 1970.
fn line(it: &Announcement, now: i64) -> WorkerLine {
    let seconds = it.up.as_secs_f64();
    let languages = it.offer.toolchains.iter();
    WorkerLine {
        name: it.worker.clone(),
        version: it.version.clone(),
        machine: it.machine.clone(),
        state: it.state.to_string(),
        tier: match it.state {
            // It may not have looked yet.
            WorkerState::Idle if it.offer.toolchains.is_empty() => String::new(),
            _ => it.offer.tier.to_string(),
        },
        cores: it.offer.cores,
        languages: languages.map(|it| format!("{} {}", it.language, it.version)).collect(),
        bouts: WorkerBouts {
            in_hand: it.in_hand,
            played: it.played,
            failed: it.failed,
            lapsed: it.lapsed,
            rate: if seconds > 0.0 { it.played as f64 / seconds } else { 0.0 },
        },
        up_seconds: it.up.as_secs(),
        clock_ahead: it.clock.saturating_sub(now) as f64 / 1000.0,
    }
}

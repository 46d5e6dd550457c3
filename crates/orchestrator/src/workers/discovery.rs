//! Roll call: the workers that are there.

use async_recursion::async_recursion as boxed;
use joust_cluster::transport::TransportError;
use joust_cluster::transport::nats::{Address, PresenceQuery};
use joust_cluster::{Announcement, WorkerState};
use joust_model::clock;
use joust_report::{WorkerBouts, WorkerLine};

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

//! Worker: this machine plays what coordinators hand out, until it is asked to end.

use async_recursion::async_recursion as boxed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_cluster::transport::TransportError;
use joust_cluster::transport::nats::{Address, NatsWorker};
use joust_cluster::{
    Announcement, ExitConditions, Worker, WorkerExit, WorkerHost, WorkerNotice, beat_of,
};
use joust_config::{Tournament, read_plain};
use joust_model::Bytes;
use joust_model::cancel::Cancel;
use joust_referee::Catalogue;
use joust_sandbox::HostOptions;
use tokio::sync::watch;

use super::host::{ClaimedProcessors, HostSettings, LocalWorkerHost, ProcessorError};
use super::{USUAL_LEASE, VERSION};
use crate::machine::{MachineError, default_tournament};
use crate::tasks::unless_stopped;

/// The longest file with a languages table, bytes.
const LONGEST_TABLE: u64 = 1 << 20;

/// Settings of a machine that takes part.
pub struct WorkerOptions {
    /// Address of the server.
    pub url: String,
    /// The file with the seed of its key, where the server wants one.
    pub credentials: Option<PathBuf>,
    /// Its name; no other worker at the server has it.
    pub name: String,
    /// Number of processors to play on; `None` for all that no other worker of this machine has.
    pub cores: Option<usize>,
    /// Languages that it plays; `None` for all.
    pub languages: Option<BTreeSet<String>>,
    /// A file with a section `languages:`, as the tournament has it; `None` for the languages that
    /// Joust ships.
    pub languages_file: Option<PathBuf>,
    /// Condition on which it ends by itself.
    pub exit_conditions: ExitConditions,
    /// Permission to play on a machine without isolation.
    pub isolation: HostOptions,
    /// Folder in which it keeps builds, in a subfolder of its own.
    pub cache: PathBuf,
    /// Most space that builds may take there.
    pub most_kept: Bytes,
}

/// Reason why a machine cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] TransportError),
    /// The machine cannot be made ready.
    #[error(transparent)]
    NotReady(#[from] MachineError),
    /// There are no processors for it.
    #[error(transparent)]
    Processors(#[from] ProcessorError),
    /// Its languages table cannot be read.
    #[error("the languages table of this worker cannot be read: {0}")]
    Languages(String),
}

/// Returns the name of a worker that was given none: the machine's, without the characters that a
/// subject cannot contain.
pub fn usual_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.trim().chars().take(64).map(plain).collect();
    if name.is_empty() { "worker".to_owned() } else { name }
}

/// Plays what coordinators hand out, until `stop` is true or there is nothing left to do.
///
/// # Errors
///
/// [`WorkerError`] before anything was played.
#[boxed]
pub async fn work(
    options: WorkerOptions,
    on_news: Box<dyn Fn(WorkerNotice) + Send + Sync>,
    stop: watch::Receiver<bool>,
) -> Result<WorkerExit, WorkerError> {
    let preparing = Cancel::default();
    cancel_on_stop(stop.clone(), preparing.clone());
    let host = host(&options, on_news, preparing.clone())?;
    let card = card(&options.name, &host);
    let address = Address {
        url: &options.url,
        credentials: options.credentials.as_deref(),
        name: &options.name,
    };
    let connecting = unless_stopped(&preparing, NatsWorker::connect(&address, &card)).await;
    let transport = Arc::new(connecting.ok_or(MachineError::Interrupted)??);
    let worker = Worker {
        transport: Arc::clone(&transport),
        host: Arc::new(host),
        card,
        beat: beat_of(USUAL_LEASE),
        exit_conditions: options.exit_conditions,
        stop,
    };
    let ended = worker.run().await;
    transport.leave().await;
    Ok(ended)
}

fn host(
    options: &WorkerOptions,
    on_news: Box<dyn Fn(WorkerNotice) + Send + Sync>,
    preparing: Cancel,
) -> Result<LocalWorkerHost, WorkerError> {
    let workers = options.cache.join("workers");
    // No worker can be called so.
    let processors = ClaimedProcessors::claim(&workers.join(".cores"), options.cores)?;
    let cache = workers.join(&options.name);
    let settings = HostSettings {
        own: own_tournament(&cache, options.languages_file.as_deref())?,
        cache,
        most_kept: options.most_kept,
        isolation: options.isolation.clone(),
        languages: options.languages.clone(),
        processors,
        on_news,
    };
    Ok(LocalWorkerHost::open(settings, preparing)?)
}

/// Returns a tournament with the languages of `file`, of the machine's own user.
fn own_tournament(cache: &Path, file: Option<&Path>) -> Result<Tournament, WorkerError> {
    let games = Catalogue::built_in();
    let Some(file) = file else { return Ok(default_tournament::tournament(cache, &games)) };
    let unread = |why: String| WorkerError::Languages(format!("`{}`: {why}", file.display()));
    let bytes = read_plain(file, LONGEST_TABLE).map_err(|error| unread(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| unread(error.to_string()))?;
    default_tournament::with_languages(cache, &games, &text)
        .map_err(|errors| unread(errors.to_string()))
}

/// Cancels measurements when the worker is to end, since their results are no longer needed.
fn cancel_on_stop(mut stop: watch::Receiver<bool>, preparing: Cancel) {
    tokio::spawn(async move {
        if stop.wait_for(|stop| *stop).await.is_ok() {
            preparing.cancel();
        }
    });
}

fn card(name: &str, host: &LocalWorkerHost) -> Announcement {
    Announcement {
        instance: instance(host.clock()),
        version: VERSION.to_owned(),
        machine: host.name().to_owned(),
        clock: host.clock(),
        ..Announcement::new(name, host.bare_offer())
    }
}

/// Returns a number that two workers of one name do not share.
fn instance(now: i64) -> u64 {
    let (process, now) = (u64::from(std::process::id()), now.unsigned_abs());
    process.rotate_left(40) ^ now
}

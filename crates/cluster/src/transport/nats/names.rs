//! Names that only one process may use at a time: a worker's, and that of a tournament's
//! coordinator.
//!
//! A name is a key of a bucket, which its holder creates and renews by writing it repeatedly. The
//! server deletes a key that is not renewed, and creates a key only if it does not exist.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::kv::{CreateErrorKind, Store, UpdateErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use async_recursion::async_recursion as boxed;
use nkeys::KeyPair;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use super::{ALL_ANSWER, ServerConnection, unavailable};
use crate::transport::TransportError;

/// The bucket of names.
const BUCKET: &str = "joust_names";
/// Interval at which a holder renews its name.
const RENEWED: Duration = Duration::from_secs(1);
/// Time after which the server deletes a name that is not renewed.
const LEASE: Duration = Duration::from_secs(4);
/// The longest value of a name, bytes.
const LONGEST_VALUE: i32 = 1024;
/// Interval of checks whether another holder still renews a name.
const LOOK: Duration = Duration::from_millis(200);

/// Result of claiming a name.
pub(super) enum Claim {
    /// This process.
    Own(HeldName),
    /// Another process, which has this name.
    Held(String),
}

/// A name that is renewed until this value is dropped.
pub(super) struct HeldName {
    is_lost: Arc<AtomicBool>,
    release: mpsc::Sender<oneshot::Sender<()>>,
}

/// Key and value of a name.
#[derive(Clone)]
struct NameEntry {
    key: String,
    /// The holder's name, and a word that is unique to the process.
    value: String,
}

impl HeldName {
    /// Returns whether another process has taken the name.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Releases the name, so that another process can take it at once.
    pub(super) async fn release(&self) {
        let (sender, released) = oneshot::channel();
        if self.release.send(sender).await.is_ok() {
            let _ = timeout(ALL_ANSWER, released).await;
        }
    }

    /// Renews a name in a loop. Without a revision, claims it first, as soon as the bucket exists.
    fn keep_renewing(
        connection: ServerConnection,
        entry: NameEntry,
        revision: Option<u64>,
    ) -> Self {
        let is_lost = Arc::<AtomicBool>::default();
        let (release, mut released) = mpsc::channel::<oneshot::Sender<()>>(1);
        let lost = Arc::clone(&is_lost);
        tokio::spawn(async move {
            let (mut names, mut revision) = (None, revision);
            loop {
                tokio::select! {
                    biased;
                    asked = released.recv() => {
                        if let (Some(names), Some(_)) = (bucket(&connection).await.ok(), revision) {
                            let deleted = names.delete_expect_revision(&entry.key, revision);
                            let _ = deleted.await;
                        }
                        let _ = asked.map(|asked| asked.send(()));
                        return;
                    }
                    () = sleep(RENEWED) => {}
                }
                if names.is_none() {
                    names = bucket(&connection).await.ok();
                }
                let Some(store) = names.as_ref().filter(|_| connection.is_connected()) else {
                    continue;
                };
                match renew(store, &entry, revision).await {
                    Renewal::At(now) => revision = Some(now),
                    Renewal::Unknown => names = None,
                    Renewal::Lost => {
                        lost.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }
        });
        Self { is_lost, release }
    }
}

/// Outcome of a renewal.
enum Renewal {
    /// The name is held under this revision.
    At(u64),
    /// The server did not answer.
    Unknown,
    /// Another process holds it.
    Lost,
}

async fn renew(names: &Store, entry: &NameEntry, revision: Option<u64>) -> Renewal {
    let NameEntry { key, value } = entry;
    if let Some(revision) = revision {
        match names.update(key, value.clone().into(), revision).await {
            Ok(now) => return Renewal::At(now),
            Err(error) if error.kind() != UpdateErrorKind::WrongLastRevision => {
                return Renewal::Unknown;
            }
            // The server has deleted the key, or an answer was lost.
            Err(_) => {}
        }
    }
    match names.create(key, value.clone().into()).await {
        Ok(now) => Renewal::At(now),
        Err(error) if error.kind() != CreateErrorKind::AlreadyExists => Renewal::Unknown,
        Err(_) => match names.entry(key.as_str()).await {
            Ok(Some(there)) if there.value == value.as_bytes() => Renewal::At(there.revision),
            Ok(Some(_)) => Renewal::Lost,
            _ => Renewal::Unknown,
        },
    }
}

/// Returns the bucket of names, and makes it if it does not exist. Headers that delete all other
/// messages of the stream are disabled, because every worker may write its own name.
async fn bucket(connection: &ServerConnection) -> Result<Store, TransportError> {
    if let Ok(names) = connection.jetstream()?.get_key_value(BUCKET).await {
        return Ok(names);
    }
    let config = Config {
        name: format!("KV_{BUCKET}"),
        subjects: vec![format!("$KV.{BUCKET}.>")],
        max_messages_per_subject: 1,
        max_message_size: LONGEST_VALUE,
        max_age: LEASE,
        storage: StorageType::Memory,
        discard: DiscardPolicy::New,
        num_replicas: 1,
        allow_rollup: false,
        allow_direct: true,
        deny_delete: true,
        ..Config::default()
    };
    connection.jetstream()?.create_stream(config).await.map_err(unavailable)?;
    connection.jetstream()?.get_key_value(BUCKET).await.map_err(unavailable)
}

/// Claims the name `key` for `who`, which other claimants see. If this process may not make the
/// bucket of names (`may_wait`), the name is claimed later, when a coordinator has made it.
///
/// # Errors
///
/// [`TransportError::Unavailable`] when the server is gone.
#[boxed]
pub(super) async fn claim_name(
    connection: &ServerConnection,
    key: &str,
    who: &str,
    may_wait: bool,
) -> Result<Claim, TransportError> {
    let value = format!("{who} {}", KeyPair::new_user().public_key());
    let entry = NameEntry { key: key.to_owned(), value };
    let names = match bucket(connection).await {
        Ok(names) => names,
        Err(_) if may_wait && connection.is_connected() => {
            return Ok(Claim::Own(HeldName::keep_renewing(connection.clone(), entry, None)));
        }
        Err(error) => return Err(error),
    };
    let mut seen = None;
    loop {
        match names.create(key, entry.value.clone().into()).await {
            Ok(revision) => {
                return Ok(Claim::Own(HeldName::keep_renewing(
                    connection.clone(),
                    entry,
                    Some(revision),
                )));
            }
            Err(error) if error.kind() != CreateErrorKind::AlreadyExists => {
                return Err(unavailable(error));
            }
            Err(_) => {}
        }
        if let Some(there) = names.entry(key).await.map_err(unavailable)? {
            if seen.is_some_and(|revision| revision != there.revision) {
                let text = String::from_utf8_lossy(&there.value);
                let who = text.split(' ').next().unwrap_or_default();
                return Ok(Claim::Held(who.to_owned()));
            }
            seen = Some(there.revision);
        }
        sleep(LOOK).await;
    }
}

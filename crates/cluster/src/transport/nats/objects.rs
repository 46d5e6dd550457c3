//! Storage of builds, and of messages that exceed the server's limit.
//!
//! Coordinators use an object store, which workers can read. The parts of a worker's long report
//! are stored under a subject of its own instead: an object store accepts a header with which one
//! message deletes all others of the store, including those of other workers. A message names them
//! by their numbers in the stream.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::jetstream::object_store::{
    Config as Bucket, InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore,
};
use async_nats::jetstream::stream::{
    Config, DeleteMessageErrorKind, DirectGetErrorKind, DiscardPolicy,
};
use joust_model::BuildHash;
use tokio::time::{Instant, sleep};

use super::{
    CHUNK, DAY, DUPLICATES, HEADERS, ServerConnection, is_full_of_messages, retryable_error,
    unavailable,
};
use crate::envelope::{self, StoredReport};
use crate::transport::TransportError;

/// The object store of coordinators.
const BUILDS: &str = "joust_builds";
/// Stream of that store.
pub(super) const BUILDS_STREAM: &str = "OBJ_joust_builds";
/// Days for which builds are kept.
const BUILD_DAYS: u32 = 30;
/// Stream of the parts of long reports.
pub(super) const PARTS: &str = "joust_parts";
/// Time for which parts are kept if they are not removed.
const PARTS_KEPT: Duration = Duration::from_secs(3600);
/// The most long reports whose parts the server stores, per worker and in total.
const MOST_REPORTS_OF_ONE: usize = 4;
const MOST_REPORTS_OF_ALL: usize = 64;
/// Pause of a worker whose parts take up its space.
const FULL_PAUSE: Duration = Duration::from_millis(100);
/// Time without space for a part after which a worker drops a report.
const FULL_PATIENCE: Duration = Duration::from_secs(60);
/// The largest object that is read, bytes.
const MOST_BYTES: usize = 1 << 30;

/// The parts that a worker has stored of reports whose messages are not stored.
pub(super) struct StoredParts {
    parts: HashMap<BuildHash, Vec<u64>>,
    /// Time at which the server stored the last part.
    last: Instant,
}

impl StoredParts {
    pub(super) fn new() -> Self {
        Self { parts: HashMap::new(), last: Instant::now() }
    }

    /// Forgets the parts of a report.
    pub(super) fn forget(&mut self, report: &BuildHash) {
        self.parts.remove(report);
    }
}

impl ServerConnection {
    /// Makes the object store, or finds it.
    pub(super) async fn open_builds(&self) -> Result<ObjectStore, TransportError> {
        if let Ok(store) = self.jetstream()?.get_object_store(BUILDS).await {
            return Ok(store);
        }
        // The server would reserve disk space for a limit on bytes.
        let (bucket, max_age) = (BUILDS.to_owned(), DAY * BUILD_DAYS);
        let config =
            Bucket { bucket, max_age, max_bytes: -1, num_replicas: 1, ..Bucket::default() };
        self.jetstream()?.create_object_store(config).await.map_err(retryable_error)
    }

    /// Stores an object; the object store must exist.
    pub(super) async fn put_object(
        &self,
        name: &BuildHash,
        mut bytes: &[u8],
    ) -> Result<(), TransportError> {
        let store = self.jetstream()?.get_object_store(BUILDS).await.map_err(unavailable)?;
        let chunk_size = Some(CHUNK.min(self.longest()));
        let (name, metadata) = (name.to_string(), HashMap::new());
        let meta = ObjectMetadata { name, chunk_size, metadata, ..ObjectMetadata::default() };
        store.put(meta, &mut bytes).await.map(drop).map_err(retryable_error)
    }

    /// Reads an object; `None` when it is not stored. It reads message by message, because a worker
    /// is not allowed to consume the store's stream as [`ObjectStore::get`] does.
    pub(super) async fn get_object(
        &self,
        name: &BuildHash,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        let store = self.jetstream()?.get_object_store(BUILDS).await.map_err(unavailable)?;
        let Some(info) = object_info(&store, name).await? else { return Ok(None) };
        if info.size > MOST_BYTES {
            let text = format!("object {name} has {} bytes", info.size);
            return Err(TransportError::Refused(text));
        }
        let stream =
            self.jetstream()?.get_stream_no_info(BUILDS_STREAM).await.map_err(unavailable)?;
        let subject = format!("$O.{BUILDS}.C.{}", info.nuid);
        let (mut bytes, mut next) = (Vec::new(), 1);
        while bytes.len() < info.size {
            match stream.direct_get_next_for_subject(subject.as_str(), Some(next)).await {
                Ok(chunk) if chunk.payload.is_empty() => return Ok(None),
                Ok(chunk) => {
                    bytes.extend_from_slice(&chunk.payload);
                    next = chunk.sequence + 1;
                }
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(unavailable(error)),
            }
        }
        Ok((bytes.len() == info.size).then_some(bytes))
    }

    /// Makes the stream of the parts of long reports.
    pub(super) async fn open_parts(&self) -> Result<(), TransportError> {
        let most_bytes = self.part_bytes() + HEADERS;
        let most = |reports| i64::try_from(self.parts_of(reports)).unwrap_or(i64::MAX);
        let config = Config {
            name: PARTS.to_owned(),
            subjects: vec![part_subject("*")],
            max_age: PARTS_KEPT,
            // The server would reserve disk space for a limit on all bytes.
            max_bytes: -1,
            max_messages: most(MOST_REPORTS_OF_ALL),
            // One worker's parts cannot use up the space of others.
            max_messages_per_subject: most(MOST_REPORTS_OF_ONE),
            discard_new_per_subject: true,
            max_message_size: i32::try_from(most_bytes).unwrap_or(i32::MAX),
            discard: DiscardPolicy::New,
            duplicate_window: DUPLICATES,
            num_replicas: 1,
            allow_direct: true,
            ..Config::default()
        };
        self.jetstream()?.create_or_update_stream(config).await.map(drop).map_err(retryable_error)
    }

    /// Returns the size of a part.
    fn part_bytes(&self) -> usize {
        CHUNK.min(self.longest())
    }

    /// Returns the number of parts of `reports` reports of maximum length.
    fn parts_of(&self, reports: usize) -> usize {
        reports * envelope::MOST_BYTES.div_ceil(self.part_bytes())
    }

    /// Stores the parts of a worker's report that are not stored, and returns the reference to all.
    /// Waits while the parts of earlier reports take up the worker's space.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] if the server has stored no part for a minute since `began`. Its
    /// coordinator does not read the reports fast enough; other workers play the bouts.
    pub(super) async fn put_parts(
        &self,
        worker: &str,
        (id, hash): (&str, BuildHash),
        bytes: &[u8],
        began: Instant,
        stored: &mut StoredParts,
    ) -> Result<StoredReport, TransportError> {
        let StoredParts { parts, last } = stored;
        let of_report = parts.entry(hash).or_default();
        while let Some(part) = bytes.chunks(self.part_bytes()).nth(of_report.len()) {
            let (subject, id) = (part_subject(worker), format!("{id} {}", of_report.len()));
            match self.publish_durably(subject, &id, part.to_vec()).await {
                Ok(number) => {
                    of_report.push(number);
                    *last = Instant::now();
                }
                Err(error) if !is_full_of_messages(&error) => return Err(retryable_error(error)),
                Err(_) if began.max(*last).elapsed() < FULL_PATIENCE => sleep(FULL_PAUSE).await,
                Err(_) => {
                    parts.remove(&hash);
                    let text = format!(
                        "the server has had no space for long reports of `{worker}` for {} s",
                        FULL_PATIENCE.as_secs()
                    );
                    return Err(TransportError::Refused(text));
                }
            }
        }
        Ok(StoredReport { hash, parts: of_report.clone() })
    }

    /// Reads the parts of a worker's report; `None` when one is missing or another worker's.
    pub(super) async fn get_parts(
        &self,
        worker: &str,
        report: &StoredReport,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        if report.parts.len() > self.parts_of(1) {
            return Ok(None);
        }
        let (subject, mut bytes) = (part_subject(worker), Vec::new());
        let stream = self.jetstream()?.get_stream_no_info(PARTS).await.map_err(unavailable)?;
        for number in &report.parts {
            match stream.direct_get(*number).await {
                Ok(part) if *part.subject == *subject => bytes.extend_from_slice(&part.payload),
                Ok(_) => return Ok(None),
                Err(error) if is_no_number(error.kind()) => return Ok(None),
                Err(error) => return Err(unavailable(error)),
            }
        }
        Ok(Some(bytes))
    }

    /// Removes the parts of a report that [`Self::get_parts`] read, as far as they are stored.
    pub(super) async fn remove_parts(&self, report: &StoredReport) {
        let Ok(jetstream) = self.jetstream() else { return };
        let Ok(stream) = jetstream.get_stream_no_info(PARTS).await else { return };
        for number in &report.parts {
            if let Err(error) = stream.delete_message(*number).await {
                tracing::debug!(%error, number, "part not removed");
                // The server may have removed one part and not the next, unless it does not answer.
                if !matches!(error.kind(), DeleteMessageErrorKind::JetStream(_)) {
                    return;
                }
            }
        }
    }
}

/// Returns whether no message has the number. Of 0, which none can have, the client says that the
/// subject is invalid.
fn is_no_number(error: DirectGetErrorKind) -> bool {
    matches!(error, DirectGetErrorKind::NotFound | DirectGetErrorKind::InvalidSubject)
}

/// Returns the subject of a worker's parts. The server allows a worker only subjects with its own
/// name.
fn part_subject(worker: &str) -> String {
    format!("joust.part.{worker}")
}

/// Returns an object's metadata; `None` when it is not stored.
pub(super) async fn object_info(
    store: &ObjectStore,
    name: &BuildHash,
) -> Result<Option<ObjectInfo>, TransportError> {
    match store.info(name.to_string()).await {
        Ok(info) => Ok(Some(info).filter(|info| !info.deleted)),
        Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(None),
        Err(error) => Err(unavailable(error)),
    }
}

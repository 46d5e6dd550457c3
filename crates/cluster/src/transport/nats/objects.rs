//! Storage of builds, and of messages that exceed the server's limit.
//!
//! Coordinators use an object store, which workers can read. The parts of a worker's long report
//! are stored under subjects of its own instead: an object store accepts a header with which one
//! message deletes all others of the store, including those of other workers.

use std::collections::{BTreeMap, HashMap};

use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{
    Config as Bucket, InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore,
};
use async_nats::jetstream::stream::{Config, DirectGetErrorKind, DiscardPolicy};
use futures_util::TryStreamExt;
use joust_model::BuildHash;

use super::{CHUNK, DAY, HEADERS, ServerConnection, retryable_error, unavailable};
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
/// Days for which parts are kept if they are not removed.
const PART_DAYS: u32 = 2;
/// The most long reports whose parts the server stores, per worker and in total.
const MOST_REPORTS_OF_ONE: usize = 4;
const MOST_REPORTS_OF_ALL: usize = 64;
/// The largest object that is read, bytes.
const MOST_BYTES: usize = 1 << 30;

impl ServerConnection {
    /// Makes the object store, or finds it.
    pub(super) async fn open_builds(&self) -> Result<ObjectStore, TransportError> {
        if let Ok(store) = self.jetstream.get_object_store(BUILDS).await {
            return Ok(store);
        }
        // The server would reserve disk space for a limit on bytes.
        let (bucket, max_age) = (BUILDS.to_owned(), DAY * BUILD_DAYS);
        let config =
            Bucket { bucket, max_age, max_bytes: -1, num_replicas: 1, ..Bucket::default() };
        self.jetstream.create_object_store(config).await.map_err(retryable_error)
    }

    /// Stores an object; the object store must exist.
    pub(super) async fn put_object(
        &self,
        name: &BuildHash,
        mut bytes: &[u8],
    ) -> Result<(), TransportError> {
        let store = self.jetstream.get_object_store(BUILDS).await.map_err(unavailable)?;
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
        let store = self.jetstream.get_object_store(BUILDS).await.map_err(unavailable)?;
        let Some(info) = object_info(&store, name).await? else { return Ok(None) };
        if info.size > MOST_BYTES {
            let text = format!("object {name} has {} bytes", info.size);
            return Err(TransportError::Refused(text));
        }
        let stream = self.jetstream.get_stream_no_info(BUILDS_STREAM).await.map_err(unavailable)?;
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
        let config = Config {
            name: PARTS.to_owned(),
            subjects: vec!["joust.part.*.*.*".to_owned()],
            max_messages_per_subject: 1,
            max_age: DAY * PART_DAYS,
            // The server would reserve disk space for a limit on all bytes.
            max_bytes: -1,
            max_messages: i64::try_from(self.parts_of(MOST_REPORTS_OF_ALL)).unwrap_or(i64::MAX),
            max_message_size: i32::try_from(most_bytes).unwrap_or(i32::MAX),
            discard: DiscardPolicy::New,
            num_replicas: 1,
            allow_direct: true,
            ..Config::default()
        };
        self.jetstream.create_or_update_stream(config).await.map(drop).map_err(retryable_error)
    }

    /// Returns the size of a part.
    fn part_bytes(&self) -> usize {
        CHUNK.min(self.longest())
    }

    /// Returns the number of parts of `reports` reports of maximum length.
    fn parts_of(&self, reports: usize) -> usize {
        reports * envelope::MOST_BYTES.div_ceil(self.part_bytes())
    }

    /// Removes the parts of workers that exceed their limit, so that they do not use up the space
    /// of others.
    pub(super) async fn remove_excess_parts(&self) -> Result<(), TransportError> {
        let most = self.parts_of(MOST_REPORTS_OF_ONE);
        let stream = self.jetstream.get_stream(PARTS).await.map_err(unavailable)?;
        if stream.cached_info().state.messages <= most as u64 {
            return Ok(());
        }
        let mut parts = stream.info_with_subjects("joust.part.>").await.map_err(unavailable)?;
        let mut of_workers = BTreeMap::<String, usize>::new();
        while let Some((subject, _)) = parts.try_next().await.map_err(unavailable)? {
            if let Some(worker) = subject.split('.').nth(2) {
                *of_workers.entry(worker.to_owned()).or_default() += 1;
            }
        }
        for (worker, parts) in of_workers.into_iter().filter(|(_, parts)| *parts > most) {
            tracing::warn!(worker, parts, "parts of reports removed");
            let removed = stream.purge().filter(format!("joust.part.{worker}.>")).await;
            removed.map_err(unavailable)?;
        }
        Ok(())
    }

    /// Stores the parts of a worker's report.
    pub(super) async fn put_parts(
        &self,
        worker: &str,
        report: &StoredReport,
        bytes: &[u8],
    ) -> Result<(), TransportError> {
        for (number, part) in bytes.chunks(self.part_bytes()).enumerate() {
            let subject = part_of(worker, report, &number.to_string());
            let message = PublishMessage::build().payload(part.to_vec().into());
            let sent = self.jetstream.send_publish(subject, message).await;
            sent.map_err(retryable_error)?.await.map_err(retryable_error)?;
        }
        Ok(())
    }

    /// Reads the parts of a worker's report; `None` when they are missing or do not match the
    /// reference.
    pub(super) async fn get_parts(
        &self,
        worker: &str,
        report: &StoredReport,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        if report.bytes > envelope::MOST_BYTES {
            return Ok(None);
        }
        let stream = self.jetstream.get_stream_no_info(PARTS).await.map_err(unavailable)?;
        let mut bytes = Vec::new();
        for number in 0..self.parts_of(1) {
            let subject = part_of(worker, report, &number.to_string());
            match stream.direct_get_last_for_subject(subject).await {
                Ok(part) if part.payload.is_empty() => return Ok(None),
                Ok(part) => bytes.extend_from_slice(&part.payload),
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(unavailable(error)),
            }
            if bytes.len() >= report.bytes {
                break;
            }
        }
        Ok(Some(bytes).filter(|bytes| bytes.len() == report.bytes))
    }

    /// Removes the parts of a worker's report.
    pub(super) async fn remove_parts(
        &self,
        worker: &str,
        report: &StoredReport,
    ) -> Result<(), TransportError> {
        let stream = self.jetstream.get_stream_no_info(PARTS).await.map_err(unavailable)?;
        stream.purge().filter(part_of(worker, report, "*")).await.map(drop).map_err(unavailable)
    }
}

/// Returns the subject of a part of a worker's report. The server allows a worker only subjects
/// with its own name.
fn part_of(worker: &str, report: &StoredReport, number: &str) -> String {
    format!("joust.part.{worker}.{}.{number}", report.hash)
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

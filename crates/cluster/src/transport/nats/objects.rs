//! Objects at a server: builds, which coordinators put there, and letters that are longer than a
//! message may be.

use std::collections::HashMap;

use async_nats::jetstream::object_store::{
    Config, InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore,
};
use async_nats::jetstream::stream::DirectGetErrorKind;
use joust_model::BuildHash;

use super::{CHUNK, DAY, Line, away, unless_passing};
use crate::transport::TransportError;

/// The largest object that is read, bytes.
const MOST_BYTES: usize = 1 << 30;

/// A bucket of objects, whose names are hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bucket {
    /// Builds, and long letters of coordinators.
    Builds,
    /// Long letters of workers.
    Reports,
}

impl Bucket {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Builds => "joust_builds",
            Self::Reports => "joust_reports",
        }
    }

    pub(super) fn stream(self) -> String {
        format!("OBJ_{}", self.name())
    }

    fn config(self) -> Config {
        let days = match self {
            Self::Builds => 30,
            Self::Reports => 2,
        };
        let (bucket, max_age) = (self.name().to_owned(), DAY * days);
        // A bound on bytes would be set aside on the server's disk.
        Config { bucket, max_age, max_bytes: -1, num_replicas: 1, ..Config::default() }
    }
}

impl Line {
    /// Makes a bucket, or finds it.
    pub(super) async fn open_bucket(&self, bucket: Bucket) -> Result<ObjectStore, TransportError> {
        if let Ok(store) = self.jetstream.get_object_store(bucket.name()).await {
            return Ok(store);
        }
        self.jetstream.create_object_store(bucket.config()).await.map_err(unless_passing)
    }

    /// Puts an object into a bucket that is there.
    pub(super) async fn put_object(
        &self,
        bucket: Bucket,
        name: &BuildHash,
        mut bytes: &[u8],
    ) -> Result<(), TransportError> {
        let store = self.jetstream.get_object_store(bucket.name()).await.map_err(away)?;
        let chunk_size = Some(CHUNK.min(self.longest()));
        let (name, metadata) = (name.to_string(), HashMap::new());
        let meta = ObjectMetadata { name, chunk_size, metadata, ..ObjectMetadata::default() };
        store.put(meta, &mut bytes).await.map(drop).map_err(unless_passing)
    }

    /// Reads an object; `None` when it is not there. A worker may read one message of a bucket at a
    /// time and not have all of them sent somewhere, as [`ObjectStore::get`] does.
    pub(super) async fn object(
        &self,
        bucket: Bucket,
        name: &BuildHash,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        let store = self.jetstream.get_object_store(bucket.name()).await.map_err(away)?;
        let Some(info) = there(&store, name).await? else { return Ok(None) };
        if info.size > MOST_BYTES {
            let text = format!("object {name} has {} bytes", info.size);
            return Err(TransportError::Refused(text));
        }
        let stream = self.jetstream.get_stream_no_info(bucket.stream()).await.map_err(away)?;
        let subject = format!("$O.{}.C.{}", bucket.name(), info.nuid);
        let (mut bytes, mut next) = (Vec::new(), 1);
        while bytes.len() < info.size {
            match stream.direct_get_next_for_subject(subject.as_str(), Some(next)).await {
                Ok(chunk) => {
                    bytes.extend_from_slice(&chunk.payload);
                    next = chunk.sequence + 1;
                }
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(away(error)),
            }
        }
        Ok((bytes.len() == info.size).then_some(bytes))
    }
}

/// Returns what is known of an object; `None` when it is not there.
pub(super) async fn there(
    store: &ObjectStore,
    name: &BuildHash,
) -> Result<Option<ObjectInfo>, TransportError> {
    match store.info(name.to_string()).await {
        Ok(info) => Ok(Some(info).filter(|info| !info.deleted)),
        Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(None),
        Err(error) => Err(away(error)),
    }
}

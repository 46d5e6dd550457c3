//! Presence query, which each worker answers under its own name.

use async_recursion::async_recursion as boxed;
use std::collections::BTreeMap;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::accounts::worker_of;
use super::announcements::AnnouncementStream;
use super::{ALL_ANSWER, Address, ServerConnection, unavailable};
use crate::message::Announcement;
use crate::transport::TransportError;

/// Query for the workers at a server.
pub struct PresenceQuery {
    connection: ServerConnection,
    announcements: Mutex<AnnouncementStream>,
}

impl PresenceQuery {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is no server, it refuses the connection, or the key
    /// is a worker's.
    #[boxed]
    pub async fn connect(address: &Address<'_>) -> Result<Self, TransportError> {
        ServerConnection::start_session(address, Self::start).await
    }

    #[boxed]
    async fn start(connection: ServerConnection) -> Result<Self, TransportError> {
        if let Some(worker) = worker_of(&connection).await {
            return Err(TransportError::Refused(format!(
                "this is the key of worker `{worker}`, which may not ask who is there; one of \
                 `joust workers invite NAME --coordinator` may"
            )));
        }
        let announcements = Mutex::new(AnnouncementStream::subscribe(&connection).await?);
        Ok(Self { connection, announcements })
    }

    /// Returns all present workers, by name.
    ///
    /// # Errors
    ///
    /// [`TransportError`] when the query fails.
    #[boxed]
    pub async fn list_workers(&self) -> Result<Vec<Announcement>, TransportError> {
        let mut announcements = self.announcements.lock().await;
        announcements.discard_queued();
        self.connection.client()?.publish("joust.roll", "".into()).await.map_err(unavailable)?;
        self.connection.client()?.flush().await.map_err(unavailable)?;
        let end = Instant::now() + ALL_ANSWER;
        let mut there = BTreeMap::new();
        while let Ok(Some(said)) = timeout_at(end, announcements.next_announcement()).await {
            there.insert(said.worker.clone(), said);
        }
        Ok(there.into_values().collect())
    }
}

//! Announcements of workers, with a limit on their rate, and the presence query, which each worker
//! answers under its own name.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use async_nats::{Message, Subscriber};
use async_recursion::async_recursion as boxed;
use futures_util::FutureExt;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::accounts::worker_of;
use super::{ALL_ANSWER, Address, ServerConnection, next_message, presence_subject, unavailable};
use crate::envelope;
use crate::message::Announcement;
use crate::transport::TransportError;

/// The longest announcement that is read, bytes. One of a busy worker with spectators has some
/// hundred thousand bytes.
const MOST_ANNOUNCEMENT: usize = 1 << 20;
/// The most announcements of one worker that are read per second; a busy one makes two.
const MOST_IN_A_SECOND: u32 = 20;
/// The most workers whose announcements are counted.
const MOST_SUBJECTS: usize = 16_384;

/// Subscription to the announcements of workers.
pub(super) struct AnnouncementStream {
    messages: Subscriber,
    /// Number of announcements under each subject in the current second.
    rates: HashMap<String, AnnouncementRate>,
}

struct AnnouncementRate {
    since: Instant,
    announcements: u32,
}

impl AnnouncementStream {
    /// Subscribes at a server.
    ///
    /// # Errors
    ///
    /// [`TransportError::Unavailable`] when the connection is closed.
    pub(super) async fn subscribe(connection: &ServerConnection) -> Result<Self, TransportError> {
        let messages = connection.client()?.subscribe("joust.here.*").await.map_err(unavailable)?;
        Ok(Self { messages, rates: HashMap::new() })
    }

    /// Waits for the next announcement that a worker made under its own name; `None` when the
    /// connection is closed.
    pub(super) async fn next_announcement(&mut self) -> Option<Announcement> {
        loop {
            let message = next_message(&mut self.messages).await?;
            if self.is_ignored(&message) {
                continue;
            }
            match envelope::read::<Announcement>(&message.payload) {
                // The server allows a worker only subjects with its own name.
                Ok(said) if *message.subject == *presence_subject(&said.worker) => {
                    return Some(said);
                }
                Ok(said) => {
                    tracing::warn!(subject = %message.subject, worker = said.worker, "refused");
                }
                Err(error) => tracing::warn!(%error, subject = %message.subject, "refused"),
            }
        }
    }

    /// Drops the queued announcements.
    fn discard_queued(&mut self) {
        while next_message(&mut self.messages).now_or_never().flatten().is_some() {}
    }

    /// Returns whether to ignore an announcement because it is too long or exceeds the rate.
    fn is_ignored(&mut self, message: &Message) -> bool {
        if self.rates.len() > MOST_SUBJECTS {
            self.rates.clear();
        }
        let fresh = || AnnouncementRate { since: Instant::now(), announcements: 0 };
        let rate = self.rates.entry(message.subject.to_string()).or_insert_with(fresh);
        if rate.since.elapsed() > Duration::from_secs(1) {
            *rate = fresh();
        }
        rate.announcements += 1;
        let is_ignored =
            rate.announcements > MOST_IN_A_SECOND || message.payload.len() > MOST_ANNOUNCEMENT;
        if is_ignored && rate.announcements <= MOST_IN_A_SECOND + 1 {
            let bytes = message.payload.len();
            tracing::warn!(subject = %message.subject, bytes, "refused");
        }
        is_ignored
    }
}

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

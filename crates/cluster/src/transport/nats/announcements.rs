//! Announcements of workers, with a limit on their rate.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::{Message, Subscriber};
use futures_util::FutureExt;
use tokio::time::Instant;

use super::{ServerConnection, next_message, presence_subject, unavailable};
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
    pub(super) fn discard_queued(&mut self) {
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

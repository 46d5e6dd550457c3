//! Announcements of workers, as many of each as anybody needs.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::{Message, Subscriber};
use futures_util::FutureExt;

use super::{Line, away, here, next};
use crate::envelope;
use crate::message::Announcement;
use crate::time::Moment;
use crate::transport::TransportError;

/// The longest announcement that is read, bytes: that of a busy worker that is looked at has some
/// hundred thousand.
const MOST_ANNOUNCEMENT: usize = 1 << 20;
/// Number of announcements of one worker that are read in a second; a busy one makes two.
const MOST_IN_A_SECOND: u32 = 20;
/// Number of workers whose announcements are counted.
const MOST_SUBJECTS: usize = 16_384;

/// Announcements of the workers.
pub(super) struct Voices {
    line: Subscriber,
    /// Announcements received under each subject, since its second began.
    heard: HashMap<String, Activity>,
}

struct Activity {
    since: Moment,
    announcements: u32,
}

impl Voices {
    /// Listens at a server.
    ///
    /// # Errors
    ///
    /// [`TransportError::Away`] when the connection is closed.
    pub(super) async fn of(line: &Line) -> Result<Self, TransportError> {
        let line = line.client.subscribe("joust.here.*").await.map_err(away)?;
        Ok(Self { line, heard: HashMap::new() })
    }

    /// Waits for the next announcement that a worker makes under its own name; `None` when the
    /// connection is closed.
    pub(super) async fn next(&mut self) -> Option<Announcement> {
        loop {
            let message = next(&mut self.line).await?;
            if self.is_noise(&message) {
                continue;
            }
            match envelope::read::<Announcement>(&message.payload) {
                // The server lets a worker speak under its own name only.
                Ok(said) if *message.subject == *here(&said.worker) => {
                    return Some(said);
                }
                Ok(said) => {
                    tracing::warn!(subject = %message.subject, worker = said.worker, "refused");
                }
                Err(error) => tracing::warn!(%error, subject = %message.subject, "refused"),
            }
        }
    }

    /// Leaves unheard what was said until now.
    pub(super) fn forget(&mut self) {
        while next(&mut self.line).now_or_never().flatten().is_some() {}
    }

    /// Returns whether to ignore an announcement: it is too long, or one of too many.
    fn is_noise(&mut self, message: &Message) -> bool {
        if self.heard.len() > MOST_SUBJECTS {
            self.heard.clear();
        }
        let fresh = || Activity { since: Moment::now(), announcements: 0 };
        let heard = self.heard.entry(message.subject.to_string()).or_insert_with(fresh);
        if heard.since.elapsed() > Duration::from_secs(1) {
            *heard = fresh();
        }
        heard.announcements += 1;
        let is_noise =
            heard.announcements > MOST_IN_A_SECOND || message.payload.len() > MOST_ANNOUNCEMENT;
        if is_noise && heard.announcements <= MOST_IN_A_SECOND + 1 {
            let bytes = message.payload.len();
            tracing::warn!(subject = %message.subject, bytes, "refused");
        }
        is_noise
    }
}

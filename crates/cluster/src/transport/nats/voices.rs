//! Announcements of workers, as many of each as anybody needs.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::{Message, Subscriber};

use crate::time::Moment;

/// The longest announcement that is read, bytes: that of a busy worker that is looked at has some
/// hundred thousand.
const MOST_ANNOUNCEMENT: usize = 1 << 20;
/// How many announcements of one worker are read in a second; a busy one makes two.
const MOST_IN_A_SECOND: u32 = 20;
/// Of how many workers announcements are counted.
const MOST_SUBJECTS: usize = 16_384;

/// What workers say of themselves.
pub(super) struct Voices {
    pub(super) line: Subscriber,
    /// What was heard under each subject since when.
    heard: HashMap<String, Heard>,
}

struct Heard {
    since: Moment,
    announcements: u32,
}

impl Voices {
    pub(super) fn new(line: Subscriber) -> Self {
        Self { line, heard: HashMap::new() }
    }

    /// Says whether an announcement is not to be looked at: it is too long, or one of too many.
    pub(super) fn is_noise(&mut self, message: &Message) -> bool {
        if self.heard.len() > MOST_SUBJECTS {
            self.heard.clear();
        }
        let fresh = || Heard { since: Moment::now(), announcements: 0 };
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

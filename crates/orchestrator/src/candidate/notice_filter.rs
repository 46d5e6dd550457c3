//! Filter between the runs of a try and its listener.

use std::collections::HashSet;
use std::sync::Arc;

use joust_model::BoutId;
use joust_model::notices::{Listener, Notice};
use parking_lot::Mutex;

/// Listener of a try's runs that passes on builds, faults of the machine, and starts and ends of bouts.
/// The session reports its own progress, and the reason why a candidate was not built is its error.
pub(super) struct NoticeFilter {
    candidate: String,
    inner: Arc<dyn Listener>,
    under_way: Mutex<HashSet<BoutId>>,
}

impl NoticeFilter {
    pub(super) fn new(candidate: String, inner: Arc<dyn Listener>) -> Self {
        Self { candidate, inner, under_way: Mutex::default() }
    }

    /// Returns how many bouts of the last batch have not ended.
    pub(super) fn under_way(&self) -> u64 {
        self.under_way.lock().len() as u64
    }

    fn count(&self, notice: &Notice) {
        match notice {
            Notice::Scheduled { .. } => self.under_way.lock().clear(),
            Notice::BoutStarted(plan) => _ = self.under_way.lock().insert(plan.bout),
            Notice::BoutFinished(result) => _ = self.under_way.lock().remove(&result.bout),
            Notice::BoutVoided { bout, .. } => _ = self.under_way.lock().remove(&bout.bout),
            _ => {}
        }
    }
}

impl Listener for NoticeFilter {
    fn notice(&self, notice: &Notice) {
        self.count(notice);
        match notice {
            Notice::Planned(_)
            | Notice::Scheduled { .. }
            | Notice::Table { .. }
            | Notice::TableBefore(_)
            | Notice::Position { .. }
            | Notice::EventFinished { .. }
            | Notice::Closing => {}
            Notice::NotBuilt { bot, .. } if *bot == self.candidate => {}
            other => self.inner.notice(other),
        }
    }
}

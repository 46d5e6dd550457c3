//! Audience of a try: people at a terminal, and spectators of every bout.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use joust_live::LiveError;
use joust_model::BoutId;
use joust_model::notices::{Listener, Notice};

use super::report::TryReport;

/// Starts the pages of a database; returns the listener to every bout, if there are pages.
pub type Spectators<'a> = dyn Fn(&Path) -> Result<Option<Arc<dyn Listener>>, LiveError> + Sync + 'a;

/// Observers of a try.
pub struct TryObserver<'a> {
    /// Listener to builds, faults of the machine, and bouts that begin and end, not to tables.
    pub listener: Arc<dyn Listener>,
    /// Listener to the state of the try after every batch.
    pub watch: &'a (dyn Fn(&TryReport) + Sync),
    /// Called with the database of the bouts, before there are any.
    pub spectators: &'a Spectators<'a>,
}

/// Listener of a try's runs that passes the relevant notices on to each observer. The session
/// reports its own position, and the reason why a candidate was not built is its error.
pub(super) struct NoticeFilter {
    candidate: String,
    people: Arc<dyn Listener>,
    spectators: Option<Arc<dyn Listener>>,
    under_way: Mutex<HashSet<BoutId>>,
}

impl NoticeFilter {
    pub(super) fn new(
        candidate: String,
        people: Arc<dyn Listener>,
        spectators: Option<Arc<dyn Listener>>,
    ) -> Self {
        Self { candidate, people, spectators, under_way: Mutex::default() }
    }

    fn bouts(&self) -> MutexGuard<'_, HashSet<BoutId>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many bouts of the last batch have not ended.
    pub(super) fn under_way(&self) -> u64 {
        self.bouts().len() as u64
    }

    /// Tells spectators that nothing more comes; says whether there are any.
    pub(super) fn close(&self) -> bool {
        let spectators = self.spectators.as_ref();
        spectators.inspect(|spectators| spectators.notice(&Notice::Closing)).is_some()
    }

    fn count(&self, notice: &Notice) {
        match notice {
            Notice::Scheduled { .. } => self.bouts().clear(),
            Notice::BoutStarted(plan) => _ = self.bouts().insert(plan.bout),
            Notice::BoutFinished(result) => _ = self.bouts().remove(&result.bout),
            Notice::BoutVoided { bout, .. } => _ = self.bouts().remove(&bout.bout),
            _ => {}
        }
    }

    fn notify_people(&self, notice: &Notice) {
        match notice {
            Notice::Planned { .. }
            | Notice::Scheduled { .. }
            | Notice::Table { .. }
            | Notice::TableBefore(_)
            | Notice::Position { .. }
            | Notice::EventFinished { .. }
            | Notice::Closing => {}
            Notice::BeingRead { .. } if self.spectators.is_some() => {}
            Notice::NotBuilt { bot, .. } if *bot == self.candidate => {}
            other => self.people.notice(other),
        }
    }
}

impl Listener for NoticeFilter {
    fn notice(&self, notice: &Notice) {
        self.count(notice);
        self.notify_people(notice);
        // The database is read on between two runs.
        if let (Some(spectators), false) = (&self.spectators, matches!(notice, Notice::Closing)) {
            spectators.notice(notice);
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        self.spectators.as_ref().is_some_and(|spectators| spectators.wants_position(bout))
    }

    fn wants_positions(&self) -> bool {
        self.spectators.as_ref().is_some_and(|spectators| spectators.wants_positions())
    }
}

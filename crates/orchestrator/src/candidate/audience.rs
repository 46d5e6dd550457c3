//! Audience of a try: people at a terminal, and spectators of every bout.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use joust_live::LiveError;
use joust_model::BoutId;
use joust_model::notices::{Listener, Notice};

use super::report::Report;

/// Begins to show what is in a database; returns who hears of every bout, if anybody does.
pub type Spectators<'a> = dyn Fn(&Path) -> Result<Option<Arc<dyn Listener>>, LiveError> + Sync + 'a;

/// Who hears of a try.
pub struct Audience<'a> {
    /// Hears of builds and faults of the machine, not of bouts.
    pub listener: Arc<dyn Listener>,
    /// Hears where the try stands after every batch.
    pub watch: &'a (dyn Fn(&Report) + Sync),
    /// Is told where the bouts will be, before there are any.
    pub spectators: &'a Spectators<'a>,
}

/// Hears the runs of a try and passes on to each what it should hear. How far playing is says
/// the session itself, and why the candidate was not built is its error.
pub(super) struct Hearing {
    candidate: String,
    people: Arc<dyn Listener>,
    spectators: Option<Arc<dyn Listener>>,
    under_way: Mutex<HashSet<BoutId>>,
}

impl Hearing {
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

    /// Returns how many bouts were begun last and have not ended.
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

    fn tell_people(&self, notice: &Notice) {
        match notice {
            Notice::Planned { .. }
            | Notice::Scheduled { .. }
            | Notice::Table(_)
            | Notice::TableBefore(_)
            | Notice::BoutStarted(_)
            | Notice::Position { .. }
            | Notice::BoutFinished(_)
            | Notice::EventFinished { .. }
            | Notice::Closing => {}
            Notice::BeingRead { .. } if self.spectators.is_some() => {}
            Notice::NotBuilt { bot, .. } if *bot == self.candidate => {}
            other => self.people.notice(other),
        }
    }
}

impl Listener for Hearing {
    fn notice(&self, notice: &Notice) {
        self.count(notice);
        self.tell_people(notice);
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

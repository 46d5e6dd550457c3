//! Audience of a try: people at a terminal, and spectators of every bout.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use joust_live::LiveError;
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice};
use joust_model::{BoutId, is_referee_error};

use super::report::Report;

/// A batch is ended when its referee has failed so often: it does not get better.
const MOST_REFEREE_ERRORS: u32 = 3;

/// Begins to show what is in a database; returns who hears of every bout, if anybody does.
pub type Spectators<'a> = dyn Fn(&Path) -> Result<Option<Arc<dyn Listener>>, LiveError> + Sync + 'a;

/// Observers of a try.
pub struct Audience<'a> {
    /// Listener to builds, faults of the machine, and bouts that begin and end, not to tables.
    pub listener: Arc<dyn Listener>,
    /// Listener to the state of the try after every batch.
    pub watch: &'a (dyn Fn(&Report) + Sync),
    /// Is told where the bouts will be, before there are any.
    pub spectators: &'a Spectators<'a>,
}

/// Listener of a try's runs that passes the relevant notices on to each observer. The session
/// reports its own position, and the reason why a candidate was not built is its error.
pub(super) struct Hearing {
    candidate: String,
    people: Arc<dyn Listener>,
    spectators: Option<Arc<dyn Listener>>,
    under_way: Mutex<HashSet<BoutId>>,
    batch: Mutex<Batch>,
}

/// Bouts that are played in one go.
#[derive(Default)]
struct Batch {
    referee_errors: u32,
    /// Ends it.
    cancel: Cancel,
}

impl Hearing {
    pub(super) fn new(
        candidate: String,
        people: Arc<dyn Listener>,
        spectators: Option<Arc<dyn Listener>>,
    ) -> Self {
        let (under_way, batch) = Default::default();
        Self { candidate, people, spectators, under_way, batch }
    }

    fn bouts(&self) -> MutexGuard<'_, HashSet<BoutId>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a batch, which `cancel` ends when its referee fails again and again.
    pub(super) fn stop_after_referee_errors(&self, cancel: &Cancel) {
        let batch = Batch { referee_errors: 0, cancel: cancel.clone() };
        *self.batch.lock().unwrap_or_else(PoisonError::into_inner) = batch;
    }

    fn count_referee_error(&self) {
        let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        batch.referee_errors += 1;
        let over = (batch.referee_errors >= MOST_REFEREE_ERRORS).then(|| batch.cancel.clone());
        // Whoever is told of the end may be heard here, too.
        drop(batch);
        over.iter().for_each(Cancel::cancel);
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
            Notice::BoutFinished(result) => {
                self.bouts().remove(&result.bout);
                if is_referee_error(&result.ended) {
                    self.count_referee_error();
                }
            }
            Notice::BoutVoided { bout, .. } => _ = self.bouts().remove(&bout.bout),
            _ => {}
        }
    }

    fn tell_people(&self, notice: &Notice) {
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

#[cfg(test)]
mod tests {
    use joust_model::notices::Nobody;

    use super::*;

    #[test]
    fn a_batch_is_ended_when_its_referee_fails_again_and_again() {
        let hearing = Hearing::new("ann".to_owned(), Arc::new(Nobody), None);
        let cancel = Cancel::default();
        hearing.count_referee_error();
        hearing.stop_after_referee_errors(&cancel);
        (1..MOST_REFEREE_ERRORS).for_each(|_| hearing.count_referee_error());
        assert!(!cancel.is_cancelled(), "those of the batch before do not count");
        hearing.count_referee_error();
        assert!(cancel.is_cancelled());
    }
}

//! Recorder of a run's progress, for the report.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::report::{ChangeReport, PlannedBouts};
use crate::pipeline::RunReport;
use joust_model::notices::{Listener, Notice};

/// Passes notices on and remembers what the report needs of them.
pub(super) struct ProgressRecorder {
    pub(super) listener: Arc<dyn Listener>,
    recorded: Mutex<RecordedCounts>,
}

#[derive(Default)]
struct RecordedCounts {
    planned: HashMap<String, PlannedBouts>,
    played: HashMap<String, u64>,
    event: String,
}

impl ProgressRecorder {
    pub(super) fn new(listener: Arc<dyn Listener>) -> Self {
        Self { listener, recorded: Mutex::default() }
    }

    /// Puts what was recorded into the report.
    pub(super) fn write_to(&self, report: &mut ChangeReport, run: &RunReport) {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let estimates = run.estimate.iter().flat_map(|estimate| &estimate.events);
        for event in &mut report.events {
            let dry = estimates.clone().find(|one| one.event == event.event).map(|one| {
                PlannedBouts { matches: one.matches, bouts: one.bouts, seconds: one.time.as_secs() }
            });
            event.planned = recorded.planned.get(&event.event).copied().or(dry);
            event.played = recorded.played.get(&event.event).copied().unwrap_or(0);
            let done = run.events.iter().find(|one| one.event == event.event);
            let done = done.filter(|_| run.estimate.is_none());
            event.missing = done.map_or(0, |one| one.missing);
            event.left = done.map_or(0, |one| one.elsewhere);
        }
    }
}

impl Listener for ProgressRecorder {
    fn notice(&self, notice: &Notice) {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Planned { event, matches, bouts, time, .. } => {
                let seconds = time.as_secs();
                // Each round is told when it is drawn.
                let planned = recorded.planned.entry(event.clone()).or_default();
                planned.matches += matches;
                planned.bouts += bouts;
                planned.seconds += seconds;
            }
            Notice::Scheduled { event, .. } => recorded.event.clone_from(event),
            Notice::BoutFinished(_) => {
                let event = recorded.event.clone();
                *recorded.played.entry(event).or_default() += 1;
            }
            _ => {}
        }
        drop(recorded);
        self.listener.notice(notice);
    }
}

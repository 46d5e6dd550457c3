//! What a run says while it plays, kept for the report.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::report::{Planned, Report};
use crate::pipeline::{Listener, Notice, RunReport};

/// Passes notices on and remembers what the report needs of them.
pub(super) struct Ear {
    pub(super) listener: Arc<dyn Listener>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    planned: HashMap<String, Planned>,
    played: HashMap<String, u64>,
    event: String,
}

impl Ear {
    pub(super) fn new(listener: Arc<dyn Listener>) -> Self {
        Self { listener, heard: Mutex::default() }
    }

    /// Puts what was heard into the report.
    pub(super) fn tell(&self, report: &mut Report, run: &RunReport) {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let estimates = run.estimate.iter().flat_map(|estimate| &estimate.events);
        for event in &mut report.events {
            let dry = estimates.clone().find(|one| one.event == event.event).map(|one| Planned {
                matches: one.matches,
                bouts: one.bouts,
                seconds: one.time.as_secs(),
            });
            event.planned = heard.planned.get(&event.event).copied().or(dry);
            event.played = heard.played.get(&event.event).copied().unwrap_or(0);
            let done = run.events.iter().find(|one| one.event == event.event);
            event.missing = done.filter(|_| run.estimate.is_none()).map_or(0, |one| one.missing);
        }
    }
}

impl Listener for Ear {
    fn notice(&self, notice: &Notice) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Planned { event, matches, bouts, time, .. } => {
                let seconds = time.as_secs();
                let planned = Planned { matches: *matches, bouts: *bouts, seconds };
                heard.planned.insert(event.clone(), planned);
            }
            Notice::Scheduled { event, .. } => heard.event.clone_from(event),
            Notice::BoutFinished(_) => {
                let event = heard.event.clone();
                *heard.played.entry(event).or_default() += 1;
            }
            _ => {}
        }
        drop(heard);
        self.listener.notice(notice);
    }
}

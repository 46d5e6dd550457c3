//! Registry of a coordinator's workers: which workers are present, and which notices were sent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use joust_play::executor::MachineOffer;

use super::{LONELY, MOST_CHARACTERS};
use crate::ledger::Ledger;
use crate::message::{Announcement, ClassId, Stage, WorkerState};
use crate::notice::CoordinatorNotice;

/// Workers that play, by name.
#[derive(Default)]
pub(super) struct WorkerRegistry {
    /// Offers of the workers that play.
    offers: BTreeMap<String, MachineOffer>,
    /// Classes that were reported as playable by no worker.
    unfit: BTreeSet<ClassId>,
    /// True once a worker has come, or the absence of workers was reported.
    is_settled: bool,
}

impl WorkerRegistry {
    /// Records a worker's announcement; returns notices about changes.
    pub(super) fn record_announcement(
        &mut self,
        announcement: &Announcement,
        stage: &Stage,
        ledger: &mut Ledger,
        now: Duration,
    ) -> Option<CoordinatorNotice> {
        let is_elsewhere =
            announcement.tournament.as_ref().is_some_and(|it| *it != stage.tournament);
        if is_elsewhere {
            return None;
        }
        if let WorkerState::Refused(why) = &announcement.state {
            let why = why.chars().take(MOST_CHARACTERS).collect();
            return Some(CoordinatorNotice::WorkerRefused {
                worker: announcement.worker.clone(),
                why,
            });
        }
        // Of an earlier stage it says what that one needed.
        let is_of_stage = announcement.epoch == stage.epoch;
        if announcement.state == WorkerState::Playing && is_of_stage {
            self.offers.insert(announcement.worker.clone(), announcement.offer.clone());
        }
        self.is_settled = true;
        ledger.record_announcement(announcement, now).then(|| CoordinatorNotice::WorkerJoined {
            worker: announcement.worker.clone(),
            cores: announcement.offer.cores,
            clock: announcement.clock,
        })
    }

    /// Returns notices about workers that are gone and about missing machines.
    pub(super) fn review(&mut self, ledger: &mut Ledger, now: Duration) -> Vec<CoordinatorNotice> {
        let gone = ledger.remove_silent_workers(now);
        gone.iter().for_each(|worker| _ = self.offers.remove(worker));
        let mut news: Vec<CoordinatorNotice> =
            gone.into_iter().map(CoordinatorNotice::WorkerLost).collect();
        news.extend(self.absence(ledger, now));
        news.extend(self.unfit_workers(ledger, now));
        news
    }

    fn absence(&mut self, ledger: &Ledger, now: Duration) -> Option<CoordinatorNotice> {
        self.is_settled |= ledger.workers() > 0;
        let is_absence = !self.is_settled && !ledger.is_empty() && now > LONELY;
        self.is_settled |= is_absence;
        is_absence.then_some(CoordinatorNotice::NoWorkers)
    }

    /// Returns notices about bouts for which no suitable machine is present.
    fn unfit_workers(&mut self, ledger: &Ledger, now: Duration) -> Vec<CoordinatorNotice> {
        let mut news = Vec::new();
        for class in ledger.unclaimed_classes(now, LONELY) {
            let mut reasons = self.offers.values().map(|offer| class.needs.unmet_by(offer));
            let Some(Some(why)) = reasons.next() else { continue };
            if reasons.all(|reason| reason.is_some()) && self.unfit.insert(class.id.clone()) {
                news.push(CoordinatorNotice::NoSuitableWorker(why));
            }
        }
        news
    }
}

//! Registry of a coordinator's workers: which are there, and what is said of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use joust_play::executor::MachineOffer;

use super::{LONELY, MOST_CHARACTERS};
use crate::ledger::Ledger;
use crate::message::{Announcement, ClassId, Stage, State};
use crate::news::News;

/// Presence of workers since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Attendance {
    /// None has come yet.
    #[default]
    Awaited,
    /// One has come, or it was reported that none has.
    Settled,
}

/// Workers that play, by name.
#[derive(Default)]
pub(super) struct WorkerRegistry {
    /// Offers of the workers that play.
    offers: BTreeMap<String, MachineOffer>,
    /// Classes that were reported as playable by nobody.
    unfit: BTreeSet<ClassId>,
    attendance: Attendance,
}

impl WorkerRegistry {
    /// Notes what a worker announces; returns what is new about it.
    pub(super) fn note(
        &mut self,
        said: &Announcement,
        stage: &Stage,
        ledger: &mut Ledger,
        now: Duration,
    ) -> Option<News> {
        let is_elsewhere = said.tournament.as_ref().is_some_and(|it| *it != stage.tournament);
        if is_elsewhere {
            return None;
        }
        if let State::Refused(why) = &said.state {
            let why = why.chars().take(MOST_CHARACTERS).collect();
            return Some(News::Refused { worker: said.worker.clone(), why });
        }
        if said.state == State::Playing {
            self.offers.insert(said.worker.clone(), said.offer.clone());
        }
        self.attendance = Attendance::Settled;
        ledger.heard(said, now).then(|| News::Came {
            worker: said.worker.clone(),
            cores: said.offer.cores,
            clock: said.clock,
        })
    }

    /// Returns which workers are gone, and what the run lacks.
    pub(super) fn review(&mut self, ledger: &mut Ledger, now: Duration) -> Vec<News> {
        let gone = ledger.gone(now);
        gone.iter().for_each(|worker| _ = self.offers.remove(worker));
        let mut news: Vec<News> = gone.into_iter().map(News::Gone).collect();
        news.extend(self.absence(ledger, now));
        news.extend(self.unfit_workers(ledger, now));
        news
    }

    fn absence(&mut self, ledger: &Ledger, now: Duration) -> Option<News> {
        if ledger.workers() > 0 {
            self.attendance = Attendance::Settled;
        }
        let is_absence =
            self.attendance == Attendance::Awaited && !ledger.is_empty() && now > LONELY;
        is_absence.then(|| {
            self.attendance = Attendance::Settled;
            News::Lonely
        })
    }

    /// Returns the bouts that wait for a machine that is not there.
    fn unfit_workers(&mut self, ledger: &Ledger, now: Duration) -> Vec<News> {
        let mut news = Vec::new();
        for class in ledger.untaken(now, LONELY) {
            let mut reasons = self.offers.values().map(|offer| class.needs.unmet_by(offer));
            let Some(Some(why)) = reasons.next() else { continue };
            if reasons.all(|reason| reason.is_some()) && self.unfit.insert(class.id.clone()) {
                news.push(News::Unfit(why));
            }
        }
        news
    }
}

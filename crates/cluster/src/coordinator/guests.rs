//! Guests of a coordinator: whose results count, which are played a second time, and who is
//! told.

use std::collections::{HashMap, HashSet};

use joust_model::{BoutResult, counted};
use joust_play::executor::{Assignment, Delivery};

use super::{Desk, Inspect};
use crate::checks::{Checked, Settled};
use crate::message::Report;
use crate::news::News;
use crate::transport::CoordinatorSide;
use crate::trust::{Finding, is_guest};

impl<T: CoordinatorSide, I: Inspect> Desk<T, I> {
    /// Says whether what this worker sends counts.
    pub(super) fn counts(&self, worker: &str) -> bool {
        let is_welcome = self.stage.guests.are_welcome || !is_guest(worker);
        is_welcome && !self.checks.is_aside(worker)
    }

    /// Leaves out of a report what does not count; its bouts are handed out again.
    pub(super) fn sifted(&mut self, mut report: Report) -> Report {
        if !self.counts(&report.worker) {
            for Delivery { bout, .. } in std::mem::take(&mut report.deliveries) {
                self.transport.settled(bout);
                report.returned.push(bout);
            }
        }
        if is_guest(&report.worker) {
            // It is one's own that is waited for; what a guest sent comes again until then.
            report.deliveries.retain(|it| !self.checks.is_open(it.bout));
            self.refuse_unsigned(&mut report);
        }
        report
    }

    /// Leaves out what a guest does not answer for with its key. Checking a signature takes time, so
    /// that each bout is looked at once, and nothing more of a report after one that does not hold.
    fn refuse_unsigned(&mut self, report: &mut Report) {
        let signatures = std::mem::take(&mut report.signatures);
        let by_bouts: HashMap<_, _> = signatures.iter().map(|one| (one.bout, one)).collect();
        let (mut seen, mut signed, mut is_refused) = (HashSet::new(), Vec::new(), false);
        for it in std::mem::take(&mut report.deliveries) {
            if !seen.insert(it.bout) {
                continue;
            }
            let Some(wanted) = self.ledger.results_wanted(it.bout) else {
                it.results().for_each(|result| self.inspect.beside(&report.worker, result));
                self.transport.settled(it.bout);
                continue;
            };
            let is_whole = it.result.is_err() || it.results().count() == wanted;
            let worker = &report.worker;
            if !is_refused && is_whole && self.checks.are_signed(worker, &it, &by_bouts) {
                signed.push(it);
            } else {
                is_refused = true;
                self.transport.settled(it.bout);
                report.returned.push(it.bout);
            }
        }
        report.deliveries = signed;
        if is_refused {
            let why = "it is not signed with the guest's key".to_owned();
            self.misfit(&report.worker, &why);
        }
    }

    /// Has a bout played by a worker of one's own.
    pub(super) fn play_by_own(&mut self, assignment: Assignment) {
        let now = self.now();
        self.ledger.push_own(assignment, now);
    }

    /// Counts what a worker played, and tells of rates that are not those of the others.
    pub(super) fn count(&mut self, worker: &str, results: Option<&[BoutResult]>) {
        let Some(excess) = self.checks.count(worker, results) else { return };
        let (worker, why) = (worker.to_owned(), excess.to_string());
        if is_guest(&worker) {
            self.set_aside(worker, why);
        } else {
            self.inspect.news(News::Odd { worker, why });
        }
    }

    /// Has nothing more of a worker count, and tells it so.
    pub(super) fn set_aside(&mut self, worker: String, why: String) {
        self.checks.set_aside(&worker);
        self.transport.ignore(&worker);
        let taken = self.checks.unchecked(&worker);
        let machine = self.machines.get(&worker).cloned().unwrap_or_default();
        self.stage.guests.aside.insert(worker.clone());
        let taken = match taken {
            _ if !is_guest(&worker) => "what it sent before and fits counts".to_owned(),
            0 => "nothing of it counts without a second play".to_owned(),
            more => format!(
                "{} of it on machine `{machine}` count without a second play",
                counted(more, "result")
            ),
        };
        self.inspect.news(News::SetAside { worker, why: format!("{why}; {taken}") });
    }

    /// Returns the results that count; `None` when the bout is to be played once more.
    pub(super) fn checked(
        &mut self,
        worker: &str,
        assignment: &Assignment,
        results: Vec<BoutResult>,
    ) -> Option<Vec<BoutResult>> {
        if is_guest(worker) {
            let bout = assignment.plan.bout;
            for signature in self.checks.signatures(bout) {
                self.inspect.signed(worker, &signature);
            }
            if !self.checks.is_wanted(worker, bout, &results) {
                self.checks.took_unchecked(worker, &results);
                return Some(results);
            }
            self.checks.begin(worker, bout, results);
            self.play_by_own(assignment.clone());
            return None;
        }
        match self.checks.played(assignment, results) {
            Checked::Again => {
                self.play_by_own(assignment.clone());
                None
            }
            Checked::Settled(settled) => Some(self.told(worker, settled)),
        }
    }

    /// Tells what a check came to, and returns the results that count.
    fn told(&mut self, own: &str, settled: Settled) -> Vec<BoutResult> {
        let Settled { results, finding, guest, refused } = settled;
        for (refused, counts) in refused.iter().zip(&results) {
            self.inspect.caught(&guest, refused, finding);
            tracing::warn!(guest, own, bout = %counts.bout, ?finding, "a second play differs");
        }
        if finding == Finding::Forged && !self.stage.guests.aside.contains(&guest) {
            let bout = results.first().map(|it| it.bout.to_string()).unwrap_or_default();
            let why = format!("workers of yours play bout {bout} twice alike and not as it says");
            self.set_aside(guest, why);
        }
        results
    }
}

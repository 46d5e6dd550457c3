//! Simulated transport, which loses, repeats, delays, reorders and wipes messages by chance.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use joust_cluster::transport::{
    CoordinatorTransport, LeaseAction, PublishOutcome, ReceivedBatch, TransportError,
    TransportState, WorkerTransport,
};
use joust_cluster::{Announcement, Batch, ClassId, Report, Stage};
use joust_model::BuildHash;
use joust_testkit::seeded_rng::SeededRng;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

/// Chance per thousand of each fault, and durations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) late_millis: u64,
    pub(crate) away: u64,
    /// Batches that an intruder takes and acknowledges without a report.
    pub(crate) stolen: u64,
}

pub(crate) struct World {
    state: Mutex<State>,
    plans: Notify,
    reports: Notify,
    said: Notify,
}

struct Plan {
    id: u64,
    batch: Batch,
    visible: Instant,
}

struct Late<M> {
    message: M,
    due: Instant,
}

pub(crate) struct State {
    pub(crate) chance: SeededRng,
    pub(crate) faults: Faults,
    lease: Duration,
    plans: Vec<Plan>,
    next: u64,
    reports: Vec<Late<Report>>,
    said: Vec<Late<Announcement>>,
    pub(crate) stage: Option<Stage>,
    is_wiped: bool,
    /// Time until which each worker is suspended.
    pub(crate) still: BTreeMap<String, Instant>,
    /// Number of coordinators' steps so far, and the step at which the present one dies.
    pub(crate) steps: u64,
    pub(crate) dies_at: u64,
    pub(crate) most_batches: usize,
    /// Number of times that machines were made ready.
    pub(crate) equipped: u64,
    /// Worker whose results are all false.
    pub(crate) liar: Option<String>,
    /// Number of results that were refused.
    pub(crate) refused: u64,
}

impl State {
    /// Has the first batch stolen, by chance.
    fn rob(&mut self) {
        let often = self.faults.stolen;
        if !self.plans.is_empty() && self.chance.next_permille(often) {
            self.plans.remove(0);
        }
    }
}

impl World {
    pub(crate) fn new(chance: SeededRng, faults: Faults, lease: Duration) -> Arc<Self> {
        let state = State {
            chance,
            faults,
            lease,
            plans: Vec::new(),
            next: 0,
            reports: Vec::new(),
            said: Vec::new(),
            stage: None,
            is_wiped: false,
            still: BTreeMap::new(),
            steps: 0,
            dies_at: u64::MAX,
            most_batches: 64,
            equipped: 0,
            liar: None,
            refused: 0,
        };
        let (plans, reports, said) = (Notify::new(), Notify::new(), Notify::new());
        Arc::new(Self { state: Mutex::new(state), plans, reports, said })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// Deletes everything, like a server whose storage was deleted.
    pub(crate) fn wipe(&self) {
        let mut state = self.state();
        state.plans.clear();
        state.reports.clear();
        state.is_wiped = true;
    }

    /// Returns the time until which a worker is suspended, if it is.
    pub(crate) fn still(&self, worker: &str) -> Option<Instant> {
        let until = self.state().still.get(worker).copied()?;
        (until > Instant::now()).then_some(until)
    }

    async fn latency(&self) {
        let span = self.state().chance.next_millis(0, 41);
        sleep(span).await;
    }

    fn away(&self) -> Result<(), TransportError> {
        let mut state = self.state();
        let often = state.faults.away;
        match state.chance.next_permille(often) {
            true => Err(TransportError::Unavailable("by chance".to_owned())),
            false => Ok(()),
        }
    }

    fn lost(&self) -> bool {
        let mut state = self.state();
        let often = state.faults.lost;
        state.chance.next_permille(often)
    }
}

/// Waits for a change, at most until `at`.
async fn change(of: &Notify, at: Option<Instant>) {
    let at = at.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
    tokio::select! {
        biased;
        () = of.notified() => {}
        () = sleep_until(at) => {}
    }
}

/// Takes the first message that is due; a duplicated one stays and is delivered again.
fn due<M: Clone>(
    line: &mut Vec<Late<M>>,
    chance: &mut SeededRng,
    faults: Faults,
) -> Result<M, Option<Instant>> {
    let now = Instant::now();
    let Some(at) = line.iter().position(|late| late.due <= now) else {
        return Err(line.iter().map(|late| late.due).min());
    };
    if chance.next_permille(faults.doubled) {
        line[at].due = now + chance.next_millis(0, faults.late_millis + 1);
        return Ok(line[at].message.clone());
    }
    Ok(line.remove(at).message)
}

/// The coordinator's side.
pub(crate) struct SimulatedCoordinator {
    pub(crate) world: Arc<World>,
}

impl SimulatedCoordinator {
    /// One step; a coordinator whose time has come never makes the next.
    async fn step(&self) {
        let dies = {
            let mut state = self.world.state();
            state.steps += 1;
            state.steps >= state.dies_at
        };
        if dies {
            std::future::pending::<()>().await;
        }
    }

    fn away(&self) -> Result<(), TransportError> {
        self.world.away()
    }
}

impl CoordinatorTransport for SimulatedCoordinator {
    async fn open_stage(&self, stage: &Stage) -> Result<(), TransportError> {
        self.step().await;
        self.world.latency().await;
        let mut state = self.world.state();
        state.plans.clear();
        state.stage = Some(stage.clone());
        state.is_wiped = false;
        Ok(())
    }

    async fn refresh_stage(&self, stage: &Stage) -> Result<TransportState, TransportError> {
        self.step().await;
        self.world.latency().await;
        self.away()?;
        let mut state = self.world.state();
        state.stage = Some(stage.clone());
        Ok(match std::mem::take(&mut state.is_wiped) {
            true => TransportState::Wiped,
            false => TransportState::Intact,
        })
    }

    async fn publish_batch(&self, batch: &Batch) -> Result<PublishOutcome, TransportError> {
        self.step().await;
        self.away()?;
        {
            let mut state = self.world.state();
            if state.plans.len() >= state.most_batches {
                return Ok(PublishOutcome::Full);
            }
            let often = state.faults.doubled;
            let copies = 1 + u64::from(state.chance.next_permille(often));
            for _ in 0..copies {
                let id = state.next;
                state.next += 1;
                let (batch, visible) = (batch.clone(), Instant::now());
                state.plans.push(Plan { id, batch, visible });
            }
            let at = state.plans.len() as u64;
            let (from, to) = (state.chance.below(at) as usize, state.chance.below(at) as usize);
            let often = state.faults.doubled;
            if state.chance.next_permille(often) {
                state.plans.swap(from, to);
            }
        }
        self.world.plans.notify_waiters();
        // The message was stored, but the coordinator is not informed of that.
        self.away()?;
        self.step().await;
        Ok(PublishOutcome::Queued)
    }

    async fn next_report(&self) -> Result<Report, TransportError> {
        loop {
            let next = {
                let state = &mut *self.world.state();
                let faults = state.faults;
                due(&mut state.reports, &mut state.chance, faults)
            };
            match next {
                Ok(report) => {
                    self.step().await;
                    return Ok(report);
                }
                Err(at) => change(&self.world.reports, at).await,
            }
        }
    }

    async fn next_announcement(&self) -> Result<Announcement, TransportError> {
        loop {
            let next = {
                let state = &mut *self.world.state();
                due(&mut state.said, &mut state.chance, Faults { doubled: 0, ..state.faults })
            };
            match next {
                Ok(said) => return Ok(said),
                Err(at) => change(&self.world.said, at).await,
            }
        }
    }

    async fn put_blob(
        &self,
        _: &BuildHash,
        _: impl FnOnce() -> std::io::Result<Vec<u8>> + Send,
    ) -> Result<(), TransportError> {
        Ok(())
    }

    async fn recall_batches(&self) -> Result<(), TransportError> {
        self.world.state().plans.clear();
        Ok(())
    }

    async fn close_tournament(&self) -> Result<(), TransportError> {
        self.world.state().stage = None;
        Ok(())
    }
}

/// A worker's side.
pub(crate) struct Site {
    pub(crate) world: Arc<World>,
    pub(crate) worker: String,
}

impl Site {
    /// Nothing is sent while the worker is suspended.
    async fn gate(&self) {
        while let Some(until) = self.world.still(&self.worker) {
            sleep_until(until).await;
        }
        self.world.latency().await;
    }
}

impl WorkerTransport for Site {
    type Lease = u64;

    async fn list_stages(&self) -> Result<Vec<Stage>, TransportError> {
        self.gate().await;
        self.world.away()?;
        Ok(self.world.state().stage.clone().into_iter().collect())
    }

    async fn take_batch(
        &self,
        _: &Stage,
        classes: &[ClassId],
        patience: Duration,
    ) -> Result<Option<ReceivedBatch<u64>>, TransportError> {
        self.gate().await;
        let end = Instant::now() + patience;
        loop {
            let (taken, next) = {
                let mut state = self.world.state();
                let (now, lease) = (Instant::now(), state.lease);
                state.rob();
                let fits = |plan: &&mut Plan| classes.contains(&plan.batch.class);
                let mut fits: Vec<&mut Plan> = state.plans.iter_mut().filter(fits).collect();
                let next = fits.iter().map(|plan| plan.visible).min();
                let taken = fits.iter_mut().find(|plan| plan.visible <= now).map(|plan| {
                    plan.visible = now + lease;
                    ReceivedBatch { batch: plan.batch.clone(), lease: plan.id }
                });
                (taken, next)
            };
            if taken.is_some() {
                // It may be lost in transit.
                return Ok(taken.filter(|_| !self.world.lost()));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            change(&self.world.plans, Some(next.unwrap_or(end).min(end))).await;
        }
    }

    async fn renew_lease(&self, lease: &u64) -> Result<(), TransportError> {
        self.gate().await;
        if !self.world.lost() {
            let mut state = self.world.state();
            let visible = Instant::now() + state.lease;
            if let Some(plan) = state.plans.iter_mut().find(|plan| plan.id == *lease) {
                plan.visible = visible;
            }
        }
        Ok(())
    }

    async fn end_lease(&self, lease: &u64, action: LeaseAction) -> Result<(), TransportError> {
        self.gate().await;
        if !self.world.lost() {
            let mut state = self.world.state();
            match action {
                LeaseAction::Done => state.plans.retain(|plan| plan.id != *lease),
                LeaseAction::GivenBack => {
                    let own = state.plans.iter_mut().find(|plan| plan.id == *lease);
                    own.into_iter().for_each(|plan| plan.visible = Instant::now());
                }
            }
        }
        self.world.plans.notify_waiters();
        Ok(())
    }

    async fn deliver_report(&self, _: &Stage, report: &Report) -> Result<(), TransportError> {
        self.gate().await;
        self.world.away()?;
        {
            let mut state = self.world.state();
            let late = state.faults.late_millis;
            let due = Instant::now() + state.chance.next_millis(0, late + 1);
            state.reports.push(Late { message: report.clone(), due });
        }
        self.world.reports.notify_waiters();
        // The message was stored, but the worker is not informed of that.
        self.world.away()
    }

    async fn get_blob(&self, _: &BuildHash) -> Result<Option<Vec<u8>>, TransportError> {
        Ok(None)
    }

    async fn announce(&self, said: &Announcement) -> Result<(), TransportError> {
        self.gate().await;
        if !self.world.lost() {
            let due = Instant::now();
            self.world.state().said.push(Late { message: said.clone(), due });
            self.world.said.notify_waiters();
        }
        Ok(())
    }
}

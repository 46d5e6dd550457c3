//! Local executor: plays bouts on this machine's cores, with one thread per bout.

use std::collections::HashSet;
use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

use joust_model::notices::{Listener, Notice, NullListener};
use joust_model::panics::catch_panic;
use joust_model::{BoutId, BoutResult};
use parking_lot::{Mutex, RwLock};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{MissedTickBehavior, interval};

use super::bout::{PlayOptions, play_plan};
use super::cores::{Cores, available};
use super::persistent::play_match;
use super::{
    Assignment, Delivery, Equipment, Executing, Executor, ExecutorEvent, ExecutorLost, Failure,
    HEARTBEAT, MachineOffer, Neighbours,
};
use crate::channel::affinity;
use crate::{BoutEvent, BoutObserver};

/// Number of seats for each job whose name spaces are made while other bouts are played.
const SEATS_AHEAD: usize = 4;

/// Policy for bots that think at the same time on the same cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every thinking bot has its own cores; other bouts wait.
    OneBotACore,
    /// As many bouts as requested are played at once. Results are marked.
    Oversubscribe,
}

/// Plays bouts on this machine's cores.
pub struct Local {
    machine: Arc<Machine>,
    jobs: usize,
}

/// State that all threads of an executor share.
struct Machine {
    equipment: Arc<Equipment>,
    offer: MachineOffer,
    processors: Vec<usize>,
    cores: Cores,
    sharing: Sharing,
    /// Listener that may want positions.
    spectators: Arc<dyn Listener>,
    /// Lock that normal bouts share, and that a bout without neighbours holds exclusively.
    floor: RwLock<()>,
}

impl Local {
    /// Makes an executor that plays at most `jobs` bouts at once; `None` means as many as there are
    /// cores.
    pub fn new(equipment: Arc<Equipment>, jobs: Option<usize>, sharing: Sharing) -> Self {
        Self::with(Cores::new, available(), equipment, jobs, sharing)
    }

    /// Makes an executor on these processors only, at least one, which the caller has claimed.
    pub fn on(
        processors: Vec<usize>,
        equipment: Arc<Equipment>,
        jobs: Option<usize>,
        sharing: Sharing,
    ) -> Self {
        Self::with(Cores::claimed, processors, equipment, jobs, sharing)
    }

    fn with(
        stock: fn(Vec<usize>) -> Cores,
        processors: Vec<usize>,
        equipment: Arc<Equipment>,
        jobs: Option<usize>,
        sharing: Sharing,
    ) -> Self {
        let most = match sharing {
            Sharing::OneBotACore => processors.len(),
            Sharing::Oversubscribe => usize::MAX,
        };
        let jobs = jobs.unwrap_or(processors.len()).clamp(1, most);
        equipment.host.expect_seats(jobs.saturating_mul(SEATS_AHEAD));
        let machine = Machine {
            offer: equipment.offer(most),
            equipment,
            cores: stock(processors.clone()),
            processors,
            sharing,
            spectators: Arc::new(NullListener),
            floor: RwLock::new(()),
        };
        Self { machine: Arc::new(machine), jobs }
    }

    /// Passes positions to `spectators`.
    #[must_use]
    pub fn watched_by(self, spectators: Arc<dyn Listener>) -> Self {
        let Self { machine, jobs } = self;
        let with = |machine: Machine| Machine { spectators, ..machine };
        // There is no other reference yet.
        let machine = Arc::into_inner(machine).map(with);
        Self { machine: Arc::new(machine.expect("it was made a moment ago")), jobs }
    }
}

impl Executor for Local {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let (machine, jobs) = (Arc::clone(&self.machine), self.jobs);
        let seats = self.machine.equipment.host.clone();
        Box::pin(async move {
            let held = HeldBouts::default();
            let worker = Worker {
                machine,
                assignments: Arc::new(Mutex::new(assignments)),
                events: events.clone(),
                held: held.clone(),
            };
            let (present, mut absent) = channel::<Infallible>(1);
            start(&worker, jobs, &present)
                .map_err(|error| ExecutorLost(format!("no thread can be started: {error}")))?;
            drop((worker, present));
            let mut beats = interval(HEARTBEAT);
            beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = absent.recv() => {
                        tracing::info!(seats = ?seats.seat_counts(), "all bouts are played");
                        return Ok(());
                    }
                    _ = beats.tick() => {
                        // The receiver may be gone.
                        let _ = events.send(ExecutorEvent::Heartbeat(held.all())).await;
                    }
                }
            }
        })
    }

    fn parallel(&self) -> usize {
        self.jobs
    }
}

/// Starts up to `jobs` threads, at least one; each keeps a clone of `present` until it ends.
fn start(worker: &Worker, jobs: usize, present: &Sender<Infallible>) -> io::Result<()> {
    for number in 0..jobs {
        let (worker, present) = (worker.clone(), present.clone());
        let started = thread::Builder::new().name(format!("bout-{number}")).spawn(move || {
            worker.work();
            drop(present);
        });
        match started {
            Ok(_) => {}
            // Fewer threads play, as many as the machine allows.
            Err(error) if number > 0 => {
                tracing::warn!(%error, number, "no more threads to play bouts");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A thread that plays bouts.
#[derive(Clone)]
struct Worker {
    machine: Arc<Machine>,
    assignments: Arc<Mutex<Receiver<Assignment>>>,
    events: Sender<ExecutorEvent>,
    held: HeldBouts,
}

impl Worker {
    fn work(&self) {
        while let Some(assignment) = self.next() {
            let bout = assignment.plan.bout;
            let holding = self.held.hold(bout);
            let started = || _ = self.events.blocking_send(ExecutorEvent::BoutStarted(bout));
            let result = catch_panic(|| self.machine.play(&assignment, started));
            let result = result.unwrap_or_else(|panic| Err(Failure::Infrastructure(panic)));
            let sent = self.events.blocking_send(Delivery::of_all(bout, result).into());
            drop(holding);
            if sent.is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<Assignment> {
        self.assignments.lock().blocking_recv()
    }
}

impl Machine {
    fn play(&self, it: &Assignment, started: impl FnOnce()) -> Result<Vec<BoutResult>, Failure> {
        match it.needs.neighbours {
            Neighbours::None => {
                let _alone = self.floor.write();
                self.play_on_loan(it, started)
            }
            Neighbours::Allowed => {
                let _together = self.floor.read();
                match self.sharing {
                    Sharing::OneBotACore => self.play_on_loan(it, started),
                    Sharing::Oversubscribe => self.play_anywhere(it, started),
                }
            }
        }
    }

    fn play_on_loan(
        &self,
        it: &Assignment,
        started: impl FnOnce(),
    ) -> Result<Vec<BoutResult>, Failure> {
        self.refuse(it)?;
        let loan = self.cores.take(it.needs.cores.on(self.cores.total()));
        let loan = loan.map_err(|error| Failure::Infrastructure(error.to_string()))?;
        pin(loan.numbers())?;
        started();
        let mut observer = PositionForwarder { spectators: &*self.spectators, bout: it.plan.bout };
        self.play_all(it, PlayOptions::new(loan.numbers(), &mut observer))
    }

    fn play_anywhere(
        &self,
        it: &Assignment,
        started: impl FnOnce(),
    ) -> Result<Vec<BoutResult>, Failure> {
        self.refuse(it)?;
        // The last bout may have been restricted to some of them.
        pin(&self.processors)?;
        started();
        let mut observer = PositionForwarder { spectators: &*self.spectators, bout: it.plan.bout };
        let options = PlayOptions { oversubscribed: true, ..PlayOptions::new(&[], &mut observer) };
        self.play_all(it, options)
    }

    fn play_all(
        &self,
        it: &Assignment,
        options: PlayOptions<'_>,
    ) -> Result<Vec<BoutResult>, Failure> {
        match it.rest.is_empty() {
            true => Ok(vec![play_plan(&self.equipment, &it.plan, options)?]),
            false => play_match(&self.equipment, &it.plans().collect::<Vec<_>>(), options),
        }
    }

    fn refuse(&self, it: &Assignment) -> Result<(), Failure> {
        if self.equipment.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        it.needs.unmet_by(&self.offer).map_or(Ok(()), |lacks| Err(Failure::Infrastructure(lacks)))
    }
}

/// Forwards positions that the spectators want.
struct PositionForwarder<'a> {
    spectators: &'a dyn Listener,
    bout: BoutId,
}

impl BoutObserver for PositionForwarder<'_> {
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        if let BoutEvent::Round { round, scene, .. } = event
            && self.spectators.wants_position(self.bout)
        {
            let (bout, round, scene) = (self.bout, *round, Arc::new(scene()));
            self.spectators.notice(&Notice::Position { bout, round, scene });
        }
        ControlFlow::Continue(())
    }
}

fn pin(processors: &[usize]) -> Result<(), Failure> {
    affinity::pin_this_thread(processors).map_err(|error| {
        let text = format!("this thread cannot be pinned to its cores: {error}");
        Failure::Infrastructure(text)
    })
}

/// The bouts that were taken and not delivered yet.
#[derive(Clone, Default)]
struct HeldBouts(Arc<Mutex<HashSet<BoutId>>>);

/// A held bout. Dropping it removes it, even when its thread panics.
struct HeldBout<'a> {
    held: &'a HeldBouts,
    bout: BoutId,
}

impl HeldBouts {
    fn hold(&self, bout: BoutId) -> HeldBout<'_> {
        self.0.lock().insert(bout);
        HeldBout { held: self, bout }
    }

    fn all(&self) -> Vec<BoutId> {
        self.0.lock().iter().copied().collect()
    }
}

impl Drop for HeldBout<'_> {
    fn drop(&mut self) {
        self.held.0.lock().remove(&self.bout);
    }
}

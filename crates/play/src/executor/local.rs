//! Plays bouts on this machine's cores, one thread a bout.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::mpsc::{Receiver, Sender};

use super::bout::{Manner, play_plan};
use super::cores::{Cores, Loan, available};
use super::{Delivery, Equipment, Executor, Failure};
use crate::channel::{Limiting, affinity};
use crate::{Silent, cores_needed};
use joust_model::notices::{Listener, Notice};
use joust_model::panics::caught;
use joust_model::{BoutPlan, BoutResult};

/// Whether more bots may think than there are cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Every thinking bot has its cores to itself; the rest waits.
    OneBotACore,
    /// As many bouts at once as were asked for. Results are marked.
    Oversubscribe,
}

/// Plays bouts on this machine's cores.
pub struct Local {
    equipment: Arc<Equipment>,
    cores: Arc<Cores>,
    jobs: usize,
    sharing: Sharing,
    listener: Arc<dyn Listener>,
}

impl Local {
    /// Makes an executor of at most `jobs` bouts at once; `None` for as many as
    /// there are cores.
    #[must_use]
    pub fn new(
        equipment: Arc<Equipment>,
        jobs: Option<usize>,
        sharing: Sharing,
        listener: Arc<dyn Listener>,
    ) -> Self {
        let processors = available();
        let most = match sharing {
            Sharing::OneBotACore => processors.len(),
            Sharing::Oversubscribe => usize::MAX,
        };
        let jobs = jobs.unwrap_or(processors.len()).clamp(1, most);
        Self { equipment, cores: Arc::new(Cores::new(processors)), jobs, sharing, listener }
    }

    fn worker(&self) -> Worker {
        Worker {
            equipment: Arc::clone(&self.equipment),
            cores: Arc::clone(&self.cores),
            sharing: self.sharing,
            listener: Arc::clone(&self.listener),
        }
    }
}

impl Executor for Local {
    fn execute(&self, plans: Receiver<BoutPlan>, deliveries: Sender<Delivery>) {
        let plans = Arc::new(Mutex::new(plans));
        for number in 0..self.jobs {
            let worker = (self.worker(), Arc::clone(&plans), deliveries.clone());
            let started = thread::Builder::new().name(format!("bout-{number}")).spawn(move || {
                let (worker, plans, deliveries) = worker;
                worker.work(&plans, &deliveries);
            });
            match started {
                Ok(_) => {}
                // Fewer play, as many as the machine has room for.
                Err(error) if number > 0 => {
                    return tracing::warn!(%error, number, "no more threads to play bouts");
                }
                Err(error) => {
                    let reason = format!("no thread can be started: {error}");
                    drop(tokio::spawn(refuse(plans, deliveries, reason)));
                    return;
                }
            }
        }
    }

    fn parallel(&self) -> usize {
        self.jobs
    }
}

struct Worker {
    equipment: Arc<Equipment>,
    cores: Arc<Cores>,
    sharing: Sharing,
    listener: Arc<dyn Listener>,
}

impl Worker {
    fn work(&self, plans: &Mutex<Receiver<BoutPlan>>, deliveries: &Sender<Delivery>) {
        while let Some(plan) = next(plans) {
            let result = caught(|| self.play(&plan));
            let result = result.unwrap_or_else(|panic| Err(Failure::Infrastructure(panic)));
            if deliveries.blocking_send(Delivery { plan, result }).is_err() {
                return;
            }
        }
    }

    fn play(&self, plan: &BoutPlan) -> Result<BoutResult, Failure> {
        if self.equipment.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        match self.sharing {
            Sharing::OneBotACore => self.play_on(&self.lend(plan)?, plan),
            Sharing::Oversubscribe => self.play_anywhere(plan),
        }
    }

    fn lend(&self, plan: &BoutPlan) -> Result<Loan<'_>, Failure> {
        let needed = cores_needed(plan, self.cores.total())
            .map_err(|error| Failure::Infrastructure(error.to_string()))?;
        self.cores.take(needed).map_err(|error| Failure::Infrastructure(error.to_string()))
    }

    fn play_on(&self, loan: &Loan<'_>, plan: &BoutPlan) -> Result<BoutResult, Failure> {
        if let Err(error) = affinity::pin_this_thread(loan.numbers()) {
            let text = format!("this thread cannot be pinned to its cores: {error}");
            return Err(Failure::Infrastructure(text));
        }
        self.play_with(loan.numbers(), plan)
    }

    fn play_anywhere(&self, plan: &BoutPlan) -> Result<BoutResult, Failure> {
        self.play_with(&[], plan)
    }

    fn play_with(&self, cores: &[usize], plan: &BoutPlan) -> Result<BoutResult, Failure> {
        self.listener.notice(&Notice::BoutStarted(Box::new(plan.clone())));
        let manner = Manner {
            cores,
            limiting: Limiting::Configured,
            watcher: &mut Silent,
            oversubscribed: self.sharing == Sharing::Oversubscribe,
            recorded: None,
        };
        play_plan(&self.equipment, plan, manner)
    }
}

fn next(plans: &Mutex<Receiver<BoutPlan>>) -> Option<BoutPlan> {
    plans.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}

/// Says of every plan that it cannot be played.
async fn refuse(
    plans: Arc<Mutex<Receiver<BoutPlan>>>,
    deliveries: Sender<Delivery>,
    reason: String,
) {
    let Some(plans) = Arc::into_inner(plans) else { return };
    let mut plans = plans.into_inner().unwrap_or_else(PoisonError::into_inner);
    while let Some(plan) = plans.recv().await {
        let result = Err(Failure::Infrastructure(reason.clone()));
        if deliveries.send(Delivery { plan, result }).await.is_err() {
            return;
        }
    }
}

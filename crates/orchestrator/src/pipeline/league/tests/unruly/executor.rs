//! Unruly executor: a test decides its treatment of bouts, and its end.

use std::collections::HashSet;

use joust_model::panics::catch_panic;
use joust_play::executor::ExecutorLost;
use tokio::runtime::Handle;
use tokio::time::interval;

use super::*;

/// Treatment of a bout by a player of the crew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Do {
    Play,
    /// Plays, and takes a while.
    PlaySlowly,
    /// Panics with the bout in hand.
    Panic,
    /// Panics, and reports the message of the panic.
    PanicGuarded,
    /// Takes the bout and forgets it.
    Forget,
    /// Forgets the bout and remembers it when it is given up.
    DeliverLate,
    /// Forgets the bout and ends.
    Leave,
    DeliverTwice,
    DeliverStranger,
    /// Delivers another bout's result.
    Confuse,
    /// The run is stopped before the result comes.
    CancelFirst,
}

/// Players of bouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crew {
    Threads,
    Tasks,
}

/// Conduct of the executor itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conduct {
    /// It lists the bouts that it holds, and ends with its crew.
    Orderly,
    /// It lists the bouts that it holds, and never ends.
    NeverEnds,
    /// It sends no heartbeat, and never ends.
    Silent,
    /// It ends with its crew, and its channel stays open.
    KeepsTheLine,
    /// It reports that it cannot continue.
    Lost,
}

pub(super) struct Unruly {
    pub(super) conduct: Conduct,
    crew: Crew,
    parallel: usize,
    /// Returns the treatment of a bout of this number when it comes for the n-th time (from 0).
    act: fn(number: u32, time: usize) -> Do,
    /// Number of times that `execute` itself panics.
    pub(super) panics: AtomicUsize,
    /// Number of times that it panics when it is polled.
    pub(super) panics_in_poll: Arc<AtomicUsize>,
    given: Arc<Mutex<Vec<u32>>>,
    pub(super) cancel: Cancel,
}

impl Unruly {
    pub(super) fn new(crew: Crew, parallel: usize, act: fn(u32, usize) -> Do) -> Self {
        Self {
            conduct: Conduct::Orderly,
            crew,
            parallel,
            act,
            panics: AtomicUsize::new(0),
            panics_in_poll: Arc::default(),
            given: Arc::default(),
            cancel: Cancel::default(),
        }
    }

    pub(super) fn times(&self, number: u32) -> usize {
        self.given.lock().unwrap().iter().filter(|given| **given == number).count()
    }
}

#[derive(Clone)]
struct Player {
    act: fn(u32, usize) -> Do,
    given: Arc<Mutex<Vec<u32>>>,
    held: Arc<Mutex<HashSet<BoutId>>>,
    cancel: Cancel,
}

/// A bout in hand, also when the thread that plays it panics.
struct Held<'a>(&'a Player, BoutId);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.held.lock().unwrap().remove(&self.1);
    }
}

impl Player {
    /// Returns the deliveries, and the delay before them; `None` when it ends.
    fn play(&self, plan: &BoutPlan) -> Option<(Duration, Vec<Delivery>)> {
        let time = {
            let mut given = self.given.lock().unwrap();
            given.push(plan.number);
            given.iter().filter(|number| **number == plan.number).count() - 1
        };
        let of = |plan: &BoutPlan| Delivery::new(plan.bout, Ok(result(plan, false)));
        let mut after = Duration::ZERO;
        let delivered = match (self.act)(plan.number, time) {
            Do::Play => vec![of(plan)],
            Do::PlaySlowly => {
                after = PATIENCE / 3;
                vec![of(plan)]
            }
            Do::DeliverLate => {
                after = PATIENCE * 3 / 2;
                vec![of(plan)]
            }
            Do::Panic => panic!("a bout of number {} in hand", plan.number),
            Do::PanicGuarded => {
                let text = catch_panic(|| panic!("the referee of {} fell", plan.number));
                let result = text.map_err(Failure::Infrastructure);
                vec![Delivery::new(plan.bout, result)]
            }
            Do::Forget => Vec::new(),
            Do::Leave => return None,
            Do::DeliverTwice => vec![of(plan), of(plan), of(plan)],
            Do::DeliverStranger => vec![of(&super::plan(1000 + plan.number)), of(plan)],
            Do::Confuse => {
                let result = Ok(result(&super::plan(plan.number + 1), false));
                vec![Delivery::new(plan.bout, result)]
            }
            Do::CancelFirst => {
                self.cancel.cancel();
                vec![of(plan)]
            }
        };
        Some((after, delivered))
    }

    async fn work(self, given: Arc<AsyncMutex<Receiver<Assignment>>>, to: Sender<ExecutorEvent>) {
        loop {
            let next = given.lock().await.recv().await;
            let Some(Assignment { plan, .. }) = next else { return };
            self.held.lock().unwrap().insert(plan.bout);
            let held = Held(&self, plan.bout);
            if to.send(ExecutorEvent::BoutStarted(plan.bout)).await.is_err() {
                return;
            }
            let Some((after, delivered)) = self.play(&plan) else { return };
            if after > PATIENCE {
                drop(held);
                tokio::time::sleep(after).await;
            } else {
                tokio::time::sleep(after).await;
                drop(held);
            }
            for delivery in delivered {
                if to.send(delivery.into()).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl Executor for Unruly {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        if take_one(&self.panics) {
            panic!("no power");
        }
        let given = Arc::new(AsyncMutex::new(assignments));
        let held: Arc<Mutex<HashSet<BoutId>>> = Arc::default();
        let player = Player {
            act: self.act,
            given: Arc::clone(&self.given),
            held: Arc::clone(&held),
            cancel: self.cancel.clone(),
        };
        let (conduct, crew, parallel) = (self.conduct, self.crew, self.parallel);
        let panics = Arc::clone(&self.panics_in_poll);
        Box::pin(async move {
            assert!(!take_one(&panics), "no light");
            if conduct == Conduct::Lost {
                return Err(ExecutorLost("no road".to_owned()));
            }
            let mut all = JoinSet::new();
            for _ in 0..parallel {
                let work = player.clone().work(Arc::clone(&given), events.clone());
                let runtime = Handle::current();
                match crew {
                    Crew::Tasks => all.spawn(work),
                    Crew::Threads => all.spawn_blocking(move || runtime.block_on(work)),
                };
            }
            drop(given);
            let mut beats = interval(SHORT.heartbeat / 2);
            loop {
                tokio::select! {
                    left = all.join_next(), if !all.is_empty() => drop(left),
                    _ = beats.tick(), if conduct != Conduct::Silent => {
                        let bouts = held.lock().unwrap().iter().copied().collect();
                        let _ = events.send(ExecutorEvent::Heartbeat(bouts)).await;
                    }
                    () = std::future::pending(), if conduct == Conduct::Silent => {}
                }
                let is_over = all.is_empty();
                match conduct {
                    Conduct::Orderly if is_over => return Ok(()),
                    Conduct::KeepsTheLine if is_over => {
                        let kept = events.clone();
                        tokio::spawn(async move { kept.closed().await });
                        return Ok(());
                    }
                    _ => {}
                }
            }
        })
    }

    fn parallel(&self) -> usize {
        self.parallel
    }
}

fn take_one(count: &AtomicUsize) -> bool {
    count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

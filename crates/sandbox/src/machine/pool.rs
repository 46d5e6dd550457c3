//! Pool of launchers, ready in their control groups: new ones, and those that seats gave back.
//!
//! Moving a process into a control group takes up to 7 ms after a quiet period, and
//! a thread that makes or removes a group meanwhile waits as long. So one thread moves
//! launchers ahead of time and removes what seats leave afterwards. Without groups there is
//! nothing to wait for, and launchers are started when there is none.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use nix::sched::sched_setaffinity;
use nix::unistd::Pid;

use super::Machine;
use super::first_process::{FirstProcess, start_in_groups};
use crate::Network;
use crate::error::SandboxError;
use crate::mechanism::cgroup::SeatGroup;
use crate::mechanism::memory::memory_room;
use crate::mechanism::users::UserClaim;
use crate::wire::Traces;

/// Number of launchers that are kept ready, unless more are asked for.
const READY: usize = 4;
/// The most that are kept ready for seats to come.
const MOST_READY: usize = 64;
/// Memory that a launcher without programs takes, with its mounts and groups, at most.
const LAUNCHER_BYTES: u64 = 4 << 20;
/// Divisor of the memory: the part that launchers without programs may take.
const SHARE_OF_MEMORY: u64 = 64;

/// Starts launchers, ahead of time where that helps.
pub(crate) struct Pool {
    machine: Arc<Machine>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// State shared by the refilling thread and the users of the pool.
#[derive(Default)]
pub(crate) struct LauncherStock {
    state: Mutex<StockState>,
    changed: Condvar,
}

#[derive(Default)]
struct StockState {
    ready: Vec<FirstProcess>,
    /// Number that is wanted ready beyond [`READY`].
    more: usize,
    counts: SeatCounts,
    /// Parts of seats, to be removed.
    unused: Vec<Box<dyn Send>>,
    failure: Option<SandboxError>,
    thread: RefillThread,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RefillThread {
    #[default]
    None,
    Works,
    Ends,
}

impl LauncherStock {
    fn lock(&self) -> MutexGuard<'_, StockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves parts of a seat to the refilling thread to remove, or removes them now if that
    /// thread does not run.
    pub(crate) fn remove_later(&self, parts: Box<dyn Send>) {
        let mut state = self.lock();
        if state.thread == RefillThread::Works {
            state.unused.push(parts);
            self.changed.notify_all();
        } else {
            drop(state);
            drop(parts);
        }
    }

    /// Takes back the name spaces of a seat that has left these traces in them, and the claim to
    /// its user until its launcher has ended; gives them back if they are of no use.
    pub(crate) fn take_back(
        &self,
        mut first: FirstProcess,
        traces: Traces,
        user: &mut Option<UserClaim>,
    ) -> Option<FirstProcess> {
        let mut state = self.lock();
        if state.ready.len() >= 2 * state.wanted() || !first.begin_end(traces, user) {
            return Some(first);
        }
        state.ready.push(first);
        self.changed.notify_all();
        None
    }

    /// Has launchers ready for so many seats at once, as far as memory allows.
    pub(crate) fn expect_seats(&self, seats: usize) {
        let room = memory_room().map_or(u64::MAX, |room| room.bytes.0);
        let most = usize::try_from(room / SHARE_OF_MEMORY / LAUNCHER_BYTES).unwrap_or(MOST_READY);
        self.lock().more = seats.min(most).min(MOST_READY).saturating_sub(READY);
    }

    /// Notes that a kept seat was taken.
    pub(crate) fn note_kept(&self) {
        self.lock().counts.kept += 1;
    }

    fn note_taken(&self, has_waited: bool) {
        let counts = &mut self.lock().counts;
        match has_waited {
            true => counts.waited_for += 1,
            false => counts.ready += 1,
        }
    }

    pub(crate) fn counts(&self) -> SeatCounts {
        self.lock().counts
    }
}

impl StockState {
    fn wanted(&self) -> usize {
        READY + self.more
    }

    /// Takes the most recently used process that is free. If none is free, takes the process that
    /// was asked first to end its launcher.
    fn take(&mut self) -> Option<FirstProcess> {
        let place = self.ready.iter().rposition(FirstProcess::is_free).unwrap_or_default();
        (place < self.ready.len()).then(|| self.ready.remove(place))
    }
}

/// Numbers of seats that were wanted so far, by their origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatCounts {
    /// Kept from an earlier use for the same specification.
    pub kept: u64,
    /// Made in name spaces that were ready.
    pub ready: u64,
    /// Made after a wait for name spaces.
    pub waited_for: u64,
}

impl Pool {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self { machine, thread: Mutex::default() }
    }

    /// Takes a first process that is ready, or starts one.
    pub(crate) fn take_launcher(&self, network: Network) -> Result<FirstProcess, SandboxError> {
        if network == Network::Host {
            return start_in_groups(&self.machine, network);
        }
        let stock = &self.machine.stock;
        let has_thread = self.machine.layout.is_some();
        if has_thread {
            self.start_thread();
        }
        let mut has_waited = false;
        loop {
            let mut state = stock.lock();
            if let Some(mut first) = state.take() {
                drop(state);
                stock.changed.notify_all();
                if first.await_end() && !first.group.as_ref().is_some_and(SeatGroup::is_charged) {
                    stock.note_taken(has_waited);
                    return Ok(first);
                }
                // Somebody outside has killed it, or its last seat is still charged to it.
                stock.remove_later(Box::new(first));
                continue;
            }
            if let Some(error) = state.failure.take() {
                stock.changed.notify_all();
                return Err(error);
            }
            has_waited = true;
            if !has_thread {
                drop(state);
                stock.note_taken(has_waited);
                return start_in_groups(&self.machine, network);
            }
            drop(stock.changed.wait(state));
        }
    }

    fn start_thread(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let machine = Arc::clone(&self.machine);
            let builder = std::thread::Builder::new().name("seats".to_owned());
            match builder.spawn(move || refill(&machine)) {
                Ok(handle) => {
                    self.machine.stock.lock().thread = RefillThread::Works;
                    *thread = Some(handle);
                }
                Err(error) => {
                    self.machine.stock.lock().failure =
                        Some(SandboxError::io("start the thread that keeps seats ready", &error));
                }
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.machine.stock.lock().thread = RefillThread::Ends;
        self.machine.stock.changed.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        let mut state = self.machine.stock.lock();
        let (ready, unused) = (std::mem::take(&mut state.ready), std::mem::take(&mut state.unused));
        drop(state);
        drop((ready, unused));
    }
}

fn refill(machine: &Machine) {
    if let Some(cores) = &machine.cores {
        let _ = sched_setaffinity(Pid::from_raw(0), cores);
    }
    let stock = &machine.stock;
    let mut state = stock.lock();
    while state.thread != RefillThread::Ends {
        let unused = std::mem::take(&mut state.unused);
        let enough = state.ready.len() >= state.wanted() || state.failure.is_some();
        if unused.is_empty() && enough {
            state = stock.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        drop(state);
        drop(unused);
        let started = (!enough).then(|| start_in_groups(machine, Network::None));
        state = stock.lock();
        match started {
            // Those that were in use are taken first.
            Some(Ok(launcher)) => state.ready.insert(0, launcher),
            Some(Err(error)) => state.failure = Some(error),
            None => {}
        }
        stock.changed.notify_all();
    }
}

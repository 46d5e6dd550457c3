//! Pool of launchers, ready in their control groups.
//!
//! Moving a process into a control group takes up to 7 ms after a quiet period, and
//! a thread that makes or removes a group meanwhile waits as long. So one thread moves
//! launchers ahead of time and removes groups afterwards. Without groups there is
//! nothing to wait for, and launchers are started when they are needed.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sched::{CloneFlags, CpuSet, sched_setaffinity};
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::Machine;
use crate::Network;
use crate::error::{SandboxError, Step};
use crate::link::{Link, LinkError};
use crate::mechanism::cgroup::SeatGroup;
use crate::sys::{self, IdMaps, LauncherStart, StartFailure};
use crate::wire::{LAUNCHER_ARGUMENT, Mode, Prepare, Request};

/// Number of launchers that are kept ready.
const READY: usize = 4;
/// Time that a launcher may take to answer: setting up takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time that a launcher whose socket is closed takes to end, with everything in its name spaces.
const ENDING: Duration = Duration::from_secs(2);

/// A launcher without a request yet. Ends when dropped.
pub(crate) struct IdleLauncher {
    pub(crate) link: Link,
    pub(crate) process: LauncherProcess,
    pub(crate) group: Option<SeatGroup>,
}

impl IdleLauncher {
    /// Moves a launcher that is set up out of the group that its programs enter by themselves.
    pub(crate) fn leave_memory_group(&self) -> Result<(), SandboxError> {
        self.group.as_ref().map_or(Ok(()), |group| group.let_out(self.process.id))
    }
}

/// A launcher's process. Killed and reaped when dropped.
pub(crate) struct LauncherProcess {
    id: i32,
    descriptor: OwnedFd,
}

impl LauncherProcess {
    /// Returns its process id, until it is ended.
    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    /// Moves the launcher, and with it all that it starts, to these processors.
    pub(crate) fn pin(&self, cores: &[usize]) -> Result<(), Errno> {
        let mut set = CpuSet::new();
        cores.iter().try_for_each(|core| set.set(*core))?;
        // The kernel does not reuse the number before the process is reaped, which takes `&mut
        // self`.
        sched_setaffinity(Pid::from_raw(self.id), &set)
    }

    /// Returns the descriptor of the process, which is valid even after its end.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// Returns whether a signal has killed it, or does so soon.
    pub(crate) fn was_killed(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let end = Instant::now() + ENDING;
        while self.id > 0 && Instant::now() < end {
            match waitid(Id::PIDFd(self.descriptor.as_fd()), flags) {
                Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => {}
                Ok(WaitStatus::Signaled(_, signal, _)) => return signal == Signal::SIGKILL,
                Ok(_) | Err(_) => return false,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    /// Ends the launcher, and with it everything in its process id name space.
    pub(crate) fn end(&mut self) {
        if self.id > 0 {
            let _ = sys::kill_process(self.descriptor.as_fd());
            let _ = sys::reap_one(self.id);
            self.id = 0;
        }
    }
}

impl Drop for LauncherProcess {
    fn drop(&mut self) {
        self.end();
    }
}

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
    ready: Vec<IdleLauncher>,
    /// Groups without processes, to be removed.
    unused: Vec<SeatGroup>,
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

    /// Leaves a seat's groups to the refilling thread to remove, or removes them now if that
    /// thread does not run.
    pub(crate) fn remove_later(&self, group: SeatGroup) {
        let mut state = self.lock();
        if state.thread == RefillThread::Works {
            state.unused.push(group);
            self.changed.notify_all();
        } else {
            drop(state);
            drop(group);
        }
    }
}

impl Pool {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self { machine, thread: Mutex::default() }
    }

    /// Takes a ready launcher, or starts one.
    pub(crate) fn take_launcher(&self, network: Network) -> Result<IdleLauncher, SandboxError> {
        if self.machine.layout.is_none() || network == Network::Host {
            return start_in_groups(&self.machine, network);
        }
        self.start_thread();
        let mut state = self.machine.stock.lock();
        loop {
            if let Some(launcher) = state.ready.pop() {
                self.machine.stock.changed.notify_all();
                return Ok(launcher);
            }
            if let Some(error) = state.failure.take() {
                self.machine.stock.changed.notify_all();
                return Err(error);
            }
            state = self.machine.stock.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
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
        let enough = state.ready.len() >= READY || state.failure.is_some();
        if unused.is_empty() && enough {
            state = stock.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        drop(state);
        drop(unused);
        let started = (!enough).then(|| start_in_groups(machine, Network::None));
        state = stock.lock();
        match started {
            Some(Ok(launcher)) => state.ready.push(launcher),
            Some(Err(error)) => state.failure = Some(error),
            None => {}
        }
        stock.changed.notify_all();
    }
}

/// Starts a launcher and moves it into groups of its own.
pub(crate) fn start_in_groups(
    machine: &Machine,
    network: Network,
) -> Result<IdleLauncher, SandboxError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let group = match &machine.layout {
        Some(layout) => Some(SeatGroup::create(layout, NUMBER.fetch_add(1, Ordering::Relaxed))?),
        None => None,
    };
    let (ours, theirs) = Link::pair().step("make the launcher's socket")?;
    ours.set_patience(PATIENCE).step("bound the wait for the launcher")?;
    let process = start_process(machine, &theirs, network)?;
    if let Some(group) = &group {
        group.attach(process.id)?;
    }
    let request = Request::Prepare(Prepare { mode: machine.mode, network });
    ours.send(&request, &[]).map_err(no_answer)?;
    Ok(IdleLauncher { link: ours, process, group })
}

fn start_process(
    machine: &Machine,
    socket: &Link,
    network: Network,
) -> Result<LauncherProcess, SandboxError> {
    let maps = (machine.mode == Mode::UserNameSpace).then(maps_to_root);
    start_launcher(
        machine.launcher.as_fd(),
        &LauncherStart {
            socket: socket.socket(),
            name_spaces: name_spaces(machine.mode, network),
            maps: maps.as_ref(),
            users: machine.subordinate.as_ref().map(AsFd::as_fd),
        },
    )
}

/// Makes the error of a launcher that gave no answer before it was ready.
pub(crate) fn no_answer(broken: LinkError) -> SandboxError {
    let hint = "the launcher's program must call `launcher::main_if_seat` first";
    SandboxError::because("set the launcher up", format!("{broken:?}").to_lowercase())
        .with_hint(hint)
}

/// Starts a launcher, which waits for its first request, from the file of its program.
pub(crate) fn start_launcher(
    program: BorrowedFd<'_>,
    start: &LauncherStart<'_>,
) -> Result<LauncherProcess, SandboxError> {
    let program = CString::new(format!("/proc/self/fd/{}", program.as_raw_fd()))
        .expect("a number holds no zero byte");
    let arguments = ["joust", LAUNCHER_ARGUMENT]
        .map(|text| CString::new(text).expect("the text holds no zero byte"));
    let started = sys::start_launcher(&program, &arguments, start);
    match started {
        Ok((id, descriptor)) => Ok(LauncherProcess { id, descriptor }),
        Err(StartFailure::Clone(errno)) => {
            Err(SandboxError::new("make a process with name spaces of its own", errno))
        }
        Err(StartFailure::Child(step, errno)) => Err(SandboxError::new(step, errno)),
    }
}

fn name_spaces(mode: Mode, network: Network) -> i32 {
    let mut own = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    // With a name space of users the launcher makes its network later, once its user is mapped.
    let together = network == Network::None && matches!(mode, Mode::Root | Mode::Subordinate);
    own.set(CloneFlags::CLONE_NEWNET, together);
    match mode {
        Mode::Root | Mode::Subordinate => own.bits(),
        Mode::UserNameSpace => (own | CloneFlags::CLONE_NEWUSER).bits(),
        Mode::Container | Mode::Plain => 0,
    }
}

/// Returns the id maps that make the caller root of a new user name space.
fn maps_to_root() -> IdMaps {
    let line =
        |outside: u32| CString::new(format!("0 {outside} 1")).expect("numbers hold no zero byte");
    IdMaps {
        users: line(nix::unistd::geteuid().as_raw()),
        groups: line(nix::unistd::getegid().as_raw()),
    }
}

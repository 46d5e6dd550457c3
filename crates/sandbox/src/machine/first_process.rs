//! First process of a seat: its start in name spaces and groups, and what it is asked.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sched::{CloneFlags, CpuSet, sched_setaffinity};
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use rustix::process::pidfd_send_signal;
use serde_bytes::ByteBuf;

use super::Machine;
use crate::Network;
use crate::error::{SandboxError, Step};
use crate::link::{Link, LinkError};
use crate::mechanism::cgroup::SeatGroup;
use crate::mechanism::memory::kills_file;
use crate::mechanism::users::UserClaim;
use crate::poll;
use crate::sys::{self, IdMaps, LauncherStart, StartFailure};
use crate::wire::{Counter, LAUNCHER_ARGUMENT, Mode, Prepare, Reply, Request, SetUp, Traces};

/// Time that a launcher may take to answer: setting up takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time that a launcher whose socket is closed takes to end, with everything in its name spaces.
const ENDING: Duration = Duration::from_secs(2);

/// First process of a seat, in its groups: a launcher that has no request yet, or the holder of
/// name spaces that has one launcher after the other. Ends when dropped, with everything in the
/// seat.
pub(crate) struct FirstProcess {
    link: Link,
    pub(crate) process: LauncherProcess,
    pub(crate) group: Option<SeatGroup>,
    holds_name_spaces: bool,
    /// It was asked to end a launcher and has not answered yet.
    ends_launcher: bool,
    /// User of that launcher's programs.
    last_user: Option<UserClaim>,
}

impl FirstProcess {
    /// Has the launcher ended, so that another can follow, and takes the claim to its `user` until
    /// then; `false` if that cannot be.
    pub(super) fn begin_end(&mut self, traces: Traces, user: &mut Option<UserClaim>) -> bool {
        self.ends_launcher =
            self.holds_name_spaces && self.link.send(&Request::End { traces }, &[]).is_ok();
        if self.ends_launcher {
            self.last_user = user.take();
        }
        self.ends_launcher
    }

    /// Returns whether its last launcher has ended, or never will.
    pub(super) fn is_free(&self) -> bool {
        !self.ends_launcher || poll::is_readable(self.link.socket()).unwrap_or(true)
    }

    /// Waits until the launcher has ended, if it was to end; `false` if something went wrong.
    pub(super) fn await_end(&mut self) -> bool {
        let has_ended =
            !std::mem::take(&mut self.ends_launcher) || self.link.receive() == Ok(Reply::Ended);
        if has_ended {
            self.last_user = None;
        }
        has_ended
    }

    /// Asks for a seat; gives the link to its launcher.
    pub(crate) fn launch(&mut self, request: SetUp) -> Result<Link, SandboxError> {
        let (ours, theirs) = Link::pair().step("make the launcher's socket")?;
        ours.set_patience(PATIENCE).step("bound the wait for the launcher")?;
        // A process that failed earlier is gone, but has sent the reason.
        let _ = self.link.send(&Request::SetUp(Box::new(request)), &[theirs.socket()]);
        Ok(ours)
    }

    /// Returns the error of a launcher that gave no answer before it was ready.
    pub(crate) fn no_answer(&mut self, broken: LinkError) -> SandboxError {
        if poll::is_readable(self.link.socket()).unwrap_or(false)
            && let Ok(Reply::Failed(failure)) = self.link.receive()
        {
            return failure.into();
        }
        let hint = "the launcher's program must call `launcher::main_if_seat` first";
        SandboxError::because("set the launcher up", format!("{broken:?}").to_lowercase())
            .with_hint(hint)
    }

    /// Moves the launcher, and with it all that it starts, to these processors.
    pub(crate) fn pin(&mut self, cores: &[usize]) -> Result<(), SandboxError> {
        if !self.holds_name_spaces {
            return self.process.pin(cores).step("move the launcher to other processors");
        }
        let numbers = cores.iter().filter_map(|core| u32::try_from(*core).ok());
        match self.ask(&Request::Pin(numbers.collect()))? {
            Reply::Pinned => Ok(()),
            _ => Err(self.no_answer(LinkError::Malformed)),
        }
    }

    /// Returns whether a signal has killed the launcher, or does so soon.
    pub(crate) fn was_launcher_killed(&mut self) -> bool {
        if self.holds_name_spaces
            && let Ok(Reply::Gone(killed)) = self.ask(&Request::WhyGone)
        {
            return killed;
        }
        self.process.was_killed()
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, SandboxError> {
        let sent = self.link.send(request, &[]);
        let received = sent.and_then(|()| self.link.receive());
        received.map_err(|broken| self.no_answer(broken))
    }
}

/// A launcher's process. Killed and reaped when dropped.
pub(crate) struct LauncherProcess {
    pub(crate) id: i32,
    descriptor: OwnedFd,
}

impl LauncherProcess {
    fn pin(&self, cores: &[usize]) -> Result<(), Errno> {
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
    fn was_killed(&self) -> bool {
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
            let _ = pidfd_send_signal(&self.descriptor, rustix::process::Signal::KILL);
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

/// Starts a launcher and moves it into groups of its own.
pub(crate) fn start_in_groups(
    machine: &Machine,
    network: Network,
) -> Result<FirstProcess, SandboxError> {
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
    let exit = group.as_ref().and_then(SeatGroup::exit).unwrap_or_default();
    let counters = group.as_ref().map_or_else(counters_outside, SeatGroup::counters);
    let counters = counters.into_iter().map(|(counter, file)| (counter, bytes(file)));
    let request = Request::Prepare(Prepare {
        mode: machine.mode,
        network,
        counters: counters.collect(),
        exit: bytes(exit),
    });
    let holds_name_spaces = machine.mode.holds_name_spaces(network);
    let (link, ends_launcher, last_user) = (ours, false, None);
    let mut first =
        FirstProcess { link, process, group, holds_name_spaces, ends_launcher, last_user };
    first.link.send(&request, &[]).map_err(|broken| first.no_answer(broken))?;
    Ok(first)
}

/// Returns the counters of a seat without groups.
fn counters_outside() -> Vec<(Counter, PathBuf)> {
    kills_file().map(|path| (Counter::KillsOutside, path)).into_iter().collect()
}

fn bytes(path: PathBuf) -> ByteBuf {
    path.into_os_string().into_vec().into()
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

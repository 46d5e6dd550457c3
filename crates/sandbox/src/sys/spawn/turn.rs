//! Start of a bot's program for a turn, by the launcher of its seat.

use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr;

use super::child::{ChildStack, FailedStep, StartFailure, clone_and_wait, pointers};

/// One program to start for a turn. Every pointer list ends with null.
pub(crate) struct TurnStart<'a> {
    /// The user and group the program runs as, unless it stays what we are.
    pub(crate) user: Option<u32>,
    /// Number of processes that user may have, unless the caller's own limit applies.
    pub(crate) processes: Option<u64>,
    /// Sources of descriptors 0, 1 and 2.
    pub(crate) streams: [BorrowedFd<'a>; 3],
    /// Sources of descriptors 3 and 4. Must not have one of these numbers themselves: see
    /// [`FIRST_FREE`].
    pub(crate) pipes: Option<[BorrowedFd<'a>; 2]>,
    /// Source of [`SERVER_SOCKET`]. Must not have a lower number than [`FIRST_FREE`] itself.
    pub(crate) server: Option<BorrowedFd<'a>>,
    /// The program and its arguments.
    pub(crate) command: &'a [CString],
    /// Its environment.
    pub(crate) environment: &'a [CString],
    /// Process group of the program.
    pub(crate) group: ProcessGroup,
    /// File to which the program writes `0` in order to be in a control group, unless it starts
    /// there.
    pub(crate) entry: Option<BorrowedFd<'a>>,
    /// The caller's filter lets a process leave a table of descriptors that it shares.
    pub(crate) may_leave_table: bool,
}

/// Process group of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessGroup {
    /// The user of the launcher; killing is by process id name space.
    Launchers,
    /// One of its own.
    Own,
}

struct TurnChild {
    user: Option<u32>,
    processes: Option<u64>,
    /// Source of each descriptor from 0 on; none where negative.
    streams: [RawFd; FIRST_FREE as usize],
    command: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    group: ProcessGroup,
    /// None where negative.
    entry: RawFd,
    /// It begins with the parent's table of descriptors and keeps a copy of those below
    /// [`FIRST_FREE`]. Copying and closing all others would take longer than anything else here.
    shares_table: bool,
    failed: FailedStep,
}

const TURN_STEPS: [&str; 6] = [
    "enter the control group",
    "leave the launcher's descriptors",
    "connect the streams",
    "become the bot's user",
    "leave the group",
    "start the program",
];

/// The descriptor at which a server finds its socket: above those that an interpreter opens for
/// itself at its start, which keep their numbers.
const SERVER_SOCKET: RawFd = 9;
/// The first number that no stream of a program has. The launcher keeps what it has open for longer
/// than a turn above it.
pub(crate) const FIRST_FREE: RawFd = 10;

fn all_streams(start: &TurnStart<'_>) -> [RawFd; FIRST_FREE as usize] {
    let [stdin, stdout, stderr] = start.streams.map(|stream| stream.as_raw_fd());
    let [to, from] = start.pipes.map_or([-1; 2], |pipes| pipes.map(|pipe| pipe.as_raw_fd()));
    let mut all = [-1; FIRST_FREE as usize];
    all[..5].copy_from_slice(&[stdin, stdout, stderr, to, from]);
    all[SERVER_SOCKET as usize] = start.server.map_or(-1, |socket| socket.as_raw_fd());
    all
}

/// Starts a program and returns when it is that program. `Err(Child)` leaves an
/// ended child to be reaped.
pub(crate) fn start_turn(
    start: &TurnStart<'_>,
    stack: &mut ChildStack,
) -> Result<libc::pid_t, (Option<libc::pid_t>, StartFailure)> {
    let streams = all_streams(start);
    let shares_table = start.may_leave_table && streams.iter().all(|from| *from < FIRST_FREE);
    let command = pointers(start.command);
    let environment = pointers(start.environment);
    let child = TurnChild {
        user: start.user,
        processes: start.processes,
        streams,
        command: command.as_ptr(),
        environment: environment.as_ptr(),
        group: start.group,
        entry: start.entry.map_or(-1, |entry| entry.as_raw_fd()),
        shares_table,
        failed: FailedStep::default(),
    };
    let flags = if shares_table { libc::CLONE_FILES } else { 0 };
    let pid = clone_and_wait(stack, flags, turn_child, &child, None)
        .map_err(|errno| (None, StartFailure::Clone(errno)))?;
    child.failed.failure(&TURN_STEPS).map_or(Ok(pid), |failure| Err((Some(pid), failure)))
}

extern "C" fn turn_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `TurnChild` that outlives this function, and our parent,
    // the only other one that could use it, is stopped.
    let child = unsafe { &*argument.cast::<TurnChild>() };
    // SAFETY: only system calls on values prepared by the parent; the raw ones avoid the C
    // library's broadcast to other threads.
    unsafe {
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        child.failed.end_child(become_program(child))
    }
}

/// Returns the number of the step that failed; does not return otherwise.
///
/// # Safety
///
/// Only in a child made by [`clone_and_wait`]; the pointers in `child` are valid.
unsafe fn become_program(child: &TurnChild) -> usize {
    // SAFETY: see the caller; each call takes numbers or the prepared pointers.
    unsafe {
        if child.entry >= 0 && libc::write(child.entry, c"0".as_ptr().cast(), 1) < 0 {
            return 0;
        }
        let (first, unshared) = (FIRST_FREE, libc::CLOSE_RANGE_UNSHARE);
        if child.shares_table && libc::syscall(libc::SYS_close_range, first, u32::MAX, unshared) < 0
        {
            return 1;
        }
        for (to, from) in (0..).zip(child.streams) {
            if from >= 0 && libc::dup2(from, to) < 0 {
                return 2;
            }
        }
        if let Some(most) = child.processes {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            if libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) < 0 {
                return 3;
            }
        }
        if let Some(user) = child.user
            && libc::syscall(libc::SYS_setresuid, user, user, user) < 0
        {
            return 3;
        }
        if child.group == ProcessGroup::Own && libc::setpgid(0, 0) < 0 {
            return 4;
        }
        libc::execve(*child.command, child.command, child.environment);
        5
    }
}

//! Start of a launcher in name spaces of its own.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;

use super::child::{ChildStack, StartFailure, clone_and_wait, pointers, with_signals_blocked};
use super::id_maps::{IdMaps, write_maps};
use crate::sys::wait;

/// A launcher to start.
pub(crate) struct LauncherStart<'a> {
    /// The socket that becomes its descriptor 3.
    pub(crate) socket: BorrowedFd<'a>,
    /// `CLONE_NEW*` flags.
    pub(crate) name_spaces: libc::c_int,
    /// Id maps of the new user name space, if there is one and its parent must write them.
    pub(crate) maps: Option<&'a IdMaps>,
    /// The user name space to enter, which then owns the other name spaces.
    pub(crate) users: Option<BorrowedFd<'a>>,
}

struct LauncherChild {
    program: *const libc::c_char,
    arguments: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    socket: RawFd,
    maps: *const IdMaps,
    failed_step: AtomicI32,
    failed_errno: AtomicI32,
}

const LAUNCHER_STEPS: [&str; 5] = [
    "deny setgroups in the user name space",
    "map the user",
    "map the group",
    "hand the socket to the launcher",
    "start the launcher",
];

/// The descriptor at which a launcher finds its socket.
pub(crate) const LAUNCHER_SOCKET: RawFd = 3;

/// Starts a launcher's program with these arguments, its own name first, an empty environment and
/// no descriptor but its socket; gives its process id and a descriptor of the process.
pub(crate) fn start_launcher(
    program: &CStr,
    arguments: &[CString],
    start: &LauncherStart<'_>,
) -> Result<(libc::pid_t, OwnedFd), StartFailure> {
    let arguments = pointers(arguments);
    let environment = [ptr::null()];
    let child = LauncherChild {
        program: program.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        socket: start.socket.as_raw_fd(),
        maps: start.maps.map_or(ptr::null(), ptr::from_ref),
        failed_step: AtomicI32::new(0),
        failed_errno: AtomicI32::new(0),
    };
    let (pid, process) = with_signals_blocked(|| match start.users {
        Some(users) => start_in(users, start.name_spaces, &child),
        None => start_here(start.name_spaces, &child).map_err(StartFailure::Clone),
    })?;
    match child.failed_errno.load(Ordering::Relaxed) {
        0 => Ok((pid, process)),
        errno => {
            let _ = wait::reap_one(pid);
            let step = usize::try_from(child.failed_step.load(Ordering::Relaxed)).unwrap_or(0);
            Err(StartFailure::Child(LAUNCHER_STEPS[step.min(4)], Errno::from_raw(errno)))
        }
    }
}

fn start_here(flags: libc::c_int, child: &LauncherChild) -> Result<(libc::pid_t, OwnedFd), Errno> {
    let mut process: RawFd = -1;
    let flags = flags | libc::CLONE_PIDFD;
    let stack = &mut ChildStack::new();
    let pid = clone_and_wait(stack, flags, launcher_child, child, Some(&mut process))?;
    // SAFETY: CLONE_PIDFD stored a new descriptor that nothing else owns.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(process) }))
}

/// Inputs of a go-between that enters a user name space and starts a launcher there.
struct GoBetween {
    users: RawFd,
    flags: libc::c_int,
    stack: *mut libc::c_void,
    launcher: *const LauncherChild,
    /// 0 until there is one.
    started: AtomicI32,
    failed_step: AtomicI32,
    failed_errno: AtomicI32,
}

const GO_BETWEEN_STEPS: [&str; 2] =
    ["enter the user name space of the seats", "make a process with name spaces of its own"];

/// A process that has entered a user name space can make others that its name space owns, and a
/// thread of many cannot enter one. So a child does both, and its child becomes ours.
fn start_in(
    users: BorrowedFd<'_>,
    flags: libc::c_int,
    child: &LauncherChild,
) -> Result<(libc::pid_t, OwnedFd), StartFailure> {
    let mut stack = ChildStack::new();
    let go_between = GoBetween {
        users: users.as_raw_fd(),
        flags: flags | libc::CLONE_PARENT | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
        stack: stack.top(),
        launcher: ptr::from_ref(child),
        started: AtomicI32::new(0),
        failed_step: AtomicI32::new(0),
        failed_errno: AtomicI32::new(0),
    };
    let pid = clone_and_wait(&mut ChildStack::new(), 0, go_between_child, &go_between, None)
        .map_err(StartFailure::Clone)?;
    let _ = wait::reap_one(pid);
    match go_between.started.load(Ordering::Relaxed) {
        0 => {
            let step = usize::try_from(go_between.failed_step.load(Ordering::Relaxed)).unwrap_or(0);
            let errno = Errno::from_raw(go_between.failed_errno.load(Ordering::Relaxed));
            Err(StartFailure::Child(GO_BETWEEN_STEPS[step.min(1)], errno))
        }
        started => open_process(started).map(|process| (started, process)).map_err(|errno| {
            let _ = wait::reap_one(started);
            StartFailure::Child("open the launcher's process", errno)
        }),
    }
}

extern "C" fn go_between_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `GoBetween` that outlives this function; what it points to
    // and its stack live as long. Only system calls, as in `launcher_child`.
    unsafe {
        let child = &*argument.cast::<GoBetween>();
        let fail = |step| {
            child.failed_step.store(step, Ordering::Relaxed);
            child.failed_errno.store(Errno::last_raw().max(1), Ordering::Relaxed);
            libc::_exit(127)
        };
        if libc::setns(child.users, libc::CLONE_NEWUSER) < 0 {
            fail(0);
        }
        let launcher = child.launcher.cast_mut().cast();
        let pid = libc::clone(launcher_child, child.stack, child.flags, launcher);
        if pid < 0 {
            fail(1);
        }
        child.started.store(pid, Ordering::Relaxed);
        libc::_exit(0)
    }
}

/// Opens a process descriptor of a child, which must not be reaped meanwhile.
fn open_process(pid: libc::pid_t) -> Result<OwnedFd, Errno> {
    // SAFETY: numbers only; what it returns is a new descriptor, closed on `exec`.
    let opened = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    let opened = RawFd::try_from(opened).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel made it just now, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

extern "C" fn launcher_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `LauncherChild` that outlives this function; the thread
    // that made it is stopped and the other threads do not know it.
    let child = unsafe { &*argument.cast::<LauncherChild>() };
    // SAFETY: only system calls on prepared values, see the text of `spawn`.
    unsafe {
        let failed = become_launcher(child);
        child.failed_step.store(failed, Ordering::Relaxed);
        child.failed_errno.store(Errno::last_raw().max(1), Ordering::Relaxed);
        libc::_exit(127)
    }
}

/// Returns the number of the step that failed; does not return otherwise.
///
/// # Safety
///
/// Only in a child made by [`clone_and_wait`]; the pointers in `child` are valid.
unsafe fn become_launcher(child: &LauncherChild) -> i32 {
    // SAFETY: see the caller.
    unsafe {
        if let Some(step) = child.maps.as_ref().and_then(|maps| write_maps(maps)) {
            return step;
        }
        if !place_socket(child.socket) {
            return 3;
        }
        // Marked only, because the program itself may be named by a descriptor.
        let marked = libc::CLOSE_RANGE_CLOEXEC;
        libc::syscall(libc::SYS_close_range, LAUNCHER_SOCKET + 1, u32::MAX, marked);
        reset_signals();
        libc::execve(child.program, child.arguments, child.environment);
        4
    }
}

/// # Safety
///
/// As [`become_launcher`].
unsafe fn place_socket(socket: RawFd) -> bool {
    // SAFETY: numbers only.
    unsafe {
        if socket == LAUNCHER_SOCKET {
            libc::fcntl(socket, libc::F_SETFD, 0) >= 0
        } else {
            libc::dup2(socket, LAUNCHER_SOCKET) >= 0
        }
    }
}

/// Gives every signal its default meaning and unblocks all.
///
/// # Safety
///
/// As [`become_launcher`].
unsafe fn reset_signals() {
    // SAFETY: without CLONE_SIGHAND the child's table of handlers is a copy; the structures live
    // through the calls. Signals that cannot be changed give an error that does not matter. The
    // kernel's own structure, all zeroes, because the C library keeps two signals to itself that
    // its `posix_spawn` ignores.
    unsafe {
        let default = [0_u64; 4];
        for signal in 1..=64 {
            let nothing = ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), nothing, 8);
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

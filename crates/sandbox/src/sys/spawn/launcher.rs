//! Start of a launcher in name spaces of its own, the id maps of its user name space, and a name
//! space that is made for its maps alone.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::child::{
    ChildStack, FailedStep, StartFailure, clone_and_wait, pointers, with_signals_blocked,
};
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
    failed: FailedStep,
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
        failed: FailedStep::default(),
    };
    let (pid, process) = with_signals_blocked(|| match start.users {
        Some(users) => start_in(users, start.name_spaces, &child),
        None => start_here(start.name_spaces, &child).map_err(StartFailure::Clone),
    })?;
    match child.failed.failure(&LAUNCHER_STEPS) {
        None => Ok((pid, process)),
        Some(failure) => {
            let _ = wait::reap_one(pid);
            Err(failure)
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
    failed: FailedStep,
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
        failed: FailedStep::default(),
    };
    let pid = clone_and_wait(&mut ChildStack::new(), 0, go_between_child, &go_between, None)
        .map_err(StartFailure::Clone)?;
    let _ = wait::reap_one(pid);
    if let Some(failure) = go_between.failed.failure(&GO_BETWEEN_STEPS) {
        return Err(failure);
    }
    // It is a child of this process, and not reaped meanwhile.
    let started = go_between.started.load(Ordering::Relaxed);
    let process = Pid::from_raw(started).expect("the go-between has started a launcher");
    let opened = pidfd_open(process, PidfdFlags::empty()).map_err(|errno| {
        let _ = wait::reap_one(started);
        let errno = Errno::from_raw(errno.raw_os_error());
        StartFailure::Child("open the launcher's process", errno)
    });
    Ok((started, opened?))
}

extern "C" fn go_between_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `GoBetween` that outlives this function; what it points to
    // and its stack live as long. Only system calls, as in `launcher_child`.
    unsafe {
        let child = &*argument.cast::<GoBetween>();
        if libc::setns(child.users, libc::CLONE_NEWUSER) < 0 {
            child.failed.end_child(0);
        }
        let launcher = child.launcher.cast_mut().cast();
        let pid = libc::clone(launcher_child, child.stack, child.flags, launcher);
        if pid < 0 {
            child.failed.end_child(1);
        }
        child.started.store(pid, Ordering::Relaxed);
        libc::_exit(0)
    }
}

extern "C" fn launcher_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `LauncherChild` that outlives this function; the thread
    // that made it is stopped and the other threads do not know it.
    let child = unsafe { &*argument.cast::<LauncherChild>() };
    // SAFETY: only system calls on prepared values, see the text of `spawn`.
    unsafe { child.failed.end_child(become_launcher(child)) }
}

/// Returns the number of the step that failed; does not return otherwise.
///
/// # Safety
///
/// Only in a child made by [`clone_and_wait`]; the pointers in `child` are valid.
unsafe fn become_launcher(child: &LauncherChild) -> usize {
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

/// The contents of the id map files of a new user name space.
pub(crate) struct IdMaps {
    /// For `/proc/self/uid_map`.
    pub(crate) users: CString,
    /// For `/proc/self/gid_map`.
    pub(crate) groups: CString,
}

/// A user name space in the making.
struct MapsChild<'a> {
    maps: &'a IdMaps,
    opened: AtomicI32,
    failed: FailedStep,
}

/// Makes a user name space below the caller's that is used only for its maps, each of
/// one id of the caller's.
pub(crate) fn make_mapping(maps: &IdMaps) -> Result<OwnedFd, Errno> {
    let child = MapsChild { maps, opened: AtomicI32::new(-1), failed: FailedStep::default() };
    let flags = libc::CLONE_NEWUSER | libc::CLONE_FILES;
    let pid = clone_and_wait(&mut ChildStack::new(), flags, maps_child, &child, None)?;
    let _ = wait::reap_one(pid);
    match child.failed.errno() {
        Some(errno) => Err(errno),
        // SAFETY: the child opened it in the table it shared with us, and nothing else knows it.
        None => Ok(unsafe { OwnedFd::from_raw_fd(child.opened.load(Ordering::Relaxed)) }),
    }
}

extern "C" fn maps_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: as in `launcher_child`: a prepared argument that outlives us, and system calls only.
    unsafe {
        let child = &*argument.cast::<MapsChild<'_>>();
        let well = write_maps(child.maps).is_none();
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let opened = if well { libc::open(c"/proc/self/ns/user".as_ptr(), flags) } else { -1 };
        if opened < 0 {
            child.failed.end_child(0);
        }
        child.opened.store(opened, Ordering::Relaxed);
        libc::_exit(0)
    }
}

/// Maps the new user name space that the caller is in; gives the number of the step that failed.
///
/// # Safety
///
/// Only in a child made by [`clone_and_wait`].
unsafe fn write_maps(maps: &IdMaps) -> Option<usize> {
    [
        (0, c"/proc/self/setgroups", c"deny"),
        (1, c"/proc/self/uid_map", maps.users.as_c_str()),
        (2, c"/proc/self/gid_map", maps.groups.as_c_str()),
    ]
    .into_iter()
    // SAFETY: see the caller.
    .find(|(_, path, text)| unsafe { !write_whole(path, text) })
    .map(|(step, _, _)| step)
}

/// # Safety
///
/// Only in a child made by [`clone_and_wait`].
unsafe fn write_whole(path: &CStr, text: &CStr) -> bool {
    let bytes = text.to_bytes();
    // SAFETY: both strings live through the calls.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let written = libc::write(file, bytes.as_ptr().cast(), bytes.len());
        // Not closed on failure: `close` would hide the reason, and the child ends anyway.
        written == bytes.len().cast_signed() && libc::close(file) == 0
    }
}

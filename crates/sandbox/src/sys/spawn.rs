//! Spawn: starts a program in a child that shares the caller's memory until `exec`.
//!
//! `clone` with `CLONE_VM | CLONE_VFORK` copies no page tables and stops the
//! caller until the child has called `exec` or ended. Between the two the child
//! runs on a stack of its own in the caller's memory, so it may only make
//! system calls: nothing that allocates, locks, or relies on thread-local
//! state. Everything it needs is prepared before.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::sys::signal::Signal;

const STACK_BYTES: usize = 64 * 1024;

/// A stack for the moments between `clone` and `exec`.
pub(crate) struct ChildStack(Box<[UnsafeCell<u8>]>);

impl ChildStack {
    /// Makes one.
    pub(crate) fn new() -> Self {
        Self((0..STACK_BYTES).map(|_| UnsafeCell::new(0)).collect())
    }

    /// The highest address, from which the stack grows down, aligned as the ABI demands.
    fn top(&mut self) -> *mut libc::c_void {
        let end = self.0.as_mut_ptr().wrapping_add(STACK_BYTES);
        end.wrapping_sub(end.addr() % 16).cast()
    }
}

/// A process that could not be made, or could not become its program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StartFailure {
    /// There is no child.
    Clone(Errno),
    /// The child failed in this step and has ended. It is still to be reaped.
    Child(&'static str, Errno),
}

/// Runs `child` in a new process that shares our memory and returns when it
/// has ended or become another program.
fn clone_and_wait<T>(
    stack: &mut ChildStack,
    flags: libc::c_int,
    child: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: &T,
    process: Option<&mut RawFd>,
) -> Result<libc::pid_t, Errno> {
    let argument = ptr::from_ref(argument).cast_mut().cast();
    let process = match process {
        Some(process) => ptr::from_mut(process),
        // Without a flag that asks for it the kernel stores nothing: a filter reads the mark.
        None => ptr::without_provenance_mut(super::notify::token() as usize),
    };
    // SAFETY: the stack is ours alone, large enough and alive until the child no longer runs on
    // it, because CLONE_VFORK stops us until then; so is the argument. The child functions in
    // this file only make system calls and store to atomics in the argument.
    let pid = unsafe {
        libc::clone(
            child,
            stack.top(),
            flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            argument,
            process,
            ptr::null_mut::<libc::c_void>(),
            ptr::null_mut::<libc::c_void>(),
        )
    };
    Errno::result(pid)
}

/// One program to start for a turn. Every pointer list ends with null.
pub(crate) struct TurnStart<'a> {
    /// The user and group the program runs as, unless it stays what we are.
    pub(crate) user: Option<u32>,
    /// How many processes that user may have, unless the caller's own limit says so.
    pub(crate) processes: Option<u64>,
    /// What becomes descriptors 0, 1 and 2.
    pub(crate) streams: [BorrowedFd<'a>; 3],
    /// What becomes descriptors 3 and 4. Must not have one of these numbers itself: see
    /// [`FIRST_FREE`].
    pub(crate) pipes: Option<[BorrowedFd<'a>; 2]>,
    /// What becomes [`SERVER_SOCKET`]. Must not have a lower number than [`FIRST_FREE`] itself.
    pub(crate) server: Option<BorrowedFd<'a>>,
    /// The program and its arguments.
    pub(crate) command: &'a [CString],
    /// Its environment.
    pub(crate) environment: &'a [CString],
    /// Whether it leads a process group of its own.
    pub(crate) group: ProcessGroup,
    /// What is to be written `0` to in order to be in a control group, unless it starts there.
    pub(crate) entry: Option<BorrowedFd<'a>>,
}

/// Which process group a program is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessGroup {
    /// That of the launcher; killing is by process id name space.
    Launchers,
    /// One of its own.
    Own,
}

struct TurnChild {
    user: Option<u32>,
    processes: Option<u64>,
    /// What becomes each descriptor from 0 on; none where negative.
    streams: [RawFd; FIRST_FREE as usize],
    command: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    group: ProcessGroup,
    /// None where negative.
    entry: RawFd,
    failed_step: AtomicI32,
    failed_errno: AtomicI32,
}

const TURN_STEPS: [&str; 5] = [
    "enter the control group",
    "connect the streams",
    "become the bot's user",
    "leave the group",
    "start the program",
];

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// The descriptor at which a server finds its socket: above those that an interpreter opens for itself
/// at its start, which keep their numbers.
const SERVER_SOCKET: RawFd = 9;
/// The first number that no stream of a program has.
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
    let command = pointers(start.command);
    let environment = pointers(start.environment);
    let child = TurnChild {
        user: start.user,
        processes: start.processes,
        streams: all_streams(start),
        command: command.as_ptr(),
        environment: environment.as_ptr(),
        group: start.group,
        entry: start.entry.map_or(-1, |entry| entry.as_raw_fd()),
        failed_step: AtomicI32::new(0),
        failed_errno: AtomicI32::new(0),
    };
    let pid = clone_and_wait(stack, 0, turn_child, &child, None)
        .map_err(|errno| (None, StartFailure::Clone(errno)))?;
    match child.failed_errno.load(Ordering::Relaxed) {
        0 => Ok(pid),
        errno => {
            let step = usize::try_from(child.failed_step.load(Ordering::Relaxed)).unwrap_or(0);
            let step = TURN_STEPS[step.min(TURN_STEPS.len() - 1)];
            Err((Some(pid), StartFailure::Child(step, Errno::from_raw(errno))))
        }
    }
}

extern "C" fn turn_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `TurnChild` that outlives this function, and our parent,
    // the only other one that could use it, is stopped.
    let child = unsafe { &*argument.cast::<TurnChild>() };
    // SAFETY: only system calls on values prepared by the parent; the raw ones avoid the C
    // library's broadcast to other threads. `_exit` runs no handlers of the shared memory.
    unsafe {
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        let failed = become_program(child);
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
unsafe fn become_program(child: &TurnChild) -> i32 {
    // SAFETY: see the caller; each call takes numbers or the prepared pointers.
    unsafe {
        if child.entry >= 0 && libc::write(child.entry, c"0".as_ptr().cast(), 1) < 0 {
            return 0;
        }
        for (to, from) in (0..).zip(child.streams) {
            if from >= 0 && libc::dup2(from, to) < 0 {
                return 1;
            }
        }
        if let Some(most) = child.processes {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            if libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) < 0 {
                return 2;
            }
        }
        if let Some(user) = child.user
            && libc::syscall(libc::SYS_setresuid, user, user, user) < 0
        {
            return 2;
        }
        if child.group == ProcessGroup::Own && libc::setpgid(0, 0) < 0 {
            return 3;
        }
        libc::execve(*child.command, child.command, child.environment);
        4
    }
}

/// The contents of the id map files of a new user name space.
pub(crate) struct IdMaps {
    /// For `/proc/self/uid_map`.
    pub(crate) users: CString,
    /// For `/proc/self/gid_map`.
    pub(crate) groups: CString,
}

/// A launcher to start.
pub(crate) struct LauncherStart<'a> {
    /// The program.
    pub(crate) program: &'a CStr,
    /// Its arguments, its own name first.
    pub(crate) arguments: &'a [CString],
    /// The socket that becomes its descriptor 3.
    pub(crate) socket: BorrowedFd<'a>,
    /// `CLONE_NEW*` flags.
    pub(crate) name_spaces: libc::c_int,
    /// Id maps of a new user name space, when one is among them that nobody else maps.
    pub(crate) maps: Option<&'a IdMaps>,
    /// The user name space that it is to be in, and that is to own the others.
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

/// Starts a launcher with an empty environment and no descriptor but its
/// socket; gives its process id and a descriptor of the process.
pub(crate) fn start_launcher(
    start: &LauncherStart<'_>,
) -> Result<(libc::pid_t, OwnedFd), StartFailure> {
    let arguments = pointers(start.arguments);
    let environment = [ptr::null()];
    let child = LauncherChild {
        program: start.program.as_ptr(),
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
            let _ = super::wait::reap_one(pid);
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
    // SAFETY: CLONE_PIDFD stored a new descriptor that nobody else owns.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(process) }))
}

/// What a go-between needs that enters a user name space and starts a launcher there.
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
    let _ = super::wait::reap_one(pid);
    match go_between.started.load(Ordering::Relaxed) {
        0 => {
            let step = usize::try_from(go_between.failed_step.load(Ordering::Relaxed)).unwrap_or(0);
            let errno = Errno::from_raw(go_between.failed_errno.load(Ordering::Relaxed));
            Err(StartFailure::Child(GO_BETWEEN_STEPS[step.min(1)], errno))
        }
        started => open_process(started).map(|process| (started, process)).map_err(|errno| {
            let _ = super::wait::reap_one(started);
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

/// Opens what stands for a child, which is not reaped meanwhile.
fn open_process(pid: libc::pid_t) -> Result<OwnedFd, Errno> {
    // SAFETY: numbers only; what it returns is a new descriptor, closed on `exec`.
    let opened = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    let opened = RawFd::try_from(opened).map_err(|_| Errno::EBADF)?;
    // SAFETY: nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

/// A user name space in the making.
struct MapsChild<'a> {
    maps: &'a IdMaps,
    opened: AtomicI32,
    failed_errno: AtomicI32,
}

/// Makes a user name space below the caller's, of which nothing is used but its maps, each of
/// one id of the caller's.
pub(crate) fn make_mapping(maps: &IdMaps) -> Result<OwnedFd, Errno> {
    let child = MapsChild { maps, opened: AtomicI32::new(-1), failed_errno: AtomicI32::new(0) };
    let flags = libc::CLONE_NEWUSER | libc::CLONE_FILES;
    let pid = clone_and_wait(&mut ChildStack::new(), flags, maps_child, &child, None)?;
    let _ = super::wait::reap_one(pid);
    match child.opened.load(Ordering::Relaxed) {
        -1 => Err(Errno::from_raw(child.failed_errno.load(Ordering::Relaxed))),
        // SAFETY: the child opened it in the table it shared with us, and nobody else knows it.
        opened => Ok(unsafe { OwnedFd::from_raw_fd(opened) }),
    }
}

extern "C" fn maps_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: as in `launcher_child`: a prepared argument that outlives us, and system calls only.
    unsafe {
        let child = &*argument.cast::<MapsChild<'_>>();
        let well = write_maps(child.maps).is_none();
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let opened = if well { libc::open(c"/proc/self/ns/user".as_ptr(), flags) } else { -1 };
        child.failed_errno.store(Errno::last_raw().max(1), Ordering::Relaxed);
        child.opened.store(opened, Ordering::Relaxed);
        libc::_exit(0)
    }
}

/// Maps the new user name space that the caller is in; gives the number of the step that failed.
///
/// # Safety
///
/// As [`become_launcher`].
unsafe fn write_maps(maps: &IdMaps) -> Option<i32> {
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

/// Runs `body` with every signal blocked, so that no handler of ours can run in
/// a child that shares our memory.
fn with_signals_blocked<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: sigset_t is plain data; the calls only write to the two sets, which live here.
    let before = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        before
    };
    let result = body();
    // SAFETY: `before` was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    result
}

extern "C" fn launcher_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone_and_wait` passes a `LauncherChild` that outlives this function; the thread
    // that made it is stopped and the other threads do not know it.
    let child = unsafe { &*argument.cast::<LauncherChild>() };
    // SAFETY: only system calls on prepared values, see the module's text.
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

struct Helper {
    user: u32,
    errand: extern "C" fn(),
}

/// Runs `errand` in a helper that has become `user` for good.
fn run_as(user: u32, errand: extern "C" fn()) {
    let helper = Helper { user, errand };
    let process = clone_and_wait(&mut ChildStack::new(), 0, helper_child, &helper, None);
    if let Ok(process) = process {
        let _ = super::wait::reap_one(process);
    }
}

extern "C" fn helper_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: as in `turn_child`; the errands below only make system calls.
    unsafe {
        let helper = &*argument.cast::<Helper>();
        let user = helper.user;
        // As anybody else the errand would reach far more than it may.
        if user != 0 && libc::syscall(libc::SYS_setresuid, user, user, user) == 0 {
            (helper.errand)();
        }
        libc::_exit(0)
    }
}

/// Kills every process of a user.
pub(crate) fn kill_user(user: u32) {
    signal_user(user, Signal::SIGKILL);
}

/// Sends SIGKILL, SIGSTOP or SIGCONT to every process of a user.
pub(crate) fn signal_user(user: u32, signal: Signal) {
    extern "C" fn errand<const SIGNAL: libc::c_int>() {
        // SAFETY: numbers only. Spares the caller itself.
        unsafe { libc::kill(-1, SIGNAL) };
    }
    run_as(
        user,
        match signal {
            Signal::SIGSTOP => errand::<{ libc::SIGSTOP }>,
            Signal::SIGCONT => errand::<{ libc::SIGCONT }>,
            _ => errand::<{ libc::SIGKILL }>,
        },
    );
}

/// Removes every System V object that a user may remove in the caller's name space.
pub(crate) fn remove_ipc_of(user: u32) {
    extern "C" fn errand() {
        super::ipc::remove_all_ipc();
    }
    run_as(user, errand);
}

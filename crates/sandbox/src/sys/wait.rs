//! Wait for children of any kind, and the signal that announces their end.

use std::mem;
use std::ptr;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// A child that has ended and was waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaped {
    /// Its process id.
    pub(crate) pid: libc::pid_t,
    /// Its wait status.
    pub(crate) status: libc::c_int,
    /// The largest resident memory it or a child it waited for had, in bytes.
    pub(crate) peak_bytes: u64,
}

/// End of a child, as its wait status has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

/// Reads a wait status.
pub(crate) fn exited(status: libc::c_int) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Status(libc::WEXITSTATUS(status))
    }
}

fn wait(pid: libc::pid_t, options: libc::c_int) -> Result<Option<Reaped>, Errno> {
    let mut status = 0;
    // SAFETY: rusage is plain data for which all zeroes is valid.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: both addresses live through the call. __WALL also finds children made without
    // SIGCHLD, which a bot may hand to its parent.
    let result =
        unsafe { libc::wait4(pid, &raw mut status, options | libc::__WALL, &raw mut usage) };
    let peak_bytes = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    match Errno::result(result)? {
        0 => Ok(None),
        pid => Ok(Some(Reaped { pid, status, peak_bytes })),
    }
}

/// Reaps one ended child; `None` when there are children but none has ended.
///
/// # Errors
///
/// `ECHILD` when there is no child at all.
pub(crate) fn reap_any() -> Result<Option<Reaped>, Errno> {
    wait(-1, libc::WNOHANG)
}

/// Waits until this child, or for -1 any child, has ended and reaps it.
pub(crate) fn reap_one(pid: libc::pid_t) -> Result<Reaped, Errno> {
    loop {
        match wait(pid, 0) {
            Ok(Some(reaped)) => return Ok(reaped),
            Ok(None) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

fn child_signal() -> SigSet {
    SigSet::from(Signal::SIGCHLD)
}

extern "C" fn nothing(_signal: libc::c_int) {}

/// Sets what a signal does.
fn set_action(signal: Signal, handler: SigHandler) -> Result<(), Errno> {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the only handler there is touches nothing, so it is safe at any moment.
    unsafe { sigaction(signal, &action) }.map(drop)
}

/// Blocks SIGCHLD, so that it can be waited for, and gives it a handler that
/// does nothing, so that it also interrupts `ppoll`.
pub(crate) fn block_child_signal() -> Result<(), Errno> {
    set_action(Signal::SIGCHLD, SigHandler::Handler(nothing))?;
    child_signal().thread_block()
}

/// Makes a write beyond the file limit fail with `EFBIG` instead of ending the
/// program. Programs inherit that.
pub(crate) fn ignore_file_limit_signal() -> Result<(), Errno> {
    set_action(Signal::SIGXFSZ, SigHandler::SigIgn)
}

/// Gives SIGPIPE its ordinary meaning back, which the Rust runtime takes away at the start of
/// every program. Nothing in this process writes to a pipe, and its socket is written to without.
pub(crate) fn restore_pipe_signal() {
    let _ = set_action(Signal::SIGPIPE, SigHandler::SigDfl);
}

/// Waits until a child has changed or `limit` has passed.
pub(crate) fn wait_child_signal(limit: Duration) {
    let set = child_signal();
    let limit = libc::timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: the set and the limit live through the call; a null siginfo is allowed. Every
    // outcome (signal, time-out, interruption) only means "look again".
    unsafe { libc::sigtimedwait(set.as_ref(), ptr::null_mut(), &raw const limit) };
}

//! Wait for children of any kind, and the signal that announces their end.

use std::mem;
use std::ptr;
use std::time::Duration;

use nix::errno::Errno;

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

/// Sends SIGKILL to the process behind a process descriptor.
pub(crate) fn kill_process(process: std::os::fd::BorrowedFd<'_>) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    // SAFETY: a null siginfo is allowed; the descriptor is open.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            process.as_raw_fd(),
            libc::SIGKILL,
            ptr::null::<libc::siginfo_t>(),
            0,
        )
    };
    Errno::result(result).map(drop)
}

fn child_signal() -> libc::sigset_t {
    // SAFETY: sigset_t is plain data; sigemptyset and sigaddset only write to it.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        set
    }
}

extern "C" fn nothing(_signal: libc::c_int) {}

/// Blocks SIGCHLD, so that it can be waited for, and gives it a handler that
/// does nothing, so that it also interrupts `ppoll`.
pub(crate) fn block_child_signal() -> Result<(), Errno> {
    let set = child_signal();
    // SAFETY: sigaction is plain data for which all zeroes is valid.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = nothing as *const () as usize;
    // SAFETY: the handler touches nothing, so it is safe at any moment; the structures live
    // through the calls.
    unsafe {
        Errno::result(libc::sigaction(libc::SIGCHLD, &raw const action, ptr::null_mut()))?;
        Errno::result(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()))?;
    }
    Ok(())
}

/// Makes a write beyond the file limit fail with `EFBIG` instead of ending the
/// program. Programs inherit that.
pub(crate) fn ignore_file_limit_signal() -> Result<(), Errno> {
    // SAFETY: sigaction is plain data for which all zeroes is valid.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = libc::SIG_IGN;
    // SAFETY: the structure lives through the call; no handler is installed.
    let result = unsafe { libc::sigaction(libc::SIGXFSZ, &raw const action, ptr::null_mut()) };
    Errno::result(result).map(drop)
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
    unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const limit) };
}

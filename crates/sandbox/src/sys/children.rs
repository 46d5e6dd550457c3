//! Hearing of attempts to make a process, and refusing them.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use seccompiler::sock_filter;

/// `SECCOMP_IOCTL_NOTIF_RECV` and `SECCOMP_IOCTL_NOTIF_SEND`.
const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;

/// What marks the calls of this program that make a process; 0 for nothing.
static TOKEN: AtomicU64 = AtomicU64::new(0);

/// Returns what marks the calls of this program that make a process.
pub(super) fn child_token() -> u64 {
    TOKEN.load(Ordering::Relaxed)
}

/// Draws the mark, which only this program knows, and keeps it.
pub(crate) fn make_child_token() -> Result<u64, Errno> {
    let mut token = 0_u64;
    // SAFETY: the buffer lives here and is as long as is said.
    let read = unsafe { libc::getrandom((&raw mut token).cast(), size_of::<u64>(), 0) };
    Errno::result(read)?;
    TOKEN.store(token, Ordering::Relaxed);
    Ok(token)
}

/// Installs a filter for this process and all it will start; returns what the
/// calls are read from that the filter hands over.
pub(crate) fn install_listener(program: &[sock_filter]) -> Result<OwnedFd, Errno> {
    nix::sys::prctl::set_no_new_privs()?;
    let length = u16::try_from(program.len()).map_err(|_| Errno::EINVAL)?;
    // The two structures of a statement have one layout, which is the kernel's.
    let filter = program.as_ptr().cast_mut().cast::<libc::sock_filter>();
    let program = libc::sock_fprog { len: length, filter };
    // SAFETY: the kernel copies the program, which outlives the call; the result is a new
    // descriptor that nobody else owns.
    unsafe {
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        let listener = RawFd::try_from(Errno::result(listener)?).map_err(|_| Errno::EBADF)?;
        Ok(OwnedFd::from_raw_fd(listener))
    }
}

/// Refuses the next call that was handed over, with `EPERM`; says whether there
/// was one. To be called when the listener is readable, or it waits.
pub(crate) fn refuse_next(listener: BorrowedFd<'_>) -> bool {
    // SAFETY: plain numbers, and the kernel wants the structure zeroed; both live through the
    // calls and have the kernel's layout.
    unsafe {
        let mut asked: libc::seccomp_notif = std::mem::zeroed();
        if libc::ioctl(listener.as_raw_fd(), RECEIVE as libc::Ioctl, &raw mut asked) < 0 {
            return false;
        }
        let mut answer: libc::seccomp_notif_resp = std::mem::zeroed();
        answer.id = asked.id;
        answer.error = -libc::EPERM;
        // The caller may have been killed meanwhile.
        libc::ioctl(listener.as_raw_fd(), SEND as libc::Ioctl, &raw mut answer);
        true
    }
}

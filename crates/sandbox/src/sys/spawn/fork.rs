//! Copy of a whole process, for one that has a single thread.

use nix::errno::Errno;

/// Side of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fork {
    /// The process that was there, with the id of its child.
    Parent(libc::pid_t),
    /// The copy.
    Child,
}

/// Makes a copy of this process, which must have a single thread.
///
/// # Errors
///
/// `EDEADLK` if it has more: a copy would have the locks of threads that it has not. Otherwise the
/// kernel's.
pub(crate) fn fork() -> Result<Fork, Errno> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads > 1 {
        return Err(Errno::EDEADLK);
    }
    // SAFETY: there is no other thread that could hold a lock or change memory meanwhile.
    match Errno::result(unsafe { libc::fork() })? {
        0 => Ok(Fork::Child),
        child => Ok(Fork::Parent(child)),
    }
}

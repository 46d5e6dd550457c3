//! Spawn: starts a program in a child that shares the caller's memory until `exec`, or makes a copy
//! of a whole process that has a single thread.
//!
//! `clone` with `CLONE_VM | CLONE_VFORK` copies no page tables and stops the
//! caller until the child has called `exec` or ended. Between the two the child
//! runs on a stack of its own in the caller's memory, so it may only make
//! system calls: nothing that allocates, locks, or relies on thread-local
//! state. Everything it needs is prepared before.

mod child;
mod helper;
mod launcher;
mod turn;

use nix::errno::Errno;

pub(crate) use child::{ChildStack, StartFailure};
#[cfg(test)]
pub(crate) use helper::keeper_of;
pub(crate) use helper::{is_of_a_seat, kill_user, remove_ipc_of, signal_user};
pub(crate) use launcher::{IdMaps, LAUNCHER_SOCKET, LauncherStart, make_mapping, start_launcher};
pub(crate) use turn::{FIRST_FREE, ProcessGroup, TurnStart, start_turn};

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

//! Kill: ends, freezes or lets go on every process of a seat, whatever it did to escape.
//!
//! With a process id name space one call does it: `kill(-1)` by its first
//! process signals all others at once, and a process that is being signalled
//! cannot fork. Without one, a helper becomes the seat's user and does the same
//! to all processes of that user; without that, descendants are killed until
//! none is left.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::identity::Inner;
use super::sampling::{Membership, members};
use crate::sys;
use crate::wire::Mode;

/// Kills once.
pub(super) fn kill_tree(mode: Mode, inner: Inner) {
    signal_tree(mode, inner, Signal::SIGKILL);
}

/// Sends a signal to every process once.
pub(super) fn signal_tree(mode: Mode, inner: Inner, signal: Signal) {
    match (mode, inner) {
        (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, _) => {
            let _ = kill(Pid::from_raw(-1), signal);
        }
        (_, Inner::User(user)) => sys::signal_user(user, signal),
        (_, Inner::Same) => {
            for process in members(Membership::Descendants) {
                let _ = kill(Pid::from_raw(process.cast_signed()), signal);
            }
        }
    }
}

/// Returns whether nothing is left, when no child is.
pub(super) fn is_empty(mode: Mode, inner: Inner) -> bool {
    match (mode, inner) {
        // Orphans become children of this process, so no child means nobody.
        (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, _) | (_, Inner::Same) => true,
        (_, Inner::User(user)) => {
            matches!(sys::reap_any(), Err(Errno::ECHILD))
                && members(Membership::User(user)).is_empty()
        }
    }
}

/// Removes the System V objects of the seat. Only their owner may.
pub(super) fn remove_ipc(mode: Mode, inner: Inner) {
    match (mode, inner) {
        (_, Inner::User(user)) => sys::remove_ipc_of(user),
        (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, Inner::Same) => {
            sys::remove_all_ipc()
        }
        // The caller's own objects are there too.
        (Mode::Container | Mode::Plain, Inner::Same) => {}
    }
}

//! Errands that only another user can run: a helper acts as that user, and ends.
//!
//! A process can signal processes whose real or saved user equals its own. A helper's real and
//! saved user are its keeper's, under which nothing else runs, so the programs that it acts on
//! cannot stop it.

use nix::sys::signal::Signal;

use super::child::{ChildStack, clone_and_wait};
use crate::sys::{remove_all_ipc, wait};

struct Helper {
    user: u32,
    errand: extern "C" fn(),
}

/// Runs `errand` in a helper that acts as `user`.
fn run_as(user: u32, errand: extern "C" fn()) {
    let helper = Helper { user, errand };
    let process = clone_and_wait(&mut ChildStack::new(), 0, helper_child, &helper, None);
    if let Ok(process) = process {
        let _ = wait::reap_one(process);
    }
}

extern "C" fn helper_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: as in `turn_child`; the errands below only make system calls.
    unsafe {
        let helper = &*argument.cast::<Helper>();
        let user = helper.user;
        let keeper = keeper_of(user);
        let becomes =
            |real: u32, saved: u32| libc::syscall(libc::SYS_setresuid, real, user, saved) == 0;
        // As any other user the errand would reach far more than it may.
        if user != 0 && (becomes(keeper, keeper) || becomes(user, user)) {
            (helper.errand)();
        }
        libc::_exit(0)
    }
}

/// Returns whether programs of a seat run as this user, and not helpers.
pub(crate) fn is_of_a_seat(user: u32) -> bool {
    user.is_multiple_of(2)
}

/// Returns the user of helpers that act as `user`; nothing else runs as it.
pub(crate) fn keeper_of(user: u32) -> u32 {
    if is_of_a_seat(user) { user.saturating_add(1) } else { user }
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
        remove_all_ipc();
    }
    run_as(user, errand);
}

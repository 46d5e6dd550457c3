//! Errands that only another user can run: a helper becomes that user for good, and ends.

use nix::sys::signal::Signal;

use super::child::{ChildStack, clone_and_wait};
use crate::sys::{ipc, wait};

struct Helper {
    user: u32,
    errand: extern "C" fn(),
}

/// Runs `errand` in a helper that has become `user` for good.
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
        ipc::remove_all_ipc();
    }
    run_as(user, errand);
}

//! Refusing child processes: threads may be made, processes not, and an attempt
//! is noticed.
//!
//! A filter of its own sends every call that would make a process to the
//! launcher, which refuses it with `EPERM` and counts it. The launcher itself
//! makes a process per turn under the same filter; its calls carry a random
//! number where the kernel looks at nothing, and are let through for it.
//! `clone3`, whose arguments no filter can see, is "not implemented" by the
//! general filter, and programs fall back on `clone`.

use std::os::fd::OwnedFd;

use nix::errno::Errno;
use seccompiler::sock_filter;

use super::filter::{
    ALLOW, JUMP_BITS, JUMP_EQUAL, LOAD, NUMBER, RETURN, argument, errno, jump, number, statement,
};
use crate::sys;

/// Hands the call to whoever holds the listener.
const ASK: u32 = 0x7fc0_0000;

/// Installs the filter and returns what the attempts are read from.
///
/// # Errors
///
/// When the kernel has no such listener. Processes are refused all the same
/// then, and nobody notices.
pub(crate) fn refuse() -> Result<OwnedFd, Errno> {
    let token = sys::make_child_token()?;
    sys::install_listener(&program(ASK, token)).inspect_err(|_| {
        // The next filter still refuses; that this one cannot be had is told as a shortfall.
        let _ = seccompiler::apply_filter(&program(errno(libc::EPERM), token));
    })
}

fn program(refused: u32, token: u64) -> Vec<sock_filter> {
    let low = (token & u64::from(u32::MAX)) as u32;
    let high = (token >> 32) as u32;
    let mut program = vec![statement(LOAD, NUMBER)];
    #[cfg(target_arch = "x86_64")]
    for call in [libc::SYS_fork, libc::SYS_vfork] {
        program.extend([jump(JUMP_EQUAL, number(call), 0, 1), statement(RETURN, refused)]);
    }
    program.extend([
        jump(JUMP_EQUAL, number(libc::SYS_clone), 1, 0),
        statement(RETURN, ALLOW),
        statement(LOAD, argument(0)),
        jump(JUMP_BITS, libc::CLONE_THREAD.cast_unsigned(), 4, 0),
        // Where the thread's number would be stored, which nobody asks for.
        statement(LOAD, argument(2)),
        jump(JUMP_EQUAL, low, 0, 3),
        statement(LOAD, argument(2) + 4),
        jump(JUMP_EQUAL, high, 0, 1),
        statement(RETURN, ALLOW),
        statement(RETURN, refused),
    ]);
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: u64 = 0x1234_5678_9abc_def0;

    /// Runs the filter as the kernel would.
    fn answer(call: i64, flags: i32, third: u64) -> u32 {
        let program = program(ASK, TOKEN);
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let chosen = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            match step.code {
                LOAD if step.k == NUMBER => value = number(call),
                LOAD if step.k == argument(0) => value = flags.cast_unsigned(),
                LOAD if step.k == argument(2) => value = third as u32,
                LOAD => value = (third >> 32) as u32,
                JUMP_EQUAL => at += chosen(value == step.k),
                JUMP_BITS => at += chosen(value & step.k != 0),
                RETURN => return step.k,
                other => panic!("unexpected statement {other}"),
            }
        }
    }

    #[test]
    fn a_thread_may_be_made_and_a_process_not() {
        let thread = libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND;
        assert_eq!(answer(libc::SYS_clone, thread, 0), ALLOW);
        assert_eq!(answer(libc::SYS_clone, libc::SIGCHLD, 0), ASK);
        assert_eq!(answer(libc::SYS_clone, libc::CLONE_VM | libc::CLONE_VFORK, 0), ASK);
        #[cfg(target_arch = "x86_64")]
        assert_eq!((answer(libc::SYS_fork, 0, 0), answer(libc::SYS_vfork, 0, 0)), (ASK, ASK));
        assert_eq!(answer(libc::SYS_read, 0, 0), ALLOW);
    }

    #[test]
    fn only_the_whole_token_lets_a_process_through() {
        assert_eq!(answer(libc::SYS_clone, libc::SIGCHLD, TOKEN), ALLOW);
        assert_eq!(answer(libc::SYS_clone, libc::SIGCHLD, TOKEN ^ 1), ASK);
        assert_eq!(answer(libc::SYS_clone, libc::SIGCHLD, TOKEN ^ (1 << 63)), ASK);
    }
}

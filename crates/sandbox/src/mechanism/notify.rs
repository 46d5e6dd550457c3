//! System calls that the kernel hands to the launcher (seccomp notifications) instead of doing
//! them: making a process where the game forbids it, which is refused and counted, connecting or
//! listening where the network is the host's, which the launcher does itself, and making System V
//! objects and sockets, which it notes and lets be done.
//!
//! A filter of its own hands them over; the kernel allows one such filter, so it
//! is one for all of them. The launcher makes processes and connections under
//! the same filter; its calls carry a random number where the kernel looks at
//! nothing, and are let through for it. `clone3`, whose arguments no filter can
//! see, is "not implemented" by the general filter, and programs fall back on
//! `clone`.

use std::os::fd::OwnedFd;

use nix::errno::Errno;
use seccompiler::sock_filter;

use super::filter::{
    ALLOW, JUMP_BITS, JUMP_EQUAL, LOAD, NUMBER, RETURN, argument, errno, for_call, jump, statement,
};
use crate::sys;

/// Hands the call to the holder of the listener.
const ASK: u32 = 0x7fc0_0000;

/// Calls that make System V objects, whose numbers count how many there were.
const OBJECTS: [i64; 3] = [libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget];

/// Families of sockets that are noted. Those of the internet leave traces in a network: its
/// interface counts packets, and labels and ports stay taken for a while. Unix sockets carry
/// descriptors, and two that wait in each other outlive their program, with all that they carry.
const NOTED: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX];

/// Calls that are handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NotifiedCalls {
    /// Those that make a process; threads may be made.
    pub(crate) children: bool,
    /// `connect`.
    pub(crate) connections: bool,
    /// `bind`. `listen` succeeds and does nothing, as the launcher's sockets listen already; a
    /// program's own never does.
    pub(crate) servers: bool,
    /// Those that may make something that the kernel continues to count when it is gone, or keeps:
    /// a System V object, a socket. They are noted and done.
    pub(crate) objects: bool,
}

/// Reason why calls are not handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHandedOver {
    /// The kernel has no such listener; they are refused without a notification.
    Refused(Errno),
    /// Nothing keeps programs from making them.
    Allowed(Errno),
}

/// Object that a call may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MadeObject {
    /// System V object.
    Numbered,
    /// Socket of the internet's families.
    InternetSocket,
    /// Unix sockets.
    UnixSocket,
}

/// Returns the object that a call may make, if it is one that is noted.
pub(crate) fn made_object(call: i64, first_argument: u64) -> Option<MadeObject> {
    let is_unix = first_argument as u32 == libc::AF_UNIX.unsigned_abs();
    match call {
        libc::SYS_socketpair => Some(MadeObject::UnixSocket),
        libc::SYS_socket if is_unix => Some(MadeObject::UnixSocket),
        libc::SYS_socket => Some(MadeObject::InternetSocket),
        other => OBJECTS.contains(&other).then_some(MadeObject::Numbered),
    }
}

/// Installs the filter and returns what the calls are read from; `None` when none are
/// to be handed over.
///
/// # Errors
///
/// [`NotHandedOver`].
pub(crate) fn hand_over(calls: NotifiedCalls) -> Result<Option<OwnedFd>, NotHandedOver> {
    if calls == NotifiedCalls::default() {
        return Ok(None);
    }
    let token = sys::make_token().map_err(NotHandedOver::Allowed)?;
    let reason = match sys::install_listener(&program(calls, token, [ASK; 2])) {
        Ok(listener) => return Ok(Some(listener)),
        Err(reason) => reason,
    };
    let calls = NotifiedCalls { objects: false, ..calls };
    let refused = [errno(libc::EPERM), errno(libc::EACCES)];
    Err(match seccompiler::apply_filter(&program(calls, token, refused)) {
        Ok(()) => NotHandedOver::Refused(reason),
        Err(_) => NotHandedOver::Allowed(reason),
    })
}

/// `answers`: to making a process, and to connecting.
fn program(calls: NotifiedCalls, token: u64, answers: [u32; 2]) -> Vec<sock_filter> {
    let [child, connection] = answers.map(|answer| statement(RETURN, answer));
    let mut program = vec![statement(LOAD, NUMBER)];
    if calls.children {
        #[cfg(target_arch = "x86_64")]
        for call in [libc::SYS_fork, libc::SYS_vfork] {
            for_call(&mut program, call, std::slice::from_ref(&child));
        }
        let mut body = vec![
            statement(LOAD, argument(0)),
            jump(JUMP_BITS, libc::CLONE_THREAD.cast_unsigned(), 0, 1),
            statement(RETURN, ALLOW),
        ];
        // The argument for the address of the thread's number, which programs do not use.
        body.extend(let_through(2, token));
        body.push(child);
        for_call(&mut program, libc::SYS_clone, &body);
    }
    if calls.connections {
        // After its last argument.
        let mut body = let_through(3, token).to_vec();
        body.push(connection);
        for_call(&mut program, libc::SYS_connect, &body);
        if calls.servers {
            for_call(&mut program, libc::SYS_bind, &body);
            let mut body = let_through(2, token).to_vec();
            body.push(statement(RETURN, errno(0)));
            for_call(&mut program, libc::SYS_listen, &body);
        }
    }
    if calls.objects {
        for call in OBJECTS {
            for_call(&mut program, call, &[statement(RETURN, ASK)]);
        }
        let [four, six, unix] = NOTED.map(i32::unsigned_abs);
        let mut body = let_through(3, token).to_vec();
        body.extend([
            statement(LOAD, argument(0)),
            jump(JUMP_EQUAL, four, 2, 0),
            jump(JUMP_EQUAL, six, 1, 0),
            jump(JUMP_EQUAL, unix, 0, 1),
            statement(RETURN, ASK),
            statement(RETURN, ALLOW),
        ]);
        for_call(&mut program, libc::SYS_socket, &body);
        // After its last argument.
        let mut body = let_through(4, token).to_vec();
        body.push(statement(RETURN, ASK));
        for_call(&mut program, libc::SYS_socketpair, &body);
    }
    program.push(statement(RETURN, ALLOW));
    program
}

/// Allows what carries the token in that argument.
fn let_through(index: u32, token: u64) -> [sock_filter; 5] {
    let low = (token & u64::from(u32::MAX)) as u32;
    let high = (token >> 32) as u32;
    [
        statement(LOAD, argument(index)),
        jump(JUMP_EQUAL, low, 0, 3),
        statement(LOAD, argument(index) + 4),
        jump(JUMP_EQUAL, high, 0, 1),
        statement(RETURN, ALLOW),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::filter::number;
    use super::*;

    const TOKEN: u64 = 0x1234_5678_9abc_def0;

    /// Runs the filter as the kernel would.
    fn answer(calls: NotifiedCalls, call: i64, arguments: [u64; 4]) -> u32 {
        let program = program(calls, TOKEN, [ASK; 2]);
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let chosen = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            match step.code {
                LOAD if step.k == NUMBER => value = number(call),
                LOAD => {
                    let (index, half) = ((step.k - 16) / 8, step.k % 8);
                    let argument = arguments.get(index as usize).copied().unwrap_or_default();
                    value = (argument >> (8 * half)) as u32;
                }
                JUMP_EQUAL => at += chosen(value == step.k),
                JUMP_BITS => at += chosen(value & step.k != 0),
                RETURN => return step.k,
                other => panic!("unexpected statement {other}"),
            }
        }
    }

    fn cloned(flags: i32, third: u64) -> u32 {
        let calls = NotifiedCalls { children: true, ..NotifiedCalls::default() };
        answer(calls, libc::SYS_clone, [u64::from(flags.cast_unsigned()), 0, third, 0])
    }

    #[test]
    fn a_thread_may_be_made_and_a_process_not() {
        let calls = NotifiedCalls { children: true, ..NotifiedCalls::default() };
        assert_eq!(cloned(libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND, 0), ALLOW);
        assert_eq!(cloned(libc::SIGCHLD, 0), ASK);
        assert_eq!(cloned(libc::CLONE_VM | libc::CLONE_VFORK, 0), ASK);
        #[cfg(target_arch = "x86_64")]
        for call in [libc::SYS_fork, libc::SYS_vfork] {
            assert_eq!(answer(calls, call, [0; 4]), ASK);
        }
        assert_eq!(answer(calls, libc::SYS_read, [0; 4]), ALLOW);
        assert_eq!(answer(calls, libc::SYS_connect, [0; 4]), ALLOW);
    }

    #[test]
    fn only_the_whole_token_lets_a_process_through() {
        assert_eq!(cloned(libc::SIGCHLD, TOKEN), ALLOW);
        assert_eq!(cloned(libc::SIGCHLD, TOKEN ^ 1), ASK);
        assert_eq!(cloned(libc::SIGCHLD, TOKEN ^ (1 << 63)), ASK);
    }

    #[test]
    fn only_the_whole_token_lets_a_connection_through() {
        let calls = NotifiedCalls { connections: true, ..NotifiedCalls::default() };
        let connected = |fourth| answer(calls, libc::SYS_connect, [3, TOKEN, 16, fourth]);
        assert_eq!(connected(TOKEN), ALLOW);
        for other in [0, TOKEN ^ 1, TOKEN ^ (1 << 63)] {
            assert_eq!(connected(other), ASK);
        }
        assert_eq!(answer(calls, libc::SYS_clone, [0; 4]), ALLOW);
    }

    #[test]
    fn a_socket_that_listens_is_asked_for_and_listen_does_nothing() {
        let calls = NotifiedCalls { connections: true, servers: true, ..NotifiedCalls::default() };
        assert_eq!(answer(calls, libc::SYS_bind, [3, TOKEN, 16, 0]), ASK);
        assert_eq!(answer(calls, libc::SYS_bind, [3, 0, 16, TOKEN]), ALLOW);
        assert_eq!(answer(calls, libc::SYS_listen, [3, TOKEN, 0, 0]), errno(0));
        assert_eq!(answer(calls, libc::SYS_listen, [3, 5, TOKEN, 0]), ALLOW);
        assert_eq!(answer(calls, libc::SYS_connect, [3, 0, 16, 0]), ASK);
    }

    #[test]
    fn sockets_are_told_apart_and_from_what_the_kernel_numbers() {
        let unix = libc::AF_UNIX.unsigned_abs().into();
        let of_socket = |family| made_object(libc::SYS_socket, family);
        assert_eq!(of_socket(unix), Some(MadeObject::UnixSocket));
        assert_eq!(
            of_socket(unix | 1 << 32),
            Some(MadeObject::UnixSocket),
            "as the kernel reads it"
        );
        assert_eq!(of_socket(unix + 1), Some(MadeObject::InternetSocket));
        assert_eq!(made_object(libc::SYS_socketpair, unix), Some(MadeObject::UnixSocket));
        assert_eq!(made_object(libc::SYS_shmget, unix), Some(MadeObject::Numbered));
        assert_eq!(made_object(libc::SYS_clone, unix), None);
    }

    #[test]
    fn objects_are_heard_of() {
        let calls = NotifiedCalls { objects: true, ..NotifiedCalls::default() };
        for call in OBJECTS {
            assert_eq!(answer(calls, call, [0; 4]), ASK);
            assert_eq!(answer(NotifiedCalls::default(), call, [0; 4]), ALLOW);
        }
        let made = |family: i32| {
            answer(calls, libc::SYS_socket, [u64::from(family.unsigned_abs()), 1, 0, 0])
        };
        assert_eq!([libc::AF_INET, libc::AF_INET6, libc::AF_UNIX].map(made), [ASK; 3]);
        assert_eq!(made(libc::AF_NETLINK), ALLOW);
        assert_eq!(answer(calls, libc::SYS_socketpair, [1, 1, 0, 0]), ASK);
        assert_eq!(answer(calls, libc::SYS_semop, [0; 4]), ALLOW);
        let four = u64::from(libc::AF_INET.unsigned_abs());
        assert_eq!(answer(calls, libc::SYS_socket, [four, 1, 0, TOKEN]), ALLOW, "our own");
    }
}

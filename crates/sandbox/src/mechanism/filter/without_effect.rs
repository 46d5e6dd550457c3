//! System calls that succeed and do nothing, because what they do is done to others.
//!
//! A runtime's files are in memory once for all seats, and the disk is everybody's. Measured with
//! a file that another program uses: `posix_fadvise(DONTNEED)` by anybody, and
//! `madvise(MADV_PAGEOUT)` by the file's owner, throw it out of memory; `sync` waited 0.4 s for
//! everybody's writes, `fsync` of a file nobody changed had the disk write its cache for 8 ms.
//! Readahead fills memory that a seat may not be charged for. Nothing in a seat has to last, so
//! that a program is told that it was done is all it needs; a refusal would end many.
//!
//! Socket buffers cannot be made larger: not every host counts them. Nobody lifts the limit of
//! core dumps away from the 1 that keeps a host's program for crashes from being started.

use seccompiler::{BpfProgram, sock_filter};

use super::{
    ALLOW, JUMP_BITS, JUMP_EQUAL, LOAD, RETURN, argument, errno, for_call, jump, statement,
};

/// Calls that never have an effect.
const CALLS: &[i64] = &[
    libc::SYS_sync,
    libc::SYS_syncfs,
    libc::SYS_sync_file_range,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
];

/// Advice about memory that concerns others who have the same file: give it back first, give it
/// back now, look for equal pages.
const ADVICE: [i32; 3] = [libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_MERGEABLE];

/// Options that make a socket's buffers larger.
const BUFFERS: [i32; 5] = [
    libc::SO_SNDBUF,
    libc::SO_RCVBUF,
    libc::SO_SNDBUFFORCE,
    libc::SO_RCVBUFFORCE,
    libc::SO_RCVLOWAT,
];

fn done() -> sock_filter {
    statement(RETURN, errno(0))
}

/// Locks of whole files, where two seats have the same file and would see each other's. Compilers
/// lock files that are theirs alone, and end where they cannot.
pub(super) fn add_locks(program: &mut BpfProgram) {
    for_call(program, libc::SYS_flock, &[done()]);
}

/// The calls and what of them has no effect; the general list knows the others.
pub(super) fn add(program: &mut BpfProgram) {
    for call in CALLS {
        for_call(program, *call, &[done()]);
    }
    for_call(program, libc::SYS_madvise, &one_of(2, &ADVICE));
    for_call(program, libc::SYS_setsockopt, &buffer_check());
    for_call(
        program,
        libc::SYS_msync,
        &[
            statement(LOAD, argument(2)),
            jump(JUMP_BITS, libc::MS_SYNC.unsigned_abs(), 0, 1),
            done(),
            statement(RETURN, ALLOW),
        ],
    );
    #[cfg(target_arch = "x86_64")]
    for_call(program, libc::SYS_setrlimit, &one_of(0, &[libc::RLIMIT_CORE.cast_signed()]));
    for_call(program, libc::SYS_prlimit64, &limit_check());
}

/// Nothing is done if the argument is one of these.
fn one_of(index: u32, values: &[i32]) -> Vec<sock_filter> {
    let mut check = vec![statement(LOAD, argument(index))];
    for (at, value) in values.iter().enumerate() {
        let left = u8::try_from(values.len() - at).expect("few values");
        check.push(jump(JUMP_EQUAL, value.unsigned_abs(), left, 0));
    }
    check.extend([statement(RETURN, ALLOW), done()]);
    check
}

/// As [`one_of`] for options of sockets themselves, not of their protocols.
fn buffer_check() -> Vec<sock_filter> {
    let mut check = vec![
        statement(LOAD, argument(1)),
        jump(JUMP_EQUAL, libc::SOL_SOCKET.unsigned_abs(), 1, 0),
        statement(RETURN, ALLOW),
    ];
    check.extend(one_of(2, &BUFFERS));
    check
}

/// Limits of oneself, which is what 0 means; that of core dumps can only be asked for.
fn limit_check() -> [sock_filter; 11] {
    [
        statement(LOAD, argument(0)),
        jump(JUMP_EQUAL, 0, 1, 0),
        statement(RETURN, errno(libc::EPERM)),
        statement(LOAD, argument(1)),
        jump(JUMP_EQUAL, libc::RLIMIT_CORE, 0, 4),
        statement(LOAD, argument(2)),
        jump(JUMP_EQUAL, 0, 0, 3),
        statement(LOAD, argument(2) + 4),
        jump(JUMP_EQUAL, 0, 0, 1),
        statement(RETURN, ALLOW),
        done(),
    ]
}

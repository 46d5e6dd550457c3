//! System calls that succeed and do nothing, because their effect would reach others.
//!
//! A runtime's files are in memory once for all seats, and all seats share the disk. Measured with
//! a file that another program uses: `posix_fadvise(DONTNEED)` by any process, and
//! `madvise(MADV_PAGEOUT)` by the file's owner, drop it from memory; `sync` waited 0.4 s for
//! the writes of all programs, `fsync` of an unchanged file had the disk write its cache for 8 ms.
//! Readahead fills memory that a seat may not be charged for. Nothing in a seat has to last, so
//! an answer that it was done is all a program needs; a refusal would end many.
//!
//! Socket buffers cannot be made larger: not every host counts them. No host counts the programs
//! and keys that options put beside a socket, so these are refused. Nobody lifts the limit of core
//! dumps away from the 1 that keeps a host's program for crashes from being started.

use seccompiler::{BpfProgram, sock_filter};

use super::{
    ALLOW, JUMP_BITS, JUMP_EQUAL, LOAD, RETURN, argument, each_of, errno, for_call, jump, requests,
    statement,
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

/// Advice about memory that affects other users of the same file: give it back first, give it
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

/// Options that put a program beside a socket: `SO_ATTACH_FILTER`, `SO_ATTACH_BPF`,
/// `SO_ATTACH_REUSEPORT_CBPF` and `SO_ATTACH_REUSEPORT_EBPF`.
const PROGRAMS: [i32; 4] = [26, 50, 51, 52];

/// Options that put keys beside a stream: `TCP_MD5SIG`, `TCP_MD5SIG_EXT` and `TCP_AO_ADD_KEY`.
const KEYS: [i32; 3] = [14, 32, 38];

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
    for_call(program, libc::SYS_setsockopt, &option_check());
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
    let load = vec![statement(LOAD, argument(index))];
    [load, each_of(values, errno(0)), each_other(ALLOW)].concat()
}

/// Any option of sockets themselves except some; of other levels those of
/// [`requests::SOCKET_OPTIONS`], and keys are refused. All others get the answer of a kernel that
/// does not know them.
fn option_check() -> Vec<sock_filter> {
    let refused = errno(libc::EPERM);
    let of_socket = [each_of(&PROGRAMS, refused), each_of(&BUFFERS, errno(0)), each_other(ALLOW)];
    let mut check = vec![statement(LOAD, argument(1))];
    check.extend(of_level(libc::SOL_SOCKET, &of_socket.concat()));
    for (level, options) in requests::SOCKET_OPTIONS {
        let keys = if *level == libc::IPPROTO_TCP { each_of(&KEYS, refused) } else { Vec::new() };
        let body = [keys, each_of(options, ALLOW), each_other(errno(libc::ENOPROTOOPT))].concat();
        check.extend(of_level(*level, &body));
    }
    check.extend(each_other(errno(libc::ENOPROTOOPT)));
    check
}

/// Returns the statements for that level, with the option loaded; `body` never comes to its end.
fn of_level(level: i32, body: &[sock_filter]) -> Vec<sock_filter> {
    let length = u8::try_from(body.len() + 1).expect("few options");
    let head = [jump(JUMP_EQUAL, level.unsigned_abs(), 0, length), statement(LOAD, argument(2))];
    head.into_iter().chain(body.iter().cloned()).collect()
}

fn each_other(answer: u32) -> Vec<sock_filter> {
    vec![statement(RETURN, answer)]
}

/// Limits of oneself, which is what 0 means; the limit of core dumps can only be read.
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

//! The system call filter (seccomp): the calls that programs in a seat may make.
//!
//! It allows a call or gives one of four answers: success without effect for calls that
//! would affect others, `EPERM` for known dangerous calls, `EOPNOTSUPP` or
//! `EAFNOSUPPORT` where programs can continue without the feature, and `ENOSYS` for
//! everything that is not listed, including foreign ABIs, as if the kernel were older.
//! The filter never kills a program.
//!
//! The kernel remembers which calls are always allowed, so the list costs
//! nothing later. Only the few calls whose arguments matter run the filter program,
//! and they come first.

mod calls;
mod requests;
mod sockets;
mod without_effect;

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, sock_filter};

use crate::error::SandboxError;

pub(super) const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
pub(super) const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
pub(super) const JUMP_BITS: u16 = 0x45;
pub(super) const RETURN: u16 = 0x06;

pub(super) const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;
/// Offsets in the kernel's `struct seccomp_data`.
pub(super) const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;

/// Calls of the x32 ABI have this bit set.
const X32: u32 = 0x4000_0000;
/// `F_SET_RW_HINT` and `F_SET_FILE_RW_HINT`.
const SET_WRITE_HINT: i32 = 1036;
const SET_FILE_WRITE_HINT: i32 = 1038;
/// `RWF_APPEND` and `RWF_NOAPPEND`: the only flags allowed for a single read or write.
const APPENDING: u32 = 0x30;
/// First process of a process id name space.
const FIRST: u32 = 1;
/// Every `CLONE_NEW*` flag.
const NEW_NAME_SPACES: u32 = 0x7e02_0080;

/// Offset of the low half of an argument.
pub(super) const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

pub(super) fn errno(number: i32) -> u32 {
    ERRNO | number.unsigned_abs()
}

pub(super) fn statement(code: u16, k: u32) -> sock_filter {
    sock_filter { code, jt: 0, jf: 0, k }
}

/// Skips `yes` or `no` statements.
pub(super) fn jump(code: u16, k: u32, yes: u8, no: u8) -> sock_filter {
    sock_filter { code, jt: yes, jf: no, k }
}

/// Adds statements that only run for one call.
pub(super) fn for_call(program: &mut BpfProgram, call: i64, body: &[sock_filter]) {
    let length = u8::try_from(body.len()).expect("bodies are short");
    program.push(jump(JUMP_EQUAL, number(call), 0, length));
    program.extend_from_slice(body);
}

pub(super) fn number(call: i64) -> u32 {
    u32::try_from(call).expect("call numbers are small")
}

/// Further restrictions on programs, for features that the host lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilterOptions {
    /// No group limits memory: programs may not make memory that belongs to no process.
    pub(crate) memory_group: bool,
    /// System V objects, sockets and locks would be shared with the whole host.
    pub(crate) name_spaces: bool,
    /// Programs are copies of a server: they lock themselves in, away from it.
    pub(crate) server: bool,
    /// Permitted use of the host's network.
    pub(crate) network: HostNetwork,
}

/// Permitted use of a network that is not the seat's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HostNetwork {
    /// It is free to be used, or the seat's own with ports or servers. Some of their runtimes list
    /// its interfaces.
    #[default]
    Free,
    /// It is the seat's own, and nobody else is there.
    Empty,
    /// Stream connections can be asked for, which the launcher makes.
    ConnectionsOnly,
    /// As before, and sockets that listen can be asked for.
    Servers,
    /// Nothing.
    Closed,
}

impl FilterOptions {
    /// Returns the calls that are answered with "not implemented" for that.
    fn calls(self) -> impl Iterator<Item = i64> {
        let when = |lacking: bool, calls: &'static [i64]| if lacking { calls } else { &[] };
        when(self.memory_group, calls::OWNERLESS_MEMORY)
            .iter()
            .chain(when(self.name_spaces, calls::SHARED_OBJECTS))
            .copied()
    }
}

/// Builds the filter.
pub(crate) fn program(lacking: FilterOptions) -> BpfProgram {
    let mut program = vec![
        statement(LOAD, ARCHITECTURE),
        jump(JUMP_EQUAL, NATIVE, 1, 0),
        statement(RETURN, errno(libc::ENOSYS)),
        statement(LOAD, NUMBER),
        jump(JUMP_AT_LEAST, X32, 0, 1),
        statement(RETURN, errno(libc::ENOSYS)),
    ];
    for call in lacking.calls() {
        for_call(&mut program, call, &[statement(RETURN, errno(libc::ENOSYS))]);
    }
    if lacking.memory_group {
        // As for files that cannot be sent so: runtimes then copy.
        for call in calls::PAGES_OF_FILES {
            for_call(&mut program, *call, &[statement(RETURN, errno(libc::EINVAL))]);
        }
    }
    if lacking.server {
        let (make, add) = (libc::SYS_landlock_create_ruleset, libc::SYS_landlock_add_rule);
        for call in [make, add, libc::SYS_landlock_restrict_self] {
            for_call(&mut program, call, &[statement(RETURN, ALLOW)]);
        }
    }
    for_call(&mut program, libc::SYS_fcntl, &file_check(lacking));
    if lacking.name_spaces {
        // A watch on a file of the host shows every process that opens it. Programs can do without.
        let none_left = statement(RETURN, errno(libc::ENOSPC));
        for_call(&mut program, libc::SYS_inotify_add_watch, &[none_left]);
        without_effect::add_locks(&mut program);
    }
    sockets::add_checks(&mut program, lacking.network);
    without_effect::add(&mut program);
    add_checked_calls(&mut program, lacking);
    program.extend(search(&runs()));
    program
}

/// Returns the runs of calls with the same answer: first call and answer, ascending from 0.
fn runs() -> Vec<(u32, u32)> {
    let mut answers = BTreeMap::new();
    for (calls, answer) in [
        (calls::ALLOWED, ALLOW),
        (calls::ALLOWED_LEGACY, ALLOW),
        (calls::REFUSED, errno(libc::EPERM)),
        (calls::UNSUPPORTED, errno(libc::EOPNOTSUPP)),
    ] {
        answers.extend(calls.iter().map(|call| (number(*call), answer)));
    }
    let last = answers.last_key_value().map_or(0, |(call, _)| *call);
    let answer = |call: u32| answers.get(&call).copied().unwrap_or(errno(libc::ENOSYS));
    let mut runs = vec![(0, answer(0))];
    for call in 1..=last + 1 {
        if runs.last().is_some_and(|(_, before)| *before != answer(call)) {
            runs.push((call, answer(call)));
        }
    }
    runs
}

/// Finds the run of a call by halving: the kernel tries the program for every
/// call there is when it is installed.
fn search(runs: &[(u32, u32)]) -> Vec<sock_filter> {
    let middle = runs.len() / 2;
    if middle == 0 {
        return runs.iter().map(|(_, answer)| statement(RETURN, *answer)).collect();
    }
    let (low, high) = runs.split_at(middle);
    let low = search(low);
    let skipped = u8::try_from(low.len()).expect("the list of calls has few runs");
    let mut program = vec![jump(JUMP_AT_LEAST, high[0].0, skipped, 0)];
    program.extend(low);
    program.extend(search(high));
    program
}

/// Calls that are allowed for some arguments only.
fn add_checked_calls(program: &mut BpfProgram, lacking: FilterOptions) {
    let refused = statement(RETURN, errno(libc::EPERM));
    let allowed = statement(RETURN, ALLOW);
    for_call(program, libc::SYS_clone, &clone_check(lacking));
    // Only on oneself, which is what 0 means.
    for_call(
        program,
        libc::SYS_sched_setattr,
        &[
            statement(LOAD, argument(0)),
            jump(JUMP_EQUAL, 0, 1, 0),
            refused.clone(),
            allowed.clone(),
        ],
    );
    add_launcher_checks(program);
    for_call(program, libc::SYS_prctl, &process_check(lacking));
    if lacking.name_spaces {
        // As a kernel without the flag. The launcher would not see files of a thread with its own
        // table.
        let own_table = without(2, libc::CLOSE_RANGE_UNSHARE, libc::EINVAL);
        for_call(program, libc::SYS_close_range, &own_table);
    }
    // Flags of these calls show whether another process has read a part of a file, drop the part
    // from memory, or make the disk write at once. Not every file system has them.
    for call in [libc::SYS_preadv2, libc::SYS_pwritev2] {
        for_call(program, call, &without(5, !APPENDING, libc::EOPNOTSUPP));
    }
    // As if none were left: huge pages come from one stock of the whole computer, and the kernel
    // charges them to no group's memory.
    for (call, index, flag) in [
        (libc::SYS_mmap, 3, libc::MAP_HUGETLB.unsigned_abs()),
        (libc::SYS_memfd_create, 1, libc::MFD_HUGETLB),
        (libc::SYS_shmget, 2, libc::SHM_HUGETLB.unsigned_abs()),
    ] {
        for_call(program, call, &without(index, flag, libc::ENOMEM));
    }
    // As descriptors that know no such request: flags and versions would stay with the folders that
    // a seat keeps, and file systems, devices and name spaces have hundreds more.
    for_call(program, libc::SYS_ioctl, &only(1, &[], requests::REQUESTS, libc::ENOTTY));
    // Asking for the personality (all ones) and setting the plain one (0).
    for_call(
        program,
        libc::SYS_personality,
        &[
            statement(LOAD, argument(0)),
            jump(JUMP_EQUAL, u32::MAX, 2, 0),
            jump(JUMP_EQUAL, 0, 1, 0),
            refused,
            allowed,
        ],
    );
}

/// Allows a call without these flags in an argument.
fn without(index: u32, flags: u32, refusal: i32) -> [sock_filter; 4] {
    [
        statement(LOAD, argument(index)),
        jump(JUMP_BITS, flags, 0, 1),
        statement(RETURN, errno(refusal)),
        statement(RETURN, ALLOW),
    ]
}

/// Allows anything but name spaces. Where checks bound the size of files, it also refuses threads
/// with descriptors of their own, because the checks read only those of a process's first thread.
fn clone_check(lacking: FilterOptions) -> Vec<sock_filter> {
    let refused = statement(RETURN, errno(libc::EPERM));
    let mut check =
        vec![statement(LOAD, argument(0)), jump(JUMP_BITS, NEW_NAME_SPACES, 0, 1), refused.clone()];
    if lacking.name_spaces {
        check.extend([
            jump(JUMP_BITS, libc::CLONE_THREAD.unsigned_abs(), 0, 2),
            jump(JUMP_BITS, libc::CLONE_FILES.unsigned_abs(), 1, 0),
            refused,
        ]);
    }
    check.push(statement(RETURN, ALLOW));
    check
}

/// Allows the options of `prctl` that runtimes use and refuses all others. Some of those affect
/// other seats: one keeps the processor's other half idle, which may be the opponent's; one shares
/// equal pages with other processes. A launcher that is an ordinary user cannot see the files of a
/// process that hides from tracers, so in its seats no program can hide. Only copies of a server
/// filter themselves, away from it.
fn process_check(lacking: FilterOptions) -> Vec<sock_filter> {
    let hides = jump(JUMP_EQUAL, libc::PR_SET_DUMPABLE.unsigned_abs(), 0, 1);
    let filters = jump(JUMP_EQUAL, libc::PR_SET_SECCOMP.unsigned_abs(), 0, 1);
    let mut before = Vec::new();
    if lacking.name_spaces {
        before.extend([hides, statement(RETURN, errno(0))]);
    }
    if lacking.server {
        before.extend([filters, statement(RETURN, ALLOW)]);
    }
    only(0, &before, requests::OPTIONS, libc::EINVAL)
}

/// Allows these values of an argument, for which `before` has no other answer, and refuses all
/// others.
fn only(index: u32, before: &[sock_filter], values: &[u32], refusal: i32) -> Vec<sock_filter> {
    let mut check = vec![statement(LOAD, argument(index))];
    check.extend_from_slice(before);
    check.extend(each(values.iter().copied(), ALLOW));
    check.push(statement(RETURN, errno(refusal)));
    check
}

/// Gives that answer if the word is one of these, and continues otherwise.
fn each(values: impl ExactSizeIterator<Item = u32>, answer: u32) -> Vec<sock_filter> {
    let left = (0..values.len()).rev();
    let mut check: Vec<_> = values
        .zip(left)
        .map(|(value, left)| match u8::try_from(left).expect("few values") {
            0 => jump(JUMP_EQUAL, value, 0, 1),
            left => jump(JUMP_EQUAL, value, left, 0),
        })
        .collect();
    check.extend((!check.is_empty()).then(|| statement(RETURN, answer)));
    check
}

/// As [`each`], for constants of the C library.
fn each_of(values: &[i32], answer: u32) -> Vec<sock_filter> {
    each(values.iter().map(|value| value.unsigned_abs()), answer)
}

/// Refuses some commands of `fcntl`: hints that would stay with a folder of the seat or a file of
/// the host; larger pipes where nothing counts their content; and, where files are the host's,
/// leases and notices, which delay or announce others that open the same file. Locks of parts of
/// files have no effect: a bot's files are its own, and the kernel charges the memory of such locks
/// to no process.
fn file_check(lacking: FilterOptions) -> Vec<sock_filter> {
    let when = |is: bool, commands: &'static [i32]| if is { commands } else { &[] };
    let watched = when(lacking.name_spaces, &[libc::F_SETLEASE, libc::F_NOTIFY]);
    let large = when(lacking.memory_group, &[libc::F_SETPIPE_SZ]);
    let refused = [&[SET_WRITE_HINT, SET_FILE_WRITE_HINT], watched, large].concat();
    let locks = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
    let answers = [each_of(&refused, errno(libc::EPERM)), each_of(&locks, errno(0))].concat();
    [vec![statement(LOAD, argument(1))], answers, vec![statement(RETURN, ALLOW)]].concat()
}

/// Allows changes of niceness and policy, except the launcher's, from which later programs would
/// inherit them. So a group or a user, to which the launcher may belong, cannot be named at all.
fn add_launcher_checks(program: &mut BpfProgram) {
    let launcher = std::process::id();
    let refused = statement(RETURN, errno(libc::EPERM));
    let allowed = statement(RETURN, ALLOW);
    for_call(
        program,
        libc::SYS_setpriority,
        &[
            statement(LOAD, argument(0)),
            jump(JUMP_EQUAL, libc::PRIO_PROCESS, 0, 2),
            statement(LOAD, argument(1)),
            jump(JUMP_EQUAL, launcher, 0, 1),
            refused.clone(),
            allowed.clone(),
        ],
    );
    for_call(
        program,
        libc::SYS_sched_setparam,
        &[statement(LOAD, argument(0)), jump(JUMP_EQUAL, launcher, 0, 1), refused, allowed],
    );
    for_call(program, libc::SYS_sched_setscheduler, &ordinary_policy_check(launcher));
    // The launcher and the first process, which holds the name spaces, outlive programs, which
    // could leave a mark in the time these have spent.
    let clocks = [libc::SYS_clock_gettime, libc::SYS_clock_getres];
    for call in clocks.into_iter().chain([libc::SYS_clock_nanosleep, libc::SYS_timer_create]) {
        for_call(program, call, &clock_check([launcher, FIRST]));
    }
}

/// Allows any clock except the clocks of the processor time of these processes and their threads.
/// The kernel names those by the complement of the process's number and three bits for the kind.
fn clock_check(processes: [u32; 2]) -> Vec<sock_filter> {
    let refuse = |process: u32| {
        let first = !process << 3;
        [
            jump(JUMP_AT_LEAST, first + 8, 2, 0),
            jump(JUMP_AT_LEAST, first, 0, 1),
            statement(RETURN, errno(libc::EINVAL)),
        ]
    };
    let check = std::iter::once(statement(LOAD, argument(0)));
    check.chain(processes.into_iter().flat_map(refuse)).chain([statement(RETURN, ALLOW)]).collect()
}

/// The policies other (0), batch (3) and idle (5), on oneself or another of the seat but its
/// launcher.
fn ordinary_policy_check(launcher: u32) -> [sock_filter; 8] {
    [
        statement(LOAD, argument(0)),
        jump(JUMP_EQUAL, launcher, 4, 0),
        statement(LOAD, argument(1)),
        jump(JUMP_EQUAL, 0, 3, 0),
        jump(JUMP_EQUAL, 3, 2, 0),
        jump(JUMP_EQUAL, 5, 1, 0),
        statement(RETURN, errno(libc::EPERM)),
        statement(RETURN, ALLOW),
    ]
}

/// Returns the filter, as the kernel reads it, that keeps programs of the same user from changing
/// how a process is scheduled. The seat's filter or Landlock refuses everything else they could do
/// to it.
pub(crate) fn keep_from(process: u32) -> Vec<u8> {
    let refused = statement(RETURN, errno(libc::EPERM));
    let allowed = statement(RETURN, ALLOW);
    let mut program = vec![statement(LOAD, NUMBER)];
    for (call, index) in [
        (libc::SYS_setpriority, 1),
        (libc::SYS_sched_setparam, 0),
        (libc::SYS_sched_setscheduler, 0),
    ] {
        let body = [
            statement(LOAD, argument(index)),
            jump(JUMP_EQUAL, process, 0, 1),
            refused.clone(),
            allowed.clone(),
        ];
        for_call(&mut program, call, &body);
    }
    program.push(allowed);
    let bytes = |one: &sock_filter| {
        [one.code.to_ne_bytes().as_slice(), &[one.jt, one.jf], &one.k.to_ne_bytes()].concat()
    };
    program.iter().flat_map(bytes).collect()
}

/// Installs the filter permanently for this process and all that it will start.
pub(crate) fn install(lacking: FilterOptions) -> Result<(), SandboxError> {
    seccompiler::apply_filter(&program(lacking))
        .map_err(|error| SandboxError::because("install the system call filter", error.to_string()))
}

#[cfg(test)]
mod tests;

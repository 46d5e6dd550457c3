mod sockets;

use std::cell::Cell;
use std::collections::BTreeSet;

use super::*;

/// `PR_SCHED_CORE` and `PR_SET_MEMORY_MERGE`.
const SCHEDULE_CORES: i32 = 62;
const MERGE_MEMORY: i32 = 67;
/// Success, and nothing happened.
const DONE: u32 = 0x0005_0000;

std::thread_local! {
    static LACKING: Cell<FilterOptions> = const {
        Cell::new(FilterOptions { memory_group: false, server: false, name_spaces: false, network: HostNetwork::Free })
    };
}

/// Runs the filter as the kernel would, for a call with these low argument words.
fn answer<const N: usize>(architecture: u32, call: u32, arguments: [u32; N]) -> u32 {
    let program = program(LACKING.get());
    let (mut at, mut value) = (0, 0);
    loop {
        let step = &program[at];
        at += 1;
        let chosen = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
        match step.code {
            LOAD if step.k == NUMBER => value = call,
            LOAD if step.k == ARCHITECTURE => value = architecture,
            // The high half of an argument.
            LOAD if step.k % 8 == 4 => value = 0,
            LOAD => value = arguments[(0..6).position(|index| argument(index) == step.k).unwrap()],
            AND => value &= step.k,
            JUMP_EQUAL => at += chosen(value == step.k),
            JUMP_AT_LEAST => at += chosen(value >= step.k),
            JUMP_BITS => at += chosen(value & step.k != 0),
            RETURN => return step.k,
            other => panic!("unexpected statement {other}"),
        }
    }
}

fn call(call: i64, first: i32, second: i32) -> u32 {
    answer(NATIVE, number(call), [first.cast_unsigned(), second.cast_unsigned(), 0, 0])
}

fn socket(family: i32, kind: i32, protocol: i32) -> u32 {
    let arguments = [family, kind, protocol, 0].map(i32::cast_unsigned);
    answer(NATIVE, number(libc::SYS_socket), arguments)
}

#[test]
fn ordinary_calls_are_allowed() {
    assert_eq!(call(libc::SYS_read, 0, 0), ALLOW);
}

#[test]
fn a_thread_may_be_made() {
    assert_eq!(call(libc::SYS_clone, libc::CLONE_VM | libc::CLONE_THREAD, 0), ALLOW);
}

#[test]
fn where_looks_bound_files_no_thread_has_files_of_its_own() {
    let thread = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
    let unshared = |flags: u32| answer(NATIVE, number(libc::SYS_close_range), [3, u32::MAX, flags]);
    assert_eq!(call(libc::SYS_clone, thread, 0), ALLOW);
    assert_eq!(unshared(libc::CLOSE_RANGE_UNSHARE), ALLOW);
    LACKING.set(FilterOptions { name_spaces: true, ..FilterOptions::default() });
    assert_eq!(call(libc::SYS_clone, thread, 0), errno(libc::EPERM));
    assert_eq!(call(libc::SYS_clone, thread | libc::CLONE_FILES, 0), ALLOW);
    assert_eq!(call(libc::SYS_clone, libc::SIGCHLD, 0), ALLOW, "a process");
    assert_eq!(call(libc::SYS_clone, libc::CLONE_NEWUSER, 0), errno(libc::EPERM));
    assert_eq!(unshared(libc::CLOSE_RANGE_UNSHARE), errno(libc::EINVAL));
    assert_eq!(unshared(4), ALLOW, "close when another program is run");
}

#[test]
fn where_looks_bound_files_nobody_hides_from_them() {
    let hide = || call(libc::SYS_prctl, libc::PR_SET_DUMPABLE, 0);
    assert_eq!(hide(), ALLOW);
    LACKING.set(FilterOptions { name_spaces: true, ..FilterOptions::default() });
    assert_eq!(hide(), errno(0));
    assert_eq!(call(libc::SYS_prctl, libc::PR_GET_DUMPABLE, 0), ALLOW);
    assert_eq!(call(libc::SYS_prctl, libc::PR_SET_SECCOMP, 2), errno(libc::EINVAL));
    assert_eq!(call(libc::SYS_prctl, MERGE_MEMORY, 1), errno(libc::EINVAL));
}

#[test]
fn where_no_group_counts_memory_no_kind_is_made_that_belongs_to_nobody() {
    let kinds = [libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget, libc::SYS_memfd_create];
    assert_eq!(kinds.map(|kind| call(kind, 0, 0)), [ALLOW; 4]);
    LACKING.set(FilterOptions { memory_group: true, ..FilterOptions::default() });
    assert_eq!(kinds.map(|kind| call(kind, 0, 0)), [errno(libc::ENOSYS); 4]);
}

#[test]
fn where_no_group_counts_memory_no_page_of_a_file_is_kept_by_a_pipe_or_socket() {
    let calls = [libc::SYS_splice, libc::SYS_tee, libc::SYS_sendfile];
    assert_eq!(calls.map(|it| call(it, 3, 4)), [ALLOW; 3]);
    LACKING.set(FilterOptions { memory_group: true, ..FilterOptions::default() });
    assert_eq!(calls.map(|it| call(it, 3, 4)), [errno(libc::EINVAL); 3]);
}

#[test]
fn nobody_takes_of_the_computers_huge_pages() {
    let private = libc::MAP_PRIVATE.unsigned_abs();
    let map = |flags: u32| answer(NATIVE, number(libc::SYS_mmap), [0, 4096, 3, flags, 0, 0]);
    assert_eq!(map(private), ALLOW);
    assert_eq!(map(private | libc::MAP_HUGETLB.unsigned_abs()), errno(libc::ENOMEM));
    let file = libc::MFD_CLOEXEC.cast_signed();
    assert_eq!(call(libc::SYS_memfd_create, 0, file), ALLOW);
    let huge = file | libc::MFD_HUGETLB.cast_signed();
    assert_eq!(call(libc::SYS_memfd_create, 0, huge), errno(libc::ENOMEM));
    let shared = [0, 4096, libc::SHM_HUGETLB.unsigned_abs(), 0];
    assert_eq!(answer(NATIVE, number(libc::SYS_shmget), shared), errno(libc::ENOMEM));
}

#[test]
fn a_name_space_may_not_be_made() {
    for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWNET, libc::CLONE_NEWPID] {
        assert_eq!(call(libc::SYS_clone, flag | libc::SIGCHLD, 0), errno(libc::EPERM));
    }
    assert_eq!(call(libc::SYS_unshare, 0, 0), errno(libc::EPERM));
    assert_eq!(call(libc::SYS_clone3, 0, 0), errno(libc::ENOSYS));
}

#[test]
fn the_launchers_niceness_is_nobodys_business() {
    let (launcher, other) =
        (std::process::id().cast_signed(), std::process::id().cast_signed() + 1);
    let process = libc::PRIO_PROCESS.cast_signed();
    assert_eq!(call(libc::SYS_setpriority, process, 0), ALLOW);
    assert_eq!(call(libc::SYS_setpriority, process, other), ALLOW);
    for (which, who) in [
        (process, launcher),
        (libc::PRIO_PGRP.cast_signed(), 0),
        (libc::PRIO_USER.cast_signed(), 0),
    ] {
        assert_eq!(call(libc::SYS_setpriority, which, who), errno(libc::EPERM));
    }
    for scheduling in [libc::SYS_sched_setscheduler, libc::SYS_sched_setparam] {
        assert_eq!(call(scheduling, other, 0), ALLOW);
        assert_eq!(call(scheduling, launcher, 0), errno(libc::EPERM));
    }
}

#[test]
fn the_time_of_the_launcher_and_the_first_process_is_nobodys_business() {
    let clock = |process: u32, which: i32| !process.cast_signed() * 8 + which;
    let launcher = std::process::id();
    let calls = [libc::SYS_clock_gettime, libc::SYS_clock_getres];
    for asking in calls.into_iter().chain([libc::SYS_clock_nanosleep, libc::SYS_timer_create]) {
        for which in 0..8 {
            for ours in [launcher, FIRST] {
                assert_eq!(call(asking, clock(ours, which), 0), errno(libc::EINVAL));
            }
            for other in [0, launcher - 1, launcher + 1, 1 << 22] {
                assert_eq!(call(asking, clock(other, which), 0), ALLOW);
            }
            assert_eq!(call(asking, which, 0), ALLOW);
        }
    }
}

#[test]
fn nothing_is_noted_on_a_folder_that_stays() {
    // `FS_IOC_SETFLAGS` and `FS_IOC_SETVERSION`, with their 32-bit forms, and `FS_IOC_FSSETXATTR`.
    let lasting = [0x4008_6602, 0x4004_6602, 0x4008_7602, 0x4004_7602, 0x401c_5820];
    for request in lasting {
        assert_eq!(call(libc::SYS_ioctl, 3, request), errno(libc::ENOTTY));
    }
    assert_eq!(call(libc::SYS_ioctl, 3, 0x5421), ALLOW);
    for hint in [SET_WRITE_HINT, SET_FILE_WRITE_HINT] {
        assert_eq!(call(libc::SYS_fcntl, 3, hint), errno(libc::EPERM));
    }
    assert_eq!(call(libc::SYS_fcntl, 3, libc::F_SETFL), ALLOW);
}

#[test]
fn nobody_is_told_by_a_file_of_the_host() {
    let locks = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
    for lock in locks {
        assert_eq!(call(libc::SYS_fcntl, 3, lock), errno(0), "nobody counts what it takes");
    }
    assert_eq!(call(libc::SYS_inotify_add_watch, 3, 0), ALLOW);
    LACKING.set(FilterOptions { name_spaces: true, ..FilterOptions::default() });
    for lock in locks {
        assert_eq!(call(libc::SYS_fcntl, 3, lock), errno(0));
    }
    for request in [libc::F_SETLEASE, libc::F_NOTIFY] {
        assert_eq!(call(libc::SYS_fcntl, 3, request), errno(libc::EPERM));
    }
    assert_eq!(call(libc::SYS_fcntl, 3, libc::F_GETLK), ALLOW);
    assert_eq!(call(libc::SYS_inotify_add_watch, 3, 0), errno(libc::ENOSPC));
}

#[test]
fn a_reading_asks_for_nothing_but_bytes() {
    let read = |flags: u32| answer(NATIVE, number(libc::SYS_preadv2), [3, 0, 1, 0, 0, flags]);
    assert_eq!([0, 0x10, 0x20].map(read), [ALLOW; 3]);
    // At once or not at all, of no further use, to the disk at once, something new.
    assert_eq!([8, 0x80, 2, 1 << 30].map(read), [errno(libc::EOPNOTSUPP); 4]);
}

#[test]
fn no_page_is_shared_with_others_that_have_its_equal() {
    for option in [SCHEDULE_CORES, MERGE_MEMORY] {
        assert_eq!(call(libc::SYS_prctl, option, 1), errno(libc::EINVAL));
    }
    assert_eq!(call(libc::SYS_prctl, libc::PR_SET_NAME, 0), ALLOW);
}

#[test]
fn memory_has_no_names_which_nobody_would_count() {
    const NAME_MEMORY: i32 = 0x5356_4d41;
    assert_eq!(call(libc::SYS_prctl, NAME_MEMORY, 0), errno(libc::EINVAL));
}

#[test]
fn an_unknown_request_or_option_is_refused() {
    for request in [0x5412_u32, 0x5401, 0xb702, 0x4004_9409, 0x8946, u32::MAX] {
        assert_eq!(call(libc::SYS_ioctl, 3, request.cast_signed()), errno(libc::ENOTTY));
    }
    let options = [libc::PR_SET_MM, libc::PR_SET_SECCOMP, libc::PR_CAP_AMBIENT, 1000, -1];
    for option in options {
        assert_eq!(call(libc::SYS_prctl, option, 0), errno(libc::EINVAL));
    }
}

#[test]
fn an_unknown_call_is_not_implemented() {
    assert_eq!(answer(NATIVE, 9_999, [0; 4]), errno(libc::ENOSYS));
}

#[test]
fn foreign_abis_are_not_implemented() {
    const I386: u32 = 0x4000_0003;
    assert_eq!(answer(I386, 4, [0; 4]), errno(libc::ENOSYS));
    assert_eq!(answer(NATIVE, X32 | 1, [0; 4]), errno(libc::ENOSYS));
}

#[test]
fn limits_of_others_are_out_of_reach() {
    assert_eq!(call(libc::SYS_prlimit64, 0, 7), ALLOW);
    assert_eq!(call(libc::SYS_prlimit64, 1, 7), errno(libc::EPERM));
}

#[test]
fn real_time_policies_are_refused() {
    assert_eq!(call(libc::SYS_sched_setscheduler, 0, libc::SCHED_OTHER), ALLOW);
    assert_eq!(call(libc::SYS_sched_setscheduler, 0, libc::SCHED_FIFO), errno(libc::EPERM));
}

#[test]
fn no_call_is_in_two_lists() {
    let mut seen = BTreeSet::new();
    for list in [calls::ALLOWED, calls::ALLOWED_LEGACY, calls::REFUSED, calls::UNSUPPORTED] {
        for call in list {
            assert!(seen.insert(call), "call {call} is listed twice");
        }
    }
}

#[test]
fn no_processor_is_kept_idle_for_others() {
    assert_eq!(call(libc::SYS_prctl, 62, 1), errno(libc::EINVAL));
    assert_eq!(call(libc::SYS_prctl, libc::PR_SET_NAME, 0), ALLOW);
}

#[test]
fn where_a_group_counts_memory_pipes_may_be_large() {
    assert_eq!(call(libc::SYS_fcntl, 0, libc::F_SETPIPE_SZ), ALLOW);
    assert_eq!(call(libc::SYS_fcntl, 0, libc::F_SETLEASE), ALLOW);
    assert_eq!(call(libc::SYS_vmsplice, 1, 0), ALLOW);
}

#[test]
fn where_name_spaces_are_missing_nothing_shared_can_be_made() {
    LACKING.set(FilterOptions {
        memory_group: true,
        server: false,
        name_spaces: true,
        network: HostNetwork::Closed,
    });
    for refused in [libc::SYS_memfd_create, libc::SYS_shmget, libc::SYS_socket, libc::SYS_openat2] {
        assert_eq!(call(refused, libc::AF_UNIX, libc::SOCK_STREAM), errno(libc::ENOSYS));
    }
    assert_eq!(call(libc::SYS_flock, 3, libc::LOCK_EX), errno(0), "nobody else sees it");
    for refused in [libc::SYS_bind, libc::SYS_listen, libc::SYS_connect] {
        assert_eq!(call(refused, 3, 0), errno(libc::EACCES));
    }
    assert_eq!(call(libc::SYS_fcntl, 0, libc::F_SETLEASE), errno(libc::EPERM));
    assert_eq!(call(libc::SYS_fcntl, 0, libc::F_GETFL), ALLOW);
    assert_eq!(call(libc::SYS_fcntl, 0, libc::F_SETPIPE_SZ), errno(libc::EPERM));
    assert_eq!(call(libc::SYS_vmsplice, 1, 0), errno(libc::ENOSYS));
    no_pair_can_send_elsewhere();
}

/// Either end of a pair of datagram sockets can send to any address of the host.
fn no_pair_can_send_elsewhere() {
    let pair = |kind| call(libc::SYS_socketpair, libc::AF_UNIX, kind);
    assert_eq!(pair(libc::SOCK_STREAM | libc::SOCK_CLOEXEC), ALLOW);
    assert_eq!(pair(libc::SOCK_SEQPACKET), ALLOW);
    assert_eq!(pair(libc::SOCK_DGRAM), errno(libc::EPERM));
    assert_eq!(pair(libc::SOCK_RAW), errno(libc::EPERM), "the kernel makes a datagram socket");
}

#[test]
fn what_is_done_to_others_is_done_by_name_only() {
    LACKING.set(FilterOptions::default());
    for nothing in [libc::SYS_sync, libc::SYS_fadvise64, libc::SYS_fsync, libc::SYS_readahead] {
        assert_eq!(call(nothing, 3, 0), DONE, "call {nothing}");
    }
    let advise = |advice: i32| answer(NATIVE, number(libc::SYS_madvise), [1, 2, advice as u32, 0]);
    assert_eq!(advise(libc::MADV_PAGEOUT), DONE);
    assert_eq!(advise(libc::MADV_COLD), DONE);
    assert_eq!(advise(libc::MADV_DONTNEED), ALLOW);
    let synchronise = |how: i32| answer(NATIVE, number(libc::SYS_msync), [1, 2, how as u32, 0]);
    assert_eq!((synchronise(libc::MS_SYNC), synchronise(libc::MS_ASYNC)), (DONE, ALLOW));
}

#[test]
fn the_limit_of_core_dumps_can_only_be_asked_for() {
    LACKING.set(FilterOptions::default());
    let limit = |of: u32, new: u32| answer(NATIVE, number(libc::SYS_prlimit64), [0, of, new, 1]);
    assert_eq!(limit(libc::RLIMIT_CORE, 0), ALLOW);
    assert_eq!(limit(libc::RLIMIT_CORE, 0x1000), DONE);
    assert_eq!(limit(libc::RLIMIT_STACK, 0x1000), ALLOW);
}

/// Newer architectures lack the older forms of these calls, so their programs use no others.
#[test]
fn newer_forms_of_older_calls_are_allowed() {
    LACKING.set(FilterOptions::default());
    let files = [
        libc::SYS_openat,
        libc::SYS_newfstatat,
        libc::SYS_faccessat,
        libc::SYS_getdents64,
        libc::SYS_renameat,
        libc::SYS_renameat2,
        libc::SYS_mkdirat,
        libc::SYS_unlinkat,
        libc::SYS_linkat,
        libc::SYS_symlinkat,
        libc::SYS_readlinkat,
        libc::SYS_fchmodat,
        libc::SYS_fchownat,
        libc::SYS_mknodat,
        libc::SYS_utimensat,
        libc::SYS_pipe2,
        libc::SYS_dup3,
    ];
    let others = [
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_create1,
        libc::SYS_epoll_pwait,
        libc::SYS_inotify_init1,
        libc::SYS_signalfd4,
        libc::SYS_eventfd2,
        libc::SYS_clone,
        libc::SYS_prlimit64,
        libc::SYS_setitimer,
        libc::SYS_getpgid,
        libc::SYS_clock_gettime,
    ];
    for newer in files.into_iter().chain(others) {
        assert_eq!(call(newer, 0, 0), ALLOW, "call {newer}");
    }
}

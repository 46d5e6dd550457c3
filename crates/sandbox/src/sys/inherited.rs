//! Inherited process state beside memory and descriptors: reads it and sets it back.

use std::ptr;

use nix::errno::Errno;

/// `ioprio_set`: of one process; 0 is none, which follows the niceness.
const IO_OF_PROCESS: libc::c_int = 1;
/// Timer slack that the kernel gives every process from the first one on, in nanoseconds.
const TIMER_SLACK: libc::c_ulong = 50_000;
/// `MPOL_DEFAULT`.
const LOCAL_MEMORY: libc::c_int = 0;
/// `KEYCTL_JOIN_SESSION_KEYRING`.
const JOIN_SESSION_KEYRING: libc::c_int = 1;
/// `PR_SET_MEMORY_MERGE`.
const MEMORY_MERGE: libc::c_int = 67;
/// `PR_GET_MDWE`.
const GET_MDWE: libc::c_int = 66;
/// `PR_MCE_KILL` and `PR_MCE_KILL_CLEAR`.
const MACHINE_CHECKS: (libc::c_int, libc::c_ulong) = (33, 0);
/// `PR_SET_SPECULATION_CTRL`, its `PR_SPEC_ENABLE`, and the two that slow a program down.
const SPECULATION: libc::c_int = 53;
const SPECULATION_ENABLED: libc::c_ulong = 1 << 1;
const SPECULATION_KINDS: [libc::c_ulong; 2] = [0, 1];
/// `PR_SET_TSC` and `PR_TSC_ENABLE`.
#[cfg(target_arch = "x86_64")]
const TIME_STAMPS: (libc::c_int, libc::c_ulong) = (26, 1);

/// `struct sched_attr` with the two fields of utilisation that came later.
#[repr(C)]
struct Schedule {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
    least_utilisation: u32,
    most_utilisation: u32,
}

/// `SCHED_FLAG_KEEP_ALL` with `SCHED_FLAG_UTIL_CLAMP`: nothing but the two utilisations.
const UTILISATION_ALONE: u64 = 0x08 | 0x10 | 0x20 | 0x40;

fn set_schedule(wanted: &Schedule) -> Result<(), Errno> {
    // SAFETY: the kernel reads as many bytes as `size` says, which live through the call.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, ptr::from_ref(wanted), 0) };
    Errno::result(result).map(drop)
}

/// Gives this process the ordinary scheduling class, niceness 0, ordinary slices and no bounds of
/// utilisation.
///
/// # Errors
///
/// What the kernel says when it does not let an ordinary user take niceness or an idle class back.
pub(crate) fn plain_schedule() -> Result<(), Errno> {
    let mut plain = Schedule {
        size: u32::try_from(size_of::<Schedule>()).expect("a small struct"),
        policy: libc::SCHED_OTHER.cast_unsigned(),
        flags: 0,
        nice: 0,
        priority: 0,
        runtime: 0,
        deadline: 0,
        period: 0,
        least_utilisation: 0,
        most_utilisation: 0,
    };
    let set = set_schedule(&plain).or_else(|errno| {
        // SAFETY: numbers only. The class alone, where the niceness cannot be taken back.
        plain.nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
        let class = set_schedule(&plain);
        if class.is_ok() && plain.nice == 0 { Ok(()) } else { Err(errno) }
    });
    let free = Schedule {
        flags: UTILISATION_ALONE,
        least_utilisation: u32::MAX,
        most_utilisation: u32::MAX,
        ..plain
    };
    // Few kernels have these.
    let _ = set_schedule(&free);
    set
}

/// Sets everything back that any process may set back and that few kernels refuse.
pub(crate) fn plain_settings() {
    // SAFETY: numbers and null pointers only; nothing here touches memory of this process.
    unsafe {
        libc::syscall(libc::SYS_ioprio_set, IO_OF_PROCESS, 0, 0);
        libc::syscall(libc::SYS_set_mempolicy, LOCAL_MEMORY, ptr::null::<libc::c_ulong>(), 0);
        libc::personality(0);
        libc::prctl(libc::PR_SET_TIMERSLACK, TIMER_SLACK, 0, 0, 0);
        libc::prctl(libc::PR_SET_THP_DISABLE, 0, 0, 0, 0);
        libc::prctl(MEMORY_MERGE, 0, 0, 0, 0);
        libc::prctl(MACHINE_CHECKS.0, MACHINE_CHECKS.1, 0, 0, 0);
        for kind in SPECULATION_KINDS {
            libc::prctl(SPECULATION, kind, SPECULATION_ENABLED, 0, 0);
        }
        #[cfg(target_arch = "x86_64")]
        libc::prctl(TIME_STAMPS.0, TIME_STAMPS.1, 0, 0, 0);
    }
}

/// Leaves the session keyring that was inherited for a new and empty one.
///
/// # Errors
///
/// What the kernel says, `ENOSYS` where it has no keys; a container may refuse all calls about keys.
pub(crate) fn join_new_keyring() -> Result<(), Errno> {
    // SAFETY: a number and a null pointer, which asks for a keyring without a name.
    let joined = unsafe {
        libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, ptr::null::<libc::c_char>())
    };
    Errno::result(joined).map(drop)
}

/// Gives SIGPIPE its ordinary meaning back, which the Rust runtime takes away at the start of
/// every program. Nothing in this process writes to a pipe, and its socket is written to without.
pub(crate) fn restore_pipe_signal() {
    // SAFETY: the default action is no handler; sigaction is plain data that lives through the call.
    unsafe {
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(libc::SIGPIPE, &raw const default, ptr::null_mut());
    }
}

/// Names this system's domain as one without a name.
pub(crate) fn forget_domain_name() {
    let name = b"(none)";
    // SAFETY: the bytes live through the call, and as many are read as is said.
    unsafe { libc::setdomainname(name.as_ptr().cast(), name.len()) };
}

/// Returns whether memory may never become executable after it was written, for good.
pub(crate) fn denies_written_code() -> bool {
    // SAFETY: numbers only.
    unsafe { libc::prctl(GET_MDWE, 0, 0, 0, 0) > 0 }
}

//! State of this process: its scheduling (class, niceness, slices and utilisation), what else it has
//! inherited beside memory and descriptors, and its memory: the size of a page, and what is freed
//! and goes back to the system.

use std::ptr;

use nix::errno::Errno;

/// The shortest slice the kernel gives, nanoseconds.
const SHORTEST_SLICE: u64 = 100_000;

/// The niceness that takes a processor from sixteen busy programs for nearly as long as it is
/// needed.
const FIRST: libc::c_int = -20;

/// `SCHED_FLAG_KEEP_ALL` with `SCHED_FLAG_UTIL_CLAMP`: nothing but the two utilisations.
const UTILISATION_ALONE: u64 = 0x08 | 0x10 | 0x20 | 0x40;

/// `struct sched_attr` with the two fields of utilisation that came later.
#[repr(C)]
#[derive(Default)]
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

impl Schedule {
    /// The ordinary class with this niceness.
    fn ordinary(nice: i32) -> Self {
        Self {
            size: u32::try_from(size_of::<Self>()).expect("a small struct"),
            policy: libc::SCHED_OTHER.cast_unsigned(),
            nice,
            ..Self::default()
        }
    }

    fn set(&self) -> Result<(), Errno> {
        // SAFETY: the kernel reads as many bytes as `size` says, which live through the call.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, ptr::from_ref(self), 0) };
        Errno::result(result).map(drop)
    }
}

fn niceness() -> i32 {
    // SAFETY: numbers only; this process may read its own niceness.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
}

/// Gives this process the ordinary scheduling class, niceness 0, ordinary slices and no bounds of
/// utilisation.
///
/// # Errors
///
/// The kernel's error when an ordinary user may not raise the priority or leave the idle class.
pub(crate) fn plain_schedule() -> Result<(), Errno> {
    let mut plain = Schedule::ordinary(0);
    let set = plain.set().or_else(|errno| {
        // The class alone, where the niceness cannot be taken back.
        plain.nice = niceness();
        let class = plain.set();
        if class.is_ok() && plain.nice == 0 { Ok(()) } else { Err(errno) }
    });
    let free = Schedule {
        flags: UTILISATION_ALONE,
        least_utilisation: u32::MAX,
        most_utilisation: u32::MAX,
        ..plain
    };
    // Few kernels have these.
    let _ = free.set();
    set
}

/// Asks for short slices, so that this process takes the processor from a busy one as soon as it is
/// woken, and to go before programs, so that it keeps it until it has looked at all of them.
/// Programs that it starts have ordinary slices and are not preferred. Kernels before 6.12 know no
/// slices, and a process without privileges cannot be preferred.
pub(crate) fn wake_promptly() -> Result<(), Errno> {
    let prompt = |nice| Schedule {
        flags: libc::SCHED_FLAG_RESET_ON_FORK.cast_unsigned().into(),
        runtime: SHORTEST_SLICE,
        ..Schedule::ordinary(nice)
    };
    // A process that was started nice must pass that on to its children, so it is not preferred.
    let nice = niceness();
    match (nice == 0).then(|| prompt(FIRST).set()) {
        Some(Ok(())) => Ok(()),
        _ => prompt(nice).set(),
    }
}

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

/// Replaces the inherited session keyring by a new, empty one.
///
/// # Errors
///
/// The kernel's error, `ENOSYS` if it has no keys; a container may refuse all calls about keys.
pub(crate) fn join_new_keyring() -> Result<(), Errno> {
    // SAFETY: a number and a null pointer, which asks for a keyring without a name.
    let joined = unsafe {
        libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, ptr::null::<libc::c_char>())
    };
    Errno::result(joined).map(drop)
}

/// Returns whether memory may never become executable once it was written; that cannot be undone.
pub(crate) fn denies_written_code() -> bool {
    // SAFETY: numbers only.
    unsafe { libc::prctl(GET_MDWE, 0, 0, 0, 0) > 0 }
}

/// The smallest block that is one mapping of its own, bytes.
#[cfg(target_env = "gnu")]
const LARGE: libc::c_int = 1 << 20;

/// Lets every freed block of a mebibyte and more go back to the system at once, in a process that
/// runs for days.
///
/// The C library of GNU has large blocks as mappings of their own, but each that is freed teaches
/// it to take such ones of its pools, and every thread has a pool of its own: a program whose
/// threads do the same work by turns grows with each of them. Other libraries do not learn.
///
/// Source: `mallopt(3)`, `M_MMAP_THRESHOLD`.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: two numbers; the library locks what it sets.
    let is_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    #[cfg(target_env = "gnu")]
    debug_assert_eq!(is_set, 1, "the threshold is below the largest one");
}

/// Returns the size of a page, bytes.
pub(crate) fn page_size() -> u64 {
    // SAFETY: it only returns a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 24 << 20;

    /// Returns how much memory this process has in use, bytes.
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib << 10
    }

    #[test]
    fn a_large_block_goes_back_also_after_others_of_its_size() {
        return_large_blocks();
        let before = resident();
        for _ in 0..3 {
            let block = std::hint::black_box(vec![1_u8; BLOCK]);
            assert!(resident() >= before + BLOCK / 2, "{} bytes are in use", block.len());
        }
        let kept = resident().saturating_sub(before);
        assert!(kept < BLOCK / 2, "{kept} bytes are still in use");
    }
}

//! Scheduling of this process: its class, niceness, slices and utilisation.

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

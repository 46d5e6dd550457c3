//! Scheduling: how soon this process runs once it is woken.

use nix::errno::Errno;

/// The shortest slice the kernel gives, nanoseconds.
const SHORTEST_SLICE: u64 = 100_000;

/// The niceness that takes a processor from sixteen busy programs for nearly as long as it is needed.
const FIRST: libc::c_int = -20;

/// Asks for short slices, so that this process takes the processor from a busy one as soon as it
/// is woken, and to go before programs, so that it keeps it until it has looked at all of them.
/// What it starts has ordinary slices and is not preferred. Kernels before 6.12 know no slices;
/// who is not privileged goes before nobody.
pub(crate) fn wake_promptly() -> Result<(), Errno> {
    // SAFETY: numbers only; this process may read its own niceness.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    // What is started by somebody who wants to be nice is to stay so, and would not.
    match (nice == 0).then(|| schedule(FIRST)) {
        Some(Ok(())) => Ok(()),
        _ => schedule(nice),
    }
}

fn schedule(nice: libc::c_int) -> Result<(), Errno> {
    let wanted = libc::sched_attr {
        size: u32::try_from(size_of::<libc::sched_attr>()).expect("a small struct"),
        sched_policy: libc::SCHED_OTHER.cast_unsigned(),
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK.cast_unsigned().into(),
        sched_nice: nice,
        sched_priority: 0,
        sched_runtime: SHORTEST_SLICE,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel reads as many bytes as `size` says, which live through the call.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
    Errno::result(result).map(drop)
}

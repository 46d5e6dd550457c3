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

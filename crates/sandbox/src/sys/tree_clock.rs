//! Processor time of this process and of all that it starts, counted by a kernel event. It includes
//! the time of children that ended unseen and that no parent waited for.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;

/// `PERF_TYPE_SOFTWARE` and `PERF_COUNT_SW_TASK_CLOCK`.
const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// Bits of an event's flags: started processes count, too; and the kernel and the hypervisor are
/// excluded, so that an unprivileged process may open it. This event counts their time all the
/// same.
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// The first form of `struct perf_event_attr`, which every kernel knows.
#[repr(C)]
#[derive(Default)]
struct EventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_kind: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_kind: u32,
    breakpoint_address: u64,
}

/// The open event.
#[derive(Debug)]
pub(crate) struct TreeClock(File);

impl TreeClock {
    /// Begins to count; an error if the kernel forbids it, as in many containers.
    pub(crate) fn start() -> Result<Self, Errno> {
        let wanted = EventAttributes {
            kind: SOFTWARE,
            size: u32::try_from(size_of::<EventAttributes>()).expect("a small struct"),
            config: TASK_CLOCK,
            flags: INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..EventAttributes::default()
        };
        let (own_process, every_processor, no_group) = (0, -1, -1);
        // SAFETY: the kernel reads as many bytes as `size` says, which live through the call.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const wanted,
                own_process,
                every_processor,
                no_group,
                CLOSE_ON_EXEC,
            )
        };
        let descriptor = Errno::result(descriptor)?;
        let descriptor = i32::try_from(descriptor).map_err(|_| Errno::EBADF)?;
        // SAFETY: the kernel has just opened it, and nothing else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }.into()))
    }

    /// Returns what was used since the start.
    pub(crate) fn read(&self) -> Option<Duration> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count).ok()?;
        Some(Duration::from_nanos(u64::from_ne_bytes(count)))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_count_that_nobody_waits_for() {
        let Ok(clock) = TreeClock::start() else { return };
        // A shell that ignores the signal has its children reaped by the kernel, and does not
        // notice.
        let burn = "trap '' CHLD; for i in 1 2 3 4 5; do \
                    (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done) & done; wait; sleep 0.3";
        let Ok(status) = Command::new("sh").args(["-c", burn]).status() else { return };
        assert!(status.success());
        let used = clock.read().expect("it counts");
        assert!(used > Duration::from_millis(20), "{used:?}");
    }
}

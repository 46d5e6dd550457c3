//! Resource limits, set once in the launcher and inherited by what it starts.

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};

use crate::SeatLimits;

/// Descriptors a launcher needs for itself; a seat has at least that many.
const FEWEST_DESCRIPTORS: u32 = 40;
/// Distance between the limit per user and that of the group, so that the
/// group, which counts refusals, is met first.
const PROCESS_SLACK: u64 = 64;

/// Who counts processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessCount {
    /// A group; the limit per user is only a second wall.
    Group,
    /// The limit per user alone.
    User,
    /// The same, and the launcher is one of that user's.
    UserWithLauncher,
}

/// Sets every limit.
pub(crate) fn apply(limits: &SeatLimits, count: ProcessCount) -> Result<(), Errno> {
    let processes = u64::from(limits.processes);
    let processes = match count {
        ProcessCount::Group => processes + PROCESS_SLACK,
        ProcessCount::User => processes,
        ProcessCount::UserWithLauncher => processes + 1,
    };
    let descriptors = descriptors(limits);
    for (resource, value) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_NPROC, processes),
        (Resource::RLIMIT_NOFILE, descriptors),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_RTPRIO, 0),
        (Resource::RLIMIT_NICE, 0),
        (Resource::RLIMIT_MEMLOCK, limits.memory.0),
        (Resource::RLIMIT_SIGPENDING, 1024),
    ] {
        set(resource, value)?;
    }
    Ok(())
}

/// How many descriptors a process can have.
pub(crate) fn descriptors(limits: &SeatLimits) -> u64 {
    limits.descriptors.max(FEWEST_DESCRIPTORS).into()
}

/// Limits the length of every single file, where the scratch has no file system
/// of its own that bounds their sum.
pub(crate) fn limit_files(limits: &SeatLimits) -> Result<(), Errno> {
    set(Resource::RLIMIT_FSIZE, limits.disk.0)
}

/// Sets soft and hard limit; a lower hard limit that is already there stays.
fn set(resource: Resource, value: u64) -> Result<(), Errno> {
    let (_, hard) = nix::sys::resource::getrlimit(resource)?;
    let value = match setrlimit(resource, value, value) {
        Err(Errno::EPERM) => value.min(hard),
        other => return other,
    };
    setrlimit(resource, value, value)
}

//! Resource limits, set once in the launcher and inherited by what it starts.

use nix::errno::Errno;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};

use crate::SeatLimits;

/// Descriptors a launcher needs for itself; a seat has at least that many.
const FEWEST_DESCRIPTORS: u32 = 40;
/// Distance between the limit per user and the group's, so that the
/// group, which counts refusals, is met first.
const PROCESS_SLACK: u64 = 64;

/// Counter of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessCount {
    /// A group; the limit per user is only a second wall.
    Group,
    /// The limit per user alone.
    User,
    /// The same, and the launcher is one of that user's.
    UserWithLauncher,
}

/// Size that the stack may grow to, bytes. More can be asked for, as programs that recurse deeply
/// do.
const STACK: u64 = 8 << 20;

/// Returns the number of processes that the user of a seat may have.
pub(crate) fn processes(limits: &SeatLimits, count: ProcessCount) -> u64 {
    let processes = u64::from(limits.processes);
    match count {
        ProcessCount::Group => processes + PROCESS_SLACK,
        ProcessCount::User => processes,
        ProcessCount::UserWithLauncher => processes + 1,
    }
}

/// The most processes that the user of the launcher's parent may have.
pub(crate) fn most_processes() -> Result<u64, Errno> {
    getrlimit(Resource::RLIMIT_NPROC).map(|(_, highest)| highest)
}

/// Sets every limit there is, so that none is inherited; gives the names of those whose lower
/// hard limit could not be raised.
pub(crate) fn apply(limits: &SeatLimits, processes: u64) -> Result<Vec<String>, Errno> {
    let descriptors = descriptors(limits);
    let mut kept = Vec::new();
    for (resource, soft, hard) in [
        // For a file this is none at all; 1 also keeps the kernel from starting the program that
        // a host may have for crashes, which a limit of 0 does not.
        (Resource::RLIMIT_CORE, 1, 1),
        (Resource::RLIMIT_NPROC, processes, processes),
        (Resource::RLIMIT_NOFILE, descriptors, descriptors),
        (Resource::RLIMIT_MSGQUEUE, 0, 0),
        (Resource::RLIMIT_RTPRIO, 0, 0),
        (Resource::RLIMIT_NICE, 0, 0),
        (Resource::RLIMIT_MEMLOCK, limits.memory.0, limits.memory.0),
        (Resource::RLIMIT_SIGPENDING, 1024, 1024),
        (Resource::RLIMIT_STACK, STACK, RLIM_INFINITY),
        // Other mechanisms bound these, where they are bounded.
        (Resource::RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_CPU, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_DATA, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_LOCKS, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_RSS, RLIM_INFINITY, RLIM_INFINITY),
        (Resource::RLIMIT_RTTIME, RLIM_INFINITY, RLIM_INFINITY),
    ] {
        if set(resource, soft, hard)? == SetOutcome::Lower {
            kept.push(format!("{resource:?}").trim_start_matches("RLIMIT_").to_lowercase());
        }
    }
    Ok(kept)
}

/// Returns the number of descriptors that a process can have.
pub(crate) fn descriptors(limits: &SeatLimits) -> u64 {
    limits.descriptors.max(FEWEST_DESCRIPTORS).into()
}

/// Limits the length of every single file, where the scratch has no file system
/// of its own that bounds their sum.
pub(crate) fn limit_files(limits: &SeatLimits) -> Result<(), Errno> {
    set(Resource::RLIMIT_FSIZE, limits.disk.0, limits.disk.0).map(drop)
}

/// Result of setting a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SetOutcome {
    /// It is what was wanted.
    AsWanted,
    /// A lower hard limit was there and may not be raised.
    Lower,
}

fn set(resource: Resource, soft: u64, hard: u64) -> Result<SetOutcome, Errno> {
    match setrlimit(resource, soft, hard) {
        Err(Errno::EPERM) => {}
        other => return other.map(|()| SetOutcome::AsWanted),
    }
    let (_, highest) = getrlimit(resource)?;
    setrlimit(resource, soft.min(highest), highest)?;
    Ok(if soft > highest || hard < RLIM_INFINITY {
        SetOutcome::Lower
    } else {
        SetOutcome::AsWanted
    })
}

//! Memory and processor time of the tree where no group counts them: sums over
//! what `/proc` shows of the processes alive at that moment.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::statfs::fstatfs;
use nix::sys::time::TimeVal;

/// What was seen at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// Memory of all processes and of the scratch, in bytes.
    pub(super) memory: u64,
    /// Processor time of the processes alive.
    pub(super) cpu: Duration,
    /// How many processes and threads there are.
    pub(super) tasks: u64,
    /// Time they were runnable without a processor.
    pub(super) stall: Duration,
}

/// Which processes belong to the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// All that can be seen but the launcher.
    Everybody,
    /// Those of this user.
    User(u32),
    /// Those descended from the launcher.
    Descendants,
}

/// Looks at every process of the seat.
pub(super) fn sample(whose: Whose, writable: &std::os::fd::OwnedFd) -> Sample {
    let own = std::process::id();
    let mut sum = Sample { memory: scratch_bytes(writable), ..Sample::default() };
    let Ok(entries) = fs::read_dir("/proc") else { return sum };
    let processes: Vec<Process> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| *process != own)
        .filter_map(read_process)
        .collect();
    for process in &processes {
        if belongs(process, whose, own, &processes) {
            sum.memory += process.memory;
            sum.cpu += process.cpu;
            sum.tasks += process.threads;
            sum.stall += stall(process.id);
        }
    }
    sum
}

/// Processor time of all that was waited for so far.
pub(super) fn waited_for() -> Duration {
    let time = |value: TimeVal| {
        Duration::from_micros(
            u64::try_from(value.tv_sec() * 1_000_000 + value.tv_usec()).unwrap_or(0),
        )
    };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map(|usage| time(usage.user_time()) + time(usage.system_time()))
        .unwrap_or_default()
}

fn scratch_bytes(writable: &std::os::fd::OwnedFd) -> u64 {
    fstatfs(writable).map_or(0, |stat| {
        let used = stat.blocks().saturating_sub(stat.blocks_free());
        match stat.filesystem_type() {
            nix::sys::statfs::TMPFS_MAGIC => used * stat.block_size().unsigned_abs(),
            _ => 0,
        }
    })
}

struct Process {
    id: u32,
    parent: u32,
    user: u32,
    threads: u64,
    memory: u64,
    cpu: Duration,
}

fn read_process(id: u32) -> Option<Process> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some(Process {
        id,
        parent: u32::try_from(field("PPid:")?).ok()?,
        user: u32::try_from(field("Uid:")?).ok()?,
        threads: field("Threads:").unwrap_or(1),
        memory: 1024 * (field("RssAnon:").unwrap_or(0) + field("RssShmem:").unwrap_or(0)),
        cpu: cpu(id).unwrap_or_default(),
    })
}

/// Time all threads of a process were runnable without a processor.
fn stall(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let waited = |thread: fs::DirEntry| -> Option<u64> {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    };
    Duration::from_nanos(threads.filter_map(waited).sum())
}

fn cpu(id: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(4).filter_map(|f| f.parse::<u64>().ok()).sum();
    // The kernel shows these in hundredths of a second on every platform we support.
    Some(Duration::from_millis(ticks * 10))
}

fn belongs(process: &Process, whose: Whose, own: u32, all: &[Process]) -> bool {
    match whose {
        Whose::Everybody => true,
        Whose::User(user) => process.user == user,
        Whose::Descendants => descends(process.parent, own, all),
    }
}

fn descends(mut parent: u32, ancestor: u32, all: &[Process]) -> bool {
    // A table read while it changes could have a circle; no tree is deeper than the table.
    for _ in 0..=all.len() {
        if parent == ancestor {
            return true;
        }
        match all.iter().find(|process| process.id == parent) {
            Some(process) => parent = process.parent,
            None => return false,
        }
    }
    false
}

/// Every process of the seat that is alive, by id.
pub(super) fn members(whose: Whose) -> Vec<u32> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes: Vec<Process> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| *process != own)
        .filter_map(read_process)
        .collect();
    processes
        .iter()
        .filter(|process| belongs(process, whose, own, &processes))
        .map(|process| process.id)
        .collect()
}

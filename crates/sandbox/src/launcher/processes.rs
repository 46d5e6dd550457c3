//! Processes of a seat, found in `/proc`, and the resources they hold if no control group counts
//! them.
//!
//! Descendants of the launcher are found from parent to child. Only they are touched, however many
//! others the host has. The kernel lists children while they come and go, so one look can miss a
//! process; orphans become the launcher's own children and are found there. Kernels without
//! `CONFIG_PROC_CHILDREN` list none.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use crate::kernel_text::{self, status_number};

/// Rule for the processes that belong to the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// All visible processes except the launcher.
    Everybody,
    /// Those of this user.
    User(u32),
    /// Those descended from the launcher.
    Descendants,
}

/// Fields of a process's status with the memory that it takes from others: its pages except those
/// of files, and its page tables, because a process can fill many tables with shared pages.
const MEMORY: [&str; 3] = ["RssAnon:", "RssShmem:", "VmPTE:"];
/// Time between two checks of all processes of a host whose kernel also lists the descendants of
/// the launcher.
const ALL_STEP: Duration = Duration::from_millis(100);
/// Time for which a process that does not belong to the seat is not read again.
const FOREIGN_KEPT: Duration = Duration::from_millis(25);

/// First process of a process id name space, which is no program.
const FIRST: u32 = 1;

/// Processes of a host that were recently seen not to be the seat's. Reading all processes takes
/// milliseconds on a busy host, in which a bot's memory can grow past every bound.
///
/// A process stays foreign: only root can change its user, and a process that does not descend
/// from the launcher never will. The kernel gives its number to another process only after
/// all other numbers, which takes longer than the list is kept.
#[derive(Debug, Default)]
struct ForeignPids {
    seen: HashSet<u32>,
    since: Option<Instant>,
}

impl ForeignPids {
    /// Forgets processes that were seen too long ago.
    fn refresh(&mut self) {
        if self.since.is_none_or(|since| since.elapsed() > FOREIGN_KEPT) {
            self.seen.clear();
            self.since = Some(Instant::now());
        }
    }
}

/// The processes of the seat at one moment, and what they hold.
#[derive(Debug, Default)]
pub(super) struct ProcessSnapshot {
    /// Every process of the seat.
    pub(super) processes: Vec<u32>,
    /// Memory of all of them, in bytes.
    pub(super) memory: u64,
    /// Number of processes and threads.
    pub(super) tasks: u64,
}

/// Finder of a seat's processes.
#[derive(Debug)]
pub(super) struct ProcessFinder {
    membership: Membership,
    foreign: ForeignPids,
    /// Time when all processes of the host are read next.
    all_due: Option<Instant>,
    /// Process of the seat that belongs to no program.
    pub(super) left_out: Option<u32>,
}

impl ProcessFinder {
    pub(super) fn new(membership: Membership) -> Self {
        Self { membership, foreign: ForeignPids::default(), all_due: None, left_out: None }
    }

    /// Begins a turn, in which the first checks read only descendants.
    pub(super) fn begin_turn(&mut self) {
        self.all_due = Some(Instant::now() + ALL_STEP);
    }

    /// Reads the memory of every process of the seat.
    pub(super) fn take_snapshot(&mut self) -> ProcessSnapshot {
        let mut sum = ProcessSnapshot::default();
        let left_out = self.left_out;
        for process in self.processes().into_iter().filter(|one| Some(one.id) != left_out) {
            sum.processes.push(process.id);
            sum.memory += process.memory;
            sum.tasks += process.threads;
        }
        sum
    }

    fn processes(&mut self) -> Vec<ProcessStatus> {
        if self.membership != Membership::Everybody
            && !self.take_due()
            && let Some(found) = descendants()
        {
            return found.into_iter().filter_map(read_process).collect();
        }
        self.foreign.refresh();
        sort_all(self.membership, &mut self.foreign)
    }

    /// Returns whether it is time to read all processes; true once in a step.
    fn take_due(&mut self) -> bool {
        let due = self.all_due.is_none_or(|due| Instant::now() >= due);
        if due {
            self.begin_turn();
        }
        due
    }
}

/// Reads every process that can be seen, and notes those that are not the seat's.
fn sort_all(membership: Membership, foreign: &mut ForeignPids) -> Vec<ProcessStatus> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes: Vec<ProcessStatus> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| ![own, FIRST].contains(process) && !foreign.seen.contains(process))
        .filter_map(read_process)
        .collect();
    let parents: Vec<(u32, u32)> = processes.iter().map(|one| (one.id, one.parent)).collect();
    let table = ProcessTable { parents: &parents, foreign: &foreign.seen };
    let belongs = |one: &ProcessStatus| belongs(one, membership, own, &table);
    let sorted: Vec<_> = processes.into_iter().map(|one| (belongs(&one), one)).collect();
    foreign
        .seen
        .extend(sorted.iter().filter(|(ours, _)| *ours == Some(false)).map(|(_, one)| one.id));
    sorted.into_iter().filter(|(ours, _)| *ours == Some(true)).map(|(_, one)| one).collect()
}

struct ProcessStatus {
    id: u32,
    parent: u32,
    user: u32,
    threads: u64,
    memory: u64,
}

/// Reads the status of a process from `/proc`.
fn read_process(id: u32) -> Option<ProcessStatus> {
    let status = kernel_text::read(format!("/proc/{id}/status")).ok()?;
    let threads = status_number(&status, "Threads:").unwrap_or(1);
    let of_others = || if threads > 1 { memory_of_threads(id) } else { None };
    Some(ProcessStatus {
        id,
        parent: u32::try_from(status_number(&status, "PPid:")?).ok()?,
        user: u32::try_from(status_number(&status, "Uid:")?).ok()?,
        threads,
        memory: memory(&status).or_else(of_others).unwrap_or(0),
    })
}

/// Returns the memory in a status, in bytes; `None` if it has none, as the status of a thread that
/// has ended.
fn memory(status: &str) -> Option<u64> {
    let lines = MEMORY.iter().filter_map(|name| status_number(status, name));
    lines.reduce(u64::saturating_add).map(|kib| kib.saturating_mul(1024))
}

/// Returns the memory of a process whose first thread has ended, as any other thread shows it.
fn memory_of_threads(id: u32) -> Option<u64> {
    let mut threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    threads.find_map(|thread| memory(&kernel_text::read(thread.path().join("status")).ok()?))
}

/// Times that the kernel counts of a process in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProcessTimes {
    /// Processor time of it and of the children it waited for.
    pub(super) own: Duration,
    pub(super) waited_for: Duration,
    /// Time of its start, ticks since the machine's.
    pub(super) started: u64,
}

/// Reads the times of a process.
pub(super) fn times_of(id: u32) -> Option<ProcessTimes> {
    let stat = kernel_text::stat(id).ok()?;
    // Some fields after these can be negative.
    let fields = stat.split_whitespace().skip(11).take(9);
    let ticks: Vec<u64> = fields.map(|field| field.parse().unwrap_or(0)).collect();
    // The kernel shows these in hundredths of a second on every platform we support.
    let time = |ticks: &[u64]| Duration::from_millis(10 * ticks.iter().sum::<u64>());
    let (own, waited_for) = (time(ticks.get(..2)?), time(ticks.get(2..4)?));
    Some(ProcessTimes { own, waited_for, started: *ticks.get(8)? })
}

/// Returns whether a process is the seat's; `None` if that is unknown, because one of its ancestors
/// ended while they were read.
fn belongs(
    process: &ProcessStatus,
    membership: Membership,
    own: u32,
    table: &ProcessTable<'_>,
) -> Option<bool> {
    match membership {
        Membership::Everybody => Some(true),
        Membership::User(user) => Some(process.user == user),
        Membership::Descendants => descends(process.parent, own, table),
    }
}

/// Table of a host's processes while they are sorted.
struct ProcessTable<'a> {
    /// Each process just read, with its parent.
    parents: &'a [(u32, u32)],
    /// Processes that are known not to belong to the seat.
    foreign: &'a HashSet<u32>,
}

fn descends(mut parent: u32, ancestor: u32, table: &ProcessTable<'_>) -> Option<bool> {
    // A table read while it changes could have a circle; no tree is deeper than the table.
    for _ in 0..=table.parents.len() {
        if parent == ancestor {
            return Some(true);
        }
        if parent == 0 || table.foreign.contains(&parent) {
            return Some(false);
        }
        parent = table.parents.iter().find(|(process, _)| *process == parent)?.1;
    }
    None
}

/// Returns the ids of all living processes of the seat.
pub(super) fn members(membership: Membership) -> Vec<u32> {
    sort_all(membership, &mut ForeignPids::default())
        .into_iter()
        .map(|process| process.id)
        .collect()
}

/// Every process that descends from this one, or `None` where the kernel does not list children.
pub(super) fn descendants() -> Option<Vec<u32>> {
    let mut found = children("thread-self")?;
    let mut known: HashSet<u32> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        next += 1;
        let new = children_of(process).into_iter().filter(|child| known.insert(*child));
        found.extend(new.collect::<Vec<_>>());
    }
    Some(found)
}

/// Children of every thread of a process.
fn children_of(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let names = threads.map(|thread| thread.file_name());
    let of_thread = |name: std::ffi::OsString| {
        children(&format!("{process}/task/{}", name.to_string_lossy())).unwrap_or_default()
    };
    names.flat_map(of_thread).collect()
}

fn children(thread: &str) -> Option<Vec<u32>> {
    let list = fs::read_to_string(format!("/proc/{thread}/children")).ok()?;
    Some(list.split_whitespace().filter_map(|id| id.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const LAUNCHER: u32 = 10;

    fn sorted(parent: u32, parents: &[(u32, u32)], foreign: &[u32]) -> Option<bool> {
        let foreign = foreign.iter().copied().collect();
        descends(parent, LAUNCHER, &ProcessTable { parents, foreign: &foreign })
    }

    #[test]
    fn memory_is_the_sum_of_what_others_would_have() {
        let status = "Name:\tRssAnon:\t9 kB\nUid:\t7\t8\t9\t9\nThreads:\t2\n\
            VmRSS:\t    900 kB\nRssAnon:\t      100 kB\nRssFile:\t     50 kB\nRssShmem:\t 20 kB\n\
            VmPTE:\t       4 kB\n";
        assert_eq!(memory(status), Some(124 << 10));
        assert_eq!(
            (status_number(status, "Uid:"), status_number(status, "Threads:")),
            (Some(7), Some(2))
        );
    }

    #[test]
    fn a_thread_that_has_ended_says_nothing_of_memory() {
        assert_eq!(memory("Name:\tbot\nState:\tZ (zombie)\nThreads:\t2\n"), None);
        assert_eq!(memory("RssAnon:\t0 kB\n"), Some(0));
        assert_eq!(memory("RssAnon:\tmuch\n"), None);
    }

    #[test]
    fn any_thread_tells_the_memory_of_its_process() {
        assert!(memory_of_threads(std::process::id()).is_some_and(|bytes| bytes > 0));
    }

    #[test]
    fn a_name_that_is_no_text_hides_no_process() {
        let named = std::thread::spawn(|| {
            fs::write("/proc/thread-self/comm", b"\xff) \xfe) 1").unwrap();
            let own = fs::read_link("/proc/thread-self").unwrap();
            let number = own.file_name().unwrap().to_str().unwrap().parse().unwrap();
            (read_process(number).map(|process| process.memory > 0), times_of(number).is_some())
        });
        assert_eq!(named.join().unwrap(), (Some(true), true));
    }

    #[test]
    fn a_process_is_known_by_when_it_was_started() {
        let own = times_of(std::process::id()).expect("the kernel tells");
        assert!(own.started > 0);
        assert_eq!(times_of(std::process::id()).map(|ticks| ticks.started), Some(own.started));
    }

    #[test]
    fn a_grandchild_of_the_launcher_is_the_seat_s() {
        assert_eq!(sorted(11, &[(11, LAUNCHER)], &[]), Some(true));
    }

    #[test]
    fn what_comes_from_the_first_process_or_a_stranger_is_not() {
        assert_eq!(sorted(3, &[(3, 1), (1, 0)], &[]), Some(false));
        assert_eq!(sorted(4, &[], &[4]), Some(false));
    }

    #[test]
    fn an_orphan_in_the_making_is_not_taken_for_a_stranger() {
        assert_eq!(sorted(12, &[(11, LAUNCHER)], &[]), None);
    }

    #[test]
    fn a_circle_in_a_table_that_changed_ends() {
        assert_eq!(sorted(5, &[(5, 6), (6, 5)], &[]), None);
    }

    #[test]
    fn strangers_are_left_out_of_the_next_look_and_looked_at_again_later() {
        let mut foreign = ForeignPids::default();
        foreign.refresh();
        sort_all(Membership::User(u32::MAX), &mut foreign);
        assert!(!foreign.seen.is_empty(), "this very process's parent is somebody else's");
        foreign.since = Instant::now().checked_sub(2 * FOREIGN_KEPT);
        foreign.refresh();
        assert!(foreign.seen.is_empty());
    }

    #[test]
    fn a_child_and_its_child_are_found() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 30 & echo $!; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = std::io::BufReader::new(shell.stdout.as_mut().unwrap());
        std::io::BufRead::read_line(&mut { stdout }, &mut line).unwrap();
        let sleeper: u32 = line.trim().parse().unwrap();
        let found = descendants();
        let _ = Command::new("kill").arg(sleeper.to_string()).status();
        let _ = shell.wait();
        if let Some(found) = found {
            assert!(found.contains(&shell.id()), "{found:?} lacks the child {}", shell.id());
            assert!(found.contains(&sleeper), "{found:?} lacks the child's child {sleeper}");
            assert!(!found.contains(&std::process::id()));
        }
    }
}

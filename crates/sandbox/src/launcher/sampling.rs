//! Sampling of memory and processor time where no control group counts them: sums over what
//! `/proc` shows of the processes alive at that moment.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use super::descendants::descendants;
use crate::kernel_text;

/// Values seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// Memory of all processes and of the scratch, in bytes.
    pub(super) memory: u64,
    /// Processor time of the processes alive.
    pub(super) cpu: Duration,
    /// Number of processes and threads.
    pub(super) tasks: u64,
    /// Time they were runnable without a processor.
    pub(super) stall: Duration,
}

/// Rule for the processes that belong to the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// All that can be seen but the launcher.
    Everybody,
    /// Those of this user.
    User(u32),
    /// Those descended from the launcher.
    Descendants,
}

/// Fields of a process's status with the memory that it takes from others: its pages but those of
/// files, and the tables that find them, because a process can fill many tables with pages that
/// everybody shares.
const MEMORY: [&str; 3] = ["RssAnon:", "RssShmem:", "VmPTE:"];
/// The least time of which is said how long a tree was kept waiting in it: the kernel tells the time of who
/// runs some milliseconds late.
const STALL_STEP: Duration = Duration::from_millis(50);
/// Time between two looks at all processes of a host whose kernel also tells who descends from
/// the launcher.
const ALL_STEP: Duration = Duration::from_millis(100);
/// Time for which a process that belongs to somebody else is not read again.
const OTHERS_KEPT: Duration = Duration::from_millis(25);

/// The processes of a host that were just seen not to be the seat's. Reading all of them takes
/// milliseconds on a busy host, in which a bot's memory can grow past every bound.
///
/// A process does not change hands: it keeps its user but by the will of root, and what does not
/// descend from the launcher never will. Its number can be given to another one only after all
/// other numbers were, which takes longer than the list is kept.
#[derive(Debug, Default)]
pub(super) struct Others {
    seen: HashSet<u32>,
    since: Option<Instant>,
    /// Time when all processes of the host are read next.
    all_due: Option<Instant>,
    /// Process that is the seat's and no program's.
    pub(super) left_out: Option<u32>,
}

impl Others {
    /// Lets a turn begin with looks at descendants alone.
    pub(super) fn begin_turn(&mut self) {
        self.all_due = Some(Instant::now() + ALL_STEP);
    }

    /// Returns whether all processes are to be read; true once in a step.
    fn take_due(&mut self) -> bool {
        let due = self.all_due.is_none_or(|due| Instant::now() >= due);
        if due {
            self.all_due = Some(Instant::now() + ALL_STEP);
        }
        due
    }

    /// Forgets all that were seen too long ago.
    fn refresh(&mut self) {
        if self.since.is_none_or(|since| since.elapsed() > OTHERS_KEPT) {
            self.seen.clear();
            self.since = Some(Instant::now());
        }
    }
}

/// The processes of the seat at one moment, and what they hold.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// Every process of the seat.
    pub(super) processes: Vec<u32>,
    /// Memory of all of them, in bytes.
    pub(super) memory: u64,
    /// Number of processes and threads.
    pub(super) tasks: u64,
}

/// Reads the memory of every process of the seat.
pub(super) fn look(membership: Membership, others: &mut Others) -> Snapshot {
    let mut sum = Snapshot::default();
    let left_out = others.left_out;
    for process in processes(membership, others) {
        if Some(process.id) == left_out {
            continue;
        }
        sum.processes.push(process.id);
        sum.memory += process.memory;
        sum.tasks += process.threads;
    }
    sum
}

/// Times of threads, as they were last seen: those of one that has ended count on, as it kept whoever
/// waited for it waiting.
#[derive(Debug, Default)]
pub(super) struct Stalls {
    seen: HashMap<Identity, ThreadTimes>,
    /// Times added to them since the last reading of the whole tree.
    fresh: HashMap<Identity, ThreadTimes>,
    last: Option<TreeLook>,
}

/// Times of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadTimes {
    /// On a processor.
    cpu: Duration,
    /// Runnable without one.
    stall: Duration,
}

/// A look at the whole tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLook {
    pub(super) at: Instant,
    /// Processor time of the tree until then.
    pub(super) cpu: Duration,
    /// Times of the launcher until then.
    pub(super) own: OwnTimes,
}

/// A thread: its number, which another one can be given later, and when its process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    number: u32,
    started: u64,
}

impl Stalls {
    /// Forgets all; a turn begins.
    pub(super) fn begin(&mut self, look: TreeLook) {
        *self = Self { last: Some(look), ..Self::default() };
    }

    fn note(&mut self, thread: Identity, times: ThreadTimes) {
        let seen = self.seen.entry(thread).or_default();
        let fresh = self.fresh.entry(thread).or_default();
        fresh.cpu += times.cpu.saturating_sub(seen.cpu);
        fresh.stall += times.stall.saturating_sub(seen.stall);
        *seen = ThreadTimes { cpu: times.cpu.max(seen.cpu), stall: times.stall.max(seen.stall) };
    }

    /// Takes a look, of which there may be many: returns how long the tree was kept waiting, as far as
    /// that has become known since.
    pub(super) fn grown(&mut self, look: TreeLook) -> Duration {
        if self.last.is_some_and(|last| look.at.saturating_duration_since(last.at) < STALL_STEP) {
            return Duration::ZERO;
        }
        let grown = self.rest(look);
        self.fresh.clear();
        self.last = Some(look);
        grown
    }

    /// Returns how long the tree was kept waiting that no look has told of yet, its launcher among it: as the
    /// thread that waited longest, without the time that others of the tree ran, for whom it may have waited, and no
    /// longer than nothing of it ran. Those of a tree that wait for each other, or for whoever counts what
    /// they use, are kept from nothing by others, and may not seem to be.
    pub(super) fn rest(&self, look: TreeLook) -> Duration {
        let Some(last) = self.last else { return Duration::ZERO };
        let looked = look.own.cpu.saturating_sub(last.own.cpu);
        let ran = look.cpu.saturating_sub(last.cpu) + looked;
        let still = look.at.saturating_duration_since(last.at).saturating_sub(ran);
        let kept =
            |thread: &ThreadTimes| thread.stall.saturating_sub(ran.saturating_sub(thread.cpu));
        let own = look.own.stall.saturating_sub(last.own.stall).saturating_sub(ran);
        self.fresh.values().map(kept).max().unwrap_or_default().max(own).min(still)
    }
}

/// Processor time of processes, those that ended and wait to be reaped among them; notes in `stalls`
/// how long each was runnable without one.
pub(super) fn times(processes: &[u32], stalls: &mut Stalls) -> Duration {
    let times_of = |process: &u32| {
        let ticks = ticks_of(*process).unwrap_or_default();
        let of_threads = times_of_threads(*process, ticks.started, stalls);
        // The one leaves out threads that ended, the other up to a tick.
        ticks.own.max(of_threads) + ticks.waited_for
    };
    processes.iter().map(times_of).sum()
}

/// Reads every process of the seat.
fn processes(membership: Membership, others: &mut Others) -> Vec<Process> {
    if membership != Membership::Everybody
        && !others.take_due()
        && let Some(found) = descendants()
    {
        return found.into_iter().filter_map(read_process).collect();
    }
    others.refresh();
    sort_all(membership, others)
}

/// Reads every process that can be seen, and notes those that are not the seat's.
fn sort_all(membership: Membership, others: &mut Others) -> Vec<Process> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes: Vec<Process> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| *process != own && !others.seen.contains(process))
        .filter_map(read_process)
        .collect();
    let parents: Vec<(u32, u32)> = processes.iter().map(|one| (one.id, one.parent)).collect();
    let table = ProcessTable { parents: &parents, others: &others.seen };
    let belongs = |one: &Process| belongs(one, membership, own, &table);
    let told: Vec<_> = processes.into_iter().map(|one| (belongs(&one), one)).collect();
    others.seen.extend(told.iter().filter(|(ours, _)| *ours == Some(false)).map(|(_, one)| one.id));
    told.into_iter().filter(|(ours, _)| *ours == Some(true)).map(|(_, one)| one).collect()
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

struct Process {
    id: u32,
    parent: u32,
    user: u32,
    threads: u64,
    memory: u64,
}

/// Reads what `/proc` says of a process.
fn read_process(id: u32) -> Option<Process> {
    let status = kernel_text::read(format!("/proc/{id}/status")).ok()?;
    let threads = field(&status, "Threads:").unwrap_or(1);
    let of_others = || if threads > 1 { memory_of_threads(id) } else { None };
    Some(Process {
        id,
        parent: u32::try_from(field(&status, "PPid:")?).ok()?,
        user: u32::try_from(field(&status, "Uid:")?).ok()?,
        threads,
        memory: memory(&status).or_else(of_others).unwrap_or(0),
    })
}

/// The first number of a line of a process's status. The kernel keeps names within their line.
fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the memory in a status, in bytes; `None` if it has none, as that of a thread that has
/// ended.
fn memory(status: &str) -> Option<u64> {
    let lines = MEMORY.iter().filter_map(|name| field(status, name));
    lines.reduce(u64::saturating_add).map(|kib| kib.saturating_mul(1024))
}

/// Memory of a process whose first thread has ended: any other tells it.
fn memory_of_threads(id: u32) -> Option<u64> {
    let mut threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    threads.find_map(|thread| memory(&kernel_text::read(thread.path().join("status")).ok()?))
}

/// Times of the launcher itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnTimes {
    /// On a processor.
    pub(super) cpu: Duration,
    /// Runnable without one.
    pub(super) stall: Duration,
}

/// Reads the launcher's times from its open `schedstat`.
pub(super) fn own_times(schedule: &File) -> Option<OwnTimes> {
    let mut text = [0; 64];
    let length = schedule.read_at(&mut text, 0).ok()?;
    let mut fields = str::from_utf8(&text[..length]).ok()?.split_whitespace();
    let mut next = || fields.next()?.parse().ok().map(Duration::from_nanos);
    Some(OwnTimes { cpu: next()?, stall: next()? })
}

/// Returns for how long the thread that waited longest of all that there are was kept from a processor by somebody
/// else than those of its tree, which ran for `ran` in all.
pub(super) fn longest_kept(processes: &[u32], ran: Duration) -> Duration {
    let threads = processes.iter().flat_map(|id| fs::read_dir(format!("/proc/{id}/task")));
    let times = threads.flatten().flatten().filter_map(|thread| times_of_thread(&thread));
    let kept = |times: ThreadTimes| times.stall.saturating_sub(ran.saturating_sub(times.cpu));
    times.map(|(_, times)| kept(times)).max().unwrap_or_default()
}

/// Notes the times of the threads that a process has; returns how long they were on a processor.
fn times_of_threads(id: u32, started: u64, stalls: &mut Stalls) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let mut cpu = Duration::ZERO;
    for thread in threads {
        let Some((number, times)) = times_of_thread(&thread) else { continue };
        cpu += times.cpu;
        stalls.note(Identity { number, started }, times);
    }
    cpu
}

fn times_of_thread(thread: &fs::DirEntry) -> Option<(u32, ThreadTimes)> {
    let number = thread.file_name().to_str()?.parse().ok()?;
    let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
    let mut fields = text.split_whitespace().map(|field| field.parse().ok());
    let mut next = || fields.next()?.map(Duration::from_nanos);
    Some((number, ThreadTimes { cpu: next()?, stall: next()? }))
}

/// Times that the kernel counts of a process in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    /// Its processor time, and that of the children it waited for.
    own: Duration,
    waited_for: Duration,
    /// Time of its start, ticks since that of the machine.
    started: u64,
}

fn ticks_of(id: u32) -> Option<Ticks> {
    let stat = kernel_text::read(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    // Some fields after these can be negative.
    let fields = fields.split_whitespace().skip(11).take(9);
    let ticks: Vec<u64> = fields.map(|field| field.parse().unwrap_or(0)).collect();
    // The kernel shows these in hundredths of a second on every platform we support.
    let time = |ticks: &[u64]| Duration::from_millis(10 * ticks.iter().sum::<u64>());
    let (own, waited_for) = (time(ticks.get(..2)?), time(ticks.get(2..4)?));
    Some(Ticks { own, waited_for, started: *ticks.get(8)? })
}

/// Returns whether a process is the seat's; `None` if that is unknown, because one of its forebears
/// ended while they were read.
fn belongs(
    process: &Process,
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
    /// Those known to be somebody else's.
    others: &'a HashSet<u32>,
}

fn descends(mut parent: u32, ancestor: u32, table: &ProcessTable<'_>) -> Option<bool> {
    // A table read while it changes could have a circle; no tree is deeper than the table.
    for _ in 0..=table.parents.len() {
        if parent == ancestor {
            return Some(true);
        }
        if parent == 0 || table.others.contains(&parent) {
            return Some(false);
        }
        parent = table.parents.iter().find(|(process, _)| *process == parent)?.1;
    }
    None
}

/// Every process of the seat that is alive, by id.
pub(super) fn members(membership: Membership) -> Vec<u32> {
    sort_all(membership, &mut Others::default()).into_iter().map(|process| process.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHER: u32 = 10;

    fn told(parent: u32, parents: &[(u32, u32)], others: &[u32]) -> Option<bool> {
        let others = others.iter().copied().collect();
        descends(parent, LAUNCHER, &ProcessTable { parents, others: &others })
    }

    #[test]
    fn who_has_ended_has_waited_all_the_same() {
        let mut stalls = Stalls::default();
        let look = tree_look(Instant::now());
        stalls.begin(look(0, 0, 0));
        for (number, started, stall) in [(7, 1, 10), (7, 1, 30), (8, 1, 5), (7, 1, 20), (7, 9, 2)] {
            stalls.note(Identity { number, started }, waited(stall));
        }
        assert_eq!(stalls.grown(look(100, 0, 0)), Duration::from_millis(30), "the longest");
        assert_eq!(stalls.grown(look(200, 0, 0)), Duration::ZERO);
    }

    fn waited(ms: u64) -> ThreadTimes {
        ThreadTimes { cpu: Duration::ZERO, stall: Duration::from_millis(ms) }
    }

    #[test]
    fn threads_that_queue_for_each_other_are_kept_waiting_by_nobody() {
        let (mut stalls, look) = (Stalls::default(), tree_look(Instant::now()));
        stalls.begin(look(0, 0, 0));
        // Four that want 10 ms each at the same moment, on one processor, and then sleep for 60 ms.
        for number in 0..4 {
            let ms = Duration::from_millis;
            let times = ThreadTimes { cpu: ms(10), stall: ms(10 * u64::from(number)) };
            stalls.note(Identity { number, started: 1 }, times);
        }
        assert_eq!(stalls.grown(look(100, 40, 30)), Duration::ZERO);
    }

    /// Makes looks so many milliseconds after the first one.
    fn tree_look(first: Instant) -> impl Fn(u64, u64, u64) -> TreeLook {
        let ms = Duration::from_millis;
        move |at, cpu, stall| {
            let own = OwnTimes { cpu: Duration::ZERO, stall: ms(stall) };
            TreeLook { at: first + ms(at), cpu: ms(cpu), own }
        }
    }

    #[test]
    fn a_tree_whose_processes_wait_for_each_other_is_not_kept_waiting() {
        let (mut stalls, look) = (Stalls::default(), tree_look(Instant::now()));
        stalls.begin(look(0, 0, 0));
        let note = |stalls: &mut Stalls, of_each: u64| {
            for number in 0..30 {
                stalls.note(Identity { number, started: 1 }, waited(of_each));
            }
        };
        // One processor, which the thirty of it share; the launcher waits as they do.
        note(&mut stalls, 50);
        assert_eq!(stalls.grown(look(40, 3, 30)), Duration::ZERO, "who runs is told of late");
        note(&mut stalls, 97);
        assert_eq!(stalls.grown(look(100, 98, 90)), Duration::ZERO);
        // Then they sleep.
        assert_eq!(stalls.grown(look(1000, 99, 90)), Duration::ZERO);
        // Somebody else takes the processor.
        note(&mut stalls, 147);
        assert_eq!(stalls.grown(look(1050, 99, 90)), Duration::from_millis(50));
        assert_eq!(stalls.grown(look(1100, 99, 130)), Duration::from_millis(40));
        // The launcher reads what thirty processes use, which takes half of the time.
        note(&mut stalls, 197);
        let own = OwnTimes { cpu: Duration::from_millis(50), ..look(0, 0, 130).own };
        let busy = TreeLook { own, ..look(1200, 148, 130) };
        assert_eq!(stalls.grown(busy), Duration::ZERO);
    }

    #[test]
    fn the_launcher_knows_how_long_it_waited_for_a_processor() {
        let schedule = File::open("/proc/self/schedstat").expect("the kernel tells");
        let before = own_times(&schedule).expect("two numbers at least");
        let after = own_times(&schedule).expect("two numbers at least");
        assert!(after.stall >= before.stall && after.cpu >= before.cpu);
    }

    #[test]
    fn memory_is_the_sum_of_what_others_would_have() {
        let status = "Name:\tRssAnon:\t9 kB\nUid:\t7\t8\t9\t9\nThreads:\t2\n\
            VmRSS:\t    900 kB\nRssAnon:\t      100 kB\nRssFile:\t     50 kB\nRssShmem:\t 20 kB\n\
            VmPTE:\t       4 kB\n";
        assert_eq!(memory(status), Some(124 << 10));
        assert_eq!((field(status, "Uid:"), field(status, "Threads:")), (Some(7), Some(2)));
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
            (read_process(number).map(|process| process.memory > 0), ticks_of(number).is_some())
        });
        assert_eq!(named.join().unwrap(), (Some(true), true));
    }

    #[test]
    fn a_process_is_known_by_when_it_was_started() {
        let own = ticks_of(std::process::id()).expect("the kernel tells");
        assert!(own.started > 0);
        assert_eq!(ticks_of(std::process::id()).map(|ticks| ticks.started), Some(own.started));
    }

    #[test]
    fn a_grandchild_of_the_launcher_is_the_seat_s() {
        assert_eq!(told(11, &[(11, LAUNCHER)], &[]), Some(true));
    }

    #[test]
    fn what_comes_from_the_first_process_or_a_stranger_is_not() {
        assert_eq!(told(3, &[(3, 1), (1, 0)], &[]), Some(false));
        assert_eq!(told(4, &[], &[4]), Some(false));
    }

    #[test]
    fn an_orphan_in_the_making_is_not_taken_for_a_stranger() {
        assert_eq!(told(12, &[(11, LAUNCHER)], &[]), None);
    }

    #[test]
    fn a_circle_in_a_table_that_changed_ends() {
        assert_eq!(told(5, &[(5, 6), (6, 5)], &[]), None);
    }

    #[test]
    fn strangers_are_left_out_of_the_next_look_and_looked_at_again_later() {
        let mut others = Others::default();
        others.refresh();
        sort_all(Membership::User(u32::MAX), &mut others);
        assert!(!others.seen.is_empty(), "this very process's parent is somebody else's");
        others.since = Instant::now().checked_sub(2 * OTHERS_KEPT);
        others.refresh();
        assert!(others.seen.is_empty());
    }
}

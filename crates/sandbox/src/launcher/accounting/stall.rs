//! Stall of a turn: the time for which its programs were ready to run and none of them had a
//! processor.
//!
//! A control group counts it, if there is one; otherwise it is added up from the times of threads.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use super::counters::{Counters, number_after};
use crate::kernel_text;

/// Shortest time whose stall is reported: the kernel reports the time of a running thread some
/// milliseconds late.
const STEP: Duration = Duration::from_millis(50);

/// Time of short turns for which the group's stall is not read again: reading it costs as much as
/// ten other counters. The turn after them counts at most that much of their stall as its own.
const MOST_UNREAD: Duration = Duration::from_millis(2);

/// Times of a thread, or of the launcher, so far.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadTimes {
    /// On a processor.
    cpu: Duration,
    /// Runnable without one.
    stall: Duration,
}

impl ThreadTimes {
    /// Reads the text of a `schedstat`.
    fn parse(text: &[u8]) -> Option<Self> {
        let second = text.iter().position(|byte| *byte == b' ')? + 1;
        let time = |text| number_after(text, b"").map(Duration::from_nanos);
        Some(Self { cpu: time(text)?, stall: time(&text[second..])? })
    }

    /// Returns for how long processes outside its tree kept it from a processor; the tree ran
    /// for `ran` in all.
    fn kept(self, ran: Duration) -> Duration {
        self.stall.saturating_sub(ran.saturating_sub(self.cpu))
    }
}

/// Meter of the stall of a turn.
#[derive(Default)]
pub(crate) struct StallMeter {
    /// The launcher's own `schedstat`.
    schedule: Option<File>,
    /// Stall of the launcher when the turn began.
    own_before: Duration,
    /// Stall of the launcher before it last waited for something to happen.
    own_at_wait: Duration,
    /// Stall of the group when the turn began, where it is counted.
    group_before: Option<Duration>,
    /// Time that turns have taken since those two were read.
    unread: Duration,
    /// The turn's threads, as they were last asked.
    asked: AskedThreads,
    threads: ThreadStalls,
    /// Stall of the turn that samples of its threads have shown.
    sampled: Duration,
}

impl StallMeter {
    pub(super) fn new(schedule: Option<File>) -> Self {
        Self { schedule, unread: Duration::MAX, ..Self::default() }
    }

    pub(super) fn begin_turn(&mut self, counters: &Counters) {
        let (at, own) = (Instant::now(), self.own_times());
        self.own_at_wait = own.stall;
        (self.asked, self.sampled) = (AskedThreads::default(), Duration::ZERO);
        if self.unread >= MOST_UNREAD {
            (self.own_before, self.group_before) = (own.stall, counters.stall());
            self.unread = Duration::ZERO;
        }
        self.threads.begin(TreeSample { at, cpu: Duration::ZERO, own });
    }

    /// Notes a turn that took `wall`.
    pub(super) fn note_turn(&mut self, wall: Duration) {
        self.unread = self.unread.saturating_add(wall);
    }

    /// Reads the group before the next turn, because others have run in it.
    pub(super) fn restart(&mut self) {
        self.unread = Duration::MAX;
    }

    /// Notes that the launcher waits from now on for something to happen.
    pub(crate) fn begin_wait(&mut self) {
        self.own_at_wait = self.own_times().stall;
    }

    /// Reads the times of the threads of a process that was started at `started`; returns how long
    /// they were on a processor.
    pub(super) fn read_threads(&mut self, process: u32, started: u64) -> Duration {
        let mut cpu = Duration::ZERO;
        for (number, times) in threads_of(process) {
            cpu += times.cpu;
            self.threads.note(ThreadId { number, started }, times);
        }
        cpu
    }

    /// Adds a sample of a tree that has used the processor time `cpu`.
    pub(super) fn sample(&mut self, cpu: Duration) {
        let look = self.sample_tree(cpu);
        self.sampled += self.threads.grown(look);
    }

    /// Reads from the living threads how long they were kept waiting; the group's count alone is
    /// too low while the launcher waits at the same time.
    pub(super) fn ask_threads(&mut self, processes: &[u32], cpu: Duration, counters: &Counters) {
        let (mut ran, mut kept, mut is_ready) = (Duration::ZERO, Duration::ZERO, false);
        for process in processes {
            for (number, times) in threads_of(*process) {
                ran += times.cpu;
                kept = kept.max(times.kept(cpu));
                is_ready |= is_ready_to_run(*process, number);
            }
        }
        self.asked.note(kept, ran, is_ready, Instant::now());
        let counted = self.counted(counters).unwrap_or_default();
        self.asked.note_counted(counted);
    }

    /// Returns the stall of the turn as the group counts it.
    fn counted(&self, counters: &Counters) -> Option<Duration> {
        let now = counters.stall()?;
        let own = self.own_times().stall.saturating_sub(self.own_before);
        Some(now.saturating_sub(self.group_before?).saturating_sub(own))
    }

    /// Returns the time until the next check whether programs whose time is up, and which are ready
    /// to run, are being kept waiting. A few such checks are made.
    pub(super) fn recheck_step(&mut self) -> Option<Duration> {
        self.asked.needs_recheck().then_some(RUN_STEP)
    }

    /// Returns the stall of the turn; `cpu` gives its processor time, if that is needed. The
    /// launcher's own waits do not count as its programs': they do not delay a sleeping program.
    pub(super) fn of_turn(&self, counters: &Counters, cpu: impl FnOnce() -> Duration) -> Duration {
        let counted = self
            .counted(counters)
            .unwrap_or_else(|| self.sampled + self.threads.rest(self.sample_tree(cpu())));
        counted.max(self.asked.kept + self.asked.ahead) + self.asked.waiting
    }

    /// Returns how late the launcher saw what it waited for, if the samples do not include that.
    pub(super) fn lateness(&self) -> Duration {
        match self.group_before {
            Some(_) => self.own_times().stall.saturating_sub(self.own_at_wait),
            None => Duration::ZERO,
        }
    }

    fn sample_tree(&self, cpu: Duration) -> TreeSample {
        TreeSample { at: Instant::now(), cpu, own: self.own_times() }
    }

    fn own_times(&self) -> ThreadTimes {
        self.schedule.as_ref().and_then(read_open).unwrap_or_default()
    }
}

/// Time between two checks of a tree that is ready to run; the second shows whether it runs,
/// because the kernel adds to the time of a running thread with every tick of its clock.
const RUN_STEP: Duration = Duration::from_millis(10);
/// Number of further checks of a tree that is ready to run when its time is up.
const RECHECKS: u8 = 3;

/// Waiting times of a turn's threads, as last read.
#[derive(Debug, Default)]
struct AskedThreads {
    /// Longest stall that they reported.
    kept: Duration,
    /// Largest lead of the group's count over what the threads reported. Later reports are added on
    /// top of it, so that they are seen although the group knows of waits that no thread reported.
    ahead: Duration,
    /// Wait under way at that moment, which the kernel reports only when it is over.
    waiting: Duration,
    /// Their processor time, and since when it is the same although one of them is ready to run.
    ran: Duration,
    still_since: Option<Instant>,
    rechecks: u8,
}

impl AskedThreads {
    fn note(&mut self, kept: Duration, ran: Duration, is_ready: bool, now: Instant) {
        let is_still = is_ready && ran == self.ran;
        let since = self.still_since.filter(|_| is_still).unwrap_or(now);
        (self.ran, self.still_since) = (ran, is_ready.then_some(since));
        self.kept = self.kept.max(kept);
        self.waiting = now.saturating_duration_since(since);
    }

    fn note_counted(&mut self, counted: Duration) {
        self.ahead = self.ahead.max(counted.saturating_sub(self.kept));
    }

    fn needs_recheck(&mut self) -> bool {
        let is_worth = self.still_since.is_some() && self.rechecks < RECHECKS;
        self.rechecks += u8::from(is_worth);
        is_worth
    }
}

/// Returns whether a thread runs or waits for a processor.
fn is_ready_to_run(process: u32, thread: u32) -> bool {
    let stat = kernel_text::read(format!("/proc/{process}/task/{thread}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" R"))
}

/// Reads times from an open `schedstat`.
fn read_open(schedule: &File) -> Option<ThreadTimes> {
    let mut text = [0; 64];
    let length = schedule.read_at(&mut text, 0).ok()?;
    ThreadTimes::parse(&text[..length])
}

/// Reads the numbers and times of the threads that a process has.
fn threads_of(process: u32) -> impl Iterator<Item = (u32, ThreadTimes)> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| {
        let number = thread.file_name().to_str()?.parse().ok()?;
        let text = fs::read(thread.path().join("schedstat")).ok()?;
        Some((number, ThreadTimes::parse(&text)?))
    })
}

/// Times of threads, as they were last seen. A thread that has ended still counts, because it kept
/// others waiting.
#[derive(Debug, Default)]
struct ThreadStalls {
    seen: HashMap<ThreadId, ThreadTimes>,
    /// Times added to them since the last reading of the whole tree.
    fresh: HashMap<ThreadId, ThreadTimes>,
    last: Option<TreeSample>,
}

/// A look at the whole tree.
#[derive(Clone, Copy, Debug)]
struct TreeSample {
    at: Instant,
    /// Processor time of the tree until then.
    cpu: Duration,
    /// Times of the launcher until then.
    own: ThreadTimes,
}

/// A thread: its number, which another one can be given later, and when its process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ThreadId {
    number: u32,
    started: u64,
}

impl ThreadStalls {
    /// Forgets everything at the start of a turn.
    fn begin(&mut self, look: TreeSample) {
        *self = Self { last: Some(look), ..Self::default() };
    }

    fn note(&mut self, thread: ThreadId, times: ThreadTimes) {
        let seen = self.seen.entry(thread).or_default();
        let fresh = self.fresh.entry(thread).or_default();
        fresh.cpu += times.cpu.saturating_sub(seen.cpu);
        fresh.stall += times.stall.saturating_sub(seen.stall);
        *seen = ThreadTimes { cpu: times.cpu.max(seen.cpu), stall: times.stall.max(seen.stall) };
    }

    /// Takes a sample and returns how long the tree was kept waiting since the last one that
    /// counted; zero if that is less than [`STEP`] ago.
    fn grown(&mut self, look: TreeSample) -> Duration {
        if self.last.is_some_and(|last| look.at.saturating_duration_since(last.at) < STEP) {
            return Duration::ZERO;
        }
        let grown = self.rest(look);
        self.fresh.clear();
        self.last = Some(look);
        grown
    }

    /// Returns the time, not yet reported by a sample, for which processes outside the tree kept it
    /// waiting. The tree includes its launcher. This is the wait of the thread that waited longest,
    /// without the time that other threads of the tree ran, because it may have waited for them,
    /// and at most the time in which no thread of the tree ran. Threads that wait for each other,
    /// or for the process that counts their use, must not seem to be delayed from outside.
    fn rest(&self, look: TreeSample) -> Duration {
        let Some(last) = self.last else { return Duration::ZERO };
        let looked = look.own.cpu.saturating_sub(last.own.cpu);
        let ran = look.cpu.saturating_sub(last.cpu) + looked;
        let still = look.at.saturating_duration_since(last.at).saturating_sub(ran);
        let own = look.own.stall.saturating_sub(last.own.stall).saturating_sub(ran);
        let kept = self.fresh.values().map(|thread| thread.kept(ran)).max().unwrap_or_default();
        kept.max(own).min(still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_read_again_once_turns_have_taken_a_while() {
        let mut meter = StallMeter::new(None);
        meter.begin_turn(&Counters::default());
        assert_eq!(meter.unread, Duration::ZERO);
        for _ in 0..3 {
            meter.note_turn(MOST_UNREAD / 4);
            meter.begin_turn(&Counters::default());
        }
        assert_eq!(meter.unread, MOST_UNREAD / 4 * 3);
        meter.note_turn(MOST_UNREAD / 4);
        meter.begin_turn(&Counters::default());
        assert_eq!(meter.unread, Duration::ZERO);
    }

    #[test]
    fn waits_that_the_group_alone_counted_hide_none_that_threads_tell() {
        let (mut asked, at, ms) = (AskedThreads::default(), Instant::now(), Duration::from_millis);
        asked.note(ms(20), ms(5), false, at);
        asked.note_counted(ms(90));
        asked.note(ms(60), ms(9), false, at);
        asked.note_counted(ms(90));
        assert_eq!(asked.kept + asked.ahead, ms(130));
        asked.note_counted(ms(130));
        assert_eq!(asked.kept + asked.ahead, ms(130), "the group tells later, and nothing twice");
    }

    #[test]
    fn a_wait_under_way_counts_while_a_thread_is_ready_and_none_runs() {
        let (mut asked, at, ms) = (AskedThreads::default(), Instant::now(), Duration::from_millis);
        let told = |asked: &AskedThreads| (asked.kept, asked.waiting);
        asked.note(ms(20), ms(5), true, at);
        assert_eq!(told(&asked), (ms(20), ms(0)));
        asked.note(ms(20), ms(5), true, at + ms(100));
        assert_eq!(told(&asked), (ms(20), ms(100)), "nothing ran");
        asked.note(ms(120), ms(9), true, at + ms(110));
        asked.note(ms(120), ms(19), true, at + ms(120));
        assert_eq!(told(&asked), (ms(120), ms(0)), "it runs");
        asked.note(ms(120), ms(19), false, at + ms(220));
        assert_eq!(told(&asked), (ms(120), ms(0)), "it sleeps");
        assert!(!asked.needs_recheck(), "who sleeps is late");
        asked.note(ms(120), ms(20), true, at + ms(230));
        assert!(asked.needs_recheck());
    }

    #[test]
    fn who_has_ended_has_waited_all_the_same() {
        let mut stalls = ThreadStalls::default();
        let look = tree_sample(Instant::now());
        stalls.begin(look(0, 0, 0));
        for (number, started, stall) in [(7, 1, 10), (7, 1, 30), (8, 1, 5), (7, 1, 20), (7, 9, 2)] {
            stalls.note(ThreadId { number, started }, waited(stall));
        }
        assert_eq!(stalls.grown(look(100, 0, 0)), Duration::from_millis(30), "the longest");
        assert_eq!(stalls.grown(look(200, 0, 0)), Duration::ZERO);
    }

    fn waited(ms: u64) -> ThreadTimes {
        ThreadTimes { cpu: Duration::ZERO, stall: Duration::from_millis(ms) }
    }

    #[test]
    fn threads_that_queue_for_each_other_are_kept_waiting_by_nobody() {
        let (mut stalls, look) = (ThreadStalls::default(), tree_sample(Instant::now()));
        stalls.begin(look(0, 0, 0));
        // Four that want 10 ms each at the same moment, on one processor, and then sleep for 60 ms.
        for number in 0..4 {
            let ms = Duration::from_millis;
            let times = ThreadTimes { cpu: ms(10), stall: ms(10 * u64::from(number)) };
            stalls.note(ThreadId { number, started: 1 }, times);
        }
        assert_eq!(stalls.grown(look(100, 40, 30)), Duration::ZERO);
    }

    /// Returns a function that makes samples at a number of milliseconds after `first`.
    fn tree_sample(first: Instant) -> impl Fn(u64, u64, u64) -> TreeSample {
        let ms = Duration::from_millis;
        move |at, cpu, stall| {
            let own = ThreadTimes { cpu: Duration::ZERO, stall: ms(stall) };
            TreeSample { at: first + ms(at), cpu: ms(cpu), own }
        }
    }

    #[test]
    fn a_tree_whose_processes_wait_for_each_other_is_not_kept_waiting() {
        let (mut stalls, look) = (ThreadStalls::default(), tree_sample(Instant::now()));
        stalls.begin(look(0, 0, 0));
        let note = |stalls: &mut ThreadStalls, of_each: u64| {
            for number in 0..30 {
                stalls.note(ThreadId { number, started: 1 }, waited(of_each));
            }
        };
        // The thirty threads share one processor; the launcher waits as they do.
        note(&mut stalls, 50);
        assert_eq!(stalls.grown(look(40, 3, 30)), Duration::ZERO, "who runs is told of late");
        note(&mut stalls, 97);
        assert_eq!(stalls.grown(look(100, 98, 90)), Duration::ZERO);
        // Then they sleep.
        assert_eq!(stalls.grown(look(1000, 99, 90)), Duration::ZERO);
        // Another tree takes the processor.
        note(&mut stalls, 147);
        assert_eq!(stalls.grown(look(1050, 99, 90)), Duration::from_millis(50));
        assert_eq!(stalls.grown(look(1100, 99, 130)), Duration::from_millis(40));
        // The launcher reads what thirty processes use, which takes half of the time.
        note(&mut stalls, 197);
        let own = ThreadTimes { cpu: Duration::from_millis(50), ..look(0, 0, 130).own };
        let busy = TreeSample { own, ..look(1200, 148, 130) };
        assert_eq!(stalls.grown(busy), Duration::ZERO);
    }

    #[test]
    fn the_launcher_knows_how_long_it_waited_for_a_processor() {
        let schedule = File::open("/proc/self/schedstat").expect("the kernel tells");
        let before = read_open(&schedule).expect("two numbers at least");
        let after = read_open(&schedule).expect("two numbers at least");
        assert!(after.stall >= before.stall && after.cpu >= before.cpu);
    }
}

//! Memory of a turn, and the source of kills for want of memory.
//!
//! The kernel gives some memory back only a while after a program's end, for instance page tables:
//! a program that starts before that finds its seat full.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::counters::Counters;
use crate::{Bytes, Ending, LimitHit, TurnReport};

/// Time between two checks whether the kernel has given memory back.
const STEP: Duration = Duration::from_millis(2);
/// Longest wait while the memory does not decrease: files in the seat's folders are memory, too,
/// and stay.
const STUCK: Duration = Duration::from_millis(50);
/// Longest wait for memory.
const LONGEST: Duration = Duration::from_millis(500);
/// Largest number of bytes that the kernel charges in one step when little is left.
const AT_ONCE: u64 = 1 << 20;
const PAGE: u64 = 4096;

/// Counts of programs killed for want of memory.
#[derive(Clone, Copy, Default)]
struct KillCounts {
    of_group: u64,
    limit_reached: Option<u64>,
    /// Kills at the start of the turn, if no group counts them.
    outside: u64,
}

impl KillCounts {
    fn count(counters: &Counters) -> Self {
        let (of_group, limit_reached) = counters.memory_kills();
        Self { of_group, limit_reached, outside: 0 }
    }
}

/// Reason for which programs were killed for want of memory in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KillSource {
    Nobody,
    /// The programs reached the limit of the seat.
    Limit,
    /// A group around the seat, or the machine, reached its limit; the seat did not.
    Outside,
}

/// Files that the kernel keeps in memory. The kernel charges a shared file to the process that
/// reads it first, until the memory is needed elsewhere; it does not count as use by that process.
#[derive(Clone, Copy, Default)]
struct FilePages {
    at_the_start: u64,
    now: u64,
    /// The memory of the group when they were counted.
    memory: u64,
}

/// Change of the memory after which files are counted again, bytes. Counting costs more than the
/// rest of a short turn's account, so it waits for a change larger than the kernel's steps.
const MATTERS: u64 = 1 << 20;

impl FilePages {
    fn start(counters: &Counters) -> Self {
        let now = counters.file_pages().unwrap_or(0);
        Self { at_the_start: now, now, memory: counters.memory().unwrap_or(0) }
    }

    /// Counts them, if their number can have changed.
    fn recount(&mut self, counters: &Counters) {
        let memory = counters.memory().unwrap_or(0);
        if memory.abs_diff(self.memory) >= MATTERS
            && let Some(now) = counters.file_pages()
        {
            (self.now, self.memory) = (now, memory);
        }
    }

    /// Returns whether counting them again can change a turn with this peak of the group. If its
    /// memory has become less, they can have become fewer, but not than none.
    fn can_matter(&self, peak: Option<u64>) -> bool {
        let has_grown = peak.is_none_or(|peak| peak >= self.memory.saturating_add(MATTERS));
        has_grown || self.since_the_start() > 0
    }

    fn since_the_start(self) -> u64 {
        self.now.saturating_sub(self.at_the_start)
    }
}

/// Meter of the memory of a turn.
pub(crate) struct MemoryMeter {
    /// Limit of the seat, bytes.
    limit: u64,
    /// Memory of the launcher itself.
    own: u64,
    files: FilePages,
    /// The group's peak at the start of the turn, where it cannot be reset; else 0.
    peak_before: u64,
    kills_before: KillCounts,
    /// Peak of the largest process that was reaped.
    largest_process: u64,
    /// True if the last program had much of the seat's memory.
    was_filled: bool,
}

impl MemoryMeter {
    pub(super) fn start(counters: &Counters, limit: Bytes) -> Self {
        Self {
            limit: limit.0,
            own: counters.memory().unwrap_or(0),
            files: FilePages::start(counters),
            peak_before: counters.take_peak().1,
            kills_before: KillCounts::count(counters),
            largest_process: 0,
            was_filled: false,
        }
    }

    /// Counts from now on, because the memory apart from programs has changed.
    pub(super) fn restart(&mut self, counters: &Counters) {
        let was_filled = self.was_filled;
        *self = Self { was_filled, ..Self::start(counters, Bytes(self.limit)) };
    }

    pub(super) fn begin_turn(&mut self, counters: &Counters) {
        self.largest_process = 0;
        self.kills_before.outside = counters.kills_outside();
    }

    /// Notes the peak of a process that was reaped.
    pub(crate) fn note_reaped(&mut self, peak: u64) {
        self.largest_process = self.largest_process.max(peak);
    }

    /// Returns whether the kernel's peak may be an earlier turn's, so that the group has to
    /// be sampled.
    pub(crate) fn has_old_peak(&self) -> bool {
        self.peak_before > 0
    }

    /// Returns the memory of the group now, without the launcher's and without files.
    pub(super) fn of_group(&self, counters: &Counters) -> u64 {
        let now = counters.memory().unwrap_or(0);
        now.saturating_sub(self.own + self.files.since_the_start())
    }

    /// As [`MemoryMeter::of_group`], with files counted again.
    pub(super) fn of_group_now(&mut self, counters: &Counters) -> u64 {
        self.files.recount(counters);
        self.of_group(counters)
    }

    /// Returns the largest memory of the turn so far, also from `sampled`; 0 if it is unknown.
    pub(super) fn peak_so_far(&mut self, counters: &Counters, sampled: u64) -> u64 {
        self.files.recount(counters);
        let group = counters.peak().filter(|peak| *peak > self.peak_before);
        let group = group.map_or(0, |peak| self.without_files(peak, KillSource::Nobody));
        group.max(sampled).max(self.largest_process)
    }

    /// Returns the peak of the turn, and the source of a kill for want of memory. Resets the peak.
    pub(super) fn end_turn(&mut self, counters: &Counters, sampled: u64) -> (u64, KillSource) {
        let now = KillCounts::count(counters);
        let killer = self.kill_source(now, counters);
        self.kills_before = KillCounts { outside: self.kills_before.outside, ..now };
        let (group, peak_before) = counters.take_peak();
        if self.files.can_matter(group) {
            self.files.recount(counters);
        }
        let group = group.filter(|peak| killer != KillSource::Nobody || *peak > self.peak_before);
        self.peak_before = peak_before;
        let group = group.map_or(0, |peak| self.without_files(peak, killer));
        // The kernel charges in batches: a tiny program may not move the group's count.
        let peak = if group == 0 { sampled.max(self.largest_process) } else { group };
        (peak.max(sampled), killer)
    }

    /// Returns whether a program of this turn was killed because the seat's own limit was reached.
    pub(super) fn has_killed_at_the_limit(&self, counters: &Counters) -> bool {
        self.kill_source(KillCounts::count(counters), counters) == KillSource::Limit
    }

    /// Returns the source of kills. The group counts its killed programs, whichever limit caused
    /// the kill. Version 2 also counts that its own limit was reached; in version 1 the peak shows
    /// that.
    fn kill_source(&self, now: KillCounts, counters: &Counters) -> KillSource {
        let before = self.kills_before;
        if now.of_group <= before.of_group {
            return KillSource::Nobody;
        }
        let peak = || counters.memory_peak().unwrap_or(u64::MAX);
        let reached = match (before.limit_reached, now.limit_reached) {
            (Some(before), Some(now)) => now > before,
            _ => peak().saturating_add(AT_ONCE) >= self.limit,
        };
        if reached { KillSource::Limit } else { KillSource::Outside }
    }

    /// Returns whether only the machine's lack of memory explains how a turn ended. A program
    /// cannot bring this about by itself: then it has reached its own limit, or the kernel has
    /// counted no kill.
    pub(super) fn was_killed_outside(
        &self,
        counters: &Counters,
        killer: KillSource,
        ending: Ending,
        sampled: u64,
    ) -> bool {
        if counters.limits_memory() {
            let failed = !matches!(ending, Ending::Exited(0));
            let by_itself = matches!(ending, Ending::Exited(_) | Ending::Signalled(_));
            return killer == KillSource::Outside && failed && by_itself;
        }
        let risen = counters.kills_outside() > self.kills_before.outside;
        ending == Ending::Signalled(libc::SIGKILL) && risen && sampled < self.limit
    }

    /// A peak of the group without the launcher's memory and, unless all memory was wanted,
    /// without files. The files at the peak are unknown, so those at the end are subtracted.
    fn without_files(&self, peak: u64, killer: KillSource) -> u64 {
        let files = if killer == KillSource::Nobody { self.files.since_the_start() } else { 0 };
        match peak.saturating_sub(self.own) {
            0 => 0,
            memory => memory.saturating_sub(files).max(PAGE),
        }
    }

    /// Notes whether the program that has ended had much of the seat's memory.
    pub(super) fn note_report(&mut self, report: &TurnReport) {
        self.was_filled = report.usage.limits_hit.contains(LimitHit::Memory)
            || self.is_much(report.usage.peak_memory.0);
    }

    /// Waits until the kernel has given back the previous program's memory.
    pub(crate) fn await_freed(&mut self, counters: &Counters) {
        if !std::mem::take(&mut self.was_filled) {
            return;
        }
        let begin = Instant::now();
        let (mut least, mut lessened) = (u64::MAX, begin);
        while let Some(used) = in_use(counters).filter(|used| self.is_much(*used)) {
            if used < least {
                (least, lessened) = (used, Instant::now());
            }
            if lessened.elapsed() > STUCK || begin.elapsed() > LONGEST {
                return;
            }
            sleep(STEP);
        }
    }

    /// Returns whether the seat is too full to start a program in it.
    pub(crate) fn is_filled(&self, counters: &Counters) -> bool {
        in_use(counters).is_some_and(|used| self.is_much(used))
    }

    fn is_much(&self, bytes: u64) -> bool {
        bytes > self.limit / 2
    }
}

/// Returns the memory in use, without the part that the kernel frees on demand.
fn in_use(counters: &Counters) -> Option<u64> {
    let files = counters.file_pages().unwrap_or(0);
    counters.memory().map(|used| used.saturating_sub(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_again_if_the_group_has_grown_or_some_were_there() {
        let none = FilePages { at_the_start: 5, now: 5, memory: MATTERS };
        assert!(!none.can_matter(Some(2 * MATTERS - 1)));
        assert!(none.can_matter(Some(2 * MATTERS)));
        assert!(none.can_matter(None));
        let some = FilePages { now: 6, ..none };
        assert!(some.can_matter(Some(MATTERS)));
    }
}

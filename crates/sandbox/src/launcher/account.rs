//! Accounting of a turn: what it used, from the counters of the groups or from samples, and the
//! ending that follows.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use super::capture::Capture;
use super::counters::Counters;
use super::inner_seat::InnerSeat;
use super::sampling;
use super::turn::Cleared;
use super::watch::{Cause, Watched};
use crate::sys::{Exit, TreeClock};
use crate::wire::Done;
use crate::{Bytes, Ending, LimitHit, LimitsHit, TurnLimits, TurnReport, Used, extension};

/// Readings at the end of the turn before, which are those at the start of this one.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    cpu: Duration,
    own_cpu: Duration,
    /// Processor time of the launcher and all that it started, if the kernel reports it.
    tree: Option<Duration>,
}

/// Bytes that the kernel charges at most in one step when little is left.
const AT_ONCE: u64 = 1 << 20;

/// Counts of programs killed for want of memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Kills {
    of_group: u64,
    limit_reached: Option<u64>,
    /// At the start of the turn, where no group counts.
    pub(super) outside: u64,
}

impl Kills {
    pub(super) fn count(counters: &Counters) -> Self {
        let (of_group, limit_reached) = (counters.memory_kills(), counters.limit_reached());
        Self { of_group, limit_reached, outside: 0 }
    }
}

/// For whose want of memory programs were killed in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Killer {
    Nobody,
    /// They reached the limit of the seat.
    Limit,
    /// The limit of the seat was not reached: that of a group around it, or of the machine.
    Outside,
}

/// Files that the kernel keeps in memory. Whoever reads a shared one first is charged for it, until
/// somebody wants the memory; it is nobody's use of it.
#[derive(Clone, Copy, Default)]
pub(super) struct FilePages {
    at_the_start: u64,
    now: u64,
    /// The memory of the group when they were counted.
    memory: u64,
}

/// Counting costs more than the rest of a short turn's account, so it is done when the memory has
/// changed by more than the kernel charges at once.
const MATTERS: u64 = 1 << 20;

impl FilePages {
    pub(super) fn begin(counters: &Counters) -> Self {
        let now = counters.file_pages().unwrap_or(0);
        Self { at_the_start: now, now, memory: counters.memory().unwrap_or(0) }
    }

    /// Counts them, if their number can have changed.
    pub(super) fn look(&mut self, counters: &Counters) {
        let memory = counters.memory().unwrap_or(0);
        if memory.abs_diff(self.memory) >= MATTERS
            && let Some(now) = counters.file_pages()
        {
            (self.now, self.memory) = (now, memory);
        }
    }

    pub(super) fn since_the_start(self) -> u64 {
        self.now.saturating_sub(self.at_the_start)
    }
}

impl InnerSeat {
    /// Puts together what is told about a turn.
    pub(super) fn report(
        &mut self,
        limits: &TurnLimits,
        started: Instant,
        watched: &Watched,
        cleared: Cleared,
        stdout: Capture,
        stderr: Capture,
    ) -> Done {
        self.remove_ipc();
        let (before, after) = (self.before, self.usage());
        let cpu = self.cpu_between(before, after);
        // Giving back what many processes had filled is no work of theirs.
        let cpu = watched.cpu.map_or(cpu, |ended| ended.min(cpu)).max(self.cpu_told);
        let wall = watched.ended - started;
        let stall = watched.stall.min(self.without_processor(wall, cpu));
        let (peak, killer) = self.memory_of_turn();
        let mut hits = self.hits(watched, killer == Killer::Limit);
        for (hit, happened) in [
            (
                LimitHit::Wall,
                watched.cause == Cause::Wall || wall > limits.turn + extension(stall, limits.turn),
            ),
            (LimitHit::Cpu, cpu > limits.cpu || watched.cause == Cause::Cpu),
            (LimitHit::Stdout, stdout.is_cut()),
            (LimitHit::Descriptors, self.out_of_descriptors),
            (LimitHit::Stderr, stderr.is_cut()),
        ] {
            if happened {
                hits.insert(hit);
            }
        }
        let over = stdout.is_over() || stderr.is_over();
        let ending = ending(hits, over, watched.cause);
        self.before = after;
        let killed_outside = self.was_killed_outside(killer, ending);
        let report = TurnReport {
            ending,
            stdout_seen: stdout.seen(),
            stdout: stdout.into_kept(),
            stderr_seen: stderr.seen(),
            stderr: stderr.into_kept(),
            wall,
            cpu,
            cpu_complete: self.counters.counts_cpu(),
            stall,
            peak_memory: Bytes(peak.max(self.sampled.memory)),
            limits_hit: hits,
            files: Vec::new(),
            children_refused: self.children_refused,
            left_over_processes: cleared.processes,
            start: self.start.clone(),
        };
        Done { report, killed_outside, made_objects: self.made_objects }
    }

    fn hits(&mut self, watched: &Watched, killed_for_memory: bool) -> LimitsHit {
        let mut hits = LimitsHit::default();
        if killed_for_memory || watched.cause == Cause::Memory {
            hits.insert(LimitHit::Memory);
        }
        // Files without names are gone when the scratch is looked at after the turn.
        if let Cause::Disk(hit) = watched.cause {
            hits.insert(hit);
        }
        let refusals = self.counters.process_refusals();
        let crowded = self.sampled.tasks >= u64::from(self.limits.processes);
        if refusals > self.refusals_before || crowded {
            hits.insert(LimitHit::Processes);
        }
        self.refusals_before = refusals;
        hits
    }

    /// The peak of the turn, and who killed for want of memory. The peak starts anew.
    fn memory_of_turn(&mut self) -> (u64, Killer) {
        let group = self.counters.peak();
        let killer = self.killer();
        let all_was_wanted = killer != Killer::Nobody;
        let group = group.filter(|peak| all_was_wanted || *peak > self.peak_before);
        self.peak_before = self.counters.restart_peak();
        self.files.look(&self.counters);
        let group = group.map_or(0, |peak| self.without_files(peak, all_was_wanted));
        // The kernel charges in batches: a tiny program may not move the group's count.
        let peak = if group == 0 { self.sampled.memory.max(self.largest_process) } else { group };
        (peak, killer)
    }

    /// The group counts its programs that were killed, whose limit it ever was. That its own was
    /// reached version 2 counts, too, and of version 1 the peak tells.
    fn killer(&mut self) -> Killer {
        let now = Kills::count(&self.counters);
        let killer = self.killer_until(now);
        self.kills_before = Kills { outside: self.kills_before.outside, ..now };
        killer
    }

    /// Returns whether a program of this turn was killed because the seat's own limit was reached.
    pub(super) fn has_killed_at_the_limit(&self) -> bool {
        self.counters.memory_kills() > self.kills_before.of_group
            && self.killer_until(Kills::count(&self.counters)) == Killer::Limit
    }

    fn killer_until(&self, now: Kills) -> Killer {
        let before = self.kills_before;
        let peak = self.counters.memory_peak().unwrap_or(u64::MAX);
        let reached = match (before.limit_reached, now.limit_reached) {
            (Some(before), Some(now)) => now > before,
            _ => peak.saturating_add(AT_ONCE) >= self.limits.memory.0,
        };
        match now.of_group > before.of_group {
            true if reached => Killer::Limit,
            true => Killer::Outside,
            false => Killer::Nobody,
        }
    }

    /// Returns whether nothing but the machine's lack of memory explains how a turn ended. The
    /// actions of a program itself never do: its own limit is then reached, or nobody counts a
    /// kill.
    fn was_killed_outside(&self, killer: Killer, ending: Ending) -> bool {
        if self.counters.limits_memory() {
            let failed = !matches!(ending, Ending::Exited(0));
            let by_itself = matches!(ending, Ending::Exited(_) | Ending::Signalled(_));
            return killer == Killer::Outside && failed && by_itself;
        }
        let risen = self.counters.kills_outside() > self.kills_before.outside;
        let below = self.sampled.memory < self.limits.memory.0;
        ending == Ending::Signalled(libc::SIGKILL) && risen && below
    }

    /// A peak of the group without what is the launcher's and, unless all memory was wanted,
    /// without files. Those of the end are taken for those of the peak, of which nobody knows.
    fn without_files(&self, peak: u64, all_was_wanted: bool) -> u64 {
        const PAGE: u64 = 4096;
        let files = if all_was_wanted { 0 } else { self.files.since_the_start() };
        match peak.saturating_sub(self.own_memory) {
            0 => 0,
            memory => memory.saturating_sub(files).max(PAGE),
        }
    }

    pub(super) fn usage(&self) -> Usage {
        // Asking for the own time first also brings the group's up to date.
        let own_cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .map(Duration::from)
            .unwrap_or_default();
        // Next to it, as one is taken from the other.
        let tree = self.tree_clock.as_ref().and_then(TreeClock::read);
        let cpu = self.counters.cpu().unwrap_or_else(sampling::waited_for);
        Usage { cpu, own_cpu, tree }
    }

    /// Processor time between two readings without the launcher's own.
    fn cpu_between(&self, before: Usage, after: Usage) -> Duration {
        let all = after.cpu.saturating_sub(before.cpu);
        match self.counters.counts_cpu() {
            true => all.saturating_sub(after.own_cpu.saturating_sub(before.own_cpu)),
            false => all.max(tree_between(before, after)),
        }
    }

    /// Returns the resources used by a program that still runs.
    pub(super) fn used(&mut self, started: Instant, streams: [&Capture; 2]) -> Used {
        self.files.look(&self.counters);
        let group = self.counters.peak().filter(|peak| *peak > self.peak_before);
        let group = group.map_or(0, |peak| self.without_files(peak, false));
        let mut limits_hit = LimitsHit::default();
        let refused = self.counters.process_refusals() > self.refusals_before;
        let crowded = self.sampled.tasks >= u64::from(self.limits.processes);
        for (hit, happened) in [
            (LimitHit::Processes, refused || crowded),
            (LimitHit::Descriptors, self.out_of_descriptors),
            (LimitHit::Stdout, streams[0].is_cut()),
            (LimitHit::Stderr, streams[1].is_cut()),
        ] {
            if happened {
                limits_hit.insert(hit);
            }
        }
        self.cpu_told = self.cpu_used().max(self.cpu_told);
        self.ask_threads();
        let (wall, cpu) = (started.elapsed(), self.cpu_told);
        Used {
            wall,
            cpu,
            cpu_complete: self.counters.counts_cpu(),
            stall: self.stall_of_turn().min(self.without_processor(wall, cpu)),
            peak_memory: Bytes(match group.max(self.sampled.memory).max(self.largest_process) {
                // As a tiny program may not move the group's count, its processes tell.
                0 => self.memory_of_processes(),
                peak => peak,
            }),
            limits_hit,
        }
    }

    /// The longest that the tree can have been without any of its processors. Samples add up what its
    /// threads waited for each other, too.
    pub(super) fn without_processor(&self, wall: Duration, cpu: Duration) -> Duration {
        without_processor(wall, cpu, self.cores)
    }

    /// Processor time of the turn so far.
    pub(super) fn cpu_used(&self) -> Duration {
        let now = self.usage();
        if self.counters.counts_cpu() {
            return self.cpu_between(self.before, now);
        }
        let waited_for = now.cpu.saturating_sub(self.before.cpu);
        (waited_for + self.sampled.cpu).max(tree_between(self.before, now))
    }
}

/// Processor time of the tree between two readings without the launcher's own: what ended unseen and
/// was waited for by nobody is in no other sum. Nothing where the kernel does not tell.
fn tree_between(before: Usage, after: Usage) -> Duration {
    let tree = after.tree.zip(before.tree).map(|(after, before)| after.saturating_sub(before));
    let own = after.own_cpu.saturating_sub(before.own_cpu);
    tree.unwrap_or_default().saturating_sub(own)
}

fn without_processor(wall: Duration, cpu: Duration, cores: usize) -> Duration {
    let cores = u32::try_from(cores).unwrap_or(u32::MAX).max(1);
    wall.saturating_sub(cpu / cores)
}

/// The first that applies.
fn ending(hits: LimitsHit, over: bool, cause: Cause) -> Ending {
    if hits.contains(LimitHit::Memory) {
        Ending::MemoryLimit
    } else if over || cause == Cause::Output {
        Ending::OutputLimit
    } else if hits.contains(LimitHit::Cpu) || cause == Cause::Cpu {
        Ending::CpuLimit
    } else if hits.contains(LimitHit::Wall) || cause == Cause::Wall {
        Ending::WallLimit
    } else {
        match cause {
            Cause::Itself(Exit::Signal(signal)) => Ending::Signalled(signal),
            Cause::Itself(Exit::Status(status)) => Ending::Exited(status),
            Cause::Stopped => Ending::Stopped,
            // The limit that was passed says why.
            Cause::Disk(_) => Ending::Signalled(libc::SIGKILL),
            _ => Ending::WallLimit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_computes_all_the_time_waits_for_nobody() {
        let [wall, cpu] = [300, 260].map(Duration::from_millis);
        assert_eq!(without_processor(wall, cpu, 1), Duration::from_millis(40));
        assert_eq!(without_processor(wall, cpu, 2), Duration::from_millis(170));
        assert_eq!(without_processor(cpu, wall, 1), Duration::ZERO);
    }
}

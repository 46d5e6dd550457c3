//! Accounting of a turn: the resources that it used, from the counters of the groups or from
//! samples, and the ending that follows from them and from the reason why its program was stopped.

mod counters;
mod cpu;
mod memory;
mod sampler;
mod stall;

use std::fs::File;
use std::time::{Duration, Instant};

use super::capture::Capture;
use super::processes::Membership;
use crate::mechanism::rlimit;
use crate::sys::Exit;
use crate::{
    Bytes, Ending, LimitHit, LimitsHit, ProgramLimits, ResourceUsage, SeatLimits, TurnReport,
    extension,
};
pub(super) use counters::Counters;
use cpu::CpuMeter;
pub(super) use cpu::{IDLE_STEP, Idleness};
use memory::{KillSource, MemoryMeter};
use sampler::Sampler;
use stall::StallMeter;

/// The longest and the shortest time between two memory samples, if no group limits the memory.
const MEMORY_STEP: Duration = Duration::from_millis(4);
const MEMORY_STEP_NEAR: Duration = Duration::from_micros(250);
/// Fastest growth of memory that one processor can cause, bytes a second: twice the 2 GB/s measured
/// for writing fresh pages.
const GROWTH: u64 = 4_000_000_000;
/// The shortest time between two checks of the processor time.
const CPU_STEP: Duration = Duration::from_millis(1);

/// Account of a seat's turns; the only owner of all counts.
pub(super) struct Accounting {
    pub(super) counters: Counters,
    limits: SeatLimits,
    /// Number of processors that the programs may use.
    cores: u32,
    cpu: CpuMeter,
    pub(super) memory: MemoryMeter,
    pub(super) stall: StallMeter,
    pub(super) sampler: Sampler,
    /// Refused forks at the start of the turn.
    refusals_before: u64,
    out_of_descriptors: bool,
}

/// A turn whose programs have all ended.
pub(super) struct EndedTurn<'a> {
    pub(super) limits: &'a ProgramLimits,
    pub(super) started: Instant,
    pub(super) watched: &'a WatchOutcome,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
}

impl Accounting {
    /// Begins to count; `schedule` is the launcher's open `schedstat`.
    pub(super) fn start(
        counters: Counters,
        limits: &SeatLimits,
        cores: usize,
        membership: Membership,
        schedule: Option<File>,
    ) -> Self {
        Self {
            limits: limits.clone(),
            cores: u32::try_from(cores).unwrap_or(u32::MAX).max(1),
            memory: MemoryMeter::start(&counters, limits.memory),
            refusals_before: counters.process_refusals(),
            cpu: CpuMeter::start(&counters),
            stall: StallMeter::new(schedule),
            sampler: Sampler::new(membership),
            out_of_descriptors: false,
            counters,
        }
    }

    /// Counts from now on, because the use apart from programs has changed; `left_out` is a process
    /// of the seat that belongs to no program.
    pub(super) fn restart(&mut self, left_out: Option<u32>) {
        self.memory.restart(&self.counters);
        self.stall.restart();
        self.refusals_before = self.counters.process_refusals();
        self.sampler.finder.left_out = left_out;
        self.cpu.restart(&self.counters);
    }

    /// Forgets the previous turn.
    pub(super) fn begin_turn(&mut self) {
        self.cpu.begin_turn();
        self.stall.begin_turn(&self.counters);
        self.sampler.begin_turn();
        self.memory.begin_turn(&self.counters);
        self.out_of_descriptors = false;
    }

    /// Notes if the main process has all the descriptors it may have. Nothing
    /// counts refusals, so this is visible only while it holds them.
    pub(super) fn note_descriptors(&mut self, main: i32) {
        let open = std::fs::metadata(format!("/proc/{main}/fd")).map_or(0, |folder| folder.len());
        self.out_of_descriptors |= open >= rlimit::descriptors(&self.limits);
    }

    /// Samples the memory of all processes, and their times when these can matter.
    pub(super) fn sample(&mut self, now: Instant, scratch: u64) {
        self.sampler.sample_memory(scratch);
        if self.sampler.are_times_due(now) {
            self.sample_times();
        }
    }

    /// Reads the times of the processes seen last.
    fn sample_times(&mut self) {
        self.sampler.sample_times(&mut self.stall);
        self.stall.sample(self.cpu_used());
    }

    /// Ends the processes seen last, and reads what they have used.
    pub(super) fn kill_members(&mut self) {
        self.sampler.kill_members();
        self.sample_times();
    }

    /// Returns whether processes must be sampled because the groups do not count or limit enough.
    pub(super) fn needs_samples(&self) -> bool {
        let counted = self.counters.limits_memory() && self.counters.counts_cpu();
        !counted || self.counters.stall().is_none()
    }

    /// Samples the memory of the group.
    pub(super) fn sample_group(&mut self) {
        self.sampler.note_memory(self.memory.of_group(&self.counters));
    }

    /// Returns whether samples exceed the limit that no group enforces.
    pub(super) fn passes_memory(&self) -> bool {
        !self.counters.limits_memory() && self.sampler.memory > self.limits.memory.0
    }

    /// Returns whether the bytes waiting in sockets exceed the limit, together with the bytes that
    /// a group counts or that were sampled.
    pub(super) fn passes_memory_with(&mut self, waiting: u64) -> bool {
        if waiting == 0 {
            return false;
        }
        let used = match self.counters.limits_memory() {
            true => waiting.saturating_add(self.memory.of_group_now(&self.counters)),
            false => self.sampler.last_memory.saturating_add(waiting),
        };
        self.sampler.note_memory(used);
        used > self.limits.memory.0
    }

    /// Returns whether a program of this turn was killed because the seat's own limit was reached.
    pub(super) fn has_killed_at_the_limit(&self) -> bool {
        self.memory.has_killed_at_the_limit(&self.counters)
    }

    /// Returns the time in which the memory in use could grow to a tenth more than the limit:
    /// memory that grows fast exceeds the limit by its growth between two samples.
    pub(super) fn memory_step(&self) -> Duration {
        let limit = self.limits.memory.0;
        let left = (limit + limit / 10).saturating_sub(self.sampler.memory);
        let growth = (GROWTH / 1_000_000_000).saturating_mul(self.cores.into());
        Duration::from_nanos(left / growth).clamp(MEMORY_STEP_NEAR, MEMORY_STEP)
    }

    /// Returns the shortest time in which the processor time `unused` can be used up.
    pub(super) fn cpu_step(&self, unused: Duration) -> Duration {
        (unused / self.cores).max(CPU_STEP)
    }

    /// Checks the processor time; returns the time until `limit` could be exceeded, `None` if it
    /// is.
    pub(super) fn check_cpu(&mut self, now: Instant, limit: Duration) -> Option<Duration> {
        let due = self.sampler.are_times_due(now);
        let mut used = self.cpu_used();
        if used > limit && !due {
            // A process reaped since then is in both sums.
            self.sample_times();
            used = self.cpu_used();
        }
        let step = self.cpu_step(limit.checked_sub(used)?);
        if due {
            self.sampler.times_due = Some(now + step.min(MEMORY_STEP));
        }
        Some(step)
    }

    /// Returns the processor time of the turn so far.
    pub(super) fn cpu_used(&self) -> Duration {
        self.cpu.used(&self.counters, self.sampler.cpu)
    }

    /// As [`Accounting::cpu_used`], with a new sample of the living processes.
    pub(super) fn cpu_used_by_sample(&mut self, scratch: u64) -> Duration {
        self.sample(Instant::now(), scratch);
        self.sample_times();
        self.cpu_used()
    }

    /// Returns for how long a program that has run for `wall` was kept waiting, also by its
    /// threads' times.
    pub(super) fn stall_by_now(&mut self, wall: Duration, cpu: Duration) -> Duration {
        let look = self.sampler.finder.take_snapshot();
        let used = self.cpu_used();
        self.stall.ask_threads(&look.processes, used, &self.counters);
        self.stall_of_turn().min(without_processor(wall, cpu, self.cores))
    }

    /// As [`StallMeter::recheck_step`].
    pub(super) fn recheck_step(&mut self) -> Option<Duration> {
        self.stall.recheck_step()
    }

    /// Returns the stall of a turn whose program's end was just seen, including the time by which
    /// the launcher saw the end late.
    pub(super) fn stall_until_seen(&self) -> Duration {
        self.stall_of_turn() + self.stall.lateness()
    }

    fn stall_of_turn(&self) -> Duration {
        self.stall.of_turn(&self.counters, || self.cpu_used())
    }

    /// Makes the result of watching until now.
    pub(super) fn watched(&self, cause: StopCause, ended: Instant) -> WatchOutcome {
        let cpu =
            (cause == StopCause::Memory || self.has_killed_at_the_limit()).then(|| self.cpu_used());
        WatchOutcome { cause, ended, stall: self.stall_until_seen(), cpu }
    }

    /// Returns the resources used by a program that still runs.
    pub(super) fn used(&mut self, started: Instant, streams: [&Capture; 2]) -> ResourceUsage {
        let peak = self.memory.peak_so_far(&self.counters, self.sampler.memory);
        let refused = self.counters.process_refusals() > self.refusals_before;
        let limits_hit = set_of([
            (LimitHit::Processes, refused || self.is_crowded()),
            (LimitHit::Descriptors, self.out_of_descriptors),
            (LimitHit::Stdout, streams[0].is_cut()),
            (LimitHit::Stderr, streams[1].is_cut()),
        ]);
        let cpu = self.cpu.report(&self.counters, self.sampler.cpu);
        let wall = started.elapsed();
        ResourceUsage {
            wall,
            cpu,
            cpu_complete: self.counters.counts_cpu(),
            stall: self.stall_by_now(wall, cpu),
            // A tiny program may not change the group's count, so its processes are asked.
            peak_memory: Bytes(if peak == 0 {
                self.sampler.finder.take_snapshot().memory
            } else {
                peak
            }),
            limits_hit,
        }
    }

    /// Ends the turn: returns its report, and whether only the machine's lack of memory explains
    /// how it ended.
    pub(super) fn end_turn(&mut self, turn: EndedTurn<'_>) -> (TurnReport, bool) {
        let EndedTurn { limits, started, watched, stdout, stderr } = turn;
        // The time in which the kernel frees many processes' memory is not theirs.
        let cpu = self.cpu.end_turn(&self.counters, watched.cpu);
        let wall = watched.ended - started;
        self.stall.note_turn(wall);
        let stall = watched.stall.min(without_processor(wall, cpu, self.cores));
        let (peak, killer) = self.memory.end_turn(&self.counters, self.sampler.memory);
        let refusals = self.counters.process_refusals();
        let refused = refusals > std::mem::replace(&mut self.refusals_before, refusals);
        let cause = watched.cause;
        let is_late = wall > limits.wall + extension(stall, limits.wall);
        let mut limits_hit = set_of([
            (LimitHit::Memory, killer == KillSource::Limit || cause == StopCause::Memory),
            (LimitHit::Processes, refused || self.is_crowded()),
            (LimitHit::Wall, cause == StopCause::Wall || is_late),
            (LimitHit::Cpu, cause == StopCause::Cpu || cpu > limits.cpu),
            (LimitHit::Stdout, stdout.is_cut()),
            (LimitHit::Descriptors, self.out_of_descriptors),
            (LimitHit::Stderr, stderr.is_cut()),
        ]);
        // Files without names are gone when the scratch is checked after the turn.
        if let StopCause::Disk(hit) = cause {
            limits_hit.insert(hit);
        }
        let ending = ending(limits_hit, stdout.is_over() || stderr.is_over(), cause);
        let (counters, sampled) = (&self.counters, self.sampler.memory);
        let killed_outside = self.memory.was_killed_outside(counters, killer, ending, sampled);
        let report = TurnReport {
            stdout_seen: stdout.seen,
            stdout: stdout.kept,
            stderr_seen: stderr.seen,
            stderr: stderr.kept,
            usage: ResourceUsage {
                wall,
                cpu,
                cpu_complete: self.counters.counts_cpu(),
                stall,
                peak_memory: Bytes(peak),
                limits_hit,
            },
            ..TurnReport::without_start(ending)
        };
        self.memory.note_report(&report);
        (report, killed_outside)
    }

    fn is_crowded(&self) -> bool {
        self.sampler.tasks >= u64::from(self.limits.processes)
    }
}

fn set_of<const N: usize>(limits: [(LimitHit, bool); N]) -> LimitsHit {
    let mut set = LimitsHit::default();
    for (hit, _) in limits.into_iter().filter(|(_, happened)| *happened) {
        set.insert(hit);
    }
    set
}

/// Returns the longest time for which a tree can have been without any of its processors. Samples
/// also contain the time for which its threads waited for each other.
fn without_processor(wall: Duration, cpu: Duration, cores: u32) -> Duration {
    wall.saturating_sub(cpu / cores.max(1))
}

/// Why a program was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// It ended by itself.
    Itself(Exit),
    /// It passed this limit.
    Wall,
    /// It passed this limit.
    Cpu,
    /// It passed this limit.
    Output,
    /// The samples show that it passed this limit.
    Memory,
    /// It filled a scratch that has no file system of its own.
    Disk(LimitHit),
    /// The other end wants it ended.
    Stopped,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// Result of watching.
pub(crate) struct WatchOutcome {
    pub(crate) cause: StopCause,
    pub(crate) ended: Instant,
    /// Stall of the turn.
    pub(crate) stall: Duration,
    /// Processor time when it had to be ended, if ending it takes much of that, too.
    pub(crate) cpu: Option<Duration>,
}

impl WatchOutcome {
    /// Makes the result of watching that was given up just now.
    pub(crate) fn abandoned() -> Self {
        Self {
            cause: StopCause::Abandoned,
            ended: Instant::now(),
            stall: Duration::ZERO,
            cpu: None,
        }
    }
}

/// Returns the first ending that applies; `over` says that output passed its hard cap.
fn ending(hits: LimitsHit, over: bool, cause: StopCause) -> Ending {
    if hits.contains(LimitHit::Memory) {
        Ending::MemoryLimit
    } else if over || cause == StopCause::Output {
        Ending::OutputLimit
    } else if hits.contains(LimitHit::Cpu) {
        Ending::CpuLimit
    } else if hits.contains(LimitHit::Wall) {
        Ending::WallLimit
    } else {
        match cause {
            StopCause::Itself(Exit::Signal(signal)) => Ending::Signalled(signal),
            StopCause::Itself(Exit::Status(status)) => Ending::Exited(status),
            StopCause::Stopped => Ending::Stopped,
            // The limit that was passed says why.
            StopCause::Disk(_) => Ending::Signalled(libc::SIGKILL),
            _ => Ending::WallLimit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_in_sockets_counts_once_however_often_it_is_seen() {
        let limits = SeatLimits {
            memory: Bytes::from_mib(64),
            processes: 8,
            descriptors: 64,
            disk: Bytes::from_mib(1),
            files: 100,
            stdout: Bytes::from_kib(1),
            stderr: Bytes::from_kib(1),
            stderr_hard: Bytes::from_kib(1),
        };
        let membership = Membership::Everybody;
        let mut accounting = Accounting::start(Counters::default(), &limits, 1, membership, None);
        for _ in 0..100 {
            assert!(!accounting.passes_memory_with(30 << 20));
        }
        assert!(accounting.passes_memory_with(65 << 20));
    }

    #[test]
    fn who_computes_all_the_time_waits_for_nobody() {
        let [wall, cpu] = [300, 260].map(Duration::from_millis);
        assert_eq!(without_processor(wall, cpu, 1), Duration::from_millis(40));
        assert_eq!(without_processor(wall, cpu, 2), Duration::from_millis(170));
        assert_eq!(without_processor(cpu, wall, 1), Duration::ZERO);
    }
}

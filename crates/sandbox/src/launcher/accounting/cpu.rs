//! Processor time of a turn, and the idleness of a program that waits: while none of its processes
//! has run, or almost none, it can have used little, and there is little to check.

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

use super::counters::Counters;
use crate::sys::TreeClock;

/// Processor time so far.
#[derive(Clone, Copy, Default)]
struct CpuReading {
    /// Time of the group with the launcher, or of all that was waited for.
    all: Duration,
    /// Time of the launcher.
    own: Duration,
    /// Time of the launcher and all that it started, if the kernel reports it.
    tree: Option<Duration>,
}

/// Meter of the processor time of a turn.
pub(super) struct CpuMeter {
    /// Reading at the start of the turn, which is the end of the one before.
    before: CpuReading,
    /// Processor time of this turn that was reported. Later reports are never less.
    reported: Duration,
    /// Clock of the tree, where no group counts processor time and the kernel lets this process
    /// count it.
    tree_clock: Option<TreeClock>,
}

impl CpuMeter {
    pub(super) fn start(counters: &Counters) -> Self {
        let tree_clock = if counters.counts_cpu() { None } else { TreeClock::start().ok() };
        let mut meter =
            Self { before: CpuReading::default(), reported: Duration::ZERO, tree_clock };
        meter.restart(counters);
        meter
    }

    /// Counts from now on.
    pub(super) fn restart(&mut self, counters: &Counters) {
        self.before = self.read(counters);
    }

    pub(super) fn begin_turn(&mut self) {
        self.reported = Duration::ZERO;
    }

    /// Returns the time of the turn so far; `sampled` is the time of the processes alive.
    pub(super) fn used(&self, counters: &Counters, sampled: Duration) -> Duration {
        let now = self.read(counters);
        if counters.counts_cpu() {
            return between(self.before, now, counters);
        }
        let waited_for = now.all.saturating_sub(self.before.all);
        (waited_for + sampled).max(tree_between(self.before, now))
    }

    /// As [`CpuMeter::used`], and never less than what was reported before.
    pub(super) fn report(&mut self, counters: &Counters, sampled: Duration) -> Duration {
        self.reported = self.reported.max(self.used(counters, sampled));
        self.reported
    }

    /// Ends the turn and returns its time: at most `most`, but no less than was reported before.
    pub(super) fn end_turn(&mut self, counters: &Counters, most: Option<Duration>) -> Duration {
        let after = self.read(counters);
        let used = between(self.before, after, counters);
        self.before = after;
        most.map_or(used, |most| most.min(used)).max(self.reported)
    }

    fn read(&self, counters: &Counters) -> CpuReading {
        // Asking for the own time first also brings the group's up to date.
        let own = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .map(Duration::from)
            .unwrap_or_default();
        // Next to it, as one is taken from the other.
        let tree = self.tree_clock.as_ref().and_then(TreeClock::read);
        CpuReading { all: counters.cpu().unwrap_or_else(waited_for), own, tree }
    }
}

/// Processor time between two readings without the launcher's own.
fn between(before: CpuReading, after: CpuReading, counters: &Counters) -> Duration {
    let all = after.all.saturating_sub(before.all);
    match counters.counts_cpu() {
        true => all.saturating_sub(after.own.saturating_sub(before.own)),
        false => all.max(tree_between(before, after)),
    }
}

/// Processor time of the tree between two readings without the launcher's own. Only this sum has
/// the time of processes that ended unseen and unwaited for. Zero if the kernel does not count it.
fn tree_between(before: CpuReading, after: CpuReading) -> Duration {
    let tree = after.tree.zip(before.tree).map(|(after, before)| after.saturating_sub(before));
    tree.unwrap_or_default().saturating_sub(after.own.saturating_sub(before.own))
}

/// Processor time of all that was waited for so far.
fn waited_for() -> Duration {
    let time = |value: TimeVal| {
        Duration::from_micros(
            u64::try_from(value.tv_sec() * 1_000_000 + value.tv_usec()).unwrap_or(0),
        )
    };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map(|usage| time(usage.user_time()) + time(usage.system_time()))
        .unwrap_or_default()
}

/// Time between two checks of a program that waits; samples of a running program are never older,
/// either.
pub(crate) const IDLE_STEP: Duration = Duration::from_millis(50);
/// Difference between two readings of the processor time when nothing has run between them, because
/// they take the launcher's own from the group's a moment apart.
const TOLERANCE: Duration = Duration::from_micros(50);
/// Time that a program may run before everything is checked again at once: it has filled no more
/// than two megabytes in it.
const LITTLE: Duration = Duration::from_micros(500);
/// Time for which a program that has run so little is not checked.
const LONGEST_IDLE: Duration = Duration::from_millis(250);

/// Processor time that a program had used at the last full check.
#[derive(Debug, Default)]
pub(crate) struct Idleness {
    seen: Option<Usage>,
}

#[derive(Clone, Copy, Debug)]
struct Usage {
    used: Duration,
    at: Instant,
}

impl Idleness {
    /// Begins a turn; its first check is a full one.
    pub(crate) fn begin_turn(&mut self) {
        self.seen = None;
    }

    /// Returns whether too little has run since the last full check for another one; if more has
    /// run, a full check is made now.
    pub(crate) fn is_idle(&mut self, used: Duration, now: Instant) -> bool {
        let is_idle = self.seen.is_some_and(|seen| {
            let ran = seen.used.abs_diff(used);
            ran < TOLERANCE || ran < LITTLE && now < seen.at + LONGEST_IDLE
        });
        if !is_idle {
            self.seen = Some(Usage { used, at: now });
        }
        is_idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn a_turn_begins_with_a_look_at_everything() {
        let (mut idleness, now) = (Idleness::default(), Instant::now());
        assert!(!idleness.is_idle(MILLISECOND, now));
        assert!(idleness.is_idle(MILLISECOND, now));
        idleness.begin_turn();
        assert!(!idleness.is_idle(MILLISECOND, now));
    }

    #[test]
    fn what_has_run_is_looked_at_and_then_idle_again() {
        let (mut idleness, now) = (Idleness::default(), Instant::now());
        idleness.is_idle(MILLISECOND, now);
        assert!(!idleness.is_idle(2 * MILLISECOND, now));
        assert!(idleness.is_idle(2 * MILLISECOND, now + 10 * LONGEST_IDLE));
    }

    #[test]
    fn who_runs_a_little_between_looks_is_looked_at_once_it_adds_up() {
        let (mut idleness, now) = (Idleness::default(), Instant::now());
        let used = |looks: u32| MILLISECOND + looks * Duration::from_micros(200);
        idleness.is_idle(used(0), now);
        assert!(idleness.is_idle(used(1), now));
        assert!(idleness.is_idle(used(2), now));
        assert!(!idleness.is_idle(used(3), now));
    }

    #[test]
    fn who_has_run_a_little_is_looked_at_after_a_while() {
        let (mut idleness, now) = (Idleness::default(), Instant::now());
        let used = MILLISECOND + 2 * TOLERANCE;
        idleness.is_idle(MILLISECOND, now);
        assert!(idleness.is_idle(used, now + LONGEST_IDLE / 2));
        assert!(!idleness.is_idle(used, now + LONGEST_IDLE));
        assert!(idleness.is_idle(used, now + 10 * LONGEST_IDLE));
    }
}

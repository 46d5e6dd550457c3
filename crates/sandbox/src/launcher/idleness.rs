//! Idleness of a program that waits: while none of its processes has run, or almost none, it can
//! have used little, and there is little to check.

use std::time::{Duration, Instant};

/// Time between two checks of a program that waits; samples of a running program are never older,
/// either.
pub(super) const STEP: Duration = Duration::from_millis(50);
/// Difference between two readings of the processor time when nothing has run between them, because
/// they take the launcher's own from the group's a moment apart.
const TOLERANCE: Duration = Duration::from_micros(50);
/// Time that a program may run before everything is checked again at once: it has filled no more
/// than two megabytes in it.
const LITTLE: Duration = Duration::from_micros(500);
/// Time for which a program that has run so little is not checked.
const LONGEST: Duration = Duration::from_millis(250);

/// Processor time that a program had used at the last full check.
#[derive(Debug, Default)]
pub(super) struct Idleness {
    seen: Option<Usage>,
}

#[derive(Clone, Copy, Debug)]
struct Usage {
    used: Duration,
    at: Instant,
}

impl Idleness {
    /// Begins a turn; its first check is a full one.
    pub(super) fn begin_turn(&mut self) {
        self.seen = None;
    }

    /// Returns whether too little has run since the last full check for another one; if more has
    /// run, a full check is made now.
    pub(super) fn is_idle(&mut self, used: Duration, now: Instant) -> bool {
        let is_idle = self.seen.is_some_and(|seen| {
            let ran = seen.used.abs_diff(used);
            ran < TOLERANCE || ran < LITTLE && now < seen.at + LONGEST
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
        assert!(idleness.is_idle(2 * MILLISECOND, now + 10 * LONGEST));
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
        assert!(idleness.is_idle(used, now + LONGEST / 2));
        assert!(!idleness.is_idle(used, now + LONGEST));
        assert!(idleness.is_idle(used, now + 10 * LONGEST));
    }
}

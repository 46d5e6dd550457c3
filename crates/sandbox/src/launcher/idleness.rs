//! Idleness of a program that waits: as long as nothing of it has run, nothing can have been
//! used, and there is nothing to look at.

use std::time::Duration;

/// The time between two looks at a program that waits; what is sampled of one that runs is never
/// older, either.
pub(super) const STEP: Duration = Duration::from_millis(50);
/// What two readings of the processor time may differ by when nothing has run between them,
/// because they take the launcher's own from the group's a moment apart.
const TOLERANCE: Duration = Duration::from_micros(50);

/// What a program had used of processors when everything was last looked at.
#[derive(Debug, Default)]
pub(super) struct Idleness {
    seen: Option<Duration>,
}

impl Idleness {
    /// Lets a turn begin, whose first look is one at everything.
    pub(super) fn begin(&mut self) {
        self.seen = None;
    }

    /// Says whether nothing has run since everything was looked at; if something has, everything
    /// is looked at now.
    pub(super) fn is_idle(&mut self, used: Duration) -> bool {
        let is_idle = self.seen.is_some_and(|seen| seen.abs_diff(used) < TOLERANCE);
        if !is_idle {
            self.seen = Some(used);
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
        let mut idleness = Idleness::default();
        assert!(!idleness.is_idle(MILLISECOND));
        assert!(idleness.is_idle(MILLISECOND));
        idleness.begin();
        assert!(!idleness.is_idle(MILLISECOND));
    }

    #[test]
    fn what_has_run_is_looked_at_and_then_idle_again() {
        let mut idleness = Idleness::default();
        idleness.is_idle(MILLISECOND);
        assert!(!idleness.is_idle(2 * MILLISECOND));
        assert!(idleness.is_idle(2 * MILLISECOND));
    }

    #[test]
    fn who_runs_a_little_between_looks_is_looked_at_once_it_adds_up() {
        let mut idleness = Idleness::default();
        let used = |looks: u32| MILLISECOND + looks * Duration::from_micros(30);
        idleness.is_idle(used(0));
        assert!(idleness.is_idle(used(1)));
        assert!(!idleness.is_idle(used(2)));
    }
}

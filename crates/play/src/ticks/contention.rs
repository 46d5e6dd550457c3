//! Contention: whether what a bot did too late is the machine's doing.

use crate::channel::Usage;

/// A share of a bot's time spent runnable without a processor, in percent, above
/// which what it did too late is the machine's doing.
const CONTENDED_STALL_PERCENT: u32 = 20;

/// Lateness of a bot on a clock that does not wait, and its use of processors.
pub(super) struct Lateness {
    /// It let a tick pass, or answered after it.
    pub(super) missed_ticks: bool,
    /// It had ended before the bout was over.
    pub(super) is_gone: bool,
    /// Resources used when the clock began to run.
    pub(super) at_start: Usage,
    /// Resources used in all.
    pub(super) in_all: Usage,
}

impl Lateness {
    /// Returns whether it had to wait for a processor for a notable part of the time on the clock.
    /// Many starts at once make every bot wait and none of them late.
    pub(super) fn is_contended(&self) -> bool {
        self.missed_ticks && !self.is_gone && is_stalled(&self.in_all, &self.at_start)
    }
}

fn is_stalled(used: &Usage, before: &Usage) -> bool {
    let stall = used.stall.saturating_sub(before.stall);
    let wall = used.wall.saturating_sub(before.wall);
    stall * 100 > wall * CONTENDED_STALL_PERCENT
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn used(wall_ms: u64, stall_ms: u64) -> Usage {
        let [wall, stall] = [wall_ms, stall_ms].map(Duration::from_millis);
        Usage { wall, stall, ..Usage::default() }
    }

    /// Late by missed ticks, after a start of 100 ms without a stall.
    fn late(stall_ms: u64) -> Lateness {
        Lateness {
            missed_ticks: true,
            is_gone: false,
            at_start: used(100, 0),
            in_all: used(200, stall_ms),
        }
    }

    #[test]
    fn a_late_bot_that_waited_for_a_processor_is_the_machine_s_doing() {
        assert!(late(21).is_contended());
        assert!(!late(20).is_contended());
        assert!(!Lateness { missed_ticks: false, ..late(90) }.is_contended());
    }

    #[test]
    fn waiting_during_the_start_makes_no_tick_late() {
        let at_start = used(100, 90);
        assert!(!Lateness { at_start, ..late(90) }.is_contended());
        assert!(Lateness { at_start, ..late(111) }.is_contended());
    }

    #[test]
    fn a_bot_that_ended_is_not_late() {
        assert!(!Lateness { is_gone: true, ..late(90) }.is_contended());
    }
}

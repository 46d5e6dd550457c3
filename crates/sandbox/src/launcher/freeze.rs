//! Freezer of a long-lived program, which is stopped between its turns.
//!
//! A timer of a stopped program can make the kernel wake it, and no filter sees the signal
//! that such a timer sends. So a frozen program gets next to no processor time: one that uses
//! more than [`MOST`] while frozen, added up over the whole run, is over its limit.

use std::time::Duration;

use nix::sys::signal::Signal;

use super::accounting::StopCause;
use super::inner_seat::InnerSeat;

/// Pauses after each round of stopping a program: time for those on a processor to notice.
const STOPPING: [Duration; 3] =
    [Duration::from_micros(100), Duration::from_micros(300), Duration::ZERO];
/// Processor time that a program may use while it stops, because the kernel counts it late.
const ON_ITS_WAY: Duration = Duration::from_millis(1);
/// Total processor time that a frozen program may use; a freeze with at most [`ON_ITS_WAY`] adds
/// nothing.
const MOST: Duration = Duration::from_millis(20);

/// Processor time that a program used while it was frozen.
#[derive(Debug, Default)]
pub(super) struct FrozenUsage {
    /// Processor time used at the moment of the freeze, if it is frozen.
    since: Option<Duration>,
    before: Duration,
}

impl FrozenUsage {
    /// Notes that the program is stopped, perhaps again, and has used `used` in all; returns
    /// whether it has used too much while frozen.
    fn note_stop(&mut self, used: Duration) -> bool {
        let since = *self.since.get_or_insert(used);
        self.before + beyond(since, used) > MOST
    }

    /// Notes that the program may continue; returns whether it has used too much while frozen.
    fn note_resume(&mut self, used: Duration) -> bool {
        if let Some(since) = self.since.take() {
            self.before += beyond(since, used);
        }
        self.before > MOST
    }
}

/// Returns the processor time used since `since`; zero if it is at most [`ON_ITS_WAY`].
fn beyond(since: Duration, used: Duration) -> Duration {
    let used = used.saturating_sub(since);
    if used > ON_ITS_WAY { used } else { Duration::ZERO }
}

impl InnerSeat {
    /// Freezes the program; returns the reason if it must be ended instead. The first round stops
    /// processes that are just waking others, and the next rounds stop those that they woke.
    pub(super) fn freeze(&mut self) -> Option<StopCause> {
        for pause in STOPPING {
            self.programs.identity.signal(Signal::SIGSTOP);
            std::thread::sleep(pause);
        }
        let used = self.used_by_now();
        self.frozen.note_stop(used).then_some(StopCause::Cpu)
    }

    /// Lets the program continue; returns the reason if it must be ended instead.
    pub(super) fn thaw(&mut self) -> Option<StopCause> {
        let used = self.used_by_now();
        let is_too_much = self.frozen.note_resume(used);
        self.programs.identity.signal(Signal::SIGCONT);
        is_too_much.then_some(StopCause::Cpu)
    }

    fn used_by_now(&mut self) -> Duration {
        if self.accounting.counters.counts_cpu() {
            return self.accounting.cpu_used();
        }
        self.accounting.cpu_used_by_sample(self.scratch.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_while_frozen_is_summed_up_and_noise_is_not() {
        let ms = Duration::from_millis;
        let mut frozen = FrozenUsage::default();
        for turn in 0..1000 {
            assert!(!frozen.note_stop(ms(50 * turn)), "the turn's own time is no matter");
            assert!(!frozen.note_stop(ms(50 * turn + 1)));
            assert!(!frozen.note_resume(ms(50 * turn + 1)));
        }
        for turn in 0..4 {
            assert!(!frozen.note_stop(ms(100 * turn)));
            assert!(!frozen.note_resume(ms(100 * turn + 5)), "turn {turn}");
        }
        assert!(!frozen.note_stop(ms(1000)));
        assert!(frozen.note_stop(ms(1002)), "it is too much before it is asked");
        assert!(frozen.note_resume(ms(1002)), "and when it is");
    }
}

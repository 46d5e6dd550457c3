//! Freezer of a bot that thinks while it is not asked.
//!
//! Nobody is stopped who waits for its next view, and nothing is done for a quick answer:
//! only while somebody else's answer takes long is it looked at what the others use of the
//! processor. Who has used more than [`MOST`] since its own answer is frozen, and from then
//! on after each of its answers, at once. Processor time is counted over all processes of
//! the bot, from look to look, so that nothing is gained by waiting for a look to pass.

use std::time::{Duration, Instant};

use super::super::ChannelError;
use super::super::live::Program;

/// Time that an answer may take before the others are checked. Longer than the kernel's tick (4 ms
/// at 250 Hz), because a timer that is due before it costs a virtual machine more than the whole
/// ask.
const FIRST_LOOK: Duration = Duration::from_millis(5);
/// The longest time between two looks.
const LONGEST_LOOK: Duration = Duration::from_millis(100);
/// An answer that took at least so long is looked at when it is there.
const WORTH_A_LOOK: Duration = Duration::from_micros(500);
/// Processor time that a bot may use after its answer, for its own housekeeping.
const MOST: Duration = Duration::from_millis(1);

/// Behaviour of a bot while it is not asked.
#[derive(Debug, Default)]
pub(super) struct PonderPolicy {
    /// Time that it had used in all at the first check since its answer.
    used: Option<Duration>,
    /// It is looked at when it has answered, because others were slow beside it.
    is_suspected: bool,
    /// It has thought while it was not asked: it is frozen whenever it is not.
    is_restless: bool,
    is_frozen: bool,
}

impl PonderPolicy {
    /// Lets it go on: it is asked.
    pub(super) fn end(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        self.used = None;
        if std::mem::take(&mut self.is_frozen) { program.resume() } else { Ok(()) }
    }

    /// It has answered.
    pub(super) fn begin(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        if self.is_restless {
            self.is_frozen = true;
            return program.pause();
        }
        if self.is_suspected {
            self.used = Some(program.usage()?.cpu);
        }
        Ok(())
    }

    /// Somebody else is slow.
    pub(super) fn look(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        // One of its processes may have woken the others before it was stopped itself.
        if self.is_frozen {
            return program.pause();
        }
        self.is_suspected = true;
        let now = program.usage()?.cpu;
        let before = *self.used.get_or_insert(now);
        if now.saturating_sub(before) <= MOST {
            return Ok(());
        }
        (self.is_restless, self.is_frozen) = (true, true);
        program.pause()
    }
}

/// Schedule of checks on the others while one answers.
#[derive(Debug)]
pub(super) struct SampleSchedule {
    began: Instant,
    step: Duration,
    next: Instant,
}

impl SampleSchedule {
    pub(super) fn new(began: Instant) -> Self {
        Self { began, step: FIRST_LOOK, next: began + FIRST_LOOK }
    }

    /// Returns when to look next.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Returns whether a check is due, and then schedules the next one.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.next;
        if is_due {
            self.step = (self.step * 2).min(LONGEST_LOOK);
            self.next = now + self.step;
        }
        is_due
    }

    /// Returns whether the answer that has come now was slow.
    pub(super) fn was_slow(&self, now: Instant) -> bool {
        now - self.began >= WORTH_A_LOOK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_and_never_end() {
        let began = Instant::now();
        let mut looks = SampleSchedule::new(began);
        let mut at = Vec::new();
        for ms in 0..400 {
            if looks.is_due(began + Duration::from_millis(ms)) {
                at.push(ms);
            }
        }
        assert_eq!(at, [5, 15, 35, 75, 155, 255, 355]);
    }
}

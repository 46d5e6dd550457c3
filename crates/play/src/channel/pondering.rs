//! Freezer of bots that think while they are not asked.
//!
//! A bot that waits for its next view is never frozen, and during quick answers nothing is checked.
//! Only when an answer takes long is the processor time of the other bots checked. A bot that has
//! used more than [`MOST`] since its own answer is frozen, now and immediately after each of its
//! later answers. The processor time covers all processes of the bot and is summed from check to
//! check, so that a bot gains nothing by pausing during a check.

use std::time::{Duration, Instant};

use super::ChannelError;
use super::live::Program;

/// Time that an answer may take before the others are checked. It is longer than the kernel's tick
/// (4 ms at 250 Hz), because an earlier timer costs a virtual machine more than the whole request.
const FIRST_LOOK: Duration = Duration::from_millis(5);
/// The longest time between two checks.
const LONGEST_LOOK: Duration = Duration::from_millis(100);
/// Answers that took at least this long cause a check at their end.
const WORTH_A_LOOK: Duration = Duration::from_micros(500);
/// Processor time that a bot may use after its answer, for its own housekeeping.
const MOST: Duration = Duration::from_millis(1);

/// State of a bot between its requests.
#[derive(Debug, Default)]
pub(super) struct PonderPolicy {
    /// Total processor time at the first check since its answer.
    used: Option<Duration>,
    /// It is checked after its answers, because others were slow beside it.
    is_suspected: bool,
    /// It has thought between requests, so it is frozen between them.
    is_restless: bool,
    is_frozen: bool,
}

impl PonderPolicy {
    /// Resumes the bot for its next request.
    pub(super) fn end(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        self.used = None;
        if std::mem::take(&mut self.is_frozen) { program.resume() } else { Ok(()) }
    }

    /// Handles the end of its answer.
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

    /// Checks the bot while another one is slow.
    pub(super) fn look(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        // A process that was not stopped yet may have resumed the others.
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

/// Schedule of checks on the other bots while one answers.
#[derive(Debug)]
pub(super) struct SampleSchedule {
    began: Instant,
    step: Duration,
    pub(super) next: Instant,
}

impl SampleSchedule {
    pub(super) fn new(began: Instant) -> Self {
        Self { began, step: FIRST_LOOK, next: began + FIRST_LOOK }
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

    /// Returns whether an answer that arrived at `now` was slow.
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

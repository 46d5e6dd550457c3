//! Wait for the answer of a program that stays for its bout: its time limit, which moves while the
//! machine keeps the program from running, and the other seats meanwhile.

use std::time::{Duration, Instant};

use super::live::{PollTarget, Program};
use super::pondering::SampleSchedule;
use super::stall::{AFTER_DEADLINE, StallMeter, WakeClock};
use super::{Answered, ChannelError, IdleSeats, LimitMode};

/// Length of one wait for a bot without a time limit.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

/// Clock of the current request.
pub(super) struct AnswerClock {
    limit_mode: LimitMode,
    meter: StallMeter,
    clock: WakeClock,
    /// Time at which everything that was readable when the thread last woke counts as arrived.
    pub(super) seen: Instant,
    begun: Instant,
    within: Duration,
}

impl AnswerClock {
    pub(super) fn new(limit_mode: LimitMode) -> Self {
        let (meter, clock, now) = (StallMeter::new(), WakeClock::start(), Instant::now());
        Self { limit_mode, meter, clock, seen: now, begun: now, within: LONG }
    }

    /// Begins a request with the time limit `within`, now.
    pub(super) fn begin(&mut self, within: Duration) {
        (self.begun, self.within) = (Instant::now(), LONG);
        if self.limit_mode == LimitMode::Configured {
            self.within = within;
        }
        self.seen = self.begun;
        self.clock = WakeClock::start();
        self.meter.begin(self.begun);
    }

    /// Returns whether the time limit had passed when the thread last woke. Time that the machine
    /// takes from the bot extends the limit.
    pub(super) fn is_late(&mut self, program: &mut Program) -> Result<bool, ChannelError> {
        if self.seen <= self.deadline() {
            return Ok(false);
        }
        self.read_stall(program)?;
        while self.seen > self.deadline() {
            if !self.meter.look_further() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn deadline(&self) -> Instant {
        self.meter.deadline(self.begun, self.within)
    }

    fn read_stall(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        let stall = program.usage()?.stall;
        self.meter.read(stall, Instant::now());
        Ok(())
    }

    /// Reads the stall for the first time, once that is due.
    pub(super) fn check_stall(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        if self.meter.is_due(self.seen) { self.read_stall(program) } else { Ok(()) }
    }

    /// Returns how long the request has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.seen.saturating_duration_since(self.begun)
    }

    /// Returns the time of the next check, if nothing happens before.
    pub(super) fn next_look(&self) -> Instant {
        self.meter.wake_at(self.deadline() + AFTER_DEADLINE)
    }

    /// Waits until one of `wanted` is ready, until `until` at most.
    pub(super) fn pause(
        &mut self,
        wanted: &[PollTarget<'_>],
        until: Instant,
    ) -> Result<(), ChannelError> {
        self.seen = self.clock.wait(wanted, until)?;
        Ok(())
    }

    /// Prepares the measurements of an answer that arrived from a program that still runs.
    pub(super) fn complete(&mut self, program: &mut Program) -> Result<(), ChannelError> {
        if self.meter.is_read() { self.read_stall(program) } else { Ok(()) }
    }

    /// Returns the answer with the measurements of the request.
    pub(super) fn measured(&self, mut answered: Answered) -> Answered {
        let wall = self.elapsed();
        answered.usage.wall = wall;
        answered.usage.stall = self.meter.stall().min(wall);
        answered.is_starved = self.meter.is_starved(self.within);
        answered
    }
}

/// The other bots, which are checked while one answers.
pub(super) struct OpponentLoad<'a> {
    idle_seats: IdleSeats<'a>,
    pub(super) looks: SampleSchedule,
}

impl<'a> OpponentLoad<'a> {
    pub(super) fn new(idle_seats: IdleSeats<'a>) -> Self {
        Self { idle_seats, looks: SampleSchedule::new(Instant::now()) }
    }

    pub(super) fn check_if_due(&mut self) -> Result<(), ChannelError> {
        if self.looks.is_due(Instant::now()) { self.idle_seats.look() } else { Ok(()) }
    }

    /// Checks the other bots once more if the answer was slow.
    pub(super) fn check_after_answer(&self) -> Result<(), ChannelError> {
        if self.looks.was_slow(Instant::now()) { self.idle_seats.look() } else { Ok(()) }
    }
}

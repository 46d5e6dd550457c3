//! Bots that stay for their bout: the clock of a request, which stands while the machine keeps the
//! program from running, the wait for the answer, and the other seats meanwhile.

use std::time::{Duration, Instant};

use super::live::Program;
use super::pondering::{PonderPolicy, SampleSchedule};
use super::stall::{AFTER_DEADLINE, StallMeter, WakeClock};
use super::{Answered, Channel, ChannelError, LimitMode, NO_LIMIT, Opening, Request};

/// Program that stays for its bout, with the clock of the current request.
pub(super) struct ResidentBot {
    pub(super) program: Program,
    /// End of the program, from which on it is not asked.
    pub(super) over: Option<Answered>,
    /// Time at which everything that was readable when the thread last woke counts as arrived.
    pub(super) seen: Instant,
    begun: Instant,
    within: Duration,
    limit_mode: LimitMode,
    meter: StallMeter,
    rest: PonderPolicy,
    /// True if no seat may think during the current request but the one that is asked.
    is_alone: bool,
}

impl ResidentBot {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let (now, limit_mode) = (Instant::now(), opening.limit_mode);
        Ok(Self {
            program: Program::open(opening)?,
            over: None,
            seen: now,
            begun: now,
            within: NO_LIMIT,
            limit_mode,
            meter: StallMeter::new(),
            rest: PonderPolicy::default(),
            is_alone: false,
        })
    }

    /// Begins a request with the time limit `within`, now.
    pub(super) fn begin(
        &mut self,
        request: &Request<'_>,
        within: Duration,
    ) -> Result<(), ChannelError> {
        self.rest.end(&mut self.program)?;
        self.is_alone = request.idle_seats.is_some();
        self.restart_clock(within);
        Ok(())
    }

    /// Begins the time limit `within`, now.
    pub(super) fn restart_clock(&mut self, within: Duration) {
        self.begun = Instant::now();
        self.within = self.limit_mode.within(within);
        self.seen = self.begun;
        self.meter.begin(self.begun);
    }

    /// Returns whether the time limit had passed when the thread last woke. Time that the machine
    /// takes from the bot extends the limit.
    pub(super) fn is_late(&mut self) -> Result<bool, ChannelError> {
        if self.seen <= self.deadline() {
            return Ok(false);
        }
        self.read_stall()?;
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

    fn read_stall(&mut self) -> Result<(), ChannelError> {
        let stall = self.program.usage()?.stall;
        self.meter.read(stall, Instant::now());
        Ok(())
    }

    /// Reads the stall for the first time, once that is due.
    pub(super) fn check_stall(&mut self) -> Result<(), ChannelError> {
        if self.meter.is_due(self.seen) { self.read_stall() } else { Ok(()) }
    }

    /// Returns how long the request has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.seen.saturating_duration_since(self.begun)
    }

    /// Returns the time of the next check, if nothing happens before.
    pub(super) fn next_look(&self) -> Instant {
        self.meter.wake_at(self.deadline() + AFTER_DEADLINE)
    }

    /// Ends the wait for an answer: from now on the bot may have to rest.
    pub(super) fn end_wait(&mut self) -> Result<(), ChannelError> {
        if self.is_alone { self.rest.begin(&mut self.program) } else { Ok(()) }
    }

    /// Prepares the measurements of an answer that arrived from a program that still runs.
    pub(super) fn complete(&mut self) -> Result<(), ChannelError> {
        if self.meter.is_read() { self.read_stall() } else { Ok(()) }
    }

    /// Returns the answer with the measurements of the request.
    pub(super) fn measured(&self, mut answered: Answered) -> Answered {
        let wall = self.elapsed();
        answered.usage.wall = wall;
        answered.usage.stall = self.meter.stall.min(wall);
        answered.is_starved = self.meter.is_starved(self.within);
        answered
    }

    /// Checks the bot while another one is slow, unless it has ended.
    pub(super) fn look(&mut self) -> Result<(), ChannelError> {
        if self.over.is_some() { Ok(()) } else { self.rest.look(&mut self.program) }
    }

    /// Ends the program and returns its end.
    pub(super) fn finish(&mut self) -> Result<Answered, ChannelError> {
        match &self.over {
            Some(over) => Ok(over.clone()),
            None => self.program.end(),
        }
    }
}

/// Sends a request to a bot that stays for its bout, and waits for its answer.
pub(super) fn ask(
    channel: &mut impl Channel,
    request: &Request<'_>,
) -> Result<Answered, ChannelError> {
    let mut clock = WakeClock::start();
    channel.put(request)?;
    let mut beside = request.idle_seats.map(|idle| (idle, SampleSchedule::new(Instant::now())));
    loop {
        let mut wanted = Vec::with_capacity(3);
        let until = channel.awaits(&mut wanted);
        let look = beside.as_ref().map(|(_, looks)| looks.next);
        let seen = clock.wait(&wanted, look.map_or(until, |look| look.min(until)))?;
        drop(wanted);
        if let Some((idle_seats, looks)) = &mut beside
            && looks.is_due(Instant::now())
        {
            idle_seats.look()?;
        }
        if let Some(answered) = channel.fetch(seen)? {
            if let Some((idle_seats, looks)) = &beside
                && looks.was_slow(Instant::now())
            {
                idle_seats.look()?;
            }
            return Ok(answered);
        }
    }
}

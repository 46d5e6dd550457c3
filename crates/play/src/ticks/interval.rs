//! Event loop of a bout with a clock.

use std::ops::Range;
use std::time::{Duration, Instant};

use joust_referee::{Input, Limit, LimitSet, Verdict};

use super::Processors;
use super::bout::Bout;
use crate::channel::live::ClockControl;
use crate::channel::stall::FIRST_LOOK;
use crate::channel::{Answered, LimitMode};
use crate::{PlayError, refuse_cancelled};
use joust_model::ClockMode;

/// Delay from which a tick counts as late. Smaller delays are within the tolerance of the kernel's
/// own clock.
const LATE: Duration = Duration::from_millis(5);
/// The most ticks of a bout. A game that exceeds it has a bug or wrong options.
const MOST_TICKS: u32 = 20_000_000;
impl Bout<'_> {
    /// Waits until every bot is ready or has ended, or the start limit has passed.
    pub(super) fn wait_until_ready(&mut self) -> Result<(), PlayError> {
        self.deferred.news = (self.pace() == ClockMode::Lockstep).then(Vec::new);
        let within = self.setup.limit_mode.within(self.setup.plan.limits.start);
        self.wait_for_seats(0..self.seats.len(), within, |bout, index| bout.seats[index].is_ready)?;
        self.release_held()?;
        for index in 0..self.seats.len() {
            if !self.seats[index].is_ready && !self.seats[index].is_gone {
                let reason = "it was not ready when the start limit passed";
                let fault = Answered::passing_fault(Verdict::Timeout, reason);
                self.record_fault(index, fault.hitting(Limit::Wall))?;
            }
        }
        Ok(())
    }

    /// Runs the clock until the bout is over.
    pub(super) fn run_clock(&mut self) -> Result<(), PlayError> {
        let mut begun = Instant::now();
        let tick = Duration::from_millis(self.clock.tick_ms.into());
        let mut strike = begun + Duration::from_millis(self.clock.first_ms.into());
        let mut struck = 0_u32;
        while self.outcome.is_none() {
            self.refuse_cancelled()?;
            let mut is_due = match struck {
                0 if self.is_joined_by_people() => {
                    let is_due = !self.wait_for_all(strike)?;
                    strike = strike.min(Instant::now());
                    is_due
                }
                _ => self.wait_for_strike(&mut strike, &mut begun)?,
            };
            let stood = self.wait_while_paused()?;
            self.check_for_new_bout()?;
            if !stood.is_zero() {
                begun += stood;
                strike = Instant::now() + tick;
                is_due = self.wait_for_strike(&mut strike, &mut begun)?;
            }
            if is_due {
                self.note_lateness(strike, tick);
            }
            let rounds = self.judge.rounds();
            self.feed_sorted()?;
            self.feed(Input::Tick)?;
            if self.outcome.is_none() {
                self.setup.channels.iter_mut().for_each(|channel| channel.on_tick());
            }
            struck = struck.saturating_add(1);
            self.end_those_out_of_budget(begun)?;
            if struck >= MOST_TICKS || struck > self.clock.ticks && self.judge.rounds() == rounds {
                let problem = "its clock ticks and nothing happens".to_owned();
                return Err(joust_referee::JudgeError::Broke(problem).into());
            }
            strike = match self.pace() {
                ClockMode::Realtime => next_strike(strike, tick),
                ClockMode::Eager | ClockMode::Lockstep => Instant::now() + tick,
            };
        }
        Ok(())
    }

    /// Waits for the next tick; returns whether its time has come. In real time, the tick and the
    /// bout's start are delayed by the time that the machine takes from the bots.
    fn wait_for_strike(
        &mut self,
        strike: &mut Instant,
        begun: &mut Instant,
    ) -> Result<bool, PlayError> {
        let everybody_is_gone = self.seats.iter().all(|seat| seat.is_gone);
        if everybody_is_gone {
            return Ok(false);
        }
        match (self.pace(), self.setup.processors) {
            (ClockMode::Realtime, _) => {
                let moved = self.wait_in_real_time(*strike)?;
                *begun += moved.saturating_duration_since(*strike);
                *strike = moved;
            }
            (_, Processors::ForEverySeat) => {
                if self.wait_for_all(*strike)? {
                    return Ok(false);
                }
            }
            (_, Processors::Shared) => {
                if self.ask_one_after_the_other(*strike)? {
                    return Ok(false);
                }
            }
        }
        self.collect()?;
        Ok(true)
    }

    /// Waits for the next tick in real time. If the machine has taken time from bots that have not
    /// acted, waits that much longer or until they have acted. Returns the time of the tick.
    fn wait_in_real_time(&mut self, strike: Instant) -> Result<Instant, PlayError> {
        let begun = Instant::now();
        let within = strike.saturating_duration_since(begun);
        self.seats.iter_mut().for_each(|seat| seat.meter.begin(begun));
        let mut next_look = begun + within.min(FIRST_LOOK);
        loop {
            let now = Instant::now();
            let open = self.unsettled_seats();
            if now >= strike && open.is_empty() {
                return Ok(now.min(next_look).max(strike));
            }
            if now >= next_look {
                next_look = self.moved_deadline(&open, begun, within)?;
                if Instant::now() >= next_look {
                    self.note_starved(&open, within);
                    return Ok(next_look);
                }
            }
            self.refuse_cancelled()?;
            self.wait(if now < strike { strike.min(next_look) } else { next_look })?;
        }
    }

    /// Returns the seats whose bots still run and have not acted yet.
    fn unsettled_seats(&self) -> Vec<usize> {
        let is_open = |index: &usize| !self.seats[*index].is_gone && !self.is_settled(*index);
        (0..self.seats.len()).filter(is_open).collect()
    }

    /// Records that the deadline of one of these seats could not be extended any further.
    fn note_starved(&mut self, seats: &[usize], within: Duration) {
        let is_starved = |index: &usize| self.seats[*index].meter.is_starved(within);
        self.ledger.contended |= seats.iter().any(is_starved);
    }

    /// Waits while a person holds the clock; returns the duration.
    fn wait_while_paused(&mut self) -> Result<Duration, PlayError> {
        let since = Instant::now();
        let mut stood = Duration::ZERO;
        while self.is_wished(ClockControl::Pause) && !self.is_wished(ClockControl::NewBout) {
            self.refuse_cancelled()?;
            self.wait(Instant::now() + Duration::from_millis(50))?;
            stood = since.elapsed();
        }
        Ok(stood)
    }

    /// Returns whether people connect to the game. They have a long time to register, and the wait
    /// ends when all have registered.
    fn is_joined_by_people(&self) -> bool {
        self.links.has_any() && self.setup.plan.seats.iter().any(|seat| seat.is_person())
    }

    fn is_wished(&self, wish: ClockControl) -> bool {
        self.setup.channels.iter().any(|channel| channel.clock_control() == wish)
    }

    /// Abandons the bout if a person wants another one; the caller plays it.
    fn check_for_new_bout(&self) -> Result<(), PlayError> {
        match self.is_wished(ClockControl::NewBout) {
            true => Err(PlayError::Cancelled),
            false => Ok(()),
        }
    }

    fn wait_for_all(&mut self, strike: Instant) -> Result<bool, PlayError> {
        let within = strike.saturating_duration_since(Instant::now());
        self.wait_for_seats(0..self.seats.len(), within, Self::is_settled)
    }

    /// Waits until each of `seats` with a running bot is done, or has used its time; returns
    /// whether all are done.
    fn wait_for_seats(
        &mut self,
        seats: Range<usize>,
        within: Duration,
        is_done: fn(&Self, usize) -> bool,
    ) -> Result<bool, PlayError> {
        let begun = Instant::now();
        self.seats[seats.clone()].iter_mut().for_each(|seat| seat.meter.begin(begun));
        let mut until = begun + within;
        let mut next_look = begun + within.min(FIRST_LOOK);
        loop {
            let is_open = |index: &usize| !self.seats[*index].is_gone && !is_done(self, *index);
            let open: Vec<usize> = seats.clone().filter(is_open).collect();
            if open.is_empty() {
                return Ok(true);
            }
            if Instant::now() >= next_look {
                until = self.moved_deadline(&open, begun, within)?;
                next_look = until;
                if Instant::now() >= until {
                    self.note_starved(&open, within);
                    return Ok(false);
                }
            }
            self.refuse_cancelled()?;
            let pause = Duration::from_millis(100);
            self.wait(until.min(next_look).min(Instant::now() + pause))?;
        }
    }

    /// Returns the deadline of these seats, extended by the time that the machine takes from them.
    fn moved_deadline(
        &mut self,
        seats: &[usize],
        begun: Instant,
        within: Duration,
    ) -> Result<Instant, PlayError> {
        let mut until = begun + within;
        for index in seats {
            let used = self.setup.channels[*index].usage();
            let used = used.map_err(|error| self.failed(*index, error))?;
            let meter = &mut self.seats[*index].meter;
            meter.read(used.stall, Instant::now());
            while Instant::now() >= meter.deadline(begun, within) && meter.look_further() {}
            until = until.max(meter.deadline(begun, within));
        }
        Ok(until)
    }

    /// Sends each seat its request when the seats before it have answered or used their time;
    /// returns whether all have answered.
    fn ask_one_after_the_other(&mut self, strike: Instant) -> Result<bool, PlayError> {
        let length = strike.saturating_duration_since(Instant::now());
        let mut all_in_time = true;
        for index in 0..self.seats.len() {
            if let Some((request, view)) = self.seats[index].unshown.take() {
                self.show(index, request, &view)?;
            }
            all_in_time &= self.wait_for_seats(index..index + 1, length, Self::is_settled)?;
        }
        Ok(all_in_time)
    }

    /// Returns whether the bout waits for nothing more from a seat in the current tick.
    fn is_settled(&self, index: usize) -> bool {
        let state = &self.seats[index];
        let is_done = match state.tick.is_asked {
            true => state.tick.is_settled,
            false => self.judge.has_acted(super::seat::seat(index)),
        };
        state.is_gone || is_done
    }

    fn note_lateness(&mut self, strike: Instant, tick: Duration) {
        let late = Instant::now().saturating_duration_since(strike);
        self.ledger.ticks_late += u32::from(late > LATE);
        // Less than half a tick has little effect. A request that is sent too late to bots that are
        // ready changes the game.
        self.ledger.contended |=
            self.pace() == ClockMode::Realtime && late > LATE && late * 2 > tick;
    }

    /// Ends bots that have delayed the bout for longer than its wall budget.
    fn end_those_out_of_budget(&mut self, begun: Instant) -> Result<(), PlayError> {
        if self.setup.limit_mode == LimitMode::NoTime {
            return Ok(());
        }
        let budget = self.setup.plan.limits.bout;
        let seats = u32::try_from(self.seats.len()).unwrap_or(u32::MAX);
        for index in 0..self.seats.len() {
            let used = match (self.pace(), self.setup.processors) {
                (ClockMode::Realtime, _) => begun.elapsed(),
                (_, Processors::ForEverySeat) => self.seats[index].waited,
                (_, Processors::Shared) => self.seats[index].waited * seats,
            };
            if used > budget && !self.seats[index].is_gone && self.outcome.is_none() {
                self.seats[index].is_gone = true;
                let ended = self.setup.channels[index].end();
                let ended = ended.map_err(|error| self.failed(index, error))?;
                let answered = Answered {
                    verdict: Verdict::Timeout,
                    limits_hit: LimitSet::default(),
                    reason: "the wall budget of the bout is used up".to_owned(),
                    ..ended
                };
                let answered = answered.hitting(Limit::Wall);
                self.record_fault(index, answered)?;
            }
        }
        Ok(())
    }

    pub(super) fn refuse_cancelled(&self) -> Result<(), PlayError> {
        refuse_cancelled(self.setup.cancel)
    }
}

/// Returns the time of the next tick. The clock has a fixed rate: a late tick does not delay later
/// ones, but whole missed ticks are skipped.
fn next_strike(strike: Instant, tick: Duration) -> Instant {
    let next = strike + tick;
    let missed = Instant::now().saturating_duration_since(next);
    let whole = missed.as_nanos().checked_div(tick.as_nanos()).unwrap_or(0);
    next + tick.saturating_mul(u32::try_from(whole).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_tick_does_not_move_the_next() {
        let (now, tick) = (Instant::now(), Duration::from_secs(10));
        assert_eq!(next_strike(now, tick), now + tick);
    }

    #[test]
    fn whole_ticks_that_were_missed_are_left_out() {
        let tick = Duration::from_secs(10);
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(35)) else { return };
        assert_eq!(next_strike(long_ago, tick), long_ago + tick * 3);
    }
}

//! JSON documents in columns. The numbers in them have bounds, as numbers in columns do: a database
//! may come from a stranger, and sums over many rows must not overflow.

use std::time::Duration;

use joust_model::{
    Calibration, EventSettings, GameOptions, Limits, Reason, ScheduleKind, SeatResult, Shared,
};
use serde::de::DeserializeOwned;

use super::StoredBout;
use super::bounds::{LATEST_MS, LONGEST_NS, MOST_MILLIONTHS};

/// The longest text that many rows share, bytes. It is limited because each of the rows repeats it.
pub(super) const LONGEST_SHARED: usize = 256 << 10;

/// A JSON text of a column.
pub(super) trait Document: DeserializeOwned {
    /// Returns the name of a number that exceeds its bound.
    fn out_of_range(&self) -> Option<&'static str> {
        None
    }
}

impl Document for Reason {}

impl<T: Document> Document for Shared<T> {
    fn out_of_range(&self) -> Option<&'static str> {
        T::out_of_range(self)
    }
}

impl Document for GameOptions {
    fn out_of_range(&self) -> Option<&'static str> {
        (!self.is_within_bounds()).then_some("the options")
    }
}

impl Document for Limits {
    fn out_of_range(&self) -> Option<&'static str> {
        let Self { cpu, turn, kill, start, bout, cpu_bout, .. } = self;
        let times = [cpu, turn, kill, start, bout].into_iter().chain(cpu_bout);
        are_too_long(times.copied()).then_some("a limit")
    }
}

impl Document for Calibration {
    fn out_of_range(&self) -> Option<&'static str> {
        let is_odd = are_too_long([self.cpu, self.wall, self.spread]) || is_never(self.measured_at);
        is_odd.then_some("a calibration")
    }
}

impl Document for EventSettings {
    fn out_of_range(&self) -> Option<&'static str> {
        let mut seen = Vec::new();
        let is_repeated = |one| {
            seen.contains(one) || {
                seen.push(*one);
                false
            }
        };
        match () {
            () if self.schedule.rounds() > Some(ScheduleKind::MOST_ROUNDS) => Some("the rounds"),
            () if self.tie_breaks.iter().any(is_repeated) => Some("the tie-breaks"),
            () => self.options.out_of_range(),
        }
    }
}

impl Document for StoredBout {
    fn out_of_range(&self) -> Option<&'static str> {
        let Self { plan, result } = self;
        let is_odd = are_too_long([result.took]) || is_never(result.started_at);
        let of_plan = || plan.options.out_of_range().or_else(|| plan.limits.out_of_range());
        let of_seats = || result.seats.iter().find_map(of_seat);
        is_odd.then_some("a time").or_else(of_plan).or_else(of_seats)
    }
}

fn of_seat(seat: &SeatResult) -> Option<&'static str> {
    let score = seat.score.as_millionths().unsigned_abs();
    match () {
        () if are_too_long([seat.cpu, seat.wall, seat.stall]) => Some("a time of a seat"),
        () if score > MOST_MILLIONTHS.unsigned_abs() => Some("a score"),
        () => seat.calibration.out_of_range(),
    }
}

fn are_too_long(times: impl IntoIterator<Item = Duration>) -> bool {
    times.into_iter().any(|time| time > Duration::from_nanos(LONGEST_NS.unsigned_abs()))
}

fn is_never(moment: i64) -> bool {
    moment.unsigned_abs() > LATEST_MS.unsigned_abs()
}

//! A turn log read for what the referee decided alone.
//!
//! Of a log of JSON, records that look as they were written are read without a
//! JSON reader (`plain`), many times as fast; every other line goes to one.

use std::borrow::Cow;

use joust_referee::{LimitSet, Seat, Verdict};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::columns::Columns;
use super::{FORMAT, TurnLogError, plain};
use crate::Exit;

/// What a turn log says the referee decided in one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnVerdict<'a> {
    /// The round, from 0.
    pub round: u32,
    pub(super) seat: u8,
    pub(super) verdict: u8,
    /// Which limits were touched.
    pub limits: LimitSet,
    /// The action in the game's words; empty for none.
    pub action: Cow<'a, str>,
}

impl TurnVerdict<'_> {
    /// Returns the seat.
    #[must_use]
    pub fn seat(&self) -> Seat {
        Seat(self.seat)
    }

    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// The whole record. Fields of which nothing is kept are read, too, so that a
/// damaged record is one here as well.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(rename = "r")]
    round: u32,
    #[serde(rename = "s")]
    seat: u8,
    #[serde(rename = "v")]
    verdict: u8,
    #[serde(rename = "l", default)]
    limits_hit: u16,
    #[serde(rename = "w")]
    _wall_us: u64,
    #[serde(rename = "c")]
    _cpu_us: u64,
    #[serde(rename = "p", default)]
    _cpu_partial: bool,
    #[serde(rename = "t", default)]
    _stall_us: u64,
    #[serde(rename = "m")]
    _peak_memory_bytes: u64,
    #[serde(rename = "x")]
    _exit: Exit,
    #[serde(rename = "a", default, borrow)]
    action: Cow<'a, str>,
    #[serde(rename = "o", default)]
    _output: IgnoredAny,
    #[serde(rename = "e", default)]
    _stderr: IgnoredAny,
    #[serde(rename = "y", default, borrow)]
    _reason: Cow<'a, str>,
}

/// Reads any line that is a record.
pub(super) fn read_json(line: &[u8]) -> Result<TurnVerdict<'_>, serde_json::Error> {
    let Record { round, seat, verdict, limits_hit, action, .. } = serde_json::from_slice(line)?;
    Ok(TurnVerdict { round, seat, verdict, limits: LimitSet(limits_hit), action })
}

/// The turns of a log that was decompressed, one after the other.
#[derive(Clone, Debug)]
pub struct TurnVerdicts<'a>(Shape<'a>);

#[derive(Clone, Debug)]
enum Shape<'a> {
    Columns(Box<Columns<'a>>),
    Lines(Lines<'a>),
}

#[derive(Clone, Debug)]
struct Lines<'a> {
    text: &'a [u8],
    record: usize,
}

impl<'a> TurnVerdicts<'a> {
    /// Begins to read a log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when its columns are damaged. Damage to a line of an older
    /// log is found there.
    pub fn of(log: &'a [u8]) -> Result<Self, TurnLogError> {
        Ok(Self(match log.first() {
            Some(&FORMAT) => Shape::Columns(Box::new(Columns::read(log)?)),
            _ => Shape::Lines(Lines { text: log, record: 0 }),
        }))
    }
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Result<TurnVerdict<'a>, TurnLogError>> {
        while let [b'\n', rest @ ..] = self.text {
            self.text = rest;
        }
        if self.text.is_empty() { None } else { Some(self.next_line()) }
    }

    fn next_line(&mut self) -> Result<TurnVerdict<'a>, TurnLogError> {
        let record = self.record;
        self.record += 1;
        if let Some((turn, rest)) = plain::first_line(self.text) {
            self.text = rest;
            return Ok(turn);
        }
        let end = self.text.iter().position(|byte| *byte == b'\n').unwrap_or(self.text.len());
        let (line, rest) = self.text.split_at(end);
        self.text = rest;
        read_json(line).map_err(|source| TurnLogError::Record { record, source })
    }
}

impl<'a> Iterator for TurnVerdicts<'a> {
    type Item = Result<TurnVerdict<'a>, TurnLogError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Shape::Columns(columns) => columns.next().map(Ok),
            Shape::Lines(lines) => lines.next(),
        }
    }
}

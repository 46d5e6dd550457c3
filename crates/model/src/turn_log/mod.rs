//! A bout's turn log: a record for every turn, zstd-compressed when stored.
//!
//! The decompressed log is the byte [`FORMAT`] and three pieces of bytes, each with its length:
//! what judging the bout again needs of the turns ([`Decision`]), the reported numbers, and the
//! rest of the turns ([`Measurements`]), which costs nothing to skip. Each piece is one value after
//! the other, in `postcard`'s form.

#[cfg(test)]
mod tests;

use std::{io, mem};

use joust_referee::{LimitSet, Seat, Verdict};
use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use super::{Exit, LogNotKept, NumberRecord, Round, TurnRecord, Unpacker, compress};

/// The first byte of a log.
const FORMAT: u8 = 4;

/// The most memory that the turns or the numbers of a log take beside their texts, bytes: a log
/// needs few bytes for one, so it may be far shorter. Texts take no more than the log.
const MOST_UNPACKED: usize = 256 << 20;

/// Reason why a turn log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TurnLogError {
    /// The event keeps no logs of such bouts.
    #[error(transparent)]
    LogNotKept(#[from] LogNotKept),
    /// The compression is damaged, or the bytes are not those of records.
    #[error("turn log is damaged")]
    Damaged(#[source] io::Error),
    /// It has more turns or numbers than a bout can have.
    #[error("turns of the turn log take more than {} MiB", MOST_UNPACKED >> 20)]
    TooLong,
}

/// The round of a turn less the one of the turn before it, its seat, verdict, limits and action.
type Decision<'a> = (u32, u8, u8, u16, &'a str);

/// Measurements of a turn, which are kept beside the decision.
#[derive(Serialize, Deserialize)]
struct Measurements<'a> {
    wall_us: u64,
    cpu_us: u64,
    cpu_partial: bool,
    stall_us: u64,
    peak_memory_bytes: u64,
    exit: Exit,
    #[serde(borrow)]
    output: &'a Bytes,
    #[serde(borrow)]
    stderr: &'a Bytes,
    reason: &'a str,
}

/// Turn log of a running bout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnLog {
    turns: Vec<TurnRecord>,
    numbers: Vec<NumberRecord>,
}

impl TurnLog {
    /// Appends one record.
    pub fn push(&mut self, record: &TurnRecord) {
        self.turns.push(record.clone());
    }

    /// Appends a reported number.
    pub fn push_number(&mut self, record: &NumberRecord) {
        self.numbers.push(record.clone());
    }

    /// Sets the standard error of a program that stayed for its bout, in the last record of its
    /// seat.
    pub fn say_last(&mut self, seat: u8, stderr: &[u8]) {
        if let Some(last) = self.turns.iter_mut().rfind(|turn| turn.seat == seat) {
            last.stderr = stderr.to_vec();
        }
    }

    /// Returns the compressed log.
    pub fn compress(&self) -> Vec<u8> {
        compress(&self.to_bytes())
    }

    /// Returns the uncompressed log.
    fn to_bytes(&self) -> Vec<u8> {
        let mut last = 0;
        let decisions = self.turns.iter().map(|turn| -> Decision<'_> {
            let step = turn.round.0.wrapping_sub(mem::replace(&mut last, turn.round.0));
            (step, turn.seat, turn.verdict, turn.limits_hit.0, &turn.action)
        });
        let pieces = [
            encode_all(decisions),
            encode_all(&self.numbers),
            encode_all(self.turns.iter().map(Measurements::of)),
        ];
        pieces.iter().fold(vec![FORMAT], |log, piece| encode(Bytes::new(piece), log))
    }

    /// Reads the records of a compressed log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when the log is damaged.
    pub fn read(compressed: &[u8]) -> Result<Vec<TurnRecord>, TurnLogError> {
        let mut unpacker = Unpacker::default();
        UnpackedTurns::read(unpacked(&mut unpacker, compressed)?)?.records()
    }

    /// Reads the numbers of a compressed log, in the order in which they were recorded.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when the log is damaged.
    pub fn read_numbers(compressed: &[u8]) -> Result<Vec<NumberRecord>, TurnLogError> {
        let mut unpacker = Unpacker::default();
        Ok(UnpackedTurns::read(unpacked(&mut unpacker, compressed)?)?.numbers)
    }
}

impl<'a> Measurements<'a> {
    fn of(turn: &'a TurnRecord) -> Self {
        Self {
            wall_us: turn.wall_us,
            cpu_us: turn.cpu_us,
            cpu_partial: turn.cpu_partial,
            stall_us: turn.stall_us,
            peak_memory_bytes: turn.peak_memory_bytes,
            exit: turn.exit,
            output: Bytes::new(&turn.output),
            stderr: Bytes::new(&turn.stderr),
            reason: &turn.reason,
        }
    }
}

/// Decision of the referee about one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnVerdict<'a> {
    /// The round.
    pub round: Round,
    seat: u8,
    verdict: u8,
    /// Limits that were touched.
    pub limits: LimitSet,
    /// The action in the game's words; empty for none.
    pub action: &'a str,
}

impl TurnVerdict<'_> {
    /// Returns the seat.
    pub fn seat(&self) -> Seat {
        Seat(self.seat)
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// Decisions of the referee and reported numbers, as a decompressed log has them.
#[derive(Debug)]
pub struct UnpackedTurns<'a> {
    /// The turns, in order.
    pub turns: Vec<TurnVerdict<'a>>,
    /// The numbers, in the order in which they were recorded.
    pub numbers: Vec<NumberRecord>,
    /// The encoded [`Measurements`] of each turn.
    measurements: &'a [u8],
}

impl<'a> UnpackedTurns<'a> {
    /// Decodes a log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when what it decodes is damaged, or too much.
    pub fn read(log: &'a [u8]) -> Result<Self, TurnLogError> {
        let mut pieces =
            log.strip_prefix(&[FORMAT]).ok_or_else(|| damaged("it has another format"))?;
        let mut piece = || decode::<&Bytes>(&mut pieces);
        let (decisions, numbers, measurements) = (piece()?, piece()?, piece()?);
        if !pieces.is_empty() {
            return Err(damaged("bytes follow its end"));
        }
        let mut round = 0_u32;
        let turn = |(step, seat, verdict, limits, action): Decision<'a>| {
            round = round.wrapping_add(step);
            TurnVerdict { round: Round(round), seat, verdict, limits: LimitSet(limits), action }
        };
        Ok(Self {
            turns: decode_all(decisions)?.into_iter().map(turn).collect(),
            numbers: decode_all(numbers)?,
            measurements,
        })
    }

    fn records(self) -> Result<Vec<TurnRecord>, TurnLogError> {
        let measured: Vec<Measurements<'_>> = decode_all(self.measurements)?;
        if measured.len() != self.turns.len() {
            return Err(damaged("it has not as many measurements as turns"));
        }
        Ok(self.turns.iter().zip(&measured).map(record).collect())
    }
}

fn record((turn, measured): (&TurnVerdict<'_>, &Measurements<'_>)) -> TurnRecord {
    TurnRecord {
        round: turn.round,
        seat: turn.seat,
        verdict: turn.verdict,
        limits_hit: turn.limits,
        wall_us: measured.wall_us,
        cpu_us: measured.cpu_us,
        cpu_partial: measured.cpu_partial,
        stall_us: measured.stall_us,
        peak_memory_bytes: measured.peak_memory_bytes,
        exit: measured.exit,
        action: turn.action.to_owned(),
        output: measured.output.to_vec(),
        stderr: measured.stderr.to_vec(),
        reason: measured.reason.to_owned(),
    }
}

fn unpacked<'a>(unpacker: &'a mut Unpacker, compressed: &[u8]) -> Result<&'a [u8], TurnLogError> {
    match compressed {
        [] => Err(LogNotKept.into()),
        _ => unpacker.unpack_turns(compressed).map_err(TurnLogError::Damaged),
    }
}

fn encode(value: impl Serialize, after: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(&value, after).expect("plain data can be encoded")
}

fn encode_all(values: impl IntoIterator<Item: Serialize>) -> Vec<u8> {
    values.into_iter().fold(Vec::new(), |bytes, value| encode(value, bytes))
}

/// Decodes the value at the start of `bytes`, and removes it from there.
fn decode<'a, T: Deserialize<'a>>(bytes: &mut &'a [u8]) -> Result<T, TurnLogError> {
    let (value, rest) = postcard::take_from_bytes(bytes).map_err(damaged)?;
    *bytes = rest;
    Ok(value)
}

/// Decodes one value after the other, unless they are too many.
fn decode_all<'a, T: Deserialize<'a>>(mut bytes: &'a [u8]) -> Result<Vec<T>, TurnLogError> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        if values.len() >= MOST_UNPACKED / size_of::<TurnRecord>() {
            return Err(TurnLogError::TooLong);
        }
        values.push(decode(&mut bytes)?);
    }
    Ok(values)
}

fn damaged(problem: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TurnLogError {
    TurnLogError::Damaged(io::Error::new(io::ErrorKind::InvalidData, problem))
}

//! Decoding of columns into records.

use joust_referee::LimitSet;
use joust_referee::log::LogError;
use joust_referee::log::LogProblem;
use joust_referee::log::columns::{Column, Cursor, unfolded};

use super::numbers::NumberColumns;
use super::table::ValueTable;
use super::writer::{LAST_EXIT, NUMBERS, decode_exit};
use super::{FORMAT, TurnLogError, TurnVerdict};
use crate::{NumberRecord, TurnRecord};

/// The largest encoded number of an `i32`.
const FOLDED_I32: u64 = u32::MAX as u64;

/// Largest number of each column.
const MOST: [u64; NUMBERS] = [
    FOLDED_I32,
    u8::MAX as u64,
    u16::MAX as u64,
    u64::MAX,
    u64::MAX,
    1,
    u64::MAX,
    u64::MAX,
    LAST_EXIT,
    FOLDED_I32,
];

/// A decompressed and validated turn log.
#[derive(Clone, Debug)]
pub(super) struct Columns<'a> {
    verdicts: &'a [u8],
    numbers: [Column<'a>; NUMBERS],
    actions: ValueTable<'a, &'a str>,
    outputs: ValueTable<'a, &'a [u8]>,
    errors: ValueTable<'a, &'a [u8]>,
    reasons: ValueTable<'a, &'a str>,
    said: NumberColumns<'a>,
    /// The next record, and the round of the one before it.
    next: usize,
    round: u32,
}

impl<'a> Columns<'a> {
    /// Decodes a log, including its format number.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut cursor = Cursor::new(bytes);
        let format = cursor.byte()?;
        if format != FORMAT {
            return Err(LogError { offset: 0, problem: LogProblem::UnknownFormat(format) });
        }
        let verdicts = cursor.sized()?;
        let count = verdicts.len();
        let mut numbers = [Cursor::new(&[]).column(0)?; NUMBERS];
        for (column, most) in numbers.iter_mut().zip(MOST) {
            *column = cursor.column(count)?;
            column.check(most)?;
        }
        let columns = Self {
            verdicts,
            numbers,
            actions: ValueTable::read(&mut cursor, count, Cursor::text)?,
            outputs: ValueTable::read(&mut cursor, count, Cursor::sized)?,
            errors: ValueTable::read(&mut cursor, count, Cursor::sized)?,
            reasons: ValueTable::read(&mut cursor, count, Cursor::text)?,
            said: NumberColumns::read(&mut cursor)?,
            next: 0,
            round: 0,
        };
        let left_over = LogError { offset: cursor.offset(), problem: LogProblem::LeftOver };
        if cursor.is_at_end() { Ok(columns) } else { Err(left_over) }
    }

    /// Returns the next turn.
    pub(super) fn next(&mut self) -> Option<TurnVerdict<'a>> {
        let number = self.next;
        let verdict = *self.verdicts.get(number)?;
        let [steps, seats, limits, ..] = &self.numbers;
        self.next += 1;
        self.round = self.round.wrapping_add(unfolded(steps.at(number)) as u32);
        Some(TurnVerdict {
            round: self.round,
            seat: seats.at(number) as u8,
            verdict,
            limits: LimitSet(limits.at(number) as u16),
            action: self.actions.at(number),
        })
    }

    /// Returns every reported number.
    pub(super) fn numbers(&self) -> Vec<NumberRecord> {
        self.said.records()
    }

    /// Returns every record.
    pub(super) fn records(mut self) -> Result<Vec<TurnRecord>, TurnLogError> {
        let mut records = Vec::with_capacity(self.verdicts.len());
        while let Some(turn) = self.next() {
            records.push(self.record(&turn, records.len())?);
        }
        Ok(records)
    }

    fn record(&self, turn: &TurnVerdict<'_>, number: usize) -> Result<TurnRecord, LogError> {
        let [_, _, limits, wall, cpu, partial, stall, memory, exit, value] = &self.numbers;
        let value = i32::try_from(unfolded(value.at(number))).map_err(|_| value.wrong())?;
        Ok(TurnRecord {
            round: turn.round,
            seat: turn.seat,
            verdict: turn.verdict,
            limits_hit: LimitSet(limits.get(number)?),
            wall_us: wall.at(number),
            cpu_us: cpu.at(number),
            cpu_partial: partial.at(number) == 1,
            stall_us: stall.at(number),
            peak_memory_bytes: memory.at(number),
            exit: decode_exit(exit.at(number), value),
            action: turn.action.to_owned(),
            output: self.outputs.at(number).to_vec(),
            stderr: self.errors.at(number).to_vec(),
            reason: self.reasons.at(number).to_owned(),
        })
    }
}

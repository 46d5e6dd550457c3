//! Encoding of records into columns.

use joust_referee::log::columns::{folded, push_column, push_sized};

use super::FORMAT;
use super::numbers::NumberWriter;
use super::table::TableWriter;
use crate::{Exit, NumberRecord, TurnRecord};

/// Turn log of a running bout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnLog {
    verdicts: Vec<u8>,
    /// Columns in the order of [`numbers`].
    numbers: [Vec<u64>; NUMBERS],
    actions: TableWriter,
    outputs: TableWriter,
    errors: TableWriter,
    reasons: TableWriter,
    last_round: u32,
    said: NumberWriter,
}

/// Number of columns of numbers, without the verdicts.
pub(super) const NUMBERS: usize = 10;

impl TurnLog {
    /// Appends one record.
    pub fn push(&mut self, record: &TurnRecord) {
        self.verdicts.push(record.verdict);
        let numbers = numbers(record, self.last_round);
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.push(number);
        }
        self.last_round = record.round;
        self.actions.push(record.action.as_bytes());
        self.outputs.push(&record.output);
        self.errors.push(&record.stderr);
        self.reasons.push(record.reason.as_bytes());
    }

    /// Appends a reported number.
    pub fn push_number(&mut self, record: &NumberRecord) {
        self.said.push(record);
    }

    /// Sets the standard error of a program that stayed for its bout, in the last record of its
    /// seat.
    pub fn say_last(&mut self, seat: u8, stderr: &[u8]) {
        let [_, seats, ..] = &self.numbers;
        if let Some(last) = seats.iter().rposition(|number| *number == u64::from(seat)) {
            self.errors.set(last, stderr);
        }
    }

    /// Returns the compressed log.
    pub fn compress(&self) -> Vec<u8> {
        zstd::bulk::compress(&self.to_bytes(), 3).expect("compression into memory does not fail")
    }

    /// Returns the uncompressed log.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        push_sized(&mut bytes, &self.verdicts);
        self.numbers.iter().for_each(|column| push_column(&mut bytes, column));
        for table in [&self.actions, &self.outputs, &self.errors, &self.reasons] {
            table.write(&mut bytes);
        }
        self.said.write(&mut bytes);
        bytes
    }
}

fn numbers(record: &TurnRecord, last_round: u32) -> [u64; NUMBERS] {
    let step = record.round.wrapping_sub(last_round).cast_signed();
    let (exit, value) = encode_exit(record.exit);
    [
        folded(step.into()),
        record.seat.into(),
        record.limits_hit.0.into(),
        record.wall_us,
        record.cpu_us,
        record.cpu_partial.into(),
        record.stall_us,
        record.peak_memory_bytes,
        exit,
        folded(value.into()),
    ]
}

/// The largest code of an [`Exit`].
pub(super) const LAST_EXIT: u64 = 4;

fn encode_exit(exit: Exit) -> (u64, i32) {
    match exit {
        Exit::Status(status) => (0, status),
        Exit::Signal(signal) => (1, signal),
        Exit::Killed => (2, 0),
        Exit::Running => (3, 0),
        Exit::NotStarted(errno) => (LAST_EXIT, errno),
    }
}

/// Decodes an [`Exit`].
pub(super) fn decode_exit(exit: u64, value: i32) -> Exit {
    match exit {
        0 => Exit::Status(value),
        1 => Exit::Signal(value),
        2 => Exit::Killed,
        3 => Exit::Running,
        _ => Exit::NotStarted(value),
    }
}

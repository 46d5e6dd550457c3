//! A bout's turn log: a record for every turn, zstd-compressed when stored.
//!
//! The decompressed log consists of: the byte [`FORMAT`]; the number of records and the code of
//! each one's verdict; columns with a number per record (see [`joust_referee::log::columns`]):
//! round less the one before it (signed), seat, limits, wall clock, processor time, whether that
//! covers the whole tree, stall, memory, the kind of the process's end, its status or signal or
//! `errno` (signed); actions, outputs, standard errors and reasons, each as a table of distinct
//! values and a column of indices into it; finally the reported numbers: the source of each (a
//! byte, 0 for the referee, 1 for the bot), their names, and columns of round less the one before
//! it (signed), seat, index of the name, value (as in [`joust_referee::wire`]).
//!
//! Data that is not needed to judge a bout again, mainly measurements, is stored separately and
//! costs almost nothing to skip.

mod columns;
mod numbers;
mod table;
#[cfg(test)]
mod tests;
mod verdicts;
mod writer;

use joust_referee::log::LogError;

use super::{LogNotKept, NumberRecord, TurnRecord, Unpacker};
use columns::Columns;

pub use verdicts::{TurnVerdict, TurnVerdicts};
pub use writer::TurnLog;

/// The first byte of a log.
const FORMAT: u8 = 3;

/// Reason why a turn log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TurnLogError {
    /// The event keeps no logs of such bouts.
    #[error(transparent)]
    LogNotKept(#[from] LogNotKept),
    /// The compression is damaged.
    #[error("turn log is damaged")]
    Damaged(#[source] std::io::Error),
    /// The columns do not encode records.
    #[error("turn log is damaged at byte {offset}")]
    Column {
        /// Position in bytes from the start.
        offset: usize,
    },
}

impl From<LogError> for TurnLogError {
    fn from(error: LogError) -> Self {
        Self::Column { offset: error.offset }
    }
}

impl TurnLog {
    /// Reads the records of a compressed log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when the log is damaged.
    pub fn read(compressed: &[u8]) -> Result<Vec<TurnRecord>, TurnLogError> {
        let mut unpacker = Unpacker::default();
        let bytes = unpacked(&mut unpacker, compressed)?;
        Columns::read(bytes)?.records()
    }

    /// Reads the numbers of a compressed log, in the order in which they were recorded.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when the log is damaged.
    pub fn read_numbers(compressed: &[u8]) -> Result<Vec<NumberRecord>, TurnLogError> {
        let mut unpacker = Unpacker::default();
        let bytes = unpacked(&mut unpacker, compressed)?;
        Ok(Columns::read(bytes)?.numbers())
    }
}

fn unpacked<'a>(unpacker: &'a mut Unpacker, compressed: &[u8]) -> Result<&'a [u8], TurnLogError> {
    match compressed {
        [] => Err(LogNotKept.into()),
        _ => unpacker.unpack_turns(compressed).map_err(TurnLogError::Damaged),
    }
}

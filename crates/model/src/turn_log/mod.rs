//! A bout's turn log: a record for every turn, zstd-compressed when stored.
//!
//! Decompressed it is the byte [`FORMAT`]; how many records there are and a
//! verdict's code for each; then columns with a number for each record (see
//! [`joust_referee::log::columns`]): round less the one before it (signed), seat,
//! limits, wall clock, processor time, whether that is the whole tree's, stall,
//! memory, how the process ended, its status or signal or `errno` (signed); then
//! actions, outputs, standard errors and reasons, each a table of what there was
//! and a column of places in it; then the numbers that were said: who said each (a byte, 0
//! the referee, 1 the bot), their names, and columns of round less the one before it (signed),
//! seat, place of the name, value (as in [`joust_referee::wire`]).
//!
//! What is not looked at when a bout is judged again, a machine's measurements
//! above all, lies apart from what is and costs next to nothing to skip.

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

/// Why a turn log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TurnLogError {
    /// The event keeps no log of such a bout.
    #[error(transparent)]
    LogNotKept(#[from] LogNotKept),
    /// The compression is damaged.
    #[error("turn log is damaged")]
    Damaged(#[source] std::io::Error),
    /// The columns are not those of records.
    #[error("turn log is damaged at byte {offset}")]
    Column {
        /// Place, in bytes from the start.
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

    /// Reads the numbers of a compressed log, in the order in which they were kept.
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

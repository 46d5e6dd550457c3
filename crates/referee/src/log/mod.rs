//! The action log: the list of a bout's inputs, as compact bytes.
//!
//! Rules, options, seed and names are kept elsewhere; folding
//! [`crate::Judge::next`] over the log gives the same bout again.
//!
//! Shape: the byte [`FORMAT`]; how many inputs there are; for each a kind and the fields:
//!
//! | kind | input | fields |
//! |---|---|---|
//! | 0 | `Answer` | seat, request less the number that follows on the request before (signed), verdict code, number of parts, per part name and bytes |
//! | 1 | `Message` | connection, bytes |
//! | 2 | `Opened` | connection, seat plus 1 or 0 for none |
//! | 3 | `Closed` | connection |
//! | 4 | `Tick` | |
//! | 5 | `Resolved` | draw, number of values, values |
//! | 6 | `Person` | seat |
//! | from 7 | `Answer` | none: the fields are those of an earlier answer, 7 of the first answer of kind 0, and so on |
//!
//! An answer of more than [`MOST_SHARED_PARTS`] parts does not come again so.
//!
//! Numbers are unsigned LEB128 without superfluous bytes, signed ones
//! zigzag-coded first; bytes and UTF-8 texts are preceded by their length.

pub(crate) mod codec;
mod fields;
mod reader;
mod writer;

use std::fmt;

use crate::Input;

pub use reader::LogReader;
pub use writer::LogWriter;

/// The number of the log format, the first byte of every log.
pub const FORMAT: u8 = 3;

/// Answers of more parts are written again when they come again.
pub const MOST_SHARED_PARTS: usize = 8;

/// The kinds of inputs.
pub(crate) mod kind {
    pub(crate) const ANSWER: usize = 0;
    pub(crate) const MESSAGE: usize = 1;
    pub(crate) const OPENED: usize = 2;
    pub(crate) const CLOSED: usize = 3;
    pub(crate) const TICK: usize = 4;
    pub(crate) const RESOLVED: usize = 5;
    pub(crate) const PERSON: usize = 6;
    pub(crate) const AGAIN: usize = 7;
}

/// Why bytes are not a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogError {
    /// Place, in bytes from the start.
    pub offset: usize,
    /// The problem at that place.
    pub problem: LogProblem,
}

/// Problem of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogProblem {
    /// It ends in the middle of an input, or has not even a first byte.
    CutOff,
    /// Its first byte is another format's number.
    UnknownFormat(u8),
    /// A number is too large for its field or written with superfluous bytes, or names no earlier
    /// answer.
    Number,
    /// A name is not UTF-8.
    Text,
    /// Bytes follow the last input.
    LeftOver,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, problem } = self;
        match problem {
            LogProblem::CutOff => write!(f, "action log is cut off at byte {offset}"),
            LogProblem::UnknownFormat(format) => {
                write!(f, "action log has format {format}, this version reads {FORMAT}")
            }
            LogProblem::Number => write!(f, "action log has an impossible number at byte {offset}"),
            LogProblem::Text => write!(f, "action log has a name that is no text at byte {offset}"),
            LogProblem::LeftOver => {
                write!(f, "action log has bytes after its end, at byte {offset}")
            }
        }
    }
}

impl std::error::Error for LogError {}

/// Encodes a list of inputs.
pub fn encode(inputs: &[Input]) -> Vec<u8> {
    let mut writer = LogWriter::new();
    inputs.iter().for_each(|input| writer.push(input));
    writer.to_bytes()
}

/// Decodes a whole log.
///
/// Never panics, and needs memory in proportion to `bytes` only.
///
/// # Errors
///
/// [`LogError`] says what is wrong and where.
pub fn decode(bytes: &[u8]) -> Result<Vec<Input>, LogError> {
    LogReader::new(bytes)?.collect()
}

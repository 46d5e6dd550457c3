//! The record of each turn, kept in a bout's compressed turn log.

use std::io::Read;

use joust_referee::{LimitSet, Verdict};
use serde::{Deserialize, Serialize};

/// How a turn's main process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended at a limit.
    Killed,
    /// It has not: the program stays as long as its bout.
    Running,
    /// It could not be started; the number is the `errno`.
    NotStarted(i32),
}

/// What happened in one turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The round, from 0.
    #[serde(rename = "r")]
    pub round: u32,
    /// The seat.
    #[serde(rename = "s")]
    pub seat: u8,
    /// [`Verdict::code`].
    #[serde(rename = "v")]
    pub verdict: u8,
    /// [`LimitSet`] bits.
    #[serde(rename = "l", default, skip_serializing_if = "is_zero")]
    pub limits_hit: u16,
    /// Wall clock, microseconds.
    #[serde(rename = "w")]
    pub wall_us: u64,
    /// Processor time, microseconds.
    #[serde(rename = "c")]
    pub cpu_us: u64,
    /// Whether the processor time is that of the whole tree.
    #[serde(rename = "p", default, skip_serializing_if = "is_false")]
    pub cpu_partial: bool,
    /// Runnable without a processor, microseconds.
    #[serde(rename = "t", default)]
    pub stall_us: u64,
    /// Largest memory, bytes.
    #[serde(rename = "m")]
    pub peak_memory_bytes: u64,
    /// How the main process ended.
    #[serde(rename = "x")]
    pub exit: Exit,
    /// The action in the game's words; empty for none.
    #[serde(rename = "a", default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The first 256 bytes of output, kept unless it is the action.
    #[serde(rename = "o", default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<u8>,
    /// The last 1,024 bytes of standard error that were kept.
    #[serde(rename = "e", default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<u8>,
    /// A short reason for a fault that the verdict alone does not tell.
    #[serde(rename = "y", default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u16) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl TurnRecord {
    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }

    /// Returns the limits touched.
    #[must_use]
    pub fn limits(&self) -> LimitSet {
        LimitSet(self.limits_hit)
    }
}

/// Why a turn log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TurnLogError {
    /// The compression is damaged.
    #[error("turn log is damaged")]
    Damaged(#[source] std::io::Error),
    /// A line is not a record.
    #[error("turn log is damaged at record {record}")]
    Record {
        /// The record, from 0.
        record: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
}

/// A bout's turn log: one JSON record a line, zstd-compressed when stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnLog(Vec<u8>);

impl TurnLog {
    /// Appends one record.
    pub fn push(&mut self, record: &TurnRecord) {
        serde_json::to_writer(&mut self.0, record).expect("plain data is JSON");
        self.0.push(b'\n');
    }

    /// Returns the compressed log.
    #[must_use]
    pub fn compress(&self) -> Vec<u8> {
        zstd::bulk::compress(&self.0, 3).expect("compression into memory does not fail")
    }

    /// Reads the records of a compressed log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when the log is damaged.
    pub fn read(compressed: &[u8]) -> Result<Vec<TurnRecord>, TurnLogError> {
        let mut text = Vec::new();
        zstd::stream::read::Decoder::new(compressed)
            .and_then(|mut decoder| decoder.read_to_end(&mut text))
            .map_err(TurnLogError::Damaged)?;
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .enumerate()
            .map(|(record, line)| {
                serde_json::from_slice(line)
                    .map_err(|source| TurnLogError::Record { record, source })
            })
            .collect()
    }
}

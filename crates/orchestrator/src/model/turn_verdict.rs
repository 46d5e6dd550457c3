//! A turn log read for its verdicts and actions alone.

use std::borrow::Cow;

use joust_referee::Verdict;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Exit, TurnLogError};

/// What a turn log says the referee decided in one turn. The other fields are
/// read, too, so that a damaged record is one here as well, and not kept.
#[derive(Debug, Deserialize)]
pub struct TurnVerdict<'a> {
    #[serde(rename = "r")]
    _round: u32,
    #[serde(rename = "s")]
    _seat: u8,
    #[serde(rename = "v")]
    verdict: u8,
    #[serde(rename = "l", default)]
    _limits_hit: u16,
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
    /// The action in the game's words; empty for none.
    #[serde(rename = "a", default, borrow)]
    pub action: Cow<'a, str>,
    #[serde(rename = "o", default)]
    _output: IgnoredAny,
    #[serde(rename = "e", default)]
    _stderr: IgnoredAny,
    #[serde(rename = "y", default, borrow)]
    _reason: Cow<'a, str>,
}

impl TurnVerdict<'_> {
    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// The turns of a log that was decompressed, one after the other.
#[derive(Clone, Debug)]
pub struct TurnVerdicts<'a> {
    text: &'a [u8],
    record: usize,
}

impl<'a> TurnVerdicts<'a> {
    /// Begins to read `text`.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Self { text, record: 0 }
    }
}

impl<'a> Iterator for TurnVerdicts<'a> {
    type Item = Result<TurnVerdict<'a>, TurnLogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.text.is_empty() {
                return None;
            }
            let end = self.text.iter().position(|byte| *byte == b'\n').unwrap_or(self.text.len());
            let line = &self.text[..end];
            self.text = self.text.get(end + 1..).unwrap_or_default();
            if line.is_empty() {
                continue;
            }
            let record = self.record;
            self.record += 1;
            let read = serde_json::from_slice(line);
            return Some(read.map_err(|source| TurnLogError::Record { record, source }));
        }
    }
}

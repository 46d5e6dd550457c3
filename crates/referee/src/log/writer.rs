//! Inputs to bytes.

use super::{FORMAT, kind};
use crate::{Input, Parts, RequestId, Seat, Verdict};

/// Writes a log while a bout is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogWriter {
    bytes: Vec<u8>,
}

impl Default for LogWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl LogWriter {
    /// Starts an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self { bytes: vec![FORMAT] }
    }

    /// Appends one input.
    pub fn push(&mut self, input: &Input) {
        match input {
            Input::Answer { seat, request, parts, verdict } => {
                self.push_answer(*seat, *request, parts, *verdict);
            }
            Input::Message { connection, bytes } => {
                self.start(kind::MESSAGE, connection.0);
                self.push_bytes(bytes);
            }
            Input::Opened { connection, seat } => {
                self.start(kind::OPENED, connection.0);
                self.push_number(seat.map_or(0, |seat| u64::from(seat.0) + 1));
            }
            Input::Closed { connection } => self.start(kind::CLOSED, connection.0),
            Input::Tick => self.bytes.push(kind::TICK),
            Input::Person { seat } => self.start(kind::PERSON, u32::from(seat.0)),
            Input::Resolved { draw, values } => self.push_resolved(draw, values),
        }
    }

    /// Returns the log so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Ends the log.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn start(&mut self, kind: u8, number: u32) {
        self.bytes.push(kind);
        self.push_number(u64::from(number));
    }

    fn push_answer(&mut self, seat: Seat, request: RequestId, parts: &Parts, verdict: Verdict) {
        self.start(kind::ANSWER, u32::from(seat.0));
        self.push_number(u64::from(request.0));
        self.push_number(u64::from(verdict.code()));
        self.push_number(parts.0.len() as u64);
        for part in &parts.0 {
            self.push_bytes(part.name.as_bytes());
            self.push_bytes(&part.bytes);
        }
    }

    fn push_resolved(&mut self, draw: &str, values: &[i64]) {
        self.bytes.push(kind::RESOLVED);
        self.push_bytes(draw.as_bytes());
        self.push_number(values.len() as u64);
        for &value in values {
            self.push_number(((value << 1) ^ (value >> 63)).cast_unsigned());
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.push_number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn push_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

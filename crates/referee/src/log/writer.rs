//! Log writer: from inputs to bytes.

use std::collections::BTreeMap;

use super::codec::{folded, push_number, push_sized};
use super::{FORMAT, MOST_SHARED_PARTS, kind};
use crate::Input;

/// Writes a log while a bout is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogWriter {
    /// Number of inputs, and their bytes.
    inputs: u64,
    bytes: Vec<u8>,
    /// Number of answers that were written whole; the places of those that may be given again.
    answers: usize,
    known: BTreeMap<Vec<u8>, usize>,
    /// The request after the one answered last.
    next_request: u32,
}

impl LogWriter {
    /// Starts an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one input.
    pub fn push(&mut self, input: &Input) {
        self.inputs += 1;
        let out = &mut self.bytes;
        match input {
            Input::Answer { seat, request, parts, verdict } => {
                let mut whole = Vec::with_capacity(128);
                let out = &mut whole;
                let step = request.0.wrapping_sub(self.next_request).cast_signed();
                self.next_request = request.0.wrapping_add(1);
                push_kind(out, kind::ANSWER);
                push_number(out, seat.0.into());
                push_number(out, folded(step.into()));
                push_number(out, verdict.code().into());
                push_number(out, parts.0.len() as u64);
                for part in &parts.0 {
                    push_sized(out, part.name.as_bytes());
                    push_sized(out, &part.bytes);
                }
                self.push_answer(whole, parts.0.len() <= MOST_SHARED_PARTS);
            }
            Input::Message { connection, bytes } => {
                push_kind(out, kind::MESSAGE);
                push_number(out, connection.0.into());
                push_sized(out, bytes);
            }
            Input::Opened { connection, seat } => {
                push_kind(out, kind::OPENED);
                push_number(out, connection.0.into());
                push_number(out, seat.map_or(0, |seat| u64::from(seat.0) + 1));
            }
            Input::Closed { connection } => {
                push_kind(out, kind::CLOSED);
                push_number(out, connection.0.into());
            }
            Input::Tick => push_kind(out, kind::TICK),
            Input::Person { seat } => {
                push_kind(out, kind::PERSON);
                push_number(out, seat.0.into());
            }
            Input::Resolved { draw, values } => {
                push_kind(out, kind::RESOLVED);
                push_sized(out, draw.as_bytes());
                push_number(out, values.len() as u64);
                values.iter().for_each(|value| push_number(out, folded(*value)));
            }
        }
    }

    /// Appends an answer whose whole form is `whole`, or the place of an equal one.
    fn push_answer(&mut self, whole: Vec<u8>, may_come_again: bool) {
        if let Some(place) = self.known.get(&whole) {
            return push_kind(&mut self.bytes, kind::AGAIN + place);
        }
        self.bytes.extend(&whole);
        if may_come_again {
            self.known.insert(whole, self.answers);
        }
        self.answers += 1;
    }

    /// Returns the log so far.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        push_number(&mut bytes, self.inputs);
        bytes.extend_from_slice(&self.bytes);
        bytes
    }
}

fn push_kind(out: &mut Vec<u8>, kind: usize) {
    push_number(out, kind as u64);
}

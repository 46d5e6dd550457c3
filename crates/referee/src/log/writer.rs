//! Log writer: from inputs to bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::{folded, push_column, push_number, push_sized};
use super::{FORMAT, MOST_SHARED_PARTS, kind};
use crate::{Input, Parts};

/// Writes a log while a bout is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogWriter {
    kinds: Vec<u8>,
    answers: Answers,
    others: Vec<u8>,
}

/// The answers, as they become columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Answers {
    seats: Vec<u64>,
    steps: Vec<u64>,
    verdicts: Vec<u64>,
    places: Vec<u64>,
    /// Different answers, in the order in which each was first given.
    table: Vec<Arc<[u8]>>,
    known: BTreeMap<Arc<[u8]>, u64>,
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
        let others = &mut self.others;
        self.kinds.push(match input {
            Input::Answer { seat, request, parts, verdict } => {
                let numbers = [seat.0.into(), request.0, verdict.code().into()];
                self.answers.push(numbers, parts);
                kind::ANSWER
            }
            Input::Message { connection, bytes } => {
                push_number(others, connection.0.into());
                push_sized(others, bytes);
                kind::MESSAGE
            }
            Input::Opened { connection, seat } => {
                push_number(others, connection.0.into());
                push_number(others, seat.map_or(0, |seat| u64::from(seat.0) + 1));
                kind::OPENED
            }
            Input::Closed { connection } => {
                push_number(others, connection.0.into());
                kind::CLOSED
            }
            Input::Tick => kind::TICK,
            Input::Person { seat } => {
                push_number(others, seat.0.into());
                kind::PERSON
            }
            Input::Resolved { draw, values } => {
                push_sized(others, draw.as_bytes());
                push_number(others, values.len() as u64);
                values.iter().for_each(|value| push_number(others, folded(*value)));
                kind::RESOLVED
            }
        });
    }

    /// Returns the log so far.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        push_sized(&mut bytes, &self.kinds);
        self.answers.write(&mut bytes);
        bytes.extend_from_slice(&self.others);
        bytes
    }
}

impl Answers {
    /// Appends an answer: its seat, its request, its verdict's code; its parts.
    fn push(&mut self, [seat, request, verdict]: [u32; 3], parts: &Parts) {
        let step = request.wrapping_sub(self.next_request).cast_signed();
        self.next_request = request.wrapping_add(1);
        self.seats.push(seat.into());
        self.steps.push(folded(step.into()));
        self.verdicts.push(verdict.into());
        let place = self.place_of(parts);
        self.places.push(place);
    }

    fn place_of(&mut self, parts: &Parts) -> u64 {
        let mut bytes = Vec::new();
        push_number(&mut bytes, parts.0.len() as u64);
        for part in &parts.0 {
            push_sized(&mut bytes, part.name.as_bytes());
            push_sized(&mut bytes, &part.bytes);
        }
        let is_shared = parts.0.len() <= MOST_SHARED_PARTS;
        if let Some(place) = self.known.get(&bytes[..]).filter(|_| is_shared) {
            return *place;
        }
        let (place, bytes) = (self.table.len() as u64, Arc::<[u8]>::from(bytes));
        if is_shared {
            self.known.insert(bytes.clone(), place);
        }
        self.table.push(bytes);
        place
    }

    fn write(&self, out: &mut Vec<u8>) {
        push_number(out, self.table.len() as u64);
        self.table.iter().for_each(|parts| out.extend_from_slice(parts));
        for column in [&self.seats, &self.steps, &self.verdicts, &self.places] {
            push_column(out, column);
        }
    }
}

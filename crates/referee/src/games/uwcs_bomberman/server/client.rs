//! Client connection, as the server knows it.

use std::collections::VecDeque;

use super::super::state::write_text;
use super::super::{Framing, LINE_BYTES};
use super::framing::{Lines, Utf8Stream};
use crate::Seat;
use crate::bytes::write_length;

/// Largest number of bytes of commands that wait for a password check.
const HELD_BYTES: usize = 64 * 1024;

/// State of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    pub(super) seat: Option<Seat>,
    /// The name it is registered under for this game.
    pub(super) registered: Option<String>,
    /// The name whose password is being checked; until then its commands wait.
    pub(super) checking: Option<String>,
    held: VecDeque<String>,
    decoder: Utf8Stream,
    lines: Lines,
}

impl Client {
    pub(super) fn new(seat: Option<Seat>) -> Self {
        Self { seat, ..Self::default() }
    }

    /// Takes the bytes of one read and makes commands of them.
    pub(super) fn receive(&mut self, bytes: &[u8], framing: Framing) {
        let mut text = String::new();
        self.decoder.decode(bytes, &mut text);
        match framing {
            Framing::Lines => self.held.extend(self.lines.push(&text)),
            Framing::Reads => self.held.push_back(text),
        }
    }

    /// Makes a command of the text that waits for its line end.
    pub(super) fn flush(&mut self) {
        self.held.extend(self.lines.take_waiting());
    }

    /// Takes the next command, unless a password is being checked.
    pub(super) fn next_command(&mut self) -> Option<String> {
        if self.checking.is_some() { None } else { self.held.pop_front() }
    }

    /// Returns whether more text waits than a connection may have.
    pub(super) fn is_too_full(&self) -> bool {
        let held: usize = self.held.iter().map(String::len).sum();
        self.lines.waiting().len() > LINE_BYTES || held > HELD_BYTES
    }

    /// Appends canonical bytes: seat plus 1 or 0, the names with a byte before
    /// each that says whether there is one, then all text that waits.
    pub(super) fn write_bytes(&self, out: &mut Vec<u8>) {
        out.push(self.seat.map_or(0, |seat| seat.0.saturating_add(1)));
        for name in [&self.registered, &self.checking] {
            out.push(u8::from(name.is_some()));
            write_text(out, name.as_deref().unwrap_or_default());
        }
        write_length(out, self.held.len());
        self.held.iter().for_each(|command| write_text(out, command));
        write_text(out, self.lines.waiting());
        write_length(out, self.decoder.rest().len());
        out.extend(self.decoder.rest());
    }
}

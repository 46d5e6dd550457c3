//! Client connection, as the server knows it: from its bytes to the texts of commands.

use std::collections::VecDeque;

use super::super::state::write_text;
use super::super::{Framing, LINE_BYTES};
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

/// UTF-8 that comes in pieces: an incomplete character waits for its rest.
///
/// Bytes that are not UTF-8 become U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utf8Stream {
    rest: Vec<u8>,
}

impl Utf8Stream {
    /// Appends the text of more bytes to `text`.
    pub fn decode(&mut self, bytes: &[u8], text: &mut String) {
        let joined;
        let mut left = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.rest);
            &joined
        };
        while let Err(error) = std::str::from_utf8(left) {
            let (valid, after) = left.split_at(error.valid_up_to());
            text.push_str(std::str::from_utf8(valid).expect("it was found valid"));
            let Some(broken) = error.error_len() else {
                self.rest = after.to_vec();
                return;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            left = &after[broken..];
        }
        text.push_str(std::str::from_utf8(left).expect("it was found valid"));
    }

    /// Returns the bytes of a character that has not all come yet.
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }
}

/// Texts that are cut at line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    waiting: String,
}

impl Lines {
    /// Takes more text and returns the lines that are complete now, without
    /// their ends.
    pub fn push(&mut self, text: &str) -> Vec<String> {
        let mut pieces = text.split('\n');
        self.waiting.push_str(pieces.next().unwrap_or_default());
        pieces.map(|piece| std::mem::replace(&mut self.waiting, piece.to_owned())).collect()
    }

    /// Takes the text that still waits for its line end, if there is any.
    pub fn take_waiting(&mut self) -> Option<String> {
        let waiting = std::mem::take(&mut self.waiting);
        (!waiting.is_empty()).then_some(waiting)
    }

    /// Returns the text that waits for its line end.
    pub fn waiting(&self) -> &str {
        &self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> String {
        let (mut stream, mut text) = (Utf8Stream::default(), String::new());
        pieces.iter().for_each(|piece| stream.decode(piece, &mut text));
        text
    }

    #[test]
    fn a_character_may_come_in_pieces() {
        assert_eq!(decode(&[b"a\xe2", b"\x82", b"\xacb"]), "a\u{20ac}b");
    }

    #[test]
    fn what_is_not_utf_8_is_replaced() {
        assert_eq!(decode(&[b"a\xffb\xe2", b"c"]), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn a_line_may_come_in_pieces_and_several_at_once() {
        let mut lines = Lines::default();
        assert_eq!(lines.push("ACT"), Vec::<String>::new());
        assert_eq!(lines.push("ION UP\nACTION DOWN\nX"), ["ACTION UP", "ACTION DOWN"]);
        assert_eq!(lines.take_waiting().as_deref(), Some("X"));
        assert_eq!(lines.take_waiting(), None);
    }
}

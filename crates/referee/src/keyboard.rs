//! Keyboard input of people: turns typed lines into an answer.

use crate::Parts;

/// Result of the lines that a person has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyboardAnswer {
    /// They are a whole answer.
    Answer(Parts),
    /// More lines belong to it; the text asks for the next one.
    More(String),
    /// The last line is no part of an answer, and the text says what is. It is
    /// forgotten and asked for again.
    Again(String),
}

/// Reaction of a person's client to a line of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientReply {
    /// Nothing.
    Nothing,
    /// It says something, with its line's end.
    Says(String),
    /// The person may act, once.
    MayAct,
}

/// Reads an answer of one line, as it was typed.
pub fn one_line(lines: &[String]) -> KeyboardAnswer {
    match lines {
        [] => KeyboardAnswer::More("your action: ".to_owned()),
        [line, ..] => KeyboardAnswer::Answer(Parts::single(line.as_bytes())),
    }
}

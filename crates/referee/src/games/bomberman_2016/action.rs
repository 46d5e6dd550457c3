//! Parser of `move.txt`: from its bytes to a command.

mod numerals;

use crate::{Utf32Marks, Verdict, decode_text};
use numerals::one_to_six;

/// One of the four directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Row minus 1.
    Up,
    /// Column minus 1.
    Left,
    /// Column plus 1.
    Right,
    /// Row plus 1.
    Down,
}

/// Command of a player in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing.
    Nothing,
    /// Walks one block.
    Move(Heading),
    /// Plants a bomb.
    Bomb,
    /// Sets the bomb with the lowest timer to explode in the next round.
    Trigger,
}

impl Command {
    /// Every command; at 1 to 6 those that the digits 1 to 6 stand for.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Move(Heading::Up),
        Self::Move(Heading::Left),
        Self::Move(Heading::Right),
        Self::Move(Heading::Down),
        Self::Bomb,
        Self::Trigger,
    ];

    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Move(Heading::Up) => "up",
            Self::Move(Heading::Left) => "left",
            Self::Move(Heading::Right) => "right",
            Self::Move(Heading::Down) => "down",
            Self::Bomb => "bomb",
            Self::Trigger => "trigger",
        }
    }

    /// Returns the command whose word is `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.word() == word)
    }
}

/// Interpretation of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// [`Verdict::Ok`], or what is wrong with the answer.
    pub verdict: Verdict,
    /// The command; [`Command::Nothing`] unless the file held an action.
    pub command: Command,
    /// True if the file held an action.
    pub is_action: bool,
}

impl ParsedAnswer {
    /// Makes the reading of an answer that counts for nothing.
    pub fn without_command(verdict: Verdict) -> Self {
        Self { verdict, command: Command::Nothing, is_action: false }
    }

    fn ok(command: Command) -> Self {
        Self { verdict: Verdict::Ok, command, is_action: true }
    }
}

/// Reads a `move.txt`; `None` stands for a missing file.
///
/// Only the first character counts, after a byte order mark of UTF-8, UTF-16 or UTF-32
/// (little endian). A number in the Unicode sense is cut to an integer: 1 up, 2 left, 3
/// right, 4 down, 5 bomb, 6 trigger, anything else nothing. All else does nothing in
/// the game. Verdicts: `ok` for a number and for a negative one (`-1`, the do-nothing
/// of published samples); `no-output` for a missing, empty or white file;
/// `illegal-output` for everything else, a command after white space included.
///
/// Source: [`move.txt`](crate::docs::bomberman_2016#movetxt).
pub fn read(file: Option<&[u8]>) -> ParsedAnswer {
    let text = decode_text(file.unwrap_or_default(), Utf32Marks::LittleEndian);
    let mut symbols = text.chars();
    let first = symbols.next().filter(|symbol| is_in_basic_plane(*symbol));
    match first {
        Some(symbol) if symbol.is_numeric() => ParsedAnswer::ok(numbered(one_to_six(symbol))),
        Some('-') if symbols.next().is_some_and(|symbol| symbol.is_ascii_digit()) => {
            ParsedAnswer::ok(Command::Nothing)
        }
        _ if text.trim().is_empty() => ParsedAnswer::without_command(Verdict::NoOutput),
        _ => ParsedAnswer::without_command(Verdict::IllegalOutput),
    }
}

/// Returns whether a character is one UTF-16 unit; of others the original looks at
/// half a character, which is no number.
fn is_in_basic_plane(symbol: char) -> bool {
    u16::try_from(u32::from(symbol)).is_ok()
}

fn numbered(number: Option<u8>) -> Command {
    Command::ALL[usize::from(number.unwrap_or(0))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(bytes: &[u8]) -> Verdict {
        read(Some(bytes)).verdict
    }

    #[test]
    fn digits_are_commands() {
        for (number, command) in (0_u8..).zip(Command::ALL) {
            assert_eq!(read(Some(&[b'0' + number])), ParsedAnswer::ok(command));
        }
    }

    #[test]
    fn other_numbers_do_nothing_and_are_in_order() {
        for text in ["0", "7", "9\n", "-1", "\u{bd}", "\u{2169}"] {
            assert_eq!(read(Some(text.as_bytes())), ParsedAnswer::ok(Command::Nothing), "{text}");
        }
    }

    #[test]
    fn a_file_without_text_is_no_output() {
        assert_eq!(read(None).verdict, Verdict::NoOutput);
        for text in ["", " \r\n", "\u{feff}", "\u{a0}"] {
            assert_eq!(verdict(text.as_bytes()), Verdict::NoOutput, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_does_not_begin_with_a_number_is_illegal_output() {
        for text in [" 3", "\n3", "up", "-", "--1", "\0", "\u{1d7d1}", "\u{4e09}"] {
            let reading = read(Some(text.as_bytes()));
            assert_eq!(reading, ParsedAnswer::without_command(Verdict::IllegalOutput), "{text:?}");
        }
        assert_eq!(verdict(b"\xff3"), Verdict::IllegalOutput);
    }

    #[test]
    fn every_command_has_a_word_of_its_own() {
        for command in Command::ALL {
            assert_eq!(Command::from_word(command.word()), Some(command));
        }
    }
}

//! Parser of `move.txt`: from its bytes to a command.

use crate::{Utf32Marks, Verdict, decode_text};

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

/// The zeros of all runs of characters that count from 0 to at least 6.
const ZEROS: &[u16] = &[
    0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6,
    0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x0f2a, 0x1040, 0x1090, 0x17e0, 0x17f0, 0x1810, 0x1946,
    0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0x2080, 0xa620, 0xa8d0, 0xa900, 0xa9d0,
    0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// First and last character of the other runs, and the whole part of the first
/// one's value; each next character is worth one more.
const OTHERS: &[(u16, u16, u16)] = &[
    (0x00b2, 0x00b3, 2),
    (0x00b9, 0x00b9, 1),
    (0x0c78, 0x0c7b, 0),
    (0x0c7c, 0x0c7e, 1),
    (0x1369, 0x1372, 1),
    (0x19da, 0x19da, 1),
    (0x2074, 0x2079, 4),
    (0x215e, 0x215f, 0),
    (0x2160, 0x216b, 1),
    (0x2170, 0x217b, 1),
    (0x2185, 0x2185, 6),
    (0x2460, 0x2473, 1),
    (0x2474, 0x2487, 1),
    (0x2488, 0x249b, 1),
    (0x24f5, 0x24fe, 1),
    (0x2776, 0x277f, 1),
    (0x2780, 0x2789, 1),
    (0x278a, 0x2793, 1),
    (0x3021, 0x3029, 1),
    (0x3192, 0x3195, 1),
    (0x3220, 0x3229, 1),
    (0x3280, 0x3289, 1),
    (0xa6e6, 0xa6ee, 1),
];

/// Returns the number from 1 to 6 that `symbol` stands for, a fraction being
/// cut off.
///
/// `symbol` must be of the Unicode categories Nd, Nl or No and in the basic
/// plane; everything else, and every other value, is `None`.
///
/// Source: [`move.txt`](crate::docs::bomberman_2016#movetxt); Unicode 14, numeric value.
fn one_to_six(symbol: char) -> Option<u8> {
    let symbol = u16::try_from(u32::from(symbol)).ok()?;
    let after_zero = |zero: &u16| symbol.checked_sub(*zero).filter(|value| *value <= 6);
    let in_run = |(first, last, value): &(u16, u16, u16)| {
        (*first..=*last).contains(&symbol).then(|| value + (symbol - first))
    };
    let value = ZEROS.iter().find_map(after_zero).or_else(|| OTHERS.iter().find_map(in_run))?;
    u8::try_from(value).ok().filter(|value| (1..=6).contains(value))
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

    #[test]
    fn numbers_of_every_kind_have_their_value() {
        let numbers = [
            ('1', Some(1)),
            ('6', Some(6)),
            ('\u{b3}', Some(3)),
            ('\u{662}', Some(2)),
            ('\u{2163}', Some(4)),
            ('\u{ff15}', Some(5)),
            ('\u{f2c}', Some(2)),
            ('\u{2185}', Some(6)),
        ];
        for (symbol, value) in numbers {
            assert_eq!(one_to_six(symbol), value, "{symbol}");
        }
    }

    #[test]
    fn everything_else_has_none() {
        for symbol in ['0', '7', '9', '\u{bd}', '\u{1d7cf}', '\u{4e09}', 'a', ' ', '\0', '-'] {
            assert_eq!(one_to_six(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn whatever_has_a_value_is_a_number() {
        let symbols = (0..=u16::MAX).filter_map(|code| char::from_u32(u32::from(code)));
        assert!(symbols.filter(|symbol| one_to_six(*symbol).is_some()).all(char::is_numeric));
    }
}

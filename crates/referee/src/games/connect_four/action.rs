//! From the bytes a bot printed to a column.

use std::fmt;

use super::GameState;
use crate::Verdict;

/// Why an answer is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is nothing but white space.
    Nothing,
    /// It is no number.
    NoNumber,
    /// The board has no such column; the number of its columns.
    Outside(usize),
    /// This column is full.
    Full(usize),
}

impl Refused {
    /// Returns the verdict for such an answer.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Nothing => Verdict::NoOutput,
            Self::NoNumber | Self::Outside(_) | Self::Full(_) => Verdict::IllegalOutput,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("there is no answer"),
            Self::NoNumber => f.write_str("a column is a number"),
            Self::Outside(columns) => write!(f, "the columns are 0 to {}", columns - 1),
            Self::Full(column) => write!(f, "column {column} is full"),
        }
    }
}

/// Reads what a bot printed: the number of a column, counted from 0 at the left.
///
/// Leniencies: white space (the Unicode property) around the number is cut off, and
/// zeros in front of it do not count. Signs, words and second numbers are refused.
///
/// # Errors
///
/// [`Refused`] says why the answer is no move in this position.
pub fn read(state: &GameState, bytes: &[u8]) -> Result<usize, Refused> {
    let text = str::from_utf8(bytes).map_err(|_| Refused::NoNumber)?.trim();
    if text.is_empty() {
        return Err(Refused::Nothing);
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Refused::NoNumber);
    }
    let outside = Refused::Outside(state.columns());
    let column = text.parse().map_err(|_| outside)?;
    match column {
        _ if column >= state.columns() => Err(outside),
        _ if !state.has_room(column) => Err(Refused::Full(column)),
        _ => Ok(column),
    }
}

#[cfg(test)]
mod tests {
    use super::super::drop_disc;
    use super::*;

    fn read_text(text: &str) -> Result<usize, Refused> {
        let mut state = GameState::empty(12, 4);
        while drop_disc(&mut state, 3).is_some() {}
        read(&state, text.as_bytes())
    }

    #[test]
    fn a_column_is_read_with_white_space_around_it() {
        let texts = [("0", 0), ("11\n", 11), (" 4\r\n", 4), ("\u{3000}7\u{85}", 7), ("02", 2)];
        for (text, column) in texts {
            assert_eq!(read_text(text), Ok(column), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["+1", "-1", "1.0", "1 2", "column 1", "\u{663}", "\u{feff}1", "1\0", "0x1"] {
            assert_eq!(read_text(text), Err(Refused::NoNumber), "{text:?}");
        }
        assert_eq!(read(&GameState::empty(7, 6), b"1\xff"), Err(Refused::NoNumber));
    }

    #[test]
    fn a_column_that_is_not_there_or_full_is_refused() {
        assert_eq!(read_text("12"), Err(Refused::Outside(12)));
        assert_eq!(read_text("99999999999999999999"), Err(Refused::Outside(12)));
        assert_eq!(read_text("3"), Err(Refused::Full(3)));
        assert_eq!(Refused::Full(3).verdict(), Verdict::IllegalOutput);
    }

    #[test]
    fn nothing_but_white_space_is_no_output() {
        for text in ["", "\n", " \t\u{a0}"] {
            assert_eq!(read_text(text).map_err(Refused::verdict), Err(Verdict::NoOutput));
        }
    }
}

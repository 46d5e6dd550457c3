//! Parser of commands: from a text to what it asks for.

use crate::Point;
use crate::named::named;

named! {
    /// Action of a player in a turn.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Action {
        /// Walks one row up.
        Up = "UP",
        /// Walks one row down.
        Down = "DOWN",
        /// Walks one column left.
        Left = "LEFT",
        /// Walks one column right.
        Right = "RIGHT",
        /// Places a bomb.
        Bomb = "BOMB",
    }
}

impl Action {
    /// Returns the square that a player on `at` wants to walk to.
    #[must_use]
    pub fn target(self, at: Point) -> Option<Point> {
        let (columns, rows) = match self {
            Self::Up => (0, -1),
            Self::Down => (0, 1),
            Self::Left => (-1, 0),
            Self::Right => (1, 0),
            Self::Bomb => return None,
        };
        Some(Point { x: at.x + columns, y: at.y + rows })
    }
}

/// A command of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `REGISTER <name> <password>`; a word that is not there is `None`.
    Register {
        /// The name.
        name: Option<&'a str>,
        /// The password.
        password: Option<&'a str>,
    },
    /// `ACTION <word>`; `None` for a word that is not there or no action.
    Action(Option<Action>),
    /// Anything else.
    Unknown,
}

/// Reads one command.
///
/// Leniencies: JavaScript's white space is cut off both ends; words beyond
/// those needed are ignored. Words are parted by exactly one space, so two
/// spaces have an empty word between them. Upper case only.
pub fn read(text: &str) -> Command<'_> {
    let mut words = text.trim_matches(is_white_space).split(' ');
    match words.next() {
        Some("REGISTER") => Command::Register { name: words.next(), password: words.next() },
        Some("ACTION") => Command::Action(words.next().and_then(Action::from_name)),
        _ => Command::Unknown,
    }
}

/// JavaScript's white space and line ends; U+0085 and U+200B are not among them.
fn is_white_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_javascript_is_cut_off_both_ends() {
        let up = Command::Action(Some(Action::Up));
        assert_eq!(read("\u{feff}\u{3000}\t ACTION UP\u{2028}\r\n"), up);
        assert_eq!(read("ACTION UP\u{85}"), Command::Action(None));
        assert_eq!(read("\u{200b}ACTION UP"), Command::Unknown);
    }

    #[test]
    fn words_are_parted_by_exactly_one_space() {
        assert_eq!(read("ACTION  UP"), Command::Action(None));
        assert_eq!(read("ACTION\tUP"), Command::Unknown);
        let empty_name = Command::Register { name: Some(""), password: Some("bob") };
        assert_eq!(read("REGISTER  bob pw"), empty_name);
    }

    #[test]
    fn a_trailing_blank_is_no_argument() {
        assert_eq!(read("ACTION "), Command::Action(None));
        assert_eq!(read("REGISTER bob "), Command::Register { name: Some("bob"), password: None });
    }

    #[test]
    fn more_words_are_ignored_and_lower_case_is_unknown() {
        assert_eq!(read("ACTION LEFT now please"), Command::Action(Some(Action::Left)));
        assert_eq!(read("action LEFT"), Command::Unknown);
        assert_eq!(read("ACTION left"), Command::Action(None));
        assert_eq!(read(""), Command::Unknown);
    }

    #[test]
    fn two_commands_in_one_text_are_one_broken_command() {
        assert_eq!(read("ACTION UP\nACTION DOWN\n"), Command::Action(None));
        let register = Command::Register { name: Some("x"), password: Some("y\nACTION") };
        assert_eq!(read("REGISTER x y\nACTION UP\n"), register);
    }
}

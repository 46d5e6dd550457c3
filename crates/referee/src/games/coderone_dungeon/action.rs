//! Parser of answers: from what an agent's host reports to an order.

use super::quirks::BOMB_WORDS;
use crate::named::named;
use crate::{Parts, Verdict};

named! {
    /// Order of a player for a tick, by its code in the original's recordings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Order {
        /// Walks to y + 1.
        Up = "u",
        /// Walks to y - 1.
        Down = "d",
        /// Walks to x - 1.
        Left = "l",
        /// Walks to x + 1.
        Right = "r",
        /// Lays a bomb.
        Bomb = "b",
    }
}

impl Order {
    /// Returns the change of column and row; `None` for a bomb.
    #[must_use]
    pub fn delta(self) -> Option<(i32, i32)> {
        match self {
            Self::Up => Some((0, 1)),
            Self::Down => Some((0, -1)),
            Self::Left => Some((-1, 0)),
            Self::Right => Some((1, 0)),
            Self::Bomb => None,
        }
    }
}

/// An answer waiting to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// [`Verdict::Ok`], or what is wrong with it.
    pub verdict: Verdict,
    /// The order; `None` for doing nothing.
    pub order: Option<Order>,
}

impl Answer {
    /// Makes an answer that does nothing.
    pub fn without_order(verdict: Verdict) -> Self {
        Self { verdict, order: None }
    }
}

/// Reads an answer; `None` if it was lost on the way and does not arrive.
///
/// The first part's name is the kind of value that `next_move` returned, as its
/// host reports it, the bytes are the value:
///
/// | name | value | effect |
/// |---|---|---|
/// | `str`, or no name | a string or one of its subclasses | the order; empty does nothing; any other word is `illegal-output` |
/// | `false` | any other value that counts as false | does nothing |
/// | `raised` | none: `next_move` raised | does nothing |
/// | `lost` | one that cannot be sent on | no answer arrives |
/// | any other name | another value | `illegal-output` |
///
/// Words are exact: case, blanks and line ends count. No part at all does
/// nothing. A value that cannot
/// be hashed or whose truth cannot be tested ended the whole match there and is
/// only `illegal-output` here.
pub fn read(parts: &Parts) -> Option<Answer> {
    let Some(part) = parts.0.first() else { return Some(Answer::without_order(Verdict::Ok)) };
    match &*part.name {
        "" | "str" => Some(read_word(&part.bytes)),
        "false" | "raised" => Some(Answer::without_order(Verdict::Ok)),
        "lost" => None,
        _ => Some(Answer::without_order(Verdict::IllegalOutput)),
    }
}

fn read_word(word: &[u8]) -> Answer {
    let order = match word {
        b"" => return Answer::without_order(Verdict::Ok),
        b"u" => Order::Up,
        b"d" => Order::Down,
        b"l" => Order::Left,
        b"r" => Order::Right,
        _ if BOMB_WORDS.iter().any(|bomb| bomb.as_bytes() == word) => Order::Bomb,
        _ => return Answer::without_order(Verdict::IllegalOutput),
    };
    Answer { verdict: Verdict::Ok, order: Some(order) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Part;

    fn answer(name: &str, bytes: &str) -> Option<(Verdict, Option<Order>)> {
        let part = Part { name: Arc::from(name), bytes: Arc::from(bytes.as_bytes()) };
        read(&Parts(vec![part])).map(|answer| (answer.verdict, answer.order))
    }

    #[test]
    fn three_words_lay_a_bomb() {
        for word in ["p", "b", "can_haz_boom"] {
            assert_eq!(answer("str", word), Some((Verdict::Ok, Some(Order::Bomb))), "{word}");
        }
    }

    #[test]
    fn words_are_exact() {
        for word in ["U", "up", "u ", "u\n", " ", "pp", "\u{2191}"] {
            assert_eq!(answer("str", word), Some((Verdict::IllegalOutput, None)), "{word:?}");
        }
    }

    #[test]
    fn a_false_value_does_nothing() {
        assert_eq!(answer("str", ""), Some((Verdict::Ok, None)));
        assert_eq!(answer("false", "None"), Some((Verdict::Ok, None)));
        assert_eq!(answer("raised", "ValueError"), Some((Verdict::Ok, None)));
    }

    #[test]
    fn another_value_is_illegal_whatever_it_looks_like() {
        for name in ["other", "unhashable", "unclear", "bytes"] {
            assert_eq!(answer(name, "u"), Some((Verdict::IllegalOutput, None)), "{name}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_sent_never_arrives() {
        assert_eq!(answer("lost", "u"), None);
    }
}

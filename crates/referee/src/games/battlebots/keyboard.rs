//! Keyboard input: an action as a person types it.

use super::{Rules, read};
use crate::{KeyboardAnswer, Parts};

const PROMPT: &str = "your action: ";
const HELP: &str = "type a direction to move (N, NE, E, SE, S, SW, W, NW), B, M or L and a \
                    direction for a bullet, a missile or a landmine, P for an EMP, NO for nothing";

/// Reads one action, in the words of the bots but whatever the capitals.
pub(super) fn keyboard(lines: &[String]) -> KeyboardAnswer {
    let Some(line) = lines.first() else { return KeyboardAnswer::More(PROMPT.to_owned()) };
    let words: Vec<_> = line.split_whitespace().map(str::to_uppercase).collect();
    let action = words.join(" ");
    if read(Rules::Documented, action.as_bytes()).verdict.is_ok() {
        KeyboardAnswer::Answer(Parts::single(action.into_bytes()))
    } else {
        KeyboardAnswer::Again(HELP.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> KeyboardAnswer {
        keyboard(&[line.to_owned()])
    }

    #[test]
    fn an_action_is_read_whatever_its_capitals_and_blanks() {
        for line in ["B NE", "b ne", "  b\tNe \r"] {
            assert_eq!(
                typed(line),
                KeyboardAnswer::Answer(Parts::single(&b"B NE"[..])),
                "{line:?}"
            );
        }
        assert_eq!(typed("no"), KeyboardAnswer::Answer(Parts::single(&b"NO"[..])));
    }

    #[test]
    fn anything_else_is_asked_for_again() {
        for line in ["", "B", "north", "B N E", "\u{1b}[A"] {
            assert_eq!(typed(line), KeyboardAnswer::Again(HELP.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn nothing_typed_yet_asks_for_an_action() {
        assert_eq!(keyboard(&[]), KeyboardAnswer::More(PROMPT.to_owned()));
    }
}

//! Play at a keyboard: lines that people type, and pictures that they see.

use super::draw::Picture;
use super::view;
use crate::{KeyboardAnswer, Parts, Scene};

const PROMPT: &str = "your column: ";
const HELP: &str = "type the number of a column, counted from 0 at the left";

/// Reads the number of a column; whether a disc fits into it the rules say.
pub(super) fn typed(lines: &[String]) -> KeyboardAnswer {
    let Some(line) = lines.first() else { return KeyboardAnswer::More(PROMPT.to_owned()) };
    let number = line.trim();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return KeyboardAnswer::Again(HELP.to_owned());
    }
    KeyboardAnswer::Answer(Parts::single(number.as_bytes()))
}

/// Draws what a seat is shown.
pub(super) fn picture(view: &Parts) -> Option<Scene> {
    let text = str::from_utf8(view.get("")?).ok()?;
    let (seat, state) = view::parse(text)?;
    let mut names = ["the other"; 2];
    *names.get_mut(seat.index())? = "you";
    Some(Picture { state: &state, names, last: None }.scene())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_an_answer() {
        let answer = |text: &str| KeyboardAnswer::Answer(Parts::single(text.as_bytes()));
        assert_eq!(typed(&[" 3\r".to_owned()]), answer("3"));
        assert_eq!(typed(&["12".to_owned()]), answer("12"));
    }

    #[test]
    fn anything_else_is_asked_for_again() {
        for line in ["", "x", "-1", "3 4", "\u{1b}[A", "\u{663}"] {
            assert_eq!(
                typed(&[line.to_owned()]),
                KeyboardAnswer::Again(HELP.to_owned()),
                "{line:?}"
            );
        }
        assert_eq!(typed(&[]), KeyboardAnswer::More(PROMPT.to_owned()));
    }

    #[test]
    fn a_person_sees_the_board_with_the_numbers_of_its_columns() {
        let view = Parts::single(&b"you 1\nconnect 4\n....\n....\n.1..\n.00.\n"[..]);
        let scene = picture(&view).expect("it is a view");
        let row = |y| (0..4).filter_map(|x| Some(scene.top(x, y)?.symbol)).collect::<String>();
        assert_eq!([row(0), row(3), row(4)], ["0123", ".1..", ".00."]);
        assert_eq!(scene.texts[2].text, "1 you discs=1");
    }

    #[test]
    fn what_is_no_view_has_no_picture() {
        for view in [Parts::none(), Parts::single(&b"you 7\nconnect 4\n....\n"[..])] {
            assert_eq!(picture(&view), None);
        }
    }
}

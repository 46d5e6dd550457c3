//! Exactly the bytes a seat is shown.

use super::GameState;
use crate::Seat;

/// Appends the position as `seat` sees it.
///
/// Shape: `you 0` or `you 1`, the number of the seat; `connect 4`, the discs in a
/// row that win; then the board as [`GameState::write_board`] has it. Every line ends
/// with `\n`.
pub fn render(state: &GameState, connect: usize, seat: Seat, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("you {seat}\nconnect {connect}\n").as_bytes());
    state.write_board(out);
}

/// Reads a view back: the seat that sees it, and the position.
pub(super) fn parse(view: &str) -> Option<(Seat, GameState)> {
    let mut lines = view.lines();
    let seat = lines.next()?.strip_prefix("you ")?.parse().ok()?;
    lines.next()?.strip_prefix("connect ")?;
    let rows: Vec<&[u8]> = lines.map(str::as_bytes).collect();
    let mut state = GameState::empty(rows.first()?.len(), rows.len());
    for (x, column) in state.columns.iter_mut().enumerate() {
        let squares = rows.iter().rev().map_while(|row| row.get(x));
        column.extend(squares.map_while(|square| match square {
            b'0' => Some(Seat(0)),
            b'1' => Some(Seat(1)),
            _ => None,
        }));
    }
    Some((Seat(seat), state))
}

#[cfg(test)]
mod tests {
    use super::super::drop_disc;
    use super::*;

    #[test]
    fn a_view_is_read_as_what_was_rendered() {
        let mut state = GameState::empty(5, 4);
        for column in [2, 2, 0, 4, 2, 2] {
            drop_disc(&mut state, column).expect("there is room");
        }
        let mut view = Vec::new();
        render(&state, 3, Seat(1), &mut view);
        let view = String::from_utf8(view).expect("it is text");
        assert_eq!(view, "you 1\nconnect 3\n..1..\n..0..\n..1..\n0.0.1\n");
        assert_eq!(parse(&view), Some((Seat(1), state)));
    }

    #[test]
    fn what_is_no_view_is_not_read() {
        for text in ["", "you\n", "you 0\n", "you 0\nconnect 4\n", "you x\nconnect 4\n...\n"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}

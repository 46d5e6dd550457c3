//! Surprises of the original, each a named item.
//!
//! Source: [Quirks](crate::docs::battlesnake#quirks).

use super::{Direction, Square};

/// Returns the direction in which the original's rules move a snake without a valid move: from
/// neck to head, on neighbouring squares of a joined board, too; otherwise up.
///
/// Nothing but recorded positions needs it: a bout repeats the snake's last good move.
///
/// Source: [One turn](crate::docs::battlesnake#one-turn).
pub(super) fn direction_of_travel(body: &[Square]) -> Direction {
    let [head, neck, ..] = *body else { return Direction::Up };
    let joined = |head: i16, neck: i16| match (head, neck) {
        (0, 1..) => Some(1),
        (1.., 0) => Some(-1),
        _ => None,
    };
    let all = Direction::ALL;
    let straight = all.into_iter().find(|direction| neck.step(*direction) == head);
    let around = || match (joined(head.x, neck.x), joined(head.y, neck.y)) {
        (Some(1), _) => Some(Direction::Right),
        (Some(_), _) => Some(Direction::Left),
        (_, Some(1)) => Some(Direction::Up),
        (_, Some(_)) => Some(Direction::Down),
        _ => None,
    };
    straight.or_else(around).unwrap_or(Direction::Up)
}

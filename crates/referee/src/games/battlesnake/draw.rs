//! Drawing of a position, as a [`Scene`].

use super::view::Profile;
use super::{Cause, Elimination, GameState, Snake, Square};
use crate::{Cell, Colour, Direction as Compass, Kind, Layer, Mark, Scene, Text};

/// Draws `state`; `profiles` are in seat order.
///
/// The topmost row of the scene is the highest row of the board. A head is the number of its seat,
/// a body the letter of this place in the alphabet. Snakes that are out are not drawn.
pub(super) fn scene(state: &GameState, profiles: &[Profile]) -> Scene {
    Scene {
        width: state.width.unsigned_abs(),
        height: state.height.unsigned_abs(),
        layers: vec![ground(state), hazards(state)],
        marks: marks(state, profiles),
        texts: texts(state, profiles),
        ..Scene::default()
    }
}

fn ground(state: &GameState) -> Layer {
    let floor = Cell::new(Kind::Floor, '.', Colour::Dim);
    Layer::new("board", vec![Some(floor); state.squares().count()])
}

/// Draws hazards with the number of their layers.
fn hazards(state: &GameState) -> Layer {
    let mut cells = vec![None; state.squares().count()];
    for (x, y) in state.hazards.iter().filter_map(|at| on_board(state, *at)) {
        let cell: &mut Option<Cell> = &mut cells[usize::from(y * state.width as u16 + x)];
        let layers = cell.and_then(|cell| cell.count).unwrap_or_default() + 1;
        *cell = Some(Cell::new(Kind::Hazard, '#', Colour::Danger).with_count(layers));
    }
    Layer::new("hazards", cells)
}

fn marks(state: &GameState, profiles: &[Profile]) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(64);
    let mut put = |at: Square, cell: Cell, label: String| {
        marks.extend(on_board(state, at).map(|at| Mark::new(at, cell, label)));
    };
    for at in &state.food {
        put(*at, Cell::new(Kind::Food, '+', Colour::Bonus), "food".to_owned());
    }
    let living = || seats(state, profiles).filter(|(_, snake, _)| snake.is_alive());
    for (seat, snake, profile) in living() {
        for pair in snake.body.windows(2).rev() {
            let (kind, symbol) = (Kind::SnakeBody, char::from(b'a' + seat));
            let cell = Cell::new(kind, symbol, Colour::Seat(seat));
            put(pair[1], cell.headed(heading(pair[1], pair[0])), profile.name.clone());
        }
    }
    for (seat, snake, profile) in living() {
        let neck = snake.body.get(1).copied().unwrap_or_default();
        let cell = Cell::new(Kind::SnakeHead, seat_symbol(seat), Colour::Seat(seat));
        let label =
            format!("{}, health={}, length={}", profile.name, snake.health, snake.body.len());
        put(snake.head(), cell.headed(heading(neck, snake.head())), label);
    }
    marks
}

/// Returns the direction from a piece of a body to the next one, over joined sides of the board,
/// too; north of a coil.
fn heading(from: Square, to: Square) -> Compass {
    match (to.x - from.x, to.y - from.y) {
        (1, _) | (..-1, _) => Compass::E,
        (-1, _) | (2.., _) => Compass::W,
        (_, -1) | (_, 2..) => Compass::S,
        _ => Compass::N,
    }
}

fn seats<'a>(
    state: &'a GameState,
    profiles: &'a [Profile],
) -> impl Iterator<Item = (u8, &'a Snake, &'a Profile)> {
    (0_u8..).zip(&state.snakes).zip(profiles).map(|((seat, snake), profile)| (seat, snake, profile))
}

fn seat_symbol(seat: u8) -> char {
    char::from_digit(u32::from(seat), 36).unwrap_or('?')
}

fn on_board(state: &GameState, at: Square) -> Option<(u16, u16)> {
    let y = state.height - 1 - at.y;
    state.contains(at).then_some((at.x.unsigned_abs(), y.unsigned_abs()))
}

fn texts(state: &GameState, profiles: &[Profile]) -> Vec<Text> {
    let mut texts = vec![Text::place("turn", state.turn)];
    for (seat, snake, profile) in seats(state, profiles) {
        let Profile { name, latency_ms, shout, .. } = profile;
        let (health, length) = (snake.health, snake.body.len());
        let mut text = format!(
            "{} {name} health={health} length={length} latency={latency_ms}ms",
            seat_symbol(seat)
        );
        let added = match &snake.out {
            Some(out) => elimination_text(out, usize::from(seat), profiles),
            None if !shout.is_empty() => format!("\u{201c}{shout}\u{201d}"),
            None => String::new(),
        };
        if !added.is_empty() {
            // Words of the form `name=value` belong to Joust.
            text.extend([" ", &added.replace('=', ":")]);
        }
        texts.push(Text::new(Colour::Seat(seat), text));
    }
    texts
}

/// Describes an elimination: the turn, the cause, and who caused it.
pub(super) fn elimination_text(out: &Elimination, seat: usize, profiles: &[Profile]) -> String {
    let Elimination { cause, by, on } = *out;
    let by = by.map(|by| by.index()).filter(|by| *by != seat);
    let by = by.and_then(|by| profiles.get(by)).map_or("", |profile| &profile.name);
    let how = match cause {
        Cause::SnakeCollision => format!("ran into the body of {by}"),
        Cause::SnakeSelfCollision => "ran into its own body".to_owned(),
        Cause::HeadCollision => format!("lost head to head against {by}"),
        Cause::WallCollision => "left the board".to_owned(),
        Cause::OutOfHealth => "starved".to_owned(),
        Cause::Hazard => "died in a hazard".to_owned(),
    };
    format!("out in turn {on}: {how} ({})", cause.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::battlesnake::{BoutOptions, place};
    use crate::{Seat, Seed};

    #[test]
    fn names_and_shouts_add_no_values_to_a_line() {
        let mut state =
            place(&BoutOptions::default(), Seed(1), 2).expect("two snakes fit on the board");
        let (cause, by) = (Cause::SnakeCollision, Some(Seat(1)));
        state.snakes[0].out = Some(Elimination { cause, by, on: 3 });
        let profile = |name: &str, shout: &str| Profile {
            name: name.to_owned(),
            shout: shout.to_owned(),
            ..Profile::default()
        };
        let profiles = [profile("ann", ""), profile("bob health=99", "length=50")];
        let lines = texts(&state, &profiles);
        let values = |line: usize| lines[line].text.matches('=').count();
        assert_eq!(values(1), 3, "{}", lines[1].text);
        assert!(lines[1].text.contains("body of bob health:99"), "{}", lines[1].text);
        assert!(lines[2].text.ends_with("\u{201c}length:50\u{201d}"), "{}", lines[2].text);
    }
}

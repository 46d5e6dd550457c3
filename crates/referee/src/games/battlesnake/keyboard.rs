//! Play at a keyboard: keys that people type, and pictures that they see.

use super::json::Json;
use super::options::SNAKES_MOST;
use super::view::{Call, Profile};
use super::{Cause, Direction, Elimination, GameState, Snake, Square, draw};
use crate::{KeyboardAnswer, Part, Parts, Scene, http};

const PROMPT: &str = "your move: ";
const HELP: &str = "type an arrow key or w up, a left, s down, d right, then Enter";

/// Reads a direction: a word, its first letter, a key of w, a, s, d, or an arrow. Other calls than
/// for a move are answered at once.
pub(super) fn typed(view: &Parts, lines: &[String]) -> KeyboardAnswer {
    if !is_move(view) {
        return KeyboardAnswer::Answer(answer("{}".to_owned()));
    }
    let Some(line) = lines.first() else { return KeyboardAnswer::More(PROMPT.to_owned()) };
    match direction(line.trim()) {
        Some(direction) => {
            KeyboardAnswer::Answer(answer(format!("{{\"move\":\"{}\"}}", direction.name())))
        }
        None => KeyboardAnswer::Again(HELP.to_owned()),
    }
}

fn is_move(view: &Parts) -> bool {
    view.get(http::PATH) == Some(Call::Move.path().as_bytes())
}

/// Arrow keys are escape sequences, whose control character may be missing.
fn direction(key: &str) -> Option<Direction> {
    let key = key.trim_start_matches('\u{1b}').to_lowercase();
    Some(match &*key {
        "up" | "u" | "w" | "[a" | "oa" | "\u{2191}" => Direction::Up,
        "down" | "s" | "[b" | "ob" | "\u{2193}" => Direction::Down,
        "right" | "r" | "d" | "[c" | "oc" | "\u{2192}" => Direction::Right,
        "left" | "l" | "a" | "[d" | "od" | "\u{2190}" => Direction::Left,
        _ => return None,
    })
}

fn answer(body: String) -> Parts {
    let part = |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
    Parts(vec![
        part(http::STATUS, "200"),
        part(http::CONTENT_TYPE, "application/json"),
        part(http::BODY, &body),
    ])
}

/// Draws what a seat is shown; other calls than for a move have an empty picture.
pub(super) fn picture(view: &Parts) -> Option<Scene> {
    if !is_move(view) {
        return Some(Scene::default());
    }
    let (state, profiles) = position(&Json::read(view.get(http::BODY)?)?)?;
    Some(draw::scene(&state, &profiles))
}

/// Returns the position of a request. A snake that is out has an empty body.
fn position(request: &Json) -> Option<(GameState, Vec<Profile>)> {
    let board = request.get("board")?;
    let (mut snakes, mut profiles) = (Vec::new(), Vec::new());
    for shown in board.get("snakes")?.items() {
        let number: usize = shown.get("id")?.text()?.strip_prefix("snake-")?.parse().ok()?;
        let seat = number.checked_sub(1).filter(|seat| *seat < SNAKES_MOST)?;
        let out = Elimination { cause: Cause::OutOfHealth, by: None, on: 0 };
        while snakes.len() <= seat {
            snakes.push(Snake { body: Vec::new(), health: 0, out: Some(out) });
            profiles.push(Profile::default());
        }
        let body = squares(shown.get("body")?)?;
        snakes[seat] = Snake { body, health: shown.get("health")?.number()?, out: None };
        shown.get("name")?.text()?.clone_into(&mut profiles[seat].name);
    }
    let state = GameState {
        turn: request.get("turn")?.number()?,
        width: board.get("width")?.number()?,
        height: board.get("height")?.number()?,
        food: squares(board.get("food")?)?,
        hazards: squares(board.get("hazards")?)?,
        snakes,
    };
    Some((state, profiles))
}

fn squares(list: &Json) -> Option<Vec<Square>> {
    let square = |at: &Json| Some(Square { x: at.get("x")?.number()?, y: at.get("y")?.number()? });
    list.items().iter().map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn typed_line(line: &str) -> KeyboardAnswer {
        let path = Part { name: "path".into(), bytes: b"/move"[..].into() };
        typed(&Parts(vec![path]), &[line.to_owned()])
    }

    #[test]
    fn arrows_letters_and_words_are_moves() {
        for line in ["\u{1b}[D", "[D", "OD", "a", "L", " left\r", "\u{2190}"] {
            let expected = KeyboardAnswer::Answer(answer("{\"move\":\"left\"}".to_owned()));
            assert_eq!(typed_line(line), expected, "{line:?}");
        }
        for line in ["", "x", "[E", "leftward", "\u{1b}"] {
            assert_eq!(typed_line(line), KeyboardAnswer::Again(HELP.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn other_calls_are_answered_without_a_key() {
        let path = Part { name: "path".into(), bytes: b"/start"[..].into() };
        let expected = KeyboardAnswer::Answer(answer("{}".to_owned()));
        assert_eq!(typed(&Parts(vec![path]), &[]), expected);
    }

    #[test]
    fn a_person_sees_the_board_of_the_request() {
        let samples = samples::views();
        let view = &samples.iter().find(|sample| sample.name == "three-left.json").unwrap().parts;
        let scene = picture(view).expect("it is a view");
        let row = |y| (0..11).filter_map(|x| Some(scene.top(x, y)?.symbol)).collect::<String>();
        assert_eq!(row(9), ".0aa..d....");
    }

    #[test]
    fn what_is_no_position_has_no_picture() {
        for body in ["", "{}", "{\"board\":{\"snakes\":[{\"id\":\"snake-0\"}]}}"] {
            let path = Part { name: "path".into(), bytes: b"/move"[..].into() };
            let part = Part { name: "body".into(), bytes: body.as_bytes().into() };
            assert_eq!(picture(&Parts(vec![path, part])), None, "{body}");
        }
        assert_eq!(picture(&Parts::none()), Some(Scene::default()));
    }
}

//! Sample views for people who write parsers.

use super::view::{Call, Profile, View};
use super::{
    BoutOptions, Cause, Customizations, Elimination, GameState, Ruleset, Snake, Square, place,
};
use crate::{Sample, Seed};

/// Returns a view of each call, and of each thing that a parser must cope with.
pub(super) fn views() -> Vec<Sample> {
    let options = BoutOptions::default();
    let start = |snakes| place(&options, Seed(1), snakes).expect("the samples fit on the board");
    let royale = BoutOptions { ruleset: Ruleset::Royale, ..options };
    vec![
        sample("info.json", &options, &start(2), Call::Info),
        sample("start.json", &options, &start(2), Call::Start),
        sample("first-turn.json", &options, &start(2), Call::Move),
        sample("eight-snakes.json", &options, &start(8), Call::Move),
        sample("three-left.json", &options, &three_left(start(4)), Call::Move),
        sample("hazards.json", &royale, &with_hazards(start(2)), Call::Move),
        sample(
            "without-food.json",
            &options,
            &GameState { food: Vec::new(), ..start(2) },
            Call::Move,
        ),
        sample("end-for-a-loser.json", &options, &lost(start(2)), Call::End),
    ]
}

/// Makes the view of the first seat.
fn sample(name: &str, options: &BoutOptions, state: &GameState, call: Call) -> Sample {
    let profile = |number: usize| Profile {
        name: format!("snake {number}"),
        customizations: Customizations {
            color: "#1286bb".to_owned(),
            head: "default".to_owned(),
            tail: "bolt".to_owned(),
        },
        latency_ms: 12 * number as u128,
        shout: String::new(),
    };
    let profiles: Vec<Profile> = (1..=state.snakes.len()).map(profile).collect();
    let view = View { options, id: "game-sample", state, profiles: &profiles };
    Sample::new(name, view.requests(call, &[0]).swap_remove(0))
}

fn body(squares: &[(i16, i16)]) -> Vec<Square> {
    squares.iter().map(|(x, y)| Square { x: *x, y: *y }).collect()
}

/// One snake is out, the first has just eaten, and the others turn.
fn three_left(mut state: GameState) -> GameState {
    state.turn = 40;
    let (cause, on) = (Cause::WallCollision, 12);
    state.snakes[1].out = Some(Elimination { cause, by: None, on });
    state.snakes[0].body = body(&[(1, 1), (2, 1), (3, 1), (3, 1)]);
    state.snakes[2].body = body(&[(9, 9), (9, 8), (8, 8), (8, 9)]);
    state.snakes[3].body = body(&[(5, 0), (6, 0), (6, 1), (6, 2), (5, 2)]);
    state.snakes[3].health = 7;
    state.food = body(&[(0, 10), (4, 4)]);
    state
}

fn with_hazards(mut state: GameState) -> GameState {
    state.turn = 30;
    state.hazards = (0..state.height).map(|y| Square { x: 0, y }).collect();
    state
}

/// The first snake ran off the board, and its head is there.
fn lost(mut state: GameState) -> GameState {
    state.turn = 22;
    let (cause, on) = (Cause::WallCollision, 21);
    let out = Some(Elimination { cause, by: None, on });
    state.snakes[0] = Snake { body: body(&[(-1, 4), (0, 4), (1, 4)]), health: 79, out };
    state.snakes[1].body = body(&[(7, 7), (7, 6), (6, 6), (6, 7), (6, 7)]);
    state
}

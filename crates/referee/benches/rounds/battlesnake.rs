//! Turns per second of Battlesnake: two snakes on 11x11 that walk to food while they can.

use std::hint::black_box;

use joust_referee::games::battlesnake::{
    Bout, BoutOptions, Direction, GameState, Snake, Spawner, Square, advance, is_over, place,
};
use joust_referee::{Input, Judge, Output, Outputs, Part, Parts, Seed, Verdict};
use joust_testkit::figures::speed;

const GAMES: u64 = 20;

/// A game: its start, and the moves of both snakes in every turn.
struct Game {
    seed: Seed,
    start: GameState,
    moves: Vec<[Direction; 2]>,
}

fn games(options: &BoutOptions) -> Vec<Game> {
    let game = |number: u64| {
        let seed = Seed(number * 1_000_003);
        let start = place(options, seed, 2).expect("there is room");
        let (mut state, mut spawner) = (start.clone(), Spawner::new(options, seed));
        let mut moves = Vec::new();
        while !is_over(&state, options) {
            let both = [choose(&state, 0), choose(&state, 1)];
            play_turn(&mut state, options, both, &mut spawner);
            moves.push(both);
        }
        Game { seed, start, moves }
    };
    (1..=GAMES).map(game).collect()
}

fn play_turn(
    state: &mut GameState,
    options: &BoutOptions,
    moves: [Direction; 2],
    spawner: &mut Spawner,
) {
    advance(state, options, |seat| Some(moves[seat]), spawner);
    spawner.spawn(options, state);
    state.turn += 1;
}

/// Returns the step towards the nearest food that meets nobody, if there is one.
fn choose(state: &GameState, seat: usize) -> Direction {
    let head = state.snakes[seat].head();
    let is_free = |at: Square| {
        let is_there = |snake: &Snake| snake.body.contains(&at);
        state.contains(at) && !state.living().any(is_there)
    };
    let distance = |at: Square| {
        let way = |food: &Square| (food.x - at.x).abs() + (food.y - at.y).abs();
        state.food.iter().map(way).min().unwrap_or_default()
    };
    let steps = Direction::ALL.into_iter().filter(|step| is_free(head.step(*step)));
    steps.min_by_key(|step| distance(head.step(*step))).unwrap_or(Direction::Up)
}

fn play_rules(games: &[Game], options: &BoutOptions) -> u32 {
    let mut turns = 0;
    for game in games {
        let (mut state, mut spawner) = (game.start.clone(), Spawner::new(options, game.seed));
        for moves in &game.moves {
            play_turn(&mut state, options, black_box(*moves), &mut spawner);
        }
        turns += state.turn;
    }
    turns
}

/// Plays whole bouts: both requests rendered, answers read and judged.
fn play_bouts(games: &[Game], options: BoutOptions, answers: &[Parts; 4]) -> u32 {
    let mut turns = 0;
    for game in games {
        let mut out = Outputs::new();
        let names = vec!["one".to_owned(), "two".to_owned()];
        let mut bout = Bout::from_state(options, game.seed, game.start.clone(), names, &mut out);
        while bout.outcome().is_none() {
            let moves = game.moves.get(bout.rounds() as usize).copied();
            let asked: Vec<Output> = out.drain().collect();
            for output in asked {
                let Output::Ask { seat, request, parts, .. } = output else { continue };
                black_box(parts);
                let chosen = moves.map_or(0, |moves| moves[seat.index()] as usize);
                let parts = answers[chosen].clone();
                let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
                bout.next(&input, &mut out).expect("the referee cannot fail");
            }
            if bout.state().living().next().is_none() {
                bout.next(&Input::Tick, &mut out).expect("the referee cannot fail");
            }
        }
        turns += bout.rounds();
    }
    turns
}

pub(crate) fn bench() {
    let options = BoutOptions::default();
    let games = games(&options);
    let answers = Direction::ALL.map(|direction| {
        let part =
            |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
        let body = format!("{{\"move\":\"{}\"}}", direction.name());
        Parts(vec![part("status", "200"), part("body", &body)])
    });
    let turns = play_rules(&games, &options).into();
    speed("battlesnake/rules", turns, || play_rules(&games, &options));
    speed("battlesnake/bout", turns, || play_bouts(&games, options, &answers));
}

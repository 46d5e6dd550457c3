//! Spawn at the end of a turn: what the map adds to the board.
//!
//! Source: [Maps](crate::docs::battlesnake#maps).

mod hazards;

use super::options::LONGEST_SIDE;
use super::state::write_squares;
use super::{BoutOptions, GameState, Map, Square};
use crate::Seed;
use crate::rng::GoRand;

pub(super) use hazards::{pits, pools, shrink};

/// Map of a bout: its luck, and what it remembers from one turn to the next.
#[derive(Clone, Debug)]
pub struct Spawner {
    pub(super) seed: i64,
    pub(super) rng: GoRand,
    /// Food places of a castle, as the last shuffle left them.
    castle_food: Vec<Square>,
    /// Reused by every list of free squares.
    free: Vec<Square>,
}

impl Spawner {
    /// Makes the map of a bout before its first turn.
    pub fn new(options: &BoutOptions, seed: Seed) -> Self {
        let seed = seed.0.cast_signed();
        let castle_food = options.map.figure("food").to_vec();
        Self { seed, rng: GoRand::from_seed(seed), castle_food, free: Vec::new() }
    }

    /// Adds food and changes hazards at the end of turn `state.turn`, before that number rises.
    pub fn spawn(&mut self, options: &BoutOptions, state: &mut GameState) {
        match options.map {
            Map::Empty => {}
            Map::ArcadeMaze => self.feed_maze(options, state),
            Map::CastleWall | Map::CastleWallLarge => self.feed_castle(state, 2),
            Map::CastleWallExtraLarge => self.feed_castle(state, 4),
            _ => {
                self.feed(options, state);
                self.change_hazards(options, state);
            }
        }
    }

    /// Appends the canonical bytes of what it remembers.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        write_squares(&self.castle_food, out);
    }

    fn reseed(&mut self, offset: u32) {
        self.rng.reseed(self.seed.wrapping_add(offset.into()));
    }

    /// Adds food on free squares, if there is too little or by chance.
    fn feed(&mut self, options: &BoutOptions, state: &mut GameState) {
        let BoutOptions { food_spawn_chance: chance, minimum_food, map, .. } = *options;
        let missing = minimum_food - state.food.len() as i32;
        self.reseed(state.turn);
        let needed = match missing {
            1.. => missing as usize,
            _ if chance > 0 => usize::from(100 - (self.rng.below(100) as i32) < chance),
            _ => 0,
        };
        if needed == 0 {
            return;
        }
        list_free(state, map, &mut self.free);
        self.rng.shuffle(&mut self.free);
        state.food.extend(self.free.iter().take(needed));
    }

    /// Adds food on a place of the maze.
    fn feed_maze(&mut self, options: &BoutOptions, state: &mut GameState) {
        let chance = options.food_spawn_chance;
        self.reseed(state.turn);
        if chance == 0 || self.rng.below(100) as i32 > chance {
            return;
        }
        self.free.clear();
        self.free.extend(Map::ArcadeMaze.figure("places"));
        self.rng.shuffle(&mut self.free);
        let is_free = |at: &&Square| {
            !state.food.contains(at) && !state.snakes.iter().any(|snake| snake.body.contains(at))
        };
        let place = self.free.iter().find(is_free).copied();
        state.food.extend(place);
    }

    /// Adds food on a place of the castle, unless there are `enough` pieces.
    fn feed_castle(&mut self, state: &mut GameState, enough: usize) {
        if state.turn < 10 || state.food.len() == enough {
            return;
        }
        self.reseed(state.turn);
        self.rng.shuffle(&mut self.castle_food);
        let is_apart =
            |at: Square, other: Square| (at.x - other.x).abs() + (at.y - other.y).abs() != 1;
        let is_free = |at: &&Square| {
            state.food.iter().all(|food| food != *at && is_apart(**at, *food))
                && state
                    .snakes
                    .iter()
                    .all(|snake| !snake.body.contains(at) && is_apart(**at, snake.head()))
        };
        let place = self.castle_food.iter().find(is_free).copied();
        state.food.extend(place);
    }
}

/// Lists the squares on which food may appear, column by column: no food, no living snake, no
/// neighbour of a living head. On maps with bridges hazards are not free.
fn list_free(state: &GameState, map: Map, free: &mut Vec<Square>) {
    // A bit for each square of a column.
    let mut taken = [0_u32; LONGEST_SIDE as usize];
    let mut take = |at: &Square| {
        if state.contains(*at) {
            taken[at.x as usize] |= 1 << at.y;
        }
    };
    state.food.iter().for_each(&mut take);
    for snake in state.living() {
        snake.body.iter().chain(&snake.head().neighbours()).for_each(&mut take);
    }
    if map.has_bridges() {
        state.hazards.iter().for_each(&mut take);
    }
    free.clear();
    for (x, taken) in (0..state.width).zip(taken) {
        let squares = (0..state.height).map(|y| Square { x, y });
        free.extend(squares.filter(|at| taken >> at.y & 1 == 0));
    }
}

/// Lists the squares on which food may appear, column by column.
pub(super) fn free_squares(state: &GameState, map: Map) -> Vec<Square> {
    let mut free = Vec::new();
    list_free(state, map, &mut free);
    free
}

//! Spawn at the end of a turn: what the map adds to the board.
//!
//! Source: [Maps](crate::docs::battlesnake#maps).

mod hazards;

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
    board: Board,
}

impl Spawner {
    /// Makes the map of a bout before its first turn.
    pub fn new(options: &BoutOptions, seed: Seed) -> Self {
        let seed = seed.0.cast_signed();
        let castle_food = options.map.figure("food").to_vec();
        let (rng, free, board) = (GoRand::from_seed(seed), Vec::new(), Board::default());
        Self { seed, rng, castle_food, free, board }
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
        self.board.list_free(state, map, &mut self.free);
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

/// Words of a set of all squares of the largest board.
const WORDS: usize = 10;

/// Set of the squares of a board on which something is.
#[derive(Clone, Copy, Debug, Default)]
struct Board {
    taken: [u64; WORDS],
}

impl Board {
    fn take(&mut self, state: &GameState, at: Square) {
        if state.contains(at) {
            let place = index(state, at);
            self.taken[place / 64] |= 1 << (place % 64);
        }
    }

    /// Lists the squares on which food may appear, column by column: no food, no living snake, no
    /// neighbour of a living head. On maps with bridges hazards are not free.
    fn list_free(&mut self, state: &GameState, map: Map, free: &mut Vec<Square>) {
        self.taken = [0; WORDS];
        state.food.iter().for_each(|at| self.take(state, *at));
        for snake in state.living() {
            snake.body.iter().for_each(|at| self.take(state, *at));
            snake.head().neighbours().into_iter().for_each(|at| self.take(state, at));
        }
        if map.has_bridges() {
            state.hazards.iter().for_each(|at| self.take(state, *at));
        }
        free.clear();
        let is_free = |at: &Square| {
            let place = index(state, *at);
            self.taken[place / 64] >> (place % 64) & 1 == 0
        };
        free.extend(state.squares().filter(is_free));
    }
}

/// Returns the number of a square of the board, column by column.
fn index(state: &GameState, at: Square) -> usize {
    (at.x * state.height + at.y) as usize
}

/// Lists the squares on which food may appear, column by column.
pub(super) fn free_squares(state: &GameState, map: Map) -> Vec<Square> {
    let mut free = Vec::new();
    Board::default().list_free(state, map, &mut free);
    free
}

//! Map generator: the first position from a game seed, draw by draw as in the original.

mod power_ups;

use super::state::count_usable;
use super::{
    BOUNTY_BASE, Block, GameState, Ground, Player, START_BAG, START_RADIUS, Square, WALL_PERCENT,
    WALL_POINTS, map_side, quirks,
};
use crate::rng::DotNetRandom;

impl GameState {
    /// Makes the position that the original makes from `game_seed` for a number
    /// of players from 2 to 12.
    ///
    /// A map that the fairness rule for four players calls unsuitable is thrown away
    /// and the next one made.
    ///
    /// Source: [Map generation](crate::docs::bomberman_2016#map-generation).
    ///
    /// # Panics
    ///
    /// When there are no players or more than 12.
    pub fn fresh(game_seed: i32, players: u8) -> Self {
        let mut seeds = DotNetRandom::new(game_seed);
        loop {
            let mut random = DotNetRandom::new(seeds.sample());
            let mut map = Map::with_pillars(game_seed, players);
            map.add_players(players);
            map.add_walls(&mut random);
            if power_ups::hide(&mut map, players, &mut random).is_ok() {
                return map.finish();
            }
        }
    }
}

/// A map being made.
pub(super) struct Map {
    pub(super) state: GameState,
    /// The side, for arithmetic.
    pub(super) side: i32,
}

impl Map {
    fn with_pillars(game_seed: i32, players: u8) -> Self {
        let side = map_side(players);
        let on_border = |number: u8| number == 1 || number == side;
        let coordinates = (1..=side).flat_map(|y| (1..=side).map(move |x| (x, y)));
        let blocks = coordinates
            .map(|(x, y)| {
                let is_pillar = on_border(x) || on_border(y) || (x % 2 == 1 && y % 2 == 1);
                Block::new(if is_pillar { Ground::Pillar } else { Ground::Free })
            })
            .collect();
        Self { state: GameState::new(side, game_seed, blocks), side: i32::from(side) }
    }

    pub(super) fn square(&self, x: i32, y: i32) -> Square {
        Square(((y - 1) * self.side + (x - 1)) as u16)
    }

    pub(super) fn block(&mut self, x: i32, y: i32) -> &mut Block {
        let square = self.square(x, y);
        &mut self.state.blocks[usize::from(square.0)]
    }

    fn add_players(&mut self, players: u8) {
        for number in 1..=i32::from(players) {
            let (x, y) = start_of(number, i32::from(players), self.side);
            let at = self.square(x, y);
            self.state.add_player(Player {
                at,
                bag: START_BAG,
                radius: START_RADIUS,
                points: 0,
                coverage: 0,
                touched: 0,
                killed_round: None,
                on_map: true,
            });
        }
    }

    /// Draws a number for every block of a quarter, pillars included, and fills the
    /// middle.
    ///
    /// Source: [Walls](crate::docs::bomberman_2016#walls).
    fn add_walls(&mut self, random: &mut DotNetRandom) {
        let reach = self.side / 2 + 2;
        for x in 1..reach {
            for y in 1..reach {
                let draw = random.between(0, 100);
                self.put_four(draw, x, y);
            }
        }
        for x in reach - 2..reach + 2 {
            for y in reach - 2..reach + 2 {
                self.put_four(0, x, y);
            }
        }
    }

    fn put_four(&mut self, draw: i32, x: i32, y: i32) {
        let opposite = self.side + 1;
        for (x, y) in [(x, y), (opposite - x, y), (x, opposite - y), (opposite - x, opposite - y)] {
            self.put(draw, x, y);
        }
    }

    fn put(&mut self, draw: i32, x: i32, y: i32) {
        let square = self.square(x, y);
        if self.state.player_on(square).is_some() {
            self.guard(x, y);
        } else if self.block(x, y).ground == Ground::Free
            && !self.is_kept_free(x, y)
            && draw < WALL_PERCENT
        {
            self.block(x, y).ground = Ground::Wall;
        }
    }

    fn is_kept_free(&self, x: i32, y: i32) -> bool {
        self.state.players.iter().any(|player| {
            let (px, py) = self.state.coordinates(player.at);
            quirks::is_safe_zone(i32::from(px) - x, i32::from(py) - y)
        })
    }

    /// Places the guard walls of a player, at distance 3 along the border.
    fn guard(&mut self, x: i32, y: i32) {
        let is_outermost = |number: i32| number == 2 || number == self.side - 1;
        let beside = |number: i32| if number + 3 < self.side { number + 3 } else { number - 3 };
        let in_row = is_outermost(y).then_some((beside(x), y));
        let in_column = is_outermost(x).then_some((x, beside(y)));
        for (x, y) in [in_row, in_column].into_iter().flatten() {
            let is_empty = self.state.player_on(self.square(x, y)).is_none();
            let block = self.block(x, y);
            if is_empty && block.ground == Ground::Free {
                block.ground = Ground::Wall;
            }
        }
    }

    fn finish(mut self) -> GameState {
        let walls = self.state.blocks.iter().filter(|block| block.ground == Ground::Wall).count();
        let pot = BOUNTY_BASE + WALL_POINTS * walls as i64;
        self.state.bounty = pot / self.state.players.len() as i64;
        self.state.usable = count_usable(&self.state.blocks);
        self.state
    }
}

/// Returns where a player starts; players are counted from 1.
///
/// Source: [Players](crate::docs::bomberman_2016#players).
fn start_of(number: i32, players: i32, side: i32) -> (i32, i32) {
    let step = side / ((players + 3) / 4);
    let along = step * ((number + 3) / 4);
    match number % 4 {
        1 => (along - step + 2, 2),
        2 => (side + step - along - 1, side - 1),
        3 => (2, side + step - along - 1),
        _ => (side - 1, along - step + 2),
    }
}

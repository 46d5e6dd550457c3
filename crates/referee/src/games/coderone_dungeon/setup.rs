//! Map generator: the first position, drawn from the bout's seed.

use super::options::TREASURE_DELAY_TICKS;
use super::{
    AMMO_LIFE_TICKS, Ammo, Block, BlockKind, BoutOptions, Chance, Effect, EffectKind, FREE_AMMO,
    GameState, METAL_BLOCKS, ORE_BLOCKS, ORE_HP, PLAYER_AMMO, PLAYER_HP, PLAYER_POWER, Player,
    Spot, WOODEN_BLOCKS, WOODEN_HP,
};
use crate::rng::Mt19937;

impl GameState {
    /// Draws the position a bout starts from, in the original's order of draws:
    /// first treasure, players, metal, wood, ore, ammo.
    ///
    /// # Panics
    ///
    /// When the board is too small; [`BoutOptions::from_setup`] refuses such
    /// boards.
    pub fn generate(options: &BoutOptions, chance: &mut Chance) -> Self {
        let delay = chance.delay(TREASURE_DELAY_TICKS);
        let rng = &mut chance.rng;
        let mut free = FreeSquares::all(options);
        let players = (0..options.seats).map(|_| draw_player(&mut free, rng)).collect();
        let metal = free.take(METAL_BLOCKS, rng);
        let wooden = |at| Block { kind: BlockKind::Wooden, at, hp: WOODEN_HP };
        let ore = |at| Block { kind: BlockKind::Ore, at, hp: ORE_HP };
        let fresh_ammo = |at| Ammo { at, life: AMMO_LIFE_TICKS, taken: false };
        let mut blocks: Vec<Block> =
            free.take(WOODEN_BLOCKS, rng).into_iter().map(wooden).collect();
        blocks.extend(free.take(ORE_BLOCKS, rng).into_iter().map(ore));
        let ammo = free.take(FREE_AMMO, rng).into_iter().map(fresh_ammo).collect();
        Self {
            columns: options.columns,
            rows: options.rows,
            players,
            metal,
            blocks,
            ammo,
            effects: vec![Effect { kind: EffectKind::Treasure, delay }],
            ..Self::default()
        }
    }
}

/// The squares on which nothing was put yet, column by column.
struct FreeSquares(Vec<Spot>);

impl FreeSquares {
    fn all(options: &BoutOptions) -> Self {
        let columns = 0..options.columns;
        Self(columns.flat_map(|x| (0..options.rows).map(move |y| Spot { x, y })).collect())
    }

    /// Removes a square and says whether it was free.
    fn remove(&mut self, at: Spot) -> bool {
        let place = self.0.iter().position(|free| *free == at);
        place.map(|place| self.0.remove(place)).is_some()
    }

    fn take(&mut self, count: usize, rng: &mut Mt19937) -> Vec<Spot> {
        let taken = rng.sample(&self.0, count);
        self.0.retain(|free| !taken.contains(free));
        taken
    }
}

/// Draws a start; the four squares beside it and one of the four two squares
/// away are kept free of blocks and of other starts.
fn draw_player(free: &mut FreeSquares, rng: &mut Mt19937) -> Player {
    let at = free.0.remove(rng.index(free.0.len()));
    let beside = |distance: i32| {
        let (left, right) = (at.x - distance, at.x + distance);
        let (down, up) = (at.y - distance, at.y + distance);
        [(left, at.y), (right, at.y), (at.x, down), (at.x, up)].map(|(x, y)| Spot { x, y })
    };
    for neighbour in beside(1) {
        free.remove(neighbour);
    }
    let mut extras = beside(2).to_vec();
    while !extras.is_empty() {
        let extra = extras.remove(rng.index(extras.len()));
        if free.remove(extra) {
            break;
        }
    }
    Player { at, hp: PLAYER_HP, ammo: PLAYER_AMMO, reward: 0, power: PLAYER_POWER }
}

//! Dungeons and Data Structures, the contest of Coder One in 2020: players
//! walk a dungeon in ticks, lay bombs, break blocks and collect what lies about.
//!
//! Documents: the public documentation and the published program
//! (`coderone-dungeon@0.1.6`). Where they differ the program wins; `quirks.rs`
//! names the places. [`GameState`] and [`advance`] are the bare rules, [`Bout`] is
//! one bout with its queues of answers, [`CoderoneDungeon`] its line in the
//! registry.

mod action;
mod bout;
mod draw;
mod options;
mod quirks;
mod recording;
mod samples;
mod score;
mod setup;
mod spec;
mod state;
mod step;
mod view;

pub use action::{Answer, Order, read};
pub use bout::Bout;
pub use options::{
    AMMO_LIFE_TICKS, AMMO_RESPAWN_TICKS, BOMB_TIMER_TICKS, BoutOptions, FIRE_LIFE_TICKS, FREE_AMMO,
    HIT_REWARD, MAX_ITERATIONS, METAL_BLOCKS, ORE_BLOCKS, ORE_HP, ORE_REWARD, PLAYER_AMMO,
    PLAYER_HP, PLAYER_POWER, SEATS_MOST, TICK_MS, TREASURE_REWARD, WOODEN_BLOCKS, WOODEN_HP,
    WOODEN_REWARD,
};
pub use spec::CoderoneDungeon;
pub use state::{
    Ammo, Block, BlockKind, Bomb, Effect, EffectKind, Fire, GameState, Player, Spot, Treasure,
};
pub use step::{Chance, Report, Spawn, advance};
pub use view::{game_state, player_state};

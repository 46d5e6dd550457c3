//! One folder per game, the same file names in each.

pub mod battlebots;
pub mod coderone_dungeon;

//! One folder per game, the same file names in each.

pub mod battlebots;
pub mod battleships_2017;
pub mod bomberman_2016;
pub mod coderone_dungeon;
pub mod uwcs_bomberman;

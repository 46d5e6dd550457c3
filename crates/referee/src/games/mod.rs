//! Games: one folder each, with the same file names, and rules that some of them share.

pub mod battlebots;
pub mod battleships_2017;
pub mod battlesnake;
pub mod bomberman_2016;
pub mod coderone_dungeon;
pub mod connect_four;
mod entelect;
pub mod uwcs_bomberman;

//! Games: one folder each, with the same file names, and rules that some of them share.

pub mod battlebots;
pub mod battleships_2017;
pub mod battlesnake;
pub mod bomberman_2016;
pub mod coderone_dungeon;
pub mod connect_four;
mod entelect;
pub mod uwcs_bomberman;

use std::sync::Arc;

use crate::Referee;

/// Returns every game that ships with Joust, in the order people are shown them.
pub(crate) fn shipped() -> Vec<Arc<dyn Referee>> {
    vec![
        Arc::new(battlebots::Battlebots),
        Arc::new(battleships_2017::Battleships2017),
        Arc::new(battlesnake::Battlesnake),
        Arc::new(bomberman_2016::Bomberman2016),
        Arc::new(coderone_dungeon::CoderoneDungeon),
        Arc::new(connect_four::ConnectFour),
        Arc::new(uwcs_bomberman::UwcsBomberman),
    ]
}

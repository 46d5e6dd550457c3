//! Every game that ships with Joust: one line each.

use std::sync::Arc;

use crate::{Referee, games};

/// Returns every game that ships with Joust, in the order people are shown them.
pub(crate) fn shipped() -> Vec<Arc<dyn Referee>> {
    vec![
        Arc::new(games::battlebots::Battlebots),
        Arc::new(games::battleships_2017::Battleships2017),
        Arc::new(games::battlesnake::Battlesnake),
        Arc::new(games::bomberman_2016::Bomberman2016),
        Arc::new(games::coderone_dungeon::CoderoneDungeon),
        Arc::new(games::connect_four::ConnectFour),
        Arc::new(games::uwcs_bomberman::UwcsBomberman),
    ]
}

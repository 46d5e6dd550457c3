//! Every game there is: one line each.

use crate::GameKind;
use crate::games::battlebots::Battlebots;
use crate::games::battleships_2017::Battleships2017;
use crate::games::bomberman_2016::Bomberman2016;
use crate::games::coderone_dungeon::CoderoneDungeon;
use crate::games::uwcs_bomberman::UwcsBomberman;

/// Every game, in the order people are shown them.
pub static ALL: &[&dyn GameKind] =
    &[&Battlebots, &Battleships2017, &Bomberman2016, &CoderoneDungeon, &UwcsBomberman];

/// Returns the game called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn GameKind> {
    ALL.iter().copied().find(|game| game.id() == id)
}

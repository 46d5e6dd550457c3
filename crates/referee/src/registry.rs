//! Every game there is: one line each.

use crate::GameKind;
use crate::games::battlebots::Battlebots;

/// Every game, in the order people are shown them.
pub static ALL: &[&dyn GameKind] = &[&Battlebots];

/// Returns the game called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn GameKind> {
    ALL.iter().copied().find(|game| game.id() == id)
}

//! Quirks of the original: where it surprises, or differs from its documentation.
//!
//! There is one rule set, the program's; every item says what the
//! documentation has.

use super::{Ammo, Block, GameState, Player, Spot};

/// Returns whether a player, dead or alive, stands on `at`.
///
/// Documentation: silent. Program: a player who died stays where
/// he is for the rest of the bout and blocks his square.
///
/// Source: [Applying orders](crate::docs::coderone_dungeon#applying-orders).
pub(super) fn has_anybody(state: &GameState, at: Spot) -> bool {
    state.players.iter().any(|player| player.at == at)
}

/// Returns whether a block that was just hit pays the fire's owner.
///
/// Documentation: points "to the agent that makes the final hit".
/// Program: a dying block stays until the end of the tick, so every further
/// fire on it in that tick pays as well.
///
/// Source: [Fire](crate::docs::coderone_dungeon#fire).
pub(super) fn block_pays(block: &Block) -> bool {
    block.hp <= 0
}

/// Returns whether ammo that has just aged comes back.
///
/// Documentation: ammo perishes and respawns. Program: also ammo
/// that was picked up in the last tick of its life.
///
/// Source: [Ammo perishing](crate::docs::coderone_dungeon#ammo-perishing).
pub(super) fn ammo_comes_back(ammo: &Ammo) -> bool {
    ammo.life == 0
}

/// Returns whether the iteration limit is passed after tick number `tick`.
///
/// Documentation: the match lasts 1800 ticks. Program: ticks 0
/// to limit + 1 are played, two more; a limit of 0 is none.
///
/// Source: [End of the game](crate::docs::coderone_dungeon#end-of-the-game),
/// [Documents against code](crate::docs::coderone_dungeon#documents-against-code).
pub(super) fn is_past_limit(tick: u32, max_iterations: Option<u32>) -> bool {
    max_iterations.is_some_and(|limit| limit > 0 && tick > limit)
}

/// Returns who wins at the limit.
///
/// Documentation: most points. Program: the points of the dead
/// count too, and the highest number among several leaders wins; there is no winner
/// if all have the same points.
///
/// Source: [End of the game](crate::docs::coderone_dungeon#end-of-the-game).
pub(super) fn leader(players: &[Player]) -> Option<u8> {
    let rewards = || players.iter().map(|player| player.reward);
    if rewards().max() == rewards().min() {
        return None;
    }
    (0_u8..).zip(rewards()).max_by_key(|(_, reward)| *reward).map(|(player, _)| player)
}

/// The words that lay a bomb.
///
/// Documentation: `p`.
///
/// Source: [Collecting answers](crate::docs::coderone_dungeon#collecting-answers).
pub(super) const BOMB_WORDS: [&str; 3] = ["p", "b", "can_haz_boom"];

#[cfg(test)]
mod tests {
    use super::is_past_limit;

    #[test]
    fn a_limit_is_passed_two_ticks_late_and_0_is_none() {
        assert_eq!(
            [0, 1, 2, 3].map(|tick| is_past_limit(tick, Some(1))),
            [false, false, true, true]
        );
        for none in [None, Some(0)] {
            assert!(!is_past_limit(u32::MAX, none), "{none:?}");
        }
    }
}

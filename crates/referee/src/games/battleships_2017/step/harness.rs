//! Harness kills: the end of a player who does nothing or cannot place its ships.
//!
//! Source: [Five attempts](crate::docs::battleships_2017#five-attempts) and
//! [Harness kills](crate::docs::battleships_2017#harness-kills).

use super::super::{DO_NOTHINGS_TO_DEATH, FAILED_PLACEMENTS_TO_DEATH, Player};

impl Player {
    /// Returns whether the player is killed when its next turn starts. People are
    /// not (12).
    pub fn is_doomed(&self) -> bool {
        !self.killed
            && !self.is_person
            && (self.do_nothings >= DO_NOTHINGS_TO_DEATH
                || self.failed_placements >= FAILED_PLACEMENTS_TO_DEATH)
    }

    /// Strikes all cells the ships are known to be on and takes all points.
    pub(in super::super) fn kill(&mut self) {
        for number in self.ships.iter().flat_map(|ship| ship.cells).flatten() {
            let cell = self.board.cell_mut(number);
            if cell.shielded {
                cell.shield_hit = true;
            } else {
                cell.hit = true;
            }
        }
        self.killed = true;
        self.points = 0;
    }
}

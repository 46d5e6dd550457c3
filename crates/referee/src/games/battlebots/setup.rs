//! First position of a bout. Nothing in this game is drawn by lot.

use super::{Bot, GameState, START_HP, START_SQUARES};

impl GameState {
    /// Makes the position every bout starts from.
    pub fn start() -> Self {
        Self {
            bots: START_SQUARES.map(|at| Bot { at, hp: START_HP }),
            paralysed_rounds: 0,
            bullets: Vec::new(),
            missiles: Vec::new(),
            mines: Vec::new(),
        }
    }
}

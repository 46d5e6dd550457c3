//! The first position. Nothing in this game is drawn by lot.

use super::GameState;

impl GameState {
    /// Makes an empty board.
    pub fn empty(columns: usize, rows: usize) -> Self {
        Self { columns: vec![Vec::with_capacity(rows); columns], rows }
    }
}

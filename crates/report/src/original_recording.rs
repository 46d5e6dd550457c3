//! Recording of a bout as the original of its game wrote one: a line for each event.

use joust_model::{BoutPlan, Fold, FoldError};
use joust_referee::{Catalogue, Input, Outputs, Recording};

/// A recording in the making: given a bout's inputs in their order, it has the lines
/// that the original would have written.
pub struct OriginalRecording {
    fold: Fold,
}

impl OriginalRecording {
    /// Begins the recording of a bout of one of `games`.
    ///
    /// # Errors
    ///
    /// When the bout cannot start.
    pub fn new(games: &Catalogue, plan: &BoutPlan) -> Result<Self, FoldError> {
        Ok(Self { fold: Fold::start(games, plan, Outputs::without_views())? })
    }

    /// Returns the lines with which a recording begins, whatever bouts follow.
    pub fn head(&self) -> Vec<String> {
        self.fold.judge().recording().map(Recording::head).unwrap_or_default()
    }

    /// Takes an input of the game, and returns the lines that follow from it.
    ///
    /// # Errors
    ///
    /// When the referee failed.
    pub fn input(&mut self, input: &Input) -> Result<Vec<String>, FoldError> {
        let rounds = self.fold.judge().rounds();
        self.fold.apply_input(input)?;
        let is_over = self.fold.judge().rounds() > rounds;
        Ok(if is_over { self.round() } else { Vec::new() })
    }

    /// Returns the lines of the round that ended last, or those of the bout's start.
    pub fn round(&self) -> Vec<String> {
        self.fold.judge().recording().map(Recording::round).unwrap_or_default()
    }
}

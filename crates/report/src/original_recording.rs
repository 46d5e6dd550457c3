//! Recording of a bout as the original of its game wrote one: a line for each event.

use joust_referee::{Game, GameKind, Input, Outputs, StartError};

use joust_model::BoutPlan;

/// A recording in the making: told a bout's inputs in their order, it has the lines
/// that the original would have written.
pub struct OriginalRecording {
    game: Box<dyn Game>,
    out: Outputs,
}

impl OriginalRecording {
    /// Begins the recording of a bout of `game`.
    ///
    /// # Errors
    ///
    /// When the bout cannot start.
    pub fn new(game: &dyn GameKind, plan: &BoutPlan) -> Result<Self, StartError> {
        let mut out = Outputs::without_views();
        let game = plan.start(game, &mut out)?;
        Ok(Self { game, out })
    }

    /// Returns the lines with which a recording begins, whatever bouts follow.
    #[must_use]
    pub fn head(&self) -> Vec<String> {
        self.game.recording_head()
    }

    /// Returns the lines of the bout's start.
    #[must_use]
    pub fn start(&self) -> Vec<String> {
        self.game.recording()
    }

    /// Takes what the game was told, and returns the lines that follow from it.
    pub fn input(&mut self, input: &Input) -> Vec<String> {
        let rounds = self.game.rounds();
        self.game.next(input, &mut self.out);
        self.out.list.clear();
        if self.game.rounds() > rounds { self.game.recording() } else { Vec::new() }
    }
}

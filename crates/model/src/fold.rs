//! Fold of a recorded bout: its inputs are passed to its referee again.
//!
//! Verification, pictures and replay folders all use it to judge a bout again from its action log.

use std::time::Duration;

use joust_referee::log::{LogError, decode};
use joust_referee::{
    Catalogue, Clocks, Input, Judge, JudgeError, Output, Outputs, Seat, StartError, StateHash,
};

use crate::{BoutPlan, LogNotKept, decompress};

/// Reason why a recorded bout cannot be judged again.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// This version of Joust lacks the game.
    #[error("this version of Joust has no game `{0}`")]
    UnknownGame(String),
    /// This version has other rules than the bout was played with.
    #[error(
        "the bout was played under revision {recorded} of the rules of `{game}`, and this version \
         of Joust has revision {here}"
    )]
    UnknownRevision {
        /// The game.
        game: String,
        /// The bout's revision.
        recorded: u32,
        /// The revision in this version.
        here: u32,
    },
    /// The game's referee is a different program now.
    #[error(
        "the bout was played with another referee of `{0}` than the one that is here: a file of the game has changed (`files:` in game.yaml names those that count)"
    )]
    OtherReferee(String),
    /// The bout cannot start as recorded.
    #[error("the bout cannot start as recorded")]
    Start(#[source] StartError),
    /// The event keeps no logs of such bouts.
    #[error(transparent)]
    LogNotKept(#[from] LogNotKept),
    /// The action log's compression is damaged.
    #[error("the action log is damaged")]
    Compression(#[source] std::io::Error),
    /// The action log is damaged.
    #[error("the action log is damaged")]
    Log(#[source] LogError),
    /// The referee failed.
    #[error("the referee failed")]
    Judge(#[from] JudgeError),
}

/// A bout that is being judged again.
pub struct Fold {
    judge: Box<dyn Judge>,
    out: Outputs,
    /// Clocks of the seats, from the recorded answers.
    clocks: Option<Clocks>,
}

impl Fold {
    /// Starts the bout of `plan`. The referee's outputs are written to `out`, which is cleared
    /// before each input.
    ///
    /// # Errors
    ///
    /// [`FoldError`] when this version cannot judge it.
    pub fn start(games: &Catalogue, plan: &BoutPlan, mut out: Outputs) -> Result<Self, FoldError> {
        let game =
            games.find(&plan.game).ok_or_else(|| FoldError::UnknownGame(plan.game.clone()))?;
        let here = game.spec().revision;
        if here != plan.revision {
            let (game, recorded) = (plan.game.clone(), plan.revision);
            return Err(FoldError::UnknownRevision { game, recorded, here });
        }
        if plan.referee != BoutPlan::referee_of(game.spec()) {
            return Err(FoldError::OtherReferee(plan.game.clone()));
        }
        let judge = plan.start(game, &mut out).map_err(FoldError::Start)?;
        let is_timed = game.spec().external.is_some() && out.wants_views();
        let clocks = is_timed.then(|| plan.clocks(game.spec()));
        let mut fold = Self { judge, out, clocks };
        fold.fill_clocks();
        Ok(fold)
    }

    /// Inserts the clocks' readings into the views of the bots.
    fn fill_clocks(&mut self) {
        let Some(clocks) = &self.clocks else { return };
        for output in &mut self.out.list {
            if let Output::Ask { seat, parts, .. } = output {
                *parts = clocks.fill(*seat, parts);
            }
        }
    }

    /// Passes one input to the referee.
    ///
    /// # Errors
    ///
    /// [`FoldError::Judge`] when the referee failed.
    pub fn apply_input(&mut self, input: &Input) -> Result<(), FoldError> {
        self.out.list.clear();
        if let (Some(clocks), Input::Answer { seat, parts, .. }) = (&mut self.clocks, input) {
            clocks.charge(*seat, parts.took());
        }
        self.judge.next(input, &mut self.out)?;
        self.fill_clocks();
        Ok(())
    }

    /// Returns the referee's outputs for the last input, or for the start.
    pub fn outputs(&self) -> &[Output] {
        &self.out.list
    }

    /// Removes and returns the referee's outputs for the last input, or for the start.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.out.list)
    }

    /// Returns whether the last input completed a round.
    pub fn has_completed_round(&self) -> bool {
        self.outputs().iter().any(|output| matches!(output, Output::RoundOver { .. }))
    }

    /// Returns the time that a seat has left for the rest of the bout, if the game limits that.
    pub fn time_left(&self, seat: Seat) -> Option<Duration> {
        self.clocks.as_ref()?.budget_left(seat)
    }

    /// Returns the referee.
    pub fn judge(&self) -> &dyn Judge {
        &*self.judge
    }

    /// Returns the hash of the current position.
    ///
    /// # Errors
    ///
    /// [`FoldError::Judge`] when the referee failed.
    pub fn state_hash(&self) -> Result<StateHash, FoldError> {
        Ok(self.judge.state_hash()?)
    }
}

/// Returns the inputs of a stored action log, which is zstd-compressed.
///
/// # Errors
///
/// [`FoldError`] when the log is damaged or was not kept.
pub fn recorded_inputs(action_log: &[u8]) -> Result<Vec<Input>, FoldError> {
    if action_log.is_empty() {
        return Err(LogNotKept.into());
    }
    let log = decompress(action_log).map_err(FoldError::Compression)?;
    decode(&log).map_err(FoldError::Log)
}

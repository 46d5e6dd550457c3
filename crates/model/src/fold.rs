//! Fold of a recorded bout: its referee gets its inputs again.
//!
//! Verification, pictures and replay folders judge a bout again
//! from its action log, and all of them do it here.

use joust_referee::log::{LogError, decode};
use joust_referee::{
    Catalogue, Clocks, Input, Judge, JudgeError, Output, Outputs, StartError, StateHash,
};

use crate::{BoutPlan, LogNotKept, decompress};

/// Why a recorded bout cannot be judged again.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// The game is not in this version of Joust.
    #[error("this version of Joust has no game `{0}`")]
    UnknownGame(String),
    /// The bout was played under rules this version does not have.
    #[error(
        "the bout was played under revision {recorded} of the rules of `{game}`, and this version \
         of Joust has revision {here}"
    )]
    UnknownRevision {
        /// The game.
        game: String,
        /// The bout's revision.
        recorded: u32,
        /// This version's.
        here: u32,
    },
    /// The game's referee is another program now.
    #[error(
        "the bout was played with another referee of `{0}` than the one that is here: a file of the game has changed (`files:` in game.yaml names those that count)"
    )]
    OtherReferee(String),
    /// The bout cannot start as recorded.
    #[error("the bout cannot start as recorded")]
    Start(#[source] StartError),
    /// The event keeps no log of such a bout.
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

/// A bout that is judged again.
pub struct Fold {
    judge: Box<dyn Judge>,
    out: Outputs,
    /// Clocks of the seats, by what was recorded of their answers.
    clocks: Option<Clocks>,
}

impl Fold {
    /// Starts the bout of `plan`; what its referee says goes to `out`, emptied for
    /// each input.
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

    /// Fills in what bots read of their clocks.
    fn fill_clocks(&mut self) {
        let Some(clocks) = &self.clocks else { return };
        for output in &mut self.out.list {
            if let Output::Ask { seat, parts, .. } = output {
                *parts = clocks.fill(*seat, parts);
            }
        }
    }

    /// Tells the referee one input.
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

    /// Returns what the referee said to the last input, or at the start.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.out.list
    }

    /// Takes what the referee said to the last input, or at the start.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.out.list)
    }

    /// Returns whether the last input completed a round.
    #[must_use]
    pub fn has_completed_round(&self) -> bool {
        self.outputs().iter().any(|output| matches!(output, Output::RoundOver { .. }))
    }

    /// Returns the referee.
    #[must_use]
    pub fn judge(&self) -> &dyn Judge {
        &*self.judge
    }

    /// Returns the hash of the position reached.
    ///
    /// # Errors
    ///
    /// [`FoldError::Judge`] when the referee failed.
    pub fn state_hash(&self) -> Result<StateHash, FoldError> {
        Ok(self.judge.state_hash()?)
    }
}

/// Returns the inputs of an action log as it is stored, zstd-compressed.
///
/// # Errors
///
/// [`FoldError`] when it is damaged, or was not kept.
pub fn recorded_inputs(action_log: &[u8]) -> Result<Vec<Input>, FoldError> {
    if action_log.is_empty() {
        return Err(LogNotKept.into());
    }
    let log = decompress(action_log).map_err(FoldError::Compression)?;
    decode(&log).map_err(FoldError::Log)
}

//! Fold of a recorded bout: its inputs are passed to its referee again.
//!
//! Verification, pictures and replay folders all use it to judge a bout again from its action log.

use std::time::Duration;

use joust_referee::log::{LogError, LogReader};
use joust_referee::{
    Catalogue, Clocks, Input, Judge, JudgeError, Output, Outputs, Seat, StartError, StateHash,
};

use crate::{BoutPlan, LogNotKept, decompress};

/// Largest size of all answers of a bout together, bytes. A log stores an answer that is given
/// again and again once, so it may be short.
const MOST_ANSWERED: usize = 4 << 30;

/// The most memory that all inputs of a bout take, bytes, beside their bytes. A log needs one byte
/// for an input.
const MOST_INPUTS: usize = 256 << 20;

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
    /// Its answers are longer than bots can have given.
    #[error("the answers of the action log have more than 4 GiB together")]
    TooMuch,
    /// It has more inputs than a bout can have.
    #[error("the inputs of the action log take more than {} MiB", MOST_INPUTS >> 20)]
    TooManyInputs,
    /// It has more positions than can be shown at once.
    #[error("the positions of the bout take too much memory")]
    TooManyPositions,
    /// Whoever wanted it judged wants it no more.
    #[error("stopped")]
    Stopped,
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
    /// Size of the answers so far, bytes.
    answered: usize,
    /// Memory that further inputs may take, bytes.
    left: usize,
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
        let mut fold = Self { judge, out, clocks, answered: 0, left: MOST_INPUTS };
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
    /// [`FoldError::Judge`] when the referee failed, [`FoldError::TooMuch`],
    /// [`FoldError::TooManyInputs`].
    pub fn apply_input(&mut self, input: &Input) -> Result<(), FoldError> {
        self.out.list.clear();
        self.left = self.left.checked_sub(memory(input)).ok_or(FoldError::TooManyInputs)?;
        if let Input::Answer { seat, parts, .. } = input {
            self.answered += parts.0.iter().map(|part| part.bytes.len()).sum::<usize>();
            if self.answered > MOST_ANSWERED {
                return Err(FoldError::TooMuch);
            }
            if let Some(clocks) = &mut self.clocks {
                clocks.charge(*seat, parts.took());
            }
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
    let (mut inputs, mut left) = (Vec::new(), MOST_INPUTS);
    for input in LogReader::new(&log).map_err(FoldError::Log)? {
        let input = input.map_err(FoldError::Log)?;
        left = left.checked_sub(memory(&input)).ok_or(FoldError::TooManyInputs)?;
        inputs.push(input);
    }
    Ok(inputs)
}

/// Memory that a referee takes for a connection, bytes.
const CLIENT: usize = 256;

/// Returns the memory that an input takes beside its bytes, here and in a referee.
fn memory(input: &Input) -> usize {
    let more = match input {
        Input::Answer { parts, .. } => size_of_val(&parts.0[..]),
        Input::Resolved { values, .. } => size_of_val(&values[..]),
        Input::Opened { .. } => CLIENT,
        _ => 0,
    };
    size_of_val(input) + more
}

#[cfg(test)]
mod tests {
    use joust_referee::{Part, Parts, RequestId, Verdict};

    use super::*;
    use crate::compress;

    #[test]
    fn a_short_log_of_many_inputs_is_not_taken_into_memory() {
        let log = |inputs: usize| {
            let log = vec![joust_referee::log::FORMAT];
            let mut log = postcard::to_extend(&inputs, log).expect("a number can be encoded");
            // Ticks, and no answer.
            log.resize(log.len() + inputs, 4);
            compress(&log)
        };
        assert_eq!(recorded_inputs(&log(1000)).expect("a log").len(), 1000);
        let many = recorded_inputs(&log(MOST_INPUTS / size_of::<Input>() + 1));
        assert!(matches!(many, Err(FoldError::TooManyInputs)), "{many:?}");
    }

    #[test]
    fn the_memory_of_an_input_counts_its_parts_and_its_values() {
        let draw = Input::Resolved { draw: String::new(), values: vec![0; 1000] };
        assert!(memory(&draw) >= 8000);
        let parts =
            Parts((0..1000).map(|_| Part { name: "".into(), bytes: [0; 0].into() }).collect());
        let (seat, request, verdict) = (Seat(0), RequestId(0), Verdict::Ok);
        assert!(memory(&Input::Answer { seat, request, parts, verdict }) >= 32_000);
    }
}

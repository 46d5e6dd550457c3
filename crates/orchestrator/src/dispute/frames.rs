//! A recorded bout, round by round: its action log through the referee.

use joust_referee::{
    Catalogue, Files, Input, Outcome, Output, Outputs, Parts, Scene, Seat, StateHash, Verdict,
};

use joust_model::{BoutPlan, Fold, FoldError, recorded_inputs};

/// Request to a seat.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The seat.
    pub seat: Seat,
    /// View that the seat was shown.
    pub view: Parts,
    /// Files of view and answer, for games that have them.
    pub files: Option<Files>,
}

/// Judgement of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Seat that answered.
    pub seat: Seat,
    /// The verdict.
    pub verdict: Verdict,
    /// The action, in the game's words.
    pub action: String,
    /// The raw answer.
    pub answer: Parts,
}

/// One round of a recorded bout.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The round, from 0.
    pub round: u32,
    /// The position before it.
    pub before: Scene,
    /// The position after it.
    pub after: Scene,
    /// Requests to the seats, in order.
    pub requests: Vec<RecordedRequest>,
    /// Judgements of the answers, in order.
    pub judgements: Vec<Judgement>,
}

/// A recorded bout, round by round: an iterator over its [`Frame`]s.
pub struct Frames {
    fold: Fold,
    inputs: std::vec::IntoIter<Input>,
    outcome: Option<Outcome>,
    requests: Vec<RecordedRequest>,
    answers: Vec<(Seat, Parts)>,
    /// True if the referee failed: nothing follows.
    has_failed: bool,
}

impl Frames {
    /// Opens a recorded bout: `action_log` as stored, zstd-compressed.
    ///
    /// # Errors
    ///
    /// [`FoldError`] when this version cannot judge it.
    pub fn open(games: &Catalogue, plan: &BoutPlan, action_log: &[u8]) -> Result<Self, FoldError> {
        let mut frames = Self {
            inputs: recorded_inputs(action_log)?.into_iter(),
            fold: Fold::start(games, plan, Outputs::new())?,
            outcome: None,
            requests: Vec::new(),
            answers: Vec::new(),
            has_failed: false,
        };
        frames.absorb(&mut Vec::new());
        Ok(frames)
    }

    /// Returns the outcome, once all frames were taken.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Returns the hash of the position reached.
    ///
    /// # Errors
    ///
    /// [`FoldError::Judge`] when the referee failed.
    pub fn state_hash(&self) -> Result<StateHash, FoldError> {
        self.fold.state_hash()
    }

    /// Returns the position reached.
    pub fn scene(&self) -> Scene {
        self.fold.judge().scene()
    }

    /// Returns the number of recorded inputs left over at the end of the bout.
    pub fn left_over(&self) -> usize {
        self.inputs.len()
    }

    /// Processes the judgements of the referee.
    fn absorb(&mut self, judgements: &mut Vec<Judgement>) {
        for output in self.fold.take_outputs() {
            match output {
                Output::Ask { seat, parts, files, .. } => {
                    self.requests.push(RecordedRequest { seat, view: parts, files });
                }
                Output::Judged { seat, verdict, action, .. } => {
                    let given = self.answers.iter().rposition(|(who, _)| *who == seat);
                    let answer = given.map(|index| self.answers.remove(index).1);
                    let answer = answer.unwrap_or_default();
                    let action = action.into_owned();
                    judgements.push(Judgement { seat, verdict, action, answer });
                }
                Output::Over(outcome) => self.outcome = Some(outcome),
                Output::Numbers { .. }
                | Output::RoundOver { .. }
                | Output::Skip { .. }
                | Output::Send { .. }
                | Output::Close { .. } => {}
            }
        }
    }

    /// Plays a round; `None` when nothing happened in it.
    fn round(&mut self) -> Result<Option<Frame>, FoldError> {
        let (round, before) = (self.fold.judge().rounds(), self.scene());
        let requests = std::mem::take(&mut self.requests);
        let mut judgements = Vec::new();
        let mut is_over = false;
        while !is_over {
            let Some(input) = self.inputs.next() else { break };
            if let Input::Answer { seat, parts, .. } = &input {
                self.answers.push((*seat, parts.untimed()));
            }
            self.fold.apply_input(&input)?;
            is_over = self.fold.has_completed_round();
            self.absorb(&mut judgements);
        }
        if judgements.is_empty() && self.fold.judge().rounds() == round {
            return Ok(None);
        }
        Ok(Some(Frame { round, before, after: self.scene(), requests, judgements }))
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, FoldError>;

    fn next(&mut self) -> Option<Result<Frame, FoldError>> {
        if self.outcome.is_some() || self.has_failed {
            return None;
        }
        let round = self.round();
        self.has_failed = round.is_err();
        round.transpose()
    }
}

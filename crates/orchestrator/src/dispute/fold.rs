//! A recorded bout, round by round: its action log through the referee.

use joust_referee::log::{LogError, decode};
use joust_referee::{
    Files, Game, Input, Outcome, Output, Outputs, Parts, Scene, Seat, StartError, StateHash,
    Verdict, registry,
};

use joust_model::{BoutPlan, decompress};

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
    /// The bout cannot start as recorded.
    #[error("the bout cannot start as recorded")]
    Start(#[source] StartError),
    /// The action log's compression is damaged.
    #[error("the action log is damaged")]
    Compression(#[source] std::io::Error),
    /// The action log is damaged.
    #[error("the action log is damaged")]
    Log(#[source] LogError),
}

/// What a seat was asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The seat.
    pub seat: Seat,
    /// What it was shown.
    pub view: Parts,
    /// How view and answer lay in files, for games that have them.
    pub files: Option<Files>,
}

/// How an answer was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Whose answer.
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
    /// What the seats were asked, in order.
    pub requests: Vec<Request>,
    /// How their answers were judged, in order.
    pub judgements: Vec<Judgement>,
}

/// A recorded bout, round by round: an iterator over its [`Frame`]s.
pub struct Fold {
    game: Box<dyn Game>,
    inputs: std::vec::IntoIter<Input>,
    out: Outputs,
    outcome: Option<Outcome>,
    requests: Vec<Request>,
    answers: Vec<(Seat, Parts)>,
}

impl Fold {
    /// Opens a recorded bout: `action_log` as stored, zstd-compressed.
    ///
    /// # Errors
    ///
    /// [`FoldError`] when this version cannot judge it.
    pub fn open(plan: &BoutPlan, action_log: &[u8]) -> Result<Self, FoldError> {
        let inputs = decode(&decompress(action_log).map_err(FoldError::Compression)?)
            .map_err(FoldError::Log)?;
        let mut out = Outputs::new();
        let game = start(plan, &mut out)?;
        let mut fold = Self {
            game,
            inputs: inputs.into_iter(),
            out,
            outcome: None,
            requests: Vec::new(),
            answers: Vec::new(),
        };
        fold.absorb(&mut Vec::new());
        Ok(fold)
    }

    /// Returns the outcome, once all frames were taken.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Returns the hash of the position reached.
    #[must_use]
    pub fn state_hash(&self) -> StateHash {
        self.game.state_hash()
    }

    /// Returns the position reached.
    #[must_use]
    pub fn scene(&self) -> Scene {
        self.game.scene()
    }

    /// Says how many recorded inputs were left over when the bout was over.
    #[must_use]
    pub fn left_over(&self) -> usize {
        self.inputs.len()
    }

    /// Takes the referee's outputs.
    fn absorb(&mut self, judgements: &mut Vec<Judgement>) {
        for output in self.out.list.drain(..) {
            match output {
                Output::Ask { seat, parts, files, .. } => {
                    self.requests.push(Request { seat, view: parts, files });
                }
                Output::Judged { seat, verdict, action, .. } => {
                    let given = self.answers.iter().rposition(|(who, _)| *who == seat);
                    let answer = given.map(|index| self.answers.remove(index).1);
                    let answer = answer.unwrap_or_default();
                    let action = action.into_owned();
                    judgements.push(Judgement { seat, verdict, action, answer });
                }
                Output::Over(outcome) => self.outcome = Some(outcome),
                Output::RoundOver { .. }
                | Output::Skip { .. }
                | Output::Send { .. }
                | Output::Close { .. } => {}
            }
        }
    }
}

impl Iterator for Fold {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if self.outcome.is_some() {
            return None;
        }
        let (round, before) = (self.game.rounds(), self.game.scene());
        let requests = std::mem::take(&mut self.requests);
        let mut judgements = Vec::new();
        for input in self.inputs.by_ref() {
            if let Input::Answer { seat, parts, .. } = &input {
                self.answers.push((*seat, parts.clone()));
            }
            self.game.next(&input, &mut self.out);
            if self.out.list.iter().any(|output| matches!(output, Output::RoundOver { .. })) {
                break;
            }
        }
        self.absorb(&mut judgements);
        if judgements.is_empty() && self.game.rounds() == round {
            return None;
        }
        Some(Frame { round, before, after: self.game.scene(), requests, judgements })
    }
}

pub(super) fn start(plan: &BoutPlan, out: &mut Outputs) -> Result<Box<dyn Game>, FoldError> {
    let kind =
        registry::find(&plan.game).ok_or_else(|| FoldError::UnknownGame(plan.game.clone()))?;
    if kind.revision() != plan.revision {
        return Err(FoldError::UnknownRevision {
            game: plan.game.clone(),
            recorded: plan.revision,
            here: kind.revision(),
        });
    }
    plan.start(kind, out).map_err(FoldError::Start)
}

//! A recorded bout, round by round: its action log through the referee.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use joust_referee::{
    Catalogue, Connection, Files, Input, Output, Outputs, Parts, Scene, Seat, SendTo, Verdict,
};

use joust_model::{BoutPlan, Fold, FoldError, Round, recorded_inputs};

/// Request to a seat, or bytes that were sent over its connection.
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
    /// The round.
    pub round: Round,
    /// The position before it.
    pub before: Scene,
    /// The position after it.
    pub after: Scene,
    /// Requests to the seats, in order. A seat can have several: a web server is asked for its name
    /// and greeted before its first move.
    pub requests: Vec<RecordedRequest>,
    /// Judgements of the answers, in order.
    pub judgements: Vec<Judgement>,
}

impl Frame {
    /// Takes the last request to a seat, which is the one for its move.
    pub fn into_last_request(self, seat: Seat) -> Option<RecordedRequest> {
        self.requests.into_iter().rfind(|request| request.seat == seat)
    }
}

/// A recorded bout, round by round: an iterator over its [`Frame`]s.
pub struct Frames {
    fold: Fold,
    inputs: std::vec::IntoIter<Input>,
    is_over: bool,
    /// Requests of the rounds that follow, with the number of each round.
    requests: Vec<(u32, RecordedRequest)>,
    /// Owners of the connections, for games that are played over them.
    owners: BTreeMap<Connection, Seat>,
    /// Seats that had a connection.
    connected: BTreeSet<Seat>,
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
            is_over: false,
            requests: Vec::new(),
            owners: BTreeMap::new(),
            connected: BTreeSet::new(),
            answers: Vec::new(),
            has_failed: false,
        };
        frames.absorb(&mut Vec::new());
        Ok(frames)
    }

    /// Returns the position reached.
    pub fn scene(&self) -> Scene {
        self.fold.judge().scene()
    }

    /// Returns the frame of a round, if the bout has it.
    ///
    /// # Errors
    ///
    /// [`FoldError`] when the referee fails before it.
    pub fn find_round(&mut self, round: Round) -> Result<Option<Frame>, FoldError> {
        self.find(|frame| frame.as_ref().map_or(true, |frame| frame.round == round)).transpose()
    }

    /// Processes the judgements of the referee.
    fn absorb(&mut self, judgements: &mut Vec<Judgement>) {
        let now = self.fold.judge().rounds();
        for output in self.fold.take_outputs() {
            match output {
                Output::Ask { seat, parts, files, .. } => {
                    self.requests.push((now, RecordedRequest { seat, view: parts, files }));
                }
                Output::Send { to, bytes } => {
                    let seats = match to {
                        SendTo::Connection(one) => {
                            self.owners.get(&one).copied().into_iter().collect()
                        }
                        SendTo::All => self.connected.clone(),
                    };
                    for seat in seats {
                        let view = Parts::single(Arc::clone(&bytes));
                        self.requests.push((now, RecordedRequest { seat, view, files: None }));
                    }
                }
                Output::Judged { seat, verdict, action, .. } => {
                    let given = self.answers.iter().rposition(|(who, _)| *who == seat);
                    let answer = given.map(|index| self.answers.remove(index).1);
                    let answer = answer.unwrap_or_default();
                    let action = action.into_owned();
                    judgements.push(Judgement { seat, verdict, action, answer });
                }
                Output::Over(_) => self.is_over = true,
                Output::Numbers { .. }
                | Output::RoundOver { .. }
                | Output::Skip { .. }
                | Output::Close { .. } => {}
            }
        }
    }

    /// Plays a round; `None` when nothing happened in it.
    fn round(&mut self) -> Result<Option<Frame>, FoldError> {
        let (round, before) = (Round(self.fold.judge().rounds()), self.scene());
        let mut judgements = Vec::new();
        let mut is_over = false;
        while !is_over {
            let Some(input) = self.inputs.next() else { break };
            match &input {
                Input::Answer { seat, parts, .. } => self.answers.push((*seat, parts.untimed())),
                Input::Opened { connection, seat: Some(seat) } => {
                    self.owners.insert(*connection, *seat);
                    self.connected.insert(*seat);
                }
                _ => {}
            }
            self.fold.apply_input(&input)?;
            is_over = self.fold.has_completed_round();
            self.absorb(&mut judgements);
        }
        if judgements.is_empty() && self.fold.judge().rounds() == round.0 {
            return Ok(None);
        }
        let requests = self.requests.extract_if(.., |(number, _)| *number <= round.0);
        let requests = requests.map(|(_, request)| request).collect();
        Ok(Some(Frame { round, before, after: self.scene(), requests, judgements }))
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, FoldError>;

    fn next(&mut self) -> Option<Result<Frame, FoldError>> {
        if self.is_over || self.has_failed {
            return None;
        }
        let round = self.round();
        self.has_failed = round.is_err();
        round.transpose()
    }
}

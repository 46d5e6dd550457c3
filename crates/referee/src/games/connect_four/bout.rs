//! One bout: a request, an answer and a disc in every round.

use std::borrow::Cow;

use super::draw::Picture;
use super::{BoutOptions, GameState, Refused, drop_disc, read, render, score};
use crate::{
    DeadlineClass, Input, Judge, JudgeError, Outcome, Output, Outputs, Parts, Point, RequestId,
    Scene, Seat, Setup, StartError, StateHash, Verdict,
};

/// One bout of connect four in progress.
///
/// A round is one disc: the seat whose turn it is is asked, its answer is judged,
/// and a disc falls. A seat without a legal answer has it fall into the leftmost
/// column with room.
#[derive(Clone, Debug)]
pub struct Bout {
    options: BoutOptions,
    names: [String; 2],
    state: GameState,
    last: Option<Point>,
    outcome: Option<Outcome>,
}

impl Bout {
    /// Starts a bout with an empty board and asks seat 0.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>, out: &mut Outputs) -> Result<Self, StartError> {
        let options = BoutOptions::from_setup(setup)?;
        let bout = Self {
            options,
            names: [Seat(0), Seat(1)].map(|seat| setup.name_of(seat)),
            state: GameState::empty(options.columns, options.rows),
            last: None,
            outcome: None,
        };
        bout.ask(out);
        Ok(bout)
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns where the last disc lies, if there is one.
    pub fn last(&self) -> Option<Point> {
        self.last
    }

    fn ask(&self, out: &mut Outputs) {
        if !out.wants_views() {
            return;
        }
        let (seat, request, deadline) = (self.state.turn(), self.request(), DeadlineClass::Turn);
        let mut view = Vec::new();
        render(&self.state, self.options.connect, seat, &mut view);
        out.push(Output::Ask { seat, request, parts: Parts::single(view), deadline, files: None });
    }

    /// The request of the disc that falls next has its number.
    fn request(&self) -> RequestId {
        RequestId(self.rounds())
    }

    fn take_answer(&mut self, parts: &Parts, verdict: Verdict, out: &mut Outputs) {
        let (seat, request, round) = (self.state.turn(), self.request(), self.rounds());
        let read = self.read(parts, verdict);
        let action = read.map_or_else(|_| Cow::Borrowed(""), |column| column.to_string().into());
        let verdict = read.err().unwrap_or(Verdict::Ok);
        out.push(Output::Judged { seat, request, verdict, action });
        let forced = || self.state.leftmost_free().expect("a bout ends when the board is full");
        let column = read.unwrap_or_else(|_| forced());
        let last = drop_disc(&mut self.state, column).expect("a column was chosen that has room");
        self.last = Some(last);
        out.push(Output::RoundOver { round });
        self.outcome = score::outcome(&self.state, last, self.options.connect);
        match &self.outcome {
            Some(outcome) => out.push(Output::Over(outcome.clone())),
            None => self.ask(out),
        }
    }

    /// Returns the column of an answer, or the final verdict if the answer is no column.
    fn read(&self, parts: &Parts, verdict: Verdict) -> Result<usize, Verdict> {
        if !verdict.is_ok() {
            return Err(verdict);
        }
        read(&self.state, answer(parts)).map_err(Refused::verdict)
    }
}

fn answer(parts: &Parts) -> &[u8] {
    parts.get("").unwrap_or_default()
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let Input::Answer { seat, request, parts, verdict } = input else { return Ok(()) };
        let is_open = self.outcome.is_none();
        if is_open && *seat == self.state.turn() && *request == self.request() {
            self.take_answer(parts, *verdict, out);
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.state.discs()
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| self.state.write_board(out)))
    }

    fn scene(&self) -> Scene {
        let names = [&*self.names[0], &*self.names[1]];
        Picture { state: &self.state, names, last: self.last }.scene()
    }

    fn reads(&self, _: Seat, parts: &Parts) -> Verdict {
        self.read(parts, Verdict::Ok).err().unwrap_or(Verdict::Ok)
    }

    fn refusal(&self, _: Seat, parts: &Parts) -> Option<String> {
        read(&self.state, answer(parts)).err().map(|refused| refused.to_string())
    }
}

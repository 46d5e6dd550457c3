//! One bout: requests, answers, rounds.

use std::sync::Arc;

use super::{Action, BoutOptions, GameState, ParsedAnswer, advance, draw, read, render, score};
use crate::{
    DeadlineClass, Input, Judge, JudgeError, Outcome, Output, Outputs, Parts, RequestId, Scene,
    Seat, Setup, StartError, StateHash, Verdict,
};

const SEATS: [Seat; 2] = [Seat(0), Seat(1)];

/// One bout of BattleBots in progress.
///
/// Both seats are asked at the start of a round, seat 0 first, with views of
/// the same position. When both answers are there, in whatever order, they are
/// judged and the round is played.
#[derive(Clone, Debug)]
pub struct Bout {
    options: BoutOptions,
    names: [String; 2],
    state: GameState,
    rounds: u32,
    /// The request of seat 0 in this round; seat 1's is the next number.
    request: u32,
    readings: [Option<ParsedAnswer>; 2],
    outcome: Option<Outcome>,
    view: Vec<u8>,
}

impl Bout {
    /// Starts a bout from the start position and asks both seats.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>, out: &mut Outputs) -> Result<Self, StartError> {
        let options = BoutOptions::from_setup(setup)?;
        let mut bout = Self::from_state(options, GameState::start(), out);
        bout.names = SEATS.map(|seat| setup.name_of(seat));
        Ok(bout)
    }

    /// Starts a bout from any position and asks both seats.
    pub fn from_state(options: BoutOptions, state: GameState, out: &mut Outputs) -> Self {
        let mut bout = Self {
            options,
            names: SEATS.map(|seat| format!("bot {seat}")),
            state,
            rounds: 0,
            request: 0,
            readings: [None, None],
            outcome: None,
            view: Vec::new(),
        };
        bout.ask(out);
        bout
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    fn ask(&mut self, out: &mut Outputs) {
        if !out.wants_views() {
            return;
        }
        for seat in SEATS {
            let parts = self.view_of(seat);
            let (request, deadline) = (self.request_of(seat), DeadlineClass::Turn);
            out.push(Output::Ask { seat, request, parts, deadline, files: None });
        }
    }

    fn view_of(&mut self, seat: Seat) -> Parts {
        self.view.clear();
        render(&self.state, self.options.rules, seat, &mut self.view);
        Parts::single(Arc::<[u8]>::from(&self.view[..]))
    }

    fn request_of(&self, seat: Seat) -> RequestId {
        RequestId(self.request + u32::from(seat.0))
    }

    fn is_open(&self, seat: Seat, request: RequestId) -> bool {
        self.outcome.is_none()
            && SEATS.contains(&seat)
            && request == self.request_of(seat)
            && self.readings[seat.index()].is_none()
    }

    fn read(&self, parts: &Parts, verdict: Verdict) -> ParsedAnswer {
        if verdict.is_ok() {
            read(self.options.rules, parts.get("").unwrap_or_default())
        } else {
            ParsedAnswer::without_action(verdict)
        }
    }

    fn play_round(&mut self, readings: [ParsedAnswer; 2], out: &mut Outputs) {
        let actions: [Action; 2] = [readings[0].action, readings[1].action];
        for (seat, reading) in SEATS.into_iter().zip(readings) {
            let ParsedAnswer { verdict, text, .. } = reading;
            out.push(Output::Judged {
                seat,
                request: self.request_of(seat),
                verdict,
                action: text,
            });
        }
        advance(&mut self.state, self.options.rules, actions);
        out.push(Output::RoundOver { round: self.rounds });
        self.rounds += 1;
        self.request += 2;
        self.outcome = score::outcome(&self.state, self.rounds, self.options.max_rounds);
        match &self.outcome {
            Some(outcome) => out.push(Output::Over(outcome.clone())),
            None => self.ask(out),
        }
    }
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let Input::Answer { seat, request, parts, verdict } = input else { return Ok(()) };
        if !self.is_open(*seat, *request) {
            return Ok(());
        }
        self.readings[seat.index()] = Some(self.read(parts, *verdict));
        match std::mem::take(&mut self.readings) {
            [Some(first), Some(second)] => self.play_round([first, second], out),
            waiting => self.readings = waiting,
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| {
            out.extend(self.rounds.to_le_bytes());
            self.state.write_bytes(out);
        }))
    }

    fn scene(&self) -> Scene {
        draw::scene(&self.state, &self.names, self.options.rules, self.rounds)
    }

    fn reads(&self, _: Seat, parts: &Parts) -> Verdict {
        self.read(parts, Verdict::Ok).verdict
    }

    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        let bot = self.state.bots.get(seat.index())?;
        let is_outside = |direction| !self.options.rules.is_in_bounds(bot.at.step(direction));
        let reason = match self.read(answer, Verdict::Ok).action {
            Action::Move(_) if self.state.paralysed_rounds > 0 => "an EMP holds you where you are",
            Action::Move(direction) if is_outside(direction) => "the arena ends there",
            Action::Mine(direction) if is_outside(direction) => "the arena ends there",
            _ => return None,
        };
        Some(reason.to_owned())
    }
}

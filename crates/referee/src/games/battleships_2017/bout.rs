//! One bout: requests, answers, rounds.

use std::sync::Arc;

use super::replay::{self, LastRound};
use super::step::SEATS;
use super::step::turn::{self, Turn, at_turn_of, has_doomed, waits};
use super::{
    ANSWER_FILES, BoutOptions, Command, Frame, GameState, KEYS, ParsedAnswer, advance, draw, read,
    score,
};
use crate::games::entelect;
use crate::{
    DeadlineClass, Files, Input, Judge, JudgeError, LogLine, Outcome, Output, Outputs, Parts,
    PlayerInfo, ReplayFolder, ReplayRound, RequestId, Scene, Seat, Setup, StartError, StateHash,
    Verdict,
};

/// One bout of Battleships in progress.
///
/// Both seats are asked at the start of a round, `A` first, with the position
/// the round starts from. When both answers are there, in whatever order, they
/// are judged and the round is played. A seat that waits for the other one to
/// place its ships is skipped (`documented` only).
#[derive(Clone, Debug)]
pub struct Bout {
    options: BoutOptions,
    names: [String; 2],
    state: GameState,
    /// The request of seat 0 in this round; seat 1's is the next number.
    request: u32,
    turns: [Turn; 2],
    outcome: Option<Outcome>,
    last: Option<LastRound>,
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
        let names = SEATS.map(|seat| match setup.names.get(seat.index()) {
            Some(name) => name.clone(),
            None => format!("Player {}", KEYS[seat.index()]),
        });
        Ok(Self::from_state(options, names, GameState::start(&options), out))
    }

    /// Starts a bout from any position and asks both seats.
    pub fn from_state(
        options: BoutOptions,
        names: [String; 2],
        state: GameState,
        out: &mut Outputs,
    ) -> Self {
        let mut bout = Self {
            options,
            names,
            state,
            request: 0,
            turns: [Turn::Skipped, Turn::Skipped],
            outcome: None,
            last: None,
            view: Vec::new(),
        };
        bout.ask(out);
        bout
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns the options of the bout.
    pub fn options(&self) -> &BoutOptions {
        &self.options
    }

    fn frame(&self) -> Frame<'_> {
        Frame { state: &self.state, options: &self.options, names: &self.names }
    }

    fn ask(&mut self, out: &mut Outputs) {
        for seat in SEATS {
            if waits(&self.state, &self.options, seat) {
                self.turns[seat.index()] = Turn::Skipped;
                out.push(Output::Skip { seat });
                continue;
            }
            self.turns[seat.index()] = Turn::Open;
            let (parts, files) = if out.wants_views() {
                (self.view_of(seat), Some(self.files_of(seat)))
            } else {
                (Parts::none(), None)
            };
            let (request, deadline) = (self.request_of(seat), DeadlineClass::Turn);
            out.push(Output::Ask { seat, request, parts, deadline, files });
        }
    }

    fn files_of(&self, seat: Seat) -> Files {
        Files {
            key: Arc::from(KEYS[seat.index()]),
            folder: Arc::from(replay::seat_folder(&self.state, seat)),
            answers: ANSWER_FILES.into(),
            above: Parts::none(),
        }
    }

    fn view_of(&mut self, seat: Seat) -> Parts {
        let mut view = std::mem::take(&mut self.view);
        let parts = if has_doomed(&self.state) {
            let state = at_turn_of(&self.state, seat);
            replay::seat_files(&Frame { state: &state, ..self.frame() }, seat, &mut view)
        } else {
            replay::seat_files(&self.frame(), seat, &mut view)
        };
        self.view = view;
        Parts(parts)
    }

    fn request_of(&self, seat: Seat) -> RequestId {
        RequestId(self.request + u32::from(seat.0))
    }

    fn is_open(&self, seat: Seat, request: RequestId) -> bool {
        self.outcome.is_none()
            && SEATS.contains(&seat)
            && request == self.request_of(seat)
            && matches!(self.turns[seat.index()], Turn::Open)
    }

    fn read(&self, parts: &Parts, verdict: Verdict) -> ParsedAnswer {
        let is_own_end = matches!(verdict, Verdict::Crash | Verdict::ExitNonzero);
        if verdict.is_ok() {
            read(&self.options, parts)
        } else if is_own_end && self.options.rules.files_of_a_crash_count() {
            ParsedAnswer { verdict, ..read(&self.options, parts) }
        } else {
            ParsedAnswer::without_command(verdict)
        }
    }

    fn play_round(&mut self, out: &mut Outputs) {
        let turns = std::mem::replace(&mut self.turns, [Turn::Skipped, Turn::Skipped]);
        let (round, phase) = (self.state.round, self.state.phase);
        let sent_off = has_doomed(&self.state);
        let commands = turns.each_ref().map(Turn::command);
        let report = advance(&mut self.state, &self.options, commands);
        let commands = commands.map(|command| command.map(Command::name));
        self.last = Some(LastRound { round, phase, commands, report });
        for (seat, turn) in SEATS.into_iter().zip(turns) {
            let Turn::Answered(reading) = turn else { continue };
            let (request, verdict) = (self.request_of(seat), reading.verdict);
            out.push(Output::Judged { seat, request, verdict, action: reading.text.into() });
        }
        out.push(Output::RoundOver { round });
        self.request += 2;
        self.outcome = score::outcome(&self.state, &self.options, sent_off);
        match &self.outcome {
            Some(outcome) => out.push(Output::Over(outcome.clone())),
            None => self.ask(out),
        }
    }
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        if let Input::Person { seat } = input
            && self.outcome.is_none()
            && let Some(player) = self.state.players.get_mut(seat.index())
        {
            player.is_person = true;
        }
        let Input::Answer { seat, request, parts, verdict } = input else { return Ok(()) };
        if !self.is_open(*seat, *request) {
            return Ok(());
        }
        self.turns[seat.index()] = Turn::Answered(self.read(parts, *verdict));
        if !self.turns.iter().any(|turn| matches!(turn, Turn::Open)) {
            self.play_round(out);
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.state.round
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| self.state.write_bytes(out)))
    }

    fn scene(&self) -> Scene {
        draw::scene(&self.frame())
    }

    fn reads(&self, _: Seat, parts: &Parts) -> Verdict {
        self.read(parts, Verdict::Ok).verdict
    }

    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        turn::refusal(&self.state, &self.options, seat, &read(&self.options, answer).command)
            .map(|refusal| refusal.to_string())
    }

    fn replay_folder(&self) -> Option<&dyn ReplayFolder> {
        Some(self)
    }
}

impl ReplayFolder for Bout {
    fn round(&self, players: &[PlayerInfo]) -> ReplayRound {
        let players = entelect::player_infos(players, &self.names);
        let folder = replay::folder(self.state.phase, self.state.round);
        let files = replay::root_files(&self.frame(), &players);
        ReplayRound { folder, files }
    }

    fn keeps_views(&self) -> bool {
        true
    }

    fn holds_log_back(&self, _: Seat) -> bool {
        false
    }

    fn rewrites(&self) -> Vec<ReplayRound> {
        let (Some(_), Some(last)) = (&self.outcome, &self.last) else { return Vec::new() };
        let folder = replay::folder(last.phase, last.round);
        let rewritten = SEATS.map(|seat| ReplayRound {
            folder: format!("{folder}/{}", KEYS[seat.index()]),
            files: replay::seat_files(&self.frame(), seat, &mut Vec::new()),
        });
        rewritten.into()
    }

    fn empty_folders(&self) -> Vec<String> {
        Vec::new()
    }

    fn engine_log(&self) -> Vec<LogLine> {
        self.last.map(|last| last.log_lines(&self.names)).unwrap_or_default()
    }

    fn refused(&self, seat: Seat) -> Option<String> {
        let refusal = self.last.and_then(|last| last.report.refusals[seat.index()]);
        refusal.map(|why| format!("Command failed: {why}"))
    }
}

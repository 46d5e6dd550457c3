//! One bout: requests, answers, rounds.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::step::{commands, when_commands_count};
use super::view::{key, render_map};
use super::{
    BoutOptions, Chance, Command, GameState, Idleness, ParsedAnswer, Player, Report, StateJson,
    Views, advance, draw, quirks, read, replay, score,
};
use crate::games::entelect;
use crate::{
    DeadlineClass, Files, Input, Judge, JudgeError, LogLine, Outcome, Output, Outputs, Part, Parts,
    PlayerInfo, ReplayFolder, ReplayRound, RequestId, Scene, Seat, Seed, Setup, StartError,
    StateHash, Verdict,
};

/// The file that holds the answer.
const MOVE_FILE: &str = "move.txt";

/// The files that may hold an answer.
const ANSWER_FILES: &[Cow<'static, str>] = &[Cow::Borrowed(MOVE_FILE)];

/// One seat's part in the round being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The player is dead.
    Out,
    /// The idle rule has given the bot up: it triggers.
    GivenUp,
    /// Asked, not yet answered.
    Open(RequestId),
    /// Answered.
    Answered(RequestId, ParsedAnswer),
}

/// One seat from round to round.
#[derive(Clone, Debug)]
struct SeatPlay {
    key: Arc<str>,
    /// `None` for a seat to which the idle rule does not apply.
    idleness: Option<Idleness>,
    turn: Turn,
}

/// One bout in progress.
///
/// At the start of a round every living seat is asked, in seat order, with the
/// same files; a seat that the idle rule has given up is skipped. When all
/// answers are there, in any order, they are judged and the round is
/// played. [`Input::Tick`] plays a round in which no seat is asked.
#[derive(Clone, Debug)]
pub struct Bout {
    options: BoutOptions,
    names: Vec<String>,
    state: GameState,
    chance: Chance,
    report: Report,
    views: Views,
    seats: Vec<SeatPlay>,
    next_request: u32,
    rounds: u32,
    outcome: Option<Outcome>,
}

impl Bout {
    /// Starts a bout on the map of its game seed and asks all seats.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>, out: &mut Outputs) -> Result<Self, StartError> {
        let options = BoutOptions::from_setup(setup)?;
        let state = GameState::fresh(options.game_seed, setup.seats);
        let names = (0..setup.seats).map(|seat| setup.name_of(Seat(seat))).collect();
        Ok(Self::from_state(options, (state, setup.seed), names, out))
    }

    /// Starts a bout from any position, with the seed of its draws, and asks all
    /// living seats. `names` has one name per player.
    pub fn from_state(
        options: BoutOptions,
        (state, seed): (GameState, Seed),
        names: Vec<String>,
        out: &mut Outputs,
    ) -> Self {
        let seat_play = |seat: u8| SeatPlay {
            key: Arc::from(key(Seat(seat)).to_string()),
            idleness: Some(Idleness::default()),
            turn: Turn::Out,
        };
        let mut bout = Self {
            options,
            views: Views::new(&names, options.line_endings),
            seats: (0..state.players.len() as u8).map(seat_play).collect(),
            names,
            state,
            chance: Chance::new(seed),
            report: Report::new(),
            next_request: 0,
            rounds: 0,
            outcome: None,
        };
        bout.ask(out);
        bout
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns what happened in the round played last.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the idle rule from a seat: the original has none for people.
    pub fn exempt_from_idle_rule(&mut self, seat: Seat) {
        if let Some(play) = self.seats.get_mut(seat.index()) {
            play.idleness = None;
        }
    }

    fn ask(&mut self, out: &mut Outputs) {
        let (mut view, mut above) = (None, None);
        for (seat, player) in (0..).map(Seat).zip(&self.state.players) {
            let play = &mut self.seats[seat.index()];
            play.turn = if !player.is_alive() {
                Turn::Out
            } else if play.idleness.is_some_and(Idleness::is_given_up) {
                out.push(Output::Skip { seat });
                Turn::GivenUp
            } else {
                let request = RequestId(self.next_request);
                self.next_request += 1;
                let (parts, files) = if out.wants_views() {
                    let view = view.get_or_insert_with(|| self.views.render(&self.state));
                    let above =
                        above.get_or_insert_with(|| root_files(view, &self.state, &self.names));
                    (view.clone(), Some(files(&self.state, &play.key, above)))
                } else {
                    (Parts::none(), None)
                };
                let deadline = DeadlineClass::Turn;
                out.push(Output::Ask { seat, request, parts, deadline, files });
                Turn::Open(request)
            };
        }
    }

    /// Takes an answer; one to a request that is not open is ignored.
    fn take(&mut self, seat: Seat, request: RequestId, reading: ParsedAnswer) {
        let Some(play) = self.seats.get_mut(seat.index()) else { return };
        if play.turn == Turn::Open(request) {
            play.turn = Turn::Answered(request, reading);
        }
    }

    fn is_waiting(&self) -> bool {
        self.seats.iter().any(|play| matches!(play.turn, Turn::Open(_)))
    }

    fn play_round(&mut self, out: &mut Outputs) {
        let commands = self.submit(out);
        advance(&mut self.state, &commands[..self.seats.len()], &mut self.chance, &mut self.report);
        out.push(Output::RoundOver { round: self.rounds });
        self.rounds += 1;
        self.outcome = score::outcome(&self.state, self.rounds, self.options.max_rounds);
        match &self.outcome {
            Some(outcome) => out.push(Output::Over(outcome.clone())),
            None => self.ask(out),
        }
    }

    /// Judges the answers and returns every seat's command.
    fn submit(&mut self, out: &mut Outputs) -> [Option<Command>; super::MAX_PLAYERS] {
        let mut commands = [None; super::MAX_PLAYERS];
        for (seat, play) in (0..).map(Seat).zip(&mut self.seats) {
            commands[seat.index()] = match play.turn {
                Turn::Out | Turn::Open(_) => None,
                Turn::GivenUp => Some(Command::Trigger),
                Turn::Answered(request, reading) => {
                    let command = match &mut play.idleness {
                        Some(idleness) => idleness.submit(reading.command),
                        None => reading.command,
                    };
                    let verdict = reading.verdict;
                    let action = if reading.is_action { command.word() } else { "" };
                    out.push(Output::Judged { seat, request, verdict, action: action.into() });
                    Some(command)
                }
            };
        }
        commands
    }

    /// Renders `map.txt` and `state.json` of the position.
    fn shown_files(&self) -> Vec<Part> {
        let mut map = Vec::new();
        render_map(&self.state, &self.names, self.options.line_endings, &mut map);
        let state_json = Arc::from(StateJson::new(&self.names).render(&self.state));
        vec![
            Part { name: "map.txt".into(), bytes: map.into() },
            Part { name: "state.json".into(), bytes: state_json },
        ]
    }
}

/// Describes the layout of a player's files of this round.
fn files(state: &GameState, key: &Arc<str>, above: &Parts) -> Files {
    let folder = Arc::from(format!("{}/{key}", state.round));
    Files { key: key.clone(), folder, answers: ANSWER_FILES.into(), above: above.clone() }
}

/// Returns the files of the round's folder, which players find above their own
/// ([Replay folder](crate::docs::bomberman_2016#replay-folder)):
/// the position, and the names of the players. Authors and addresses are hidden from other bots.
fn root_files(view: &Parts, state: &GameState, names: &[String]) -> Parts {
    let info = replay::round_info(state, &entelect::player_infos(&[], names));
    let info = Part { name: "roundInfo.json".into(), bytes: info.into() };
    Parts(view.0.iter().cloned().chain([info]).collect())
}

/// Reads an answer; a fault of the machine's finding stays the verdict.
fn read_answer(parts: &Parts, verdict: Verdict) -> ParsedAnswer {
    if !quirks::move_counts(verdict) {
        return ParsedAnswer::without_command(verdict);
    }
    let reading = read(parts.get(MOVE_FILE));
    if verdict.is_ok() { reading } else { ParsedAnswer { verdict, ..reading } }
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        if self.outcome.is_some() {
            return Ok(());
        }
        match input {
            Input::Answer { seat, request, parts, verdict } if self.is_waiting() => {
                self.take(*seat, *request, read_answer(parts, *verdict));
                if !self.is_waiting() {
                    self.play_round(out);
                }
            }
            Input::Tick if !self.is_waiting() => self.play_round(out),
            Input::Resolved { draw, values } => self.chance.force(draw, values),
            Input::Person { seat } => self.exempt_from_idle_rule(*seat),
            _ => {}
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
            for play in &self.seats {
                let in_a_row = play.idleness.map_or(u32::MAX, Idleness::in_a_row);
                out.extend(in_a_row.to_le_bytes());
            }
            self.chance.write_bytes(out);
        }))
    }

    fn scene(&self) -> Scene {
        draw::scene(&self.state, &self.names)
    }

    fn reads(&self, _: Seat, parts: &Parts) -> Verdict {
        read_answer(parts, Verdict::Ok).verdict
    }

    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        self.state.players.get(seat.index()).filter(|player| player.is_alive())?;
        let command = read_answer(answer, Verdict::Ok).command;
        let state = when_commands_count(&self.state, &mut self.report.clone());
        commands::refusal(state, seat, command).map(str::to_owned)
    }

    fn replay_folder(&self) -> Option<&dyn ReplayFolder> {
        Some(self)
    }
}

impl ReplayFolder for Bout {
    fn round(&self, players: &[PlayerInfo]) -> ReplayRound {
        let players = entelect::player_infos(players, &self.names);
        let mut files = self.shown_files();
        let info = replay::round_info(&self.state, &players);
        files.push(Part { name: "roundInfo.json".into(), bytes: info.into() });
        ReplayRound { folder: self.state.round.to_string(), files }
    }

    /// Views are deleted when the round is over
    /// ([Replay folder](crate::docs::bomberman_2016#replay-folder)).
    fn keeps_views(&self) -> bool {
        false
    }

    fn holds_log_back(&self, seat: Seat) -> bool {
        let play = self.seats.get(seat.index());
        play.and_then(|play| play.idleness).is_some_and(Idleness::has_just_bombed)
    }

    fn rewrites(&self) -> Vec<ReplayRound> {
        let Some(outcome) = &self.outcome else { return Vec::new() };
        let last = outcome.rounds.saturating_sub(1);
        let files = self.shown_files();
        let folder = |(play, player): (&SeatPlay, &Player)| {
            let round = player.killed_round.unwrap_or(last);
            ReplayRound { folder: format!("{round}/{}", play.key), files: files.clone() }
        };
        let own = self.seats.iter().zip(&self.state.players).map(folder);
        let closing = replay::dead_beside_the_living(&self.state, last, Ordering::Greater);
        let closing = closing.map(|seat| ReplayRound {
            folder: format!("{}/{}", self.state.round, key(seat)),
            files: files.clone(),
        });
        own.chain(closing).collect()
    }

    fn empty_folders(&self) -> Vec<String> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        let dead = replay::dead_beside_the_living(&self.state, self.state.round, Ordering::Less);
        let given_up = (0..).map(Seat).zip(&self.seats);
        let given_up = given_up.filter(|(_, play)| play.turn == Turn::GivenUp);
        let seats = dead.chain(given_up.map(|(seat, _)| seat));
        seats.map(|seat| format!("{}/{}", self.state.round, key(seat))).collect()
    }

    fn engine_log(&self) -> Vec<LogLine> {
        replay::engine_log(&self.state, &self.report)
    }

    fn refused(&self, seat: Seat) -> Option<String> {
        replay::refused(&self.report, seat)
    }
}

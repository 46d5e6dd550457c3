//! One bout: calls, answers, turns.

use super::action::{Refused, read_customizations, read_move};
use super::setup::first_position;
use super::view::{Call, Profile, View};
use super::{BoutOptions, Direction, GameState, Spawner, advance, constrict, draw, is_over, score};
use crate::{
    DeadlineClass, Input, Judge, JudgeError, Outcome, Output, Outputs, Parts, RequestId, Scene,
    Seat, Seed, Setup, StartError, StateHash, Verdict, sha256,
};

/// One bout of Battlesnake in progress.
///
/// All seats are called for a description and at the start, the living ones for a move in every
/// turn, and all at the end. A call is over when all answers are there, in whatever order. Answers
/// to the start and the end are not judged.
///
/// The end is looked for before a turn is played: the last snake is called once more, and its move
/// changes nothing.
///
/// Source: [Life of a game](crate::docs::battlesnake#life-of-a-game).
#[derive(Clone, Debug)]
pub struct Bout {
    options: BoutOptions,
    id: String,
    state: GameState,
    spawner: Spawner,
    call: Call,
    /// Number of calls before this one.
    calls: u32,
    /// True once no further turn is played.
    has_ended: bool,
    seats: Vec<SeatState>,
    profiles: Vec<Profile>,
    outcome: Option<Outcome>,
}

/// State of a seat beside its snake.
#[derive(Clone, Debug, Default)]
struct SeatState {
    /// True if it is asked in this call.
    is_asked: bool,
    /// Verdict of its answer to this call.
    verdict: Option<Verdict>,
    /// Its last good move; `Up` before the first one.
    direction: Option<Direction>,
    comment: String,
}

impl Bout {
    /// Starts a bout from the first position of its seed, and asks for descriptions.
    ///
    /// # Errors
    ///
    /// [`StartError`] if rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>, out: &mut Outputs) -> Result<Self, StartError> {
        let options = BoutOptions::from_setup(setup)?;
        let state = first_position(&options, setup)?;
        let names = (0..setup.seats).map(|seat| setup.name_of(Seat(seat))).collect();
        Ok(Self::from_state(options, setup.seed, state, names, out))
    }

    /// Starts a bout from any position with at most 16 snakes. `names` are in seat order.
    pub fn from_state(
        options: BoutOptions,
        seed: Seed,
        state: GameState,
        names: Vec<String>,
        out: &mut Outputs,
    ) -> Self {
        let profile = |name| Profile { name, ..Profile::default() };
        let mut bout = Self {
            options,
            id: bout_id(seed),
            spawner: Spawner::new(&options, seed),
            call: Call::Info,
            calls: 0,
            has_ended: false,
            seats: vec![SeatState::default(); state.snakes.len()],
            profiles: names.into_iter().map(profile).collect(),
            outcome: None,
            state,
        };
        if options.ruleset.constricts() {
            constrict(&mut bout.state);
        }
        bout.ask(Call::Info, out);
        bout
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Asks the living for moves, or all seats for anything else.
    fn ask(&mut self, call: Call, out: &mut Outputs) {
        self.call = call;
        for (seat, snake) in self.seats.iter_mut().zip(&self.state.snakes) {
            seat.is_asked = call != Call::Move || snake.is_alive();
            seat.verdict = None;
        }
        if !out.wants_views() {
            return;
        }
        // What a server does for the first time is not charged to its first move.
        let deadline = match call {
            Call::Info => DeadlineClass::Turn,
            _ => DeadlineClass::Own { ms: self.options.timeout_ms },
        };
        let asked: Vec<usize> = self.asked().collect();
        let Self { options, id, state, profiles, .. } = &*self;
        let requests = View { options, id, state, profiles }.requests(call, &asked);
        for (seat, parts) in asked.into_iter().zip(requests) {
            let (request, seat) = (self.request_of(seat), Seat(seat as u8));
            out.push(Output::Ask { seat, request, parts, deadline, files: None });
        }
    }

    fn asked(&self) -> impl Iterator<Item = usize> {
        (0..self.seats.len()).filter(|seat| self.seats[*seat].is_asked)
    }

    fn request_of(&self, seat: usize) -> RequestId {
        RequestId(self.calls * self.seats.len() as u32 + seat as u32)
    }

    fn is_open(&self, seat: usize, request: RequestId) -> bool {
        let is_waiting = |seat: &SeatState| seat.is_asked && seat.verdict.is_none();
        self.outcome.is_none()
            && self.seats.get(seat).is_some_and(is_waiting)
            && request == self.request_of(seat)
    }

    fn take_answer(&mut self, seat: usize, parts: &Parts, verdict: Verdict) {
        let profile = &mut self.profiles[seat];
        let refused = match self.call {
            _ if !verdict.is_ok() => None,
            Call::Start | Call::End => None,
            Call::Info => match read_customizations(parts) {
                Ok(customizations) => {
                    profile.customizations = customizations;
                    None
                }
                Err(refused) => Some(refused),
            },
            Call::Move => match read_move(parts) {
                Ok(read) => {
                    self.seats[seat].direction = Some(read.direction);
                    profile.shout = read.shout;
                    None
                }
                Err(refused) => Some(refused),
            },
        };
        let seat = &mut self.seats[seat];
        seat.comment.clear();
        seat.verdict = Some(refused.map_or(verdict, Refused::verdict));
        if self.call == Call::Move {
            profile.latency_ms = parts.took().as_millis();
            if let Some(verdict) = seat.verdict.filter(|verdict| !verdict.is_ok()) {
                profile.shout.clear();
                seat.comment = seat.fault_comment(verdict, refused);
            }
        }
    }

    fn end_call(&mut self, out: &mut Outputs) {
        if matches!(self.call, Call::Info | Call::Move) {
            self.judge(out);
        }
        let call = self.call;
        if call == Call::Move {
            self.play_turn(out);
        }
        self.calls += 1;
        match call {
            Call::Info => self.ask(Call::Start, out),
            Call::Start | Call::Move if self.has_ended => self.ask(Call::End, out),
            Call::Start | Call::Move => self.ask(Call::Move, out),
            Call::End => {
                let outcome = score::outcome(&self.state, &self.options);
                self.outcome = Some(outcome.clone());
                out.push(Output::Over(outcome));
            }
        }
    }

    fn judge(&self, out: &mut Outputs) {
        for seat in self.asked() {
            let SeatState { verdict, direction, .. } = self.seats[seat];
            let verdict = verdict.unwrap_or(Verdict::Ok);
            let word = direction.filter(|_| self.call == Call::Move && verdict.is_ok());
            let action = word.map_or("", Direction::name).into();
            let (request, seat) = (self.request_of(seat), Seat(seat as u8));
            out.push(Output::Judged { seat, request, verdict, action });
        }
    }

    fn play_turn(&mut self, out: &mut Outputs) {
        let Self { options, state, spawner, seats, .. } = self;
        let is_over = is_over(state, options);
        if !is_over {
            let move_of = |seat: usize| Some(seats[seat].direction.unwrap_or(Direction::Up));
            advance(state, options, move_of, spawner);
            self.comment_on_eliminations();
        }
        let Self { options, state, spawner, .. } = self;
        spawner.spawn(options, state);
        let round = state.turn;
        state.turn += 1;
        self.has_ended = is_over || state.turn >= options.max_turns;
        out.push(Output::RoundOver { round });
    }

    fn comment_on_eliminations(&mut self) {
        let on = self.state.turn + 1;
        for (seat, snake) in self.state.snakes.iter().enumerate() {
            let Some(out) = snake.out.filter(|out| out.on == on) else { continue };
            let comment = &mut self.seats[seat].comment;
            let separator = if comment.is_empty() { "" } else { "; " };
            *comment += separator;
            *comment += &draw::elimination_text(&out, seat, &self.profiles);
        }
    }
}

impl SeatState {
    /// Returns the reason why an answer is not taken, and the move that is made instead.
    fn fault_comment(&self, verdict: Verdict, refused: Option<Refused>) -> String {
        let reason = refused.map_or_else(|| verdict.to_string(), |refused| refused.to_string());
        let (instead, word) = match self.direction {
            Some(direction) => ("its last move is repeated", direction.name()),
            None => ("it has not moved yet and goes", Direction::Up.name()),
        };
        format!("{reason}; {instead}: {word}")
    }
}

/// Returns the name of a bout, from which nobody learns its seed.
fn bout_id(seed: Seed) -> String {
    let hash = StateHash(sha256(&seed.0.to_le_bytes())).to_string();
    format!("game-{}", &hash[..16])
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let is_due = match input {
            Input::Answer { seat, request, parts, verdict } => {
                let is_open = self.is_open(seat.index(), *request);
                if is_open {
                    self.take_answer(seat.index(), parts, *verdict);
                }
                is_open
            }
            // A turn in which nobody is left to be asked.
            Input::Tick => self.outcome.is_none() && self.asked().next().is_none(),
            _ => false,
        };
        if is_due && self.asked().all(|seat| self.seats[seat].verdict.is_some()) {
            self.end_call(out);
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.state.turn
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| {
            out.push(self.call as u8);
            self.state.write_bytes(out);
            self.spawner.write_bytes(out);
            out.extend(self.seats.iter().map(|seat| seat.direction.map_or(u8::MAX, |it| it as u8)));
        }))
    }

    fn scene(&self) -> Scene {
        draw::scene(&self.state, &self.profiles)
    }

    fn reads(&self, _: Seat, parts: &Parts) -> Verdict {
        let refused = match self.call {
            Call::Info => read_customizations(parts).err(),
            Call::Move => read_move(parts).err(),
            Call::Start | Call::End => None,
        };
        refused.map_or(Verdict::Ok, Refused::verdict)
    }

    fn comment(&self, seat: Seat) -> Option<&str> {
        let comment = &self.seats.get(seat.index())?.comment;
        (!comment.is_empty()).then_some(comment)
    }
}

//! One bout: ticks, queues of answers, states for the living.

use std::collections::VecDeque;

use super::{
    Answer, BoutOptions, Chance, GameState, Order, Report, advance, draw, read, recording, score,
    view,
};
use crate::{
    DeadlineClass, Input, Judge, JudgeError, Outcome, Output, Outputs, Part, Parts, Recording,
    RequestId, Scene, Seat, Setup, StartError, StateHash, Verdict,
};

/// One bout in progress.
///
/// Nobody is asked before the first tick. A tick takes at most one answer from
/// the queue of every living seat, in seat order, plays, and shows the new
/// state to the living; the last state is shown too. Answers queue up and are
/// never discarded, however old the state is that they answer.
///
/// The request that tick T is judged under is the one made at the end of tick
/// T - 1; for tick 0 none was made.
#[derive(Clone, Debug)]
pub struct Bout {
    max_iterations: Option<u32>,
    names: Vec<String>,
    state: GameState,
    chance: Chance,
    queues: Vec<Queue>,
    report: Report,
    orders: Vec<Option<Order>>,
    outcome: Option<Outcome>,
}

/// The answers of a seat that were not taken yet.
#[derive(Clone, Debug, Default)]
struct Queue {
    waiting: VecDeque<Answer>,
    /// The tick in which the newest request that was answered is judged; 0
    /// before the first answer.
    answered: u32,
}

impl Bout {
    /// Starts a bout on a board drawn from the seed.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>) -> Result<Self, StartError> {
        let options = BoutOptions::from_setup(setup)?;
        let mut chance = Chance::from_seed(setup.seed);
        let state = GameState::generate(&options, &mut chance);
        let mut bout = Self::from_state(options.max_iterations, state, chance);
        bout.names.iter_mut().zip(setup.names).for_each(|(name, given)| name.clone_from(given));
        Ok(bout)
    }

    /// Starts a bout from any position.
    pub fn from_state(max_iterations: Option<u32>, state: GameState, chance: Chance) -> Self {
        let seats = state.players.len();
        Self {
            max_iterations,
            names: (0..seats).map(|seat| format!("bot {seat}")).collect(),
            queues: vec![Queue::default(); seats],
            orders: vec![None; seats],
            report: Report::default(),
            outcome: None,
            state,
            chance,
        }
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns what chance decided in the last tick.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Queues an answer to a request that was made and not answered yet.
    fn queue(&mut self, seat: Seat, request: RequestId, parts: &Parts) {
        let (tick, asked) = self.request_made(request);
        let Some(queue) = self.queues.get_mut(seat.index()) else { return };
        if asked != seat || tick <= queue.answered || tick > self.state.tick {
            return;
        }
        queue.answered = tick;
        queue.waiting.extend(read(parts));
    }

    /// Queues a fault, whatever request it is reported under: an agent can die
    /// before it is asked anything and after it has answered everything.
    fn queue_fault(&mut self, seat: Seat, verdict: Verdict) {
        if let Some(queue) = self.queues.get_mut(seat.index()) {
            queue.waiting.push_back(Answer::without_order(verdict));
        }
    }

    /// Returns the number of the request under which `seat` is judged in `tick`.
    fn request_of(&self, tick: u32, seat: Seat) -> RequestId {
        let seats = u32::try_from(self.queues.len()).unwrap_or(u32::MAX);
        RequestId(tick.wrapping_mul(seats).wrapping_add(u32::from(seat.0)))
    }

    /// Returns the tick and the seat of a request.
    fn request_made(&self, request: RequestId) -> (u32, Seat) {
        let seats = u32::try_from(self.queues.len()).unwrap_or(u32::MAX).max(1);
        (request.0 / seats, Seat(u8::try_from(request.0 % seats).unwrap_or(u8::MAX)))
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..u8::try_from(self.queues.len()).unwrap_or(u8::MAX)).map(Seat)
    }

    fn is_alive(&self, seat: Seat) -> bool {
        self.state.players[seat.index()].is_alive()
    }

    fn tick(&mut self, out: &mut Outputs) {
        let tick = self.state.tick;
        self.take_answers(tick, out);
        let (state, report) = (&mut self.state, &mut self.report);
        advance(state, self.max_iterations, &self.orders, &mut self.chance, report);
        out.push(Output::RoundOver { round: tick });
        self.ask(out);
        self.outcome = score::outcome(&self.state);
        out.list.extend(self.outcome.clone().map(Output::Over));
    }

    /// Takes at most one answer of every living seat and judges it.
    fn take_answers(&mut self, tick: u32, out: &mut Outputs) {
        for seat in self.seats() {
            self.orders[seat.index()] = None;
            if !self.is_alive(seat) {
                continue;
            }
            let taken = self.queues[seat.index()].waiting.pop_front();
            let Answer { verdict, order } =
                taken.unwrap_or_else(|| Answer::without_order(Verdict::Ok));
            self.orders[seat.index()] = order;
            let action = order.map_or("", |order| order.name()).into();
            let request = self.request_of(tick, seat);
            out.push(Output::Judged { seat, request, verdict, action });
        }
    }

    /// Shows the living the position after the tick just played.
    fn ask(&self, out: &mut Outputs) {
        if self.state.alive() == 0 {
            return;
        }
        let game = out.wants_views().then(|| Part {
            name: view::GAME_STATE.into(),
            bytes: view::game_state(&self.state).into(),
        });
        for seat in self.seats().filter(|seat| self.is_alive(*seat)) {
            let parts = game.clone().map_or_else(Parts::none, |game| self.view_of(seat, game));
            let (request, deadline) = (self.request_of(self.state.tick, seat), DeadlineClass::Tick);
            out.push(Output::Ask { seat, request, parts, deadline, files: None });
        }
    }

    fn view_of(&self, seat: Seat, game: Part) -> Parts {
        let bytes = view::player_state(&self.state, seat).into();
        Parts(vec![game, Part { name: view::PLAYER_STATE.into(), bytes }])
    }
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        if self.outcome.is_some() {
            return Ok(());
        }
        match input {
            Input::Answer { seat, request, parts, verdict: Verdict::Ok } => {
                self.queue(*seat, *request, parts);
            }
            Input::Answer { seat, verdict, .. } => self.queue_fault(*seat, *verdict),
            Input::Tick => self.tick(out),
            Input::Resolved { draw, values } => self.chance.force(draw, values.clone()),
            Input::Person { .. }
            | Input::Message { .. }
            | Input::Opened { .. }
            | Input::Closed { .. } => {}
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.state.tick
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| {
            self.state.write_bytes(out);
            for queue in &self.queues {
                out.extend(queue.answered.to_le_bytes());
                out.extend(u32::try_from(queue.waiting.len()).unwrap_or(u32::MAX).to_le_bytes());
                for answer in &queue.waiting {
                    out.push(answer.verdict.code());
                    out.push(answer.order.map_or(0, |order| order.name().as_bytes()[0]));
                }
            }
        }))
    }

    fn scene(&self) -> Scene {
        draw::scene(&self.state, &self.names)
    }

    fn recording(&self) -> Option<&dyn Recording> {
        Some(self)
    }
}

impl Recording for Bout {
    fn head(&self) -> Vec<String> {
        self.names.iter().map(|name| recording::player(name)).collect()
    }

    fn round(&self) -> Vec<String> {
        match self.state.tick.checked_sub(1) {
            Some(tick) => recording::orders(tick, &self.report),
            None => vec![recording::map(&self.state)],
        }
    }
}

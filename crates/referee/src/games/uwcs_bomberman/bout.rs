//! One bout: one game, with seats.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use super::spec::SPEC;
use super::{
    Admission, Effect, GameOptions, Phase, Report, Series, Server, Turn, draw, quirks_of, score,
};
use crate::{
    Connection, DeadlineClass, Input, Judge, JudgeError, Outcome, Output, Outputs, Parts,
    RequestId, Scene, Seat, Setup, StartError, StateHash, Verdict,
};

/// Largest number of open connections, more than the bots of any bout can have.
const MOST_CONNECTIONS: usize = 4096;

/// One bout in progress.
///
/// Every seat gets a start request. With the answer to the last one the game
/// begins: `INIT` is sent and the window is open, with any number of clients. From then on
/// [`Input::Tick`] is the clock. Accounts are the bout's own, one set per
/// seat, so that no seat can take another's name. The result goes
/// to the seat that owns the connection, under whatever name it registered.
#[derive(Clone, Debug)]
pub struct Bout {
    server: Server,
    names: Vec<String>,
    /// The start requests not answered yet, by seat.
    starting: BTreeMap<Seat, RequestId>,
    next_request: u32,
    /// The last request of each seat, in seat order.
    newest: Vec<RequestId>,
    /// Verdicts that replace the actions of seats at the next tick.
    faults: BTreeMap<Seat, Verdict>,
    last_connection: Option<Connection>,
    passwords: BTreeMap<(Option<Seat>, String), String>,
    owners: BTreeMap<Connection, Option<Seat>>,
    outcome: Option<Outcome>,
}

impl Bout {
    /// Starts a bout and asks every seat to get ready.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    pub fn start(setup: &Setup<'_>, out: &mut Outputs) -> Result<Self, StartError> {
        let quirks = quirks_of(setup.rules)
            .ok_or_else(|| StartError::UnknownRules(setup.rules.to_owned()))?;
        if !SPEC.has_seats(setup.seats) {
            return Err(StartError::Seats(setup.seats));
        }
        let options = GameOptions::read(quirks, setup.options)?;
        let mut bout = Self {
            server: Server::new(options, Admission::OnePerSeat, Series::OneGame, setup.seed),
            names: (0..setup.seats).map(|seat| setup.name_of(Seat(seat))).collect(),
            starting: BTreeMap::new(),
            next_request: 0,
            newest: vec![RequestId(0); usize::from(setup.seats)],
            faults: BTreeMap::new(),
            last_connection: None,
            passwords: BTreeMap::new(),
            owners: BTreeMap::new(),
            outcome: None,
        };
        bout.ask(out);
        Ok(bout)
    }

    /// Returns the server behind the bout.
    pub fn server(&self) -> &Server {
        &self.server
    }

    fn ask(&mut self, out: &mut Outputs) {
        for seat in (0..).map(Seat).take(self.names.len()) {
            let request = self.new_request(seat);
            self.starting.insert(seat, request);
            let (parts, deadline) = (Parts::none(), DeadlineClass::Start);
            out.push(Output::Ask { seat, request, parts, deadline, files: None });
        }
    }

    fn new_request(&mut self, seat: Seat) -> RequestId {
        let request = RequestId(self.next_request);
        self.next_request += 1;
        self.newest[seat.index()] = request;
        request
    }

    /// The answer to a start request; later, the news that a seat's bot has
    /// failed, which is judged at the next tick.
    fn answer(&mut self, seat: Seat, request: RequestId, verdict: Verdict, out: &mut Outputs) {
        if self.newest.get(seat.index()) != Some(&request) {
            return;
        }
        if self.starting.remove(&seat).is_none() {
            if !verdict.is_ok() {
                self.faults.entry(seat).or_insert(verdict);
            }
            return;
        }
        out.push(Output::Judged { seat, request, verdict, action: "".into() });
        if self.starting.is_empty() {
            self.tell(out, Server::begin);
        }
    }

    /// Opens a connection. A number that does not ascend belongs to no new connection.
    fn open(&mut self, connection: Connection, seat: Option<Seat>) {
        if self.last_connection < Some(connection) && self.owners.len() < MOST_CONNECTIONS {
            self.last_connection = Some(connection);
            let seat = seat.filter(|seat| seat.index() < self.names.len());
            self.owners.insert(connection, seat);
            self.server.open(connection, seat);
        }
    }

    fn close(&mut self, connection: Connection) {
        self.owners.remove(&connection);
        self.server.close(connection);
    }

    /// Tells the server something and carries out what it wants done.
    fn tell(&mut self, out: &mut Outputs, tell: impl FnOnce(&mut Server, &mut Vec<Effect>)) {
        let mut effects = Vec::new();
        self.server.speak(out.wants_views());
        tell(&mut self.server, &mut effects);
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            match effect {
                Effect::Send { to, bytes } => out.push(Output::Send { to, bytes }),
                Effect::Check { connection, name, password } => {
                    let is_right = self.check(connection, name, password);
                    let mut follow = Vec::new();
                    self.server.checked(connection, is_right, &mut follow);
                    follow.into_iter().rev().for_each(|effect| waiting.push_front(effect));
                }
                Effect::Close { connection } => {
                    self.owners.remove(&connection);
                    out.push(Output::Close { connection });
                }
                Effect::Turn(turn) => self.judge(&turn, out),
                Effect::Over(report) => self.end(&report, out),
            }
        }
    }

    fn check(&mut self, connection: Connection, name: String, password: String) -> bool {
        let seat = self.owners.get(&connection).copied().flatten();
        let kept = self.passwords.entry((seat, name)).or_insert_with(|| password.clone());
        *kept == password
    }

    /// A turn is a request to every living seat; doing nothing is an answer.
    fn judge(&mut self, turn: &Turn, out: &mut Outputs) {
        let acted = turn.acted.iter().filter_map(|(connection, action)| {
            let seat = self.owners.get(connection).copied().flatten()?;
            Some((seat, action.map_or("", super::Action::name)))
        });
        let acted: BTreeMap<Seat, &'static str> = acted.collect();
        for seat in (0..).map(Seat).take(self.names.len()) {
            match (self.faults.remove(&seat), acted.get(&seat)) {
                (Some(fault), _) => self.judge_seat(seat, fault, "", out),
                (None, Some(action)) => self.judge_seat(seat, Verdict::Ok, action, out),
                (None, None) => {}
            }
        }
        out.push(Output::RoundOver { round: self.rounds().saturating_sub(1) });
    }

    fn judge_seat(
        &mut self,
        seat: Seat,
        verdict: Verdict,
        action: &'static str,
        out: &mut Outputs,
    ) {
        let request = self.new_request(seat);
        out.push(Output::Judged { seat, request, verdict, action: action.into() });
    }

    /// A game may end with no turn left to judge the last faults in.
    fn end(&mut self, report: &Report, out: &mut Outputs) {
        for (seat, fault) in std::mem::take(&mut self.faults) {
            self.judge_seat(seat, fault, "", out);
        }
        let seats = self.names.len();
        let outcome = score::outcome(report.ended, report.turns, seats, &report.scores);
        self.outcome = Some(outcome.clone());
        out.push(Output::Over(outcome));
    }
}

impl Judge for Bout {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        if self.outcome.is_some() {
            return Ok(());
        }
        match input {
            Input::Answer { seat, request, verdict, .. } => {
                self.answer(*seat, *request, *verdict, out);
            }
            Input::Opened { connection, seat } => self.open(*connection, *seat),
            Input::Closed { connection } => self.close(*connection),
            Input::Message { connection, bytes } if bytes.is_empty() => {
                self.tell(out, |server, effects| server.quiet(*connection, effects));
            }
            Input::Message { connection, bytes } => {
                self.tell(out, |server, effects| server.receive(*connection, bytes, effects));
            }
            Input::Tick => {
                self.tell(out, Server::flush);
                self.tell(out, Server::strike);
            }
            Input::Resolved { draw, values } => self.server.resolve(draw.clone(), values.clone()),
            Input::Person { .. } => {}
        }
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.server.state().turns
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(StateHash::of(|out| self.server.write_bytes(out)))
    }

    fn scene(&self) -> Scene {
        draw::scene(self.server.state(), &self.names)
    }

    fn has_acted(&self, seat: Seat) -> bool {
        let mut owned = self.owners.iter().filter(|(_, owner)| **owner == Some(seat));
        match self.server.phase() {
            Phase::Window => {
                owned.any(|(connection, _)| self.server.registered(*connection).is_some())
            }
            Phase::Running => {
                let players = &self.server.state().players;
                let mut own = players.iter().filter(|player| player.seat == Some(seat));
                own.all(|player| !player.is_alive || player.pending.is_some())
            }
            Phase::Waiting | Phase::Over => true,
        }
    }

    /// Returns the name that a client of the seat has registered.
    fn own_name(&self, seat: Seat) -> Option<&str> {
        let mut own = self.owners.iter().filter(|(_, owner)| **owner == Some(seat));
        own.find_map(|(connection, _)| self.server.registered(*connection))
    }
}

//! TCP server of the game, without its sockets, clock and password file.
//!
//! The host has those and feeds it connections that come and go, the bytes of each
//! read, and the ticks of the clock. The server returns [`Effect`]s for the host to
//! carry out. It asks whether a password is right by [`Effect::Check`] and
//! answered by [`Server::checked`], at once or later; until then further commands
//! of that connection wait, those of others do not.

mod client;
mod mirror;
mod served;

pub use client::{Lines, Utf8Stream};

use std::collections::BTreeMap;
use std::sync::Arc;

use client::Client;
use mirror::Mirror;

use super::setup::{self, Candidate, Draws, admit};
use super::view::{self, Text};
use super::{
    Action, Command, GameOptions, GameState, OddNames, Score, Turn, advance,
    is_property_of_every_object, read, score,
};
use crate::bytes::write_length;
use crate::{Connection, Seat, Seed, SendTo};

/// Phase in the life of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the first game.
    Waiting,
    /// Between `INIT` and the map: clients register.
    Window,
    /// A game is played.
    Running,
    /// The only game is over.
    Over,
}

/// Rule by which connections become players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Every registered connection.
    Anyone,
    /// The first of each seat's registered connections. Other
    /// connections of a seat, and those that belong to no seat, are audience.
    OnePerSeat,
}

/// Continuation after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// Nothing: the server stops playing.
    OneGame,
    /// The next game, at once.
    BackToBack,
}

/// Result of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Reason: [`super::ONE_LEFT`] or another one. After [`super::STUCK`] the game has not
    /// really ended: the server reports the same at every tick of the clock.
    pub ended: &'static str,
    /// Turns evaluated before the game ended.
    pub turns: u32,
    /// All players still connected, ascending by connection.
    pub scores: Vec<Score>,
}

/// Action that the server asks its host for, or event that it reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send these bytes: whole lines, each ended by `\n`.
    Send {
        /// One connection, or all of the audience.
        to: SendTo,
        /// The message, the same for every receiver.
        bytes: Arc<[u8]>,
    },
    /// Find out whether the account `name` has this password, make the account if it does
    /// not exist, and call [`Server::checked`].
    Check {
        /// The connection that registers.
        connection: Connection,
        /// The account's name, any text.
        name: String,
        /// The password, any text.
        password: String,
    },
    /// Close this connection: too many of its bytes wait. The server has already
    /// forgotten it.
    Close {
        /// Its number.
        connection: Connection,
    },
    /// A turn was evaluated.
    Turn(Turn),
    /// A game ended; its `END` and `SCORES` are already sent.
    Over(Report),
}

/// The server without its sockets, clock and password file.
#[derive(Clone, Debug)]
pub struct Server {
    options: GameOptions,
    admission: Admission,
    series: Series,
    draws: Draws,
    phase: Phase,
    games: u32,
    clients: BTreeMap<Connection, Client>,
    state: GameState,
    speaks: bool,
}

impl Server {
    /// Makes a server that waits for [`Server::begin`].
    pub fn new(options: GameOptions, admission: Admission, series: Series, seed: Seed) -> Self {
        Self {
            options,
            admission,
            series,
            draws: Draws::new(seed),
            phase: Phase::Waiting,
            games: 0,
            clients: BTreeMap::new(),
            state: GameState::empty(options.rows, options.columns),
            speaks: true,
        }
    }

    /// Turns [`Effect::Send`]s on or off; they are on at first. Nothing else
    /// depends on it.
    pub fn speak(&mut self, speaks: bool) {
        self.speaks = speaks;
    }

    /// Returns the phase of the game.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the position.
    pub fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns the options it was made with.
    pub fn options(&self) -> &GameOptions {
        &self.options
    }

    /// Returns the name that a connection has registered for this game.
    pub fn registered(&self, connection: Connection) -> Option<&str> {
        self.clients.get(&connection)?.registered.as_deref()
    }

    /// Begins the first game: sends `INIT`, opens the window. Later games begin
    /// by themselves.
    pub fn begin(&mut self, out: &mut Vec<Effect>) {
        if self.phase == Phase::Waiting {
            self.open_window(out);
        }
    }

    /// Takes a new connection. Numbers ascend and are never used again.
    pub fn open(&mut self, connection: Connection, seat: Option<Seat>) {
        self.clients.entry(connection).or_insert_with(|| Client::new(seat));
    }

    /// Forgets a connection, its player included. Its bombs stay.
    pub fn close(&mut self, connection: Connection) {
        self.clients.remove(&connection);
        self.state.players.retain(|player| player.connection != connection);
    }

    /// Takes the bytes of one read.
    pub fn receive(&mut self, connection: Connection, bytes: &[u8], out: &mut Vec<Effect>) {
        let framing = self.options.quirks.framing;
        let Some(client) = self.clients.get_mut(&connection) else { return };
        client.receive(bytes, framing);
        self.obey(connection, out);
    }

    /// Notes that nothing came on a connection for [`super::QUIET_MS`].
    pub fn quiet(&mut self, connection: Connection, out: &mut Vec<Effect>) {
        let Some(client) = self.clients.get_mut(&connection) else { return };
        client.flush();
        self.obey(connection, out);
    }

    /// Takes the result of a connection's last password check.
    ///
    /// A result after the window has closed is too late: the
    /// client gets `E_NOT_INIT`.
    pub fn checked(&mut self, connection: Connection, is_right: bool, out: &mut Vec<Effect>) {
        let Some(client) = self.clients.get_mut(&connection) else { return };
        let Some(name) = client.checking.take() else { return };
        let answer = if !is_right {
            view::WRONG_PASSWORD
        } else if self.phase == Phase::Window {
            client.registered = Some(name);
            view::REGISTERED
        } else {
            view::NOT_INIT
        };
        self.reply(connection, answer, out);
        self.obey(connection, out);
    }

    /// Prepares a tick of the clock: text that waits for a line end becomes a command now.
    /// The password checks that follow from it should be answered before
    /// [`Server::strike`].
    pub fn flush(&mut self, out: &mut Vec<Effect>) {
        let connections: Vec<Connection> = self.clients.keys().copied().collect();
        for connection in connections {
            self.quiet(connection, out);
        }
    }

    /// Takes a tick of the clock: the window is over, or a turn is due. Must be called
    /// after [`Server::flush`].
    pub fn strike(&mut self, out: &mut Vec<Effect>) {
        match self.phase {
            Phase::Window => self.start_game(out),
            Phase::Running => self.play_turn(out),
            Phase::Waiting | Phase::Over => {}
        }
    }

    /// Forces the next draw of a kind: `map` (the squares row by row as
    /// numbers), `players` (connections in the order of `PLAYERS`), `starts`
    /// (row and column of each). Values that do not fit are not used.
    pub fn resolve(&mut self, draw: String, values: Vec<i64>) {
        self.draws.resolve(draw, values);
    }

    /// Appends canonical bytes: phase and games begun, the position, the number of
    /// connections, then each with its number.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.push(self.phase as u8);
        out.extend(self.games.to_le_bytes());
        self.state.write_bytes(out);
        write_length(out, self.clients.len());
        for (connection, client) in &self.clients {
            out.extend(connection.0.to_le_bytes());
            client.write_bytes(out);
        }
    }

    fn obey(&mut self, connection: Connection, out: &mut Vec<Effect>) {
        while let Some(client) = self.clients.get_mut(&connection) {
            let Some(command) = client.next_command() else { break };
            match read(&command) {
                Command::Register { name, password } => {
                    self.register(connection, name, password, out);
                }
                Command::Action(action) => self.act(connection, action, out),
                Command::Unknown => {}
            }
        }
        if self.clients.get(&connection).is_some_and(Client::is_too_full) {
            self.close(connection);
            out.push(Effect::Close { connection });
        }
    }

    fn register(
        &mut self,
        connection: Connection,
        name: Option<&str>,
        password: Option<&str>,
        out: &mut Vec<Effect>,
    ) {
        let answer = match (self.phase, name, password) {
            (Phase::Window, None, _) => view::NO_NAME,
            (Phase::Window, _, None) => view::NO_PASSWORD,
            (Phase::Window, Some(name), Some(password)) => {
                return self.ask_for_check(connection, name, password, out);
            }
            _ => view::NOT_INIT,
        };
        self.reply(connection, answer, out);
    }

    fn ask_for_check(
        &mut self,
        connection: Connection,
        name: &str,
        password: &str,
        out: &mut Vec<Effect>,
    ) {
        let names_can_break = self.options.quirks.odd_names == OddNames::BreakTheServer;
        if names_can_break && is_property_of_every_object(name) {
            return self.reply(connection, view::WRONG_PASSWORD, out);
        }
        let Some(client) = self.clients.get_mut(&connection) else { return };
        client.checking = Some(name.to_owned());
        let (name, password) = (name.to_owned(), password.to_owned());
        out.push(Effect::Check { connection, name, password });
    }

    fn act(&mut self, connection: Connection, action: Option<Action>, out: &mut Vec<Effect>) {
        let is_running = self.phase == Phase::Running;
        let player = self.state.living_player(connection).filter(|_| is_running);
        let answer = match (player, action) {
            (None, _) => view::NOT_PLAYING,
            (Some(player), _) if player.pending.is_some() => view::TOO_MANY_ACTIONS,
            (Some(_), None) => view::INVALID_ACTION,
            (Some(player), Some(action)) => {
                player.pending = Some(action);
                action.name()
            }
        };
        self.reply(connection, answer, out);
    }

    fn open_window(&mut self, out: &mut Vec<Effect>) {
        self.phase = Phase::Window;
        self.games += 1;
        self.clients.values_mut().for_each(|client| client.registered = None);
        self.broadcast(|| Text::default().line(view::INIT), out);
    }

    fn start_game(&mut self, out: &mut Vec<Effect>) {
        let registered = self.clients.iter().filter_map(|(connection, client)| {
            let name = client.registered.clone()?;
            Some(Candidate { connection: *connection, seat: client.seat, name })
        });
        let candidates = admit(self.admission, registered.collect());
        let (state, order) = setup::start(&self.options, candidates, &mut self.draws);
        self.state = state;
        self.phase = Phase::Running;
        let text = || {
            let text = Text::default().map(&self.state).players(&self.state, &order);
            text.tick(&self.state, &self.options.quirks)
        };
        self.broadcast(text, out);
    }

    fn play_turn(&mut self, out: &mut Vec<Effect>) {
        if let Some(ended) = score::end_before_turn(&self.state, &self.options) {
            return self.end_game(ended, out);
        }
        let quirks = &self.options.quirks;
        let turn = advance(&mut self.state, quirks);
        let ended = score::end_after_turn(&self.state, &self.options);
        let text = || {
            let text = Text::default().actions(&self.state, &turn, quirks);
            let text = text.dead(&self.state, &turn, quirks);
            if ended.is_none() { text.tick(&self.state, quirks) } else { text }
        };
        self.broadcast(text, out);
        out.push(Effect::Turn(turn));
        if let Some(ended) = ended {
            self.end_game(ended, out);
        }
    }

    fn end_game(&mut self, ended: &'static str, out: &mut Vec<Effect>) {
        score::reward_survivor(&mut self.state, &self.options.quirks);
        let scores = score::list(&self.state);
        let breaks_after = score::breaks_after(&scores, &self.options.quirks);
        let sent = &scores[..breaks_after.unwrap_or(scores.len())];
        self.broadcast(|| Text::default().scores(scores.len(), sent), out);
        let ended = if breaks_after.is_some() { score::STUCK } else { ended };
        out.push(Effect::Over(Report { ended, turns: self.state.turns, scores }));
        if breaks_after.is_some() {
            return;
        }
        match self.series {
            Series::OneGame => self.phase = Phase::Over,
            Series::BackToBack => self.open_window(out),
        }
    }

    fn reply(&self, connection: Connection, line: &str, out: &mut Vec<Effect>) {
        self.send(SendTo::Connection(connection), || Text::default().line(line), out);
    }

    fn broadcast(&self, text: impl FnOnce() -> Text, out: &mut Vec<Effect>) {
        self.send(SendTo::All, text, out);
    }

    fn send(&self, to: SendTo, text: impl FnOnce() -> Text, out: &mut Vec<Effect>) {
        if !self.speaks {
            return;
        }
        let bytes = text().into_bytes();
        if !bytes.is_empty() {
            out.push(Effect::Send { to, bytes: bytes.into() });
        }
    }
}

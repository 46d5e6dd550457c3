//! Server of a game for programs of people: what a game offers that can be played
//! over the network, one game after the other, without seats.
//!
//! The game has no socket, clock or password file. The host has those and feeds a
//! [`GameServer`] with connections that come and go, the bytes of each read and the
//! strokes of the clock, and does what it says as [`ServerEffect`]s. A
//! [`Spectator`] is the other end: it puts a game together from the lines on the
//! wire.

use std::sync::Arc;

use crate::{Connection, Options, Scene, Seed, SendTo, StartError};

/// A game that can be served.
pub trait ServedGame: Sync {
    /// Makes a server that waits for [`GameServer::begin`]; everything it draws
    /// follows from `seed`.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules or options do not fit.
    fn server(
        &self,
        rules: &str,
        options: &Options,
        seed: Seed,
    ) -> Result<Box<dyn GameServer>, StartError>;

    /// Makes a spectator who has seen nothing yet.
    fn spectator(&self) -> Box<dyn Spectator>;
}

/// A server of one game after the other.
///
/// It must accept any bytes in any order, and ignores connections that are closed or
/// were never opened.
pub trait GameServer: Send {
    /// Begins the first game. Later games begin by themselves.
    fn begin(&mut self, out: &mut Vec<ServerEffect>);

    /// Returns what the clock is waiting for.
    fn pace(&self) -> ServerPace;

    /// Returns the milliseconds of silence after which bytes without a line end
    /// are complete, which [`GameServer::quiet`] tells.
    fn quiet_ms(&self) -> u32;

    /// Takes a new connection. Numbers ascend and are never used again.
    fn open(&mut self, connection: Connection);

    /// Forgets a connection.
    fn close(&mut self, connection: Connection);

    /// Takes the bytes of one read.
    fn receive(&mut self, connection: Connection, bytes: &[u8], out: &mut Vec<ServerEffect>);

    /// Learns that nothing more came on a connection for a while.
    fn quiet(&mut self, connection: Connection, out: &mut Vec<ServerEffect>);

    /// Learns whether the password last asked about on a connection is right.
    fn checked(&mut self, connection: Connection, is_right: bool, out: &mut Vec<ServerEffect>);

    /// The clock is about to strike: what has come is all that counts. The
    /// password checks that follow from it should be answered before
    /// [`GameServer::strike`].
    fn flush(&mut self, out: &mut Vec<ServerEffect>);

    /// The clock strikes.
    fn strike(&mut self, out: &mut Vec<ServerEffect>);
}

/// Pace of a server: the event that its clock waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerPace {
    /// Milliseconds from the stroke before to the next one.
    pub until_next_ms: u32,
    /// True while players register for the next game: the stroke that ends this waits
    /// for the passwords that are being checked.
    pub is_registration: bool,
}

/// Something a server wants done, or wants known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEffect {
    /// Send these bytes.
    Send {
        /// Receivers.
        to: SendTo,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Find out whether the account `name` has this password, make it if there is
    /// none, and call [`GameServer::checked`].
    Check {
        /// The asking connection.
        connection: Connection,
        /// The account's name, any text.
        name: String,
        /// The password, any text.
        password: String,
    },
    /// Close this connection: it keeps too much waiting. The server has already
    /// forgotten it.
    Close {
        /// The connection.
        connection: Connection,
    },
    /// A game ended; `None` if it had no players.
    Over(Option<ServerReport>),
    /// The game cannot go on by itself; said again at every stroke of the clock
    /// until it can.
    Stuck {
        /// Why, and what helps, for the operator of the server.
        why: &'static str,
    },
}

/// Result of a game on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// Why, in a word.
    pub ended: &'static str,
    /// Turns played.
    pub turns: u32,
    /// Every player that gets points, in the order in which the points are sent.
    pub scores: Vec<ServerScore>,
    /// Something that the operator of the server may want to know about such an end.
    pub note: Option<&'static str>,
}

/// Points of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerScore {
    /// The account's name.
    pub name: String,
    /// The name as players are shown it.
    pub shown: String,
    /// Points of this game.
    pub points: i64,
}

/// A game as a spectator sees it. Lines that do not fit are passed over.
pub trait Spectator {
    /// Takes one line, without its end.
    fn read_line(&mut self, line: &str) -> SpectatorEvent;

    /// Draws the position, if enough has been seen.
    fn scene(&self) -> Option<Scene>;
}

/// Event that a line reports to a spectator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpectatorEvent {
    /// Nothing to show yet.
    Nothing,
    /// The position has changed.
    Position,
    /// Something to say: a new game, a death.
    News(String),
    /// A game is over, and what there is to say about it.
    GameOver(String),
}

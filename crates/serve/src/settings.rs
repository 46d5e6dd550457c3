//! Settings of a server.

use std::net::SocketAddr;
use std::time::Duration;

use joust_referee::GameServer;

/// Limits of one connection, or of all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Connections at once; more are closed on arrival.
    pub connections: usize,
    /// Connections from one IPv4 address or one IPv6 network (/64) at once; more are closed on
    /// arrival.
    pub per_address: usize,
    /// Bytes that wait to be taken by a client; more close it.
    pub unsent_bytes: usize,
    /// Bytes that a client sends in one tick; more close it.
    pub bytes_per_tick: usize,
    /// Time that a client may stay without ever sending anything, or after its
    /// last message. Spectators of their own port may stay for ever.
    pub idle: Duration,
    /// Wrong passwords on one connection; more close it.
    pub wrong_passwords: u32,
    /// Accounts in all; further names are refused like a wrong password.
    pub accounts: usize,
    /// New names from one IPv4 address or one IPv6 network (/64) in an hour; further ones are
    /// refused like a wrong password. Names that are known play on.
    pub new_names: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            connections: 10_000,
            per_address: 256,
            unsent_bytes: 64 * 1024,
            bytes_per_tick: 256 * 1024,
            idle: Duration::from_secs(60 * 60),
            wrong_passwords: 20,
            accounts: 100_000,
            new_names: 500,
        }
    }
}

/// Settings of a server.
pub struct Settings {
    /// Address for players; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Address for spectators, if they have a place of their own: all that
    /// they send is thrown away unread.
    pub spectators: Option<SocketAddr>,
    /// The id of the game, whose accounts are used.
    pub game: String,
    /// The game; it has not begun.
    pub server: Box<dyn GameServer>,
    /// Limits of clients.
    pub caps: Caps,
}

//! Settings of a server.

use std::net::SocketAddr;
use std::time::Duration;

use joust_referee::GameServer;

/// Limits per connection and in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The most simultaneous connections; further ones are closed on arrival.
    pub connections: usize,
    /// The most simultaneous connections from one IPv4 address or one IPv6 network (/64); further
    /// ones are closed on arrival.
    pub per_address: usize,
    /// The most bytes queued for a client; above it the connection is closed.
    pub unsent_bytes: usize,
    /// The most bytes that a client may send in one tick; above it the connection is closed.
    pub bytes_per_tick: usize,
    /// Time that a client may stay without ever sending anything, or after its last message.
    /// Spectators on their own port may stay forever.
    pub idle: Duration,
    /// The most wrong passwords on one connection; above it the connection is closed.
    pub wrong_passwords: u32,
    /// The most accounts; further names are refused like a wrong password.
    pub accounts: usize,
    /// The most new names from one IPv4 address or one IPv6 network (/64) in an hour; further ones
    /// are refused like a wrong password. Existing names are not affected.
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
    /// Address for spectators, if they have one of their own; their input is discarded unread.
    pub spectators: Option<SocketAddr>,
    /// The id of the game, which selects the accounts.
    pub game: String,
    /// The game, not started.
    pub server: Box<dyn GameServer>,
    /// Limits of clients.
    pub caps: Caps,
}

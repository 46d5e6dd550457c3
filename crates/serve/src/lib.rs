//! A standing game server for remote clients.
//!
//! # Theory of operation
//!
//! It serves any game that offers a [`joust_referee::GameServer`], and contains no game itself.
//!
//! One task, the hub, owns the game's referee core and the clock; it never waits for a client. Each
//! connection has a task that reads, counts and forwards input, and a task that writes what the hub
//! queues. A third kind of task hashes passwords, one at a time and on a thread of its own, because
//! a hash is slow on purpose. Origins take turns (`checks`), and the queued checks of a closed
//! connection are dropped. Only before the window of a game closes does the hub wait for hashes:
//! for the first one of each connection, while few passwords of its address were wrong
//! (`Neighbours`). Guesses and floods are checked when there is no other work. New names are
//! counted (`newcomers`); one above the limit is answered like a wrong password. A client that does
//! not read, sends too much or has too much queued is disconnected, without an effect on the
//! others.
//!
//! Names and totals are stored in the database and survive a restart. Passwords are only stored as
//! Argon2id hashes.
//!
//! Its listeners are opened before anything else is made, so that an address in use leaves nothing
//! to clean up.
#![forbid(unsafe_code)]

mod accounts;
mod checks;
mod connection;
mod hub;
mod newcomers;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use joust_referee::{GameServer, ServerReport};
use joust_store::{Store, StoreError};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::net::TcpListener;

pub use newcomers::NameRefusal;

/// Event of the server for its log.
#[derive(Clone, Debug)]
pub enum ServerNotice {
    /// It accepts players at this address.
    Listening(SocketAddr),
    /// It accepts spectators at this address.
    Spectators(SocketAddr),
    /// A game with players ended.
    GameOver(ServerReport),
    /// The game cannot continue by itself, for this reason; reported once.
    Stuck(&'static str),
    /// A new name was refused; reported once per reason and period.
    NameRefused(NameRefusal),
    /// Names or totals could not be stored.
    NotStored(StoreError),
}

/// Reason why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is in use, not this machine's, or not permitted.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The machine refuses to start a thread.
    #[error("no thread can be started")]
    NoThread(#[source] io::Error),
    /// The accounts cannot be read.
    #[error("the accounts cannot be read")]
    Store(#[from] StoreError),
}

/// Runs the server on its open `listeners` until `stop` is ready, then closes every connection and
/// stores what is pending.
///
/// # Errors
///
/// [`ServeError`] when it cannot be started.
pub async fn serve(
    settings: Settings,
    listeners: Listeners,
    store: Store,
    stop: impl Future<Output = ()>,
    tell: impl FnMut(ServerNotice) + Send,
) -> Result<(), ServeError> {
    let accounts = accounts::Accounts::load(store, settings.game.clone(), settings.caps).await?;
    hub::run(settings, listeners, accounts, stop, tell).await
}

/// Raises this process's soft limit of descriptors to the hard limit. Each connection needs a
/// descriptor, and the usual soft limit of 1,024 exists only for programs that use `select`. If
/// raising it fails, the server accepts as many clients as the soft limit allows.
pub fn take_all_descriptors() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

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

/// Open sockets of a server; clients are queued there until it runs.
#[derive(Debug)]
pub struct Listeners {
    players: BoundListener,
    spectators: Option<BoundListener>,
}

/// One socket.
#[derive(Debug)]
struct BoundListener {
    listener: TcpListener,
    /// The address, with the port that the system chose.
    address: SocketAddr,
}

impl Listeners {
    /// Opens the sockets that `settings` name.
    ///
    /// # Errors
    ///
    /// [`ServeError::Listen`] when an address cannot be used.
    pub async fn open(settings: &Settings) -> Result<Self, ServeError> {
        let players = BoundListener::open(settings.listen).await?;
        let spectators = match settings.spectators {
            Some(address) => Some(BoundListener::open(address).await?),
            None => None,
        };
        Ok(Self { players, spectators })
    }
}

impl BoundListener {
    async fn open(address: SocketAddr) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().unwrap_or(address);
        Ok(Self { listener, address })
    }
}

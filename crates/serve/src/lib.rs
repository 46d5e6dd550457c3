//! A standing game server for remote clients.
//!
//! # Theory of operation
//!
//! Any game is served that offers a [`joust_referee::GameServer`]; none is known here.
//!
//! One task, the hub, owns the game's referee core and the clock; it never waits
//! for a client. Each connection has a task that reads, counts and passes on what
//! came, and one that writes what the hub queues. Passwords are hashed by a
//! third kind of task, one at a time and on a thread of its own, because a hash is slow on
//! purpose: origins take turns (`checks`), what a connection that is over had waiting is
//! dropped, and the hub waits for hashes only before the window of a game closes: for the first
//! of each connection, as long as few passwords of its address were wrong (`neighbours`).
//! Guesses and floods are checked when there is nothing else to do. New names
//! are counted (`newcomers`): one too many is answered like a wrong password. A
//! client that does not read, sends too much or keeps too much waiting is cut
//! off; nobody else notices.
//!
//! Names and totals are kept in the database and survive a restart; passwords
//! only as Argon2id hashes.
#![forbid(unsafe_code)]

mod accounts;
mod checks;
mod connection;
mod hub;
mod listeners;
mod neighbours;
mod newcomers;
mod settings;

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use joust_referee::ServerReport;
use joust_store::{Store, StoreError};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

pub use listeners::Listeners;
pub use newcomers::NameRefusal;
pub use settings::{Caps, Settings};

/// Something that happened on the server, for people.
#[derive(Clone, Debug)]
pub enum ServerNotice {
    /// It takes players at this address.
    Listening(SocketAddr),
    /// It takes spectators at this address.
    Spectators(SocketAddr),
    /// A game with players ended.
    GameOver(ServerReport),
    /// The game cannot go on by itself, for this reason; said once.
    Stuck(&'static str),
    /// A new name was refused; said once for each reason and while.
    NameRefused(NameRefusal),
    /// Names or totals could not be kept.
    NotStored(StoreError),
}

/// Why the server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, not this machine's, or not allowed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The machine can start no thread.
    #[error("no thread can be started")]
    NoThread(#[source] io::Error),
    /// The accounts cannot be read.
    #[error("the accounts cannot be read")]
    Store(#[from] StoreError),
}

/// Runs the server on its open `listeners` until `stop` is ready, then closes every connection and keeps
/// what is still to be kept.
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

/// Raises this process's soft limit of descriptors to the hard one: each
/// connection needs one, and the usual soft limit of 1,024 is there for programs that
/// use `select`. Where that is refused the server takes as many clients as it can.
pub fn take_all_descriptors() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

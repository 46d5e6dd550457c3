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
//! (`neighbours`). Guesses and floods are checked when there is no other work. New names are
//! counted (`newcomers`); one above the limit is answered like a wrong password. A client that does
//! not read, sends too much or has too much queued is disconnected, without an effect on the
//! others.
//!
//! Names and totals are stored in the database and survive a restart. Passwords are only stored as
//! Argon2id hashes.
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

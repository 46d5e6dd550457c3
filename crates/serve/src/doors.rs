//! Doors: where a server listens. They are opened before anything is made that would be left behind
//! where an address is taken.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::{ServeError, Settings};

/// The open doors of a server; who comes waits there until it runs.
#[derive(Debug)]
pub struct Doors {
    pub(super) players: Door,
    pub(super) spectators: Option<Door>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Door {
    pub(super) listener: TcpListener,
    /// With the port that the system chose.
    pub(super) address: SocketAddr,
}

impl Doors {
    /// Begins to listen where `settings` say.
    ///
    /// # Errors
    ///
    /// [`ServeError::Listen`].
    pub async fn open(settings: &Settings) -> Result<Self, ServeError> {
        let players = Door::open(settings.listen).await?;
        let spectators = match settings.spectators {
            Some(address) => Some(Door::open(address).await?),
            None => None,
        };
        Ok(Self { players, spectators })
    }
}

impl Door {
    async fn open(address: SocketAddr) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().unwrap_or(address);
        Ok(Self { listener, address })
    }
}

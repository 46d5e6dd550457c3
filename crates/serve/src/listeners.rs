//! Listeners of a server. They are opened before anything else is made, so that an address in use
//! leaves nothing to clean up.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::{ServeError, Settings};

/// Open sockets of a server; clients are queued there until it runs.
#[derive(Debug)]
pub struct Listeners {
    pub(super) players: BoundListener,
    pub(super) spectators: Option<BoundListener>,
}

/// One socket.
#[derive(Debug)]
pub(super) struct BoundListener {
    pub(super) listener: TcpListener,
    /// The address, with the port that the system chose.
    pub(super) address: SocketAddr,
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

//! Stopper: ends a seat from another thread.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{Shutdown, shutdown};

/// Ends the turn of a seat from another thread, for instance when a person
/// wants a long one stopped.
///
/// The turn under way, and every later one, fails with
/// [`TurnError::SeatLost`](crate::TurnError::SeatLost); programs in the seat
/// end when the seat is dropped.
#[derive(Debug)]
pub struct Stopper {
    pub(super) socket: OwnedFd,
}

impl Stopper {
    /// Ends the seat's turn. A seat that is gone is no error.
    pub fn stop(&self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Both);
    }
}

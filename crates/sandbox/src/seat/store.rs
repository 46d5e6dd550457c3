//! Source of seats: launchers that are ready, and sandboxes whose programs have all ended, kept for
//! the next request for the same specification.
//!
//! Making and removing a sandbox takes many times as long as a short turn. A turn learns no more of
//! earlier uses of its seat than of earlier turns in it, because only clean seats are kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Seat;
use crate::error::SandboxError;
use crate::machine::{FirstProcess, Machine, Pool};
use crate::{Network, SeatSpec};

/// Number of seats that are kept for each processor: this many bots can take turns before the seat
/// that has waited longest is removed. A waiting seat takes two megabytes.
const MOST_OF_A_CORE: usize = 16;
/// Number of seats that are kept in all.
const MOST: usize = 256;

/// Launchers and idle seats of a host.
pub(crate) struct SeatStore {
    // Dropped first: seats and launchers use what follows.
    idle: Mutex<Vec<Seat>>,
    most: usize,
    pool: Pool,
    pub(crate) machine: Arc<Machine>,
}

impl SeatStore {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (MOST_OF_A_CORE * cores).min(MOST);
        Self { idle: Mutex::default(), most, pool: Pool::new(Arc::clone(&machine)), machine }
    }

    /// Returns a first process in its groups whose name spaces no seat has.
    pub(super) fn take_launcher(&self, network: Network) -> Result<FirstProcess, SandboxError> {
        self.pool.take_launcher(network)
    }

    /// Takes the seat for `spec` that was used last, whatever environment and processors it had.
    pub(super) fn take_idle(&self, spec: &SeatSpec) -> Option<Seat> {
        let mut seats = self.idle();
        let place = seats.iter().rposition(|seat| seat.is_for(spec))?;
        Some(seats.remove(place))
    }

    /// Keeps a seat.
    pub(super) fn keep(&self, seat: Seat) {
        let mut seats = self.idle();
        let oldest = if seats.len() < self.most { None } else { Some(seats.remove(0)) };
        seats.push(seat);
        drop(seats);
        drop(oldest);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

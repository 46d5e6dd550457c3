//! Idle seats: sandboxes whose programs have all ended, kept for whoever wants the same again.
//!
//! Making and removing a sandbox takes many times what a short turn does. What a turn cannot
//! learn of earlier turns in its seat it cannot learn of earlier uses either, because only seats
//! come here that were left as a turn has to find them.

use std::sync::{Mutex, PoisonError};

use crate::{Seat, SeatSpec};

/// Number of seats that are kept for each processor: as many bots can take turns before the one
/// that waited longest makes way. A seat that waits takes two megabytes.
const MOST_OF_A_CORE: usize = 16;
/// Number of seats that are kept in all.
const MOST: usize = 256;

/// The idle seats of a host.
pub(crate) struct IdleSeats {
    seats: Mutex<Vec<Seat>>,
    most: usize,
}

impl Default for IdleSeats {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { seats: Mutex::default(), most: (MOST_OF_A_CORE * cores).min(MOST) }
    }
}

impl IdleSeats {
    /// Takes the seat for `spec` that was used last, whatever environment and processors it had.
    pub(crate) fn take(&self, spec: &SeatSpec) -> Option<Seat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let place = seats.iter().rposition(|seat| seat.is_for(spec))?;
        Some(seats.remove(place))
    }

    /// Keeps a seat.
    pub(crate) fn put(&self, seat: Seat) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if seats.len() < self.most { None } else { Some(seats.remove(0)) };
        seats.push(seat);
        drop(seats);
        drop(oldest);
    }
}

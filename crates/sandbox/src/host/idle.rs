//! Idle seats: sandboxes whose programs have all ended, kept for whoever wants the same again.
//!
//! Making and removing a sandbox takes many times what a short turn does. What a turn cannot
//! learn of earlier turns in its seat it cannot learn of earlier uses either, because only seats
//! come here that were left as a turn has to find them.

use std::sync::{Mutex, PoisonError};

use crate::{Seat, SeatSpec};

/// How many seats are kept; the one that waited longest makes way for another.
const MOST: usize = 8;

/// The idle seats of a host.
#[derive(Default)]
pub(crate) struct IdleSeats {
    seats: Mutex<Vec<Seat>>,
}

impl IdleSeats {
    /// Takes the seat for `spec` that was used last, whatever environment it had.
    pub(crate) fn take(&self, spec: &SeatSpec) -> Option<Seat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let place = seats.iter().rposition(|seat| seat.is_for(spec))?;
        Some(seats.remove(place))
    }

    /// Keeps a seat.
    pub(crate) fn put(&self, seat: Seat) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if seats.len() < MOST { None } else { Some(seats.remove(0)) };
        seats.push(seat);
        drop(seats);
        drop(oldest);
    }
}

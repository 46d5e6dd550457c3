//! Reservations: the sums of the limits of all living seats, compared with what the machine has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::SeatLimits;
use crate::mechanism::memory::{MemoryRoom, memory_room};

/// Resources reserved for the seats of a host.
pub(crate) struct Reservations {
    totals: Arc<Totals>,
    room: Option<MemoryRoom>,
}

/// Sums over all seats, in bytes.
#[derive(Default)]
struct Totals {
    memory: AtomicU64,
    disk: AtomicU64,
}

/// A seat's part. Given back when dropped.
pub(crate) struct Reservation {
    totals: Arc<Totals>,
    memory: u64,
    disk: u64,
}

impl Reservations {
    /// Reads the size of the memory; nothing is reserved yet.
    pub(crate) fn new() -> Self {
        Self { totals: Arc::default(), room: memory_room() }
    }

    /// Reserves what a seat's limits allow.
    pub(crate) fn reserve(&self, limits: &SeatLimits) -> Reservation {
        let (memory, disk) = (limits.memory.0, limits.disk.0);
        self.totals.memory.fetch_add(memory, Ordering::Relaxed);
        self.totals.disk.fetch_add(disk, Ordering::Relaxed);
        Reservation { totals: Arc::clone(&self.totals), memory, disk }
    }

    /// Returns the bytes that all scratches may hold.
    pub(super) fn disk(&self) -> u64 {
        self.totals.disk.load(Ordering::Relaxed)
    }

    /// Returns whether there is memory for one more seat.
    pub(super) fn have_room_for(&self, limits: &SeatLimits) -> bool {
        let reserved = self.totals.memory.load(Ordering::Relaxed).saturating_add(limits.memory.0);
        self.room.as_ref().is_none_or(|room| reserved <= room.bytes.0)
    }

    /// Returns whether the seats together have reserved more memory than there is.
    pub(crate) fn exceed_memory(&self) -> bool {
        let reserved = self.totals.memory.load(Ordering::Relaxed);
        self.room.as_ref().is_some_and(|room| reserved > room.bytes.0)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.totals.memory.fetch_sub(self.memory, Ordering::Relaxed);
        self.totals.disk.fetch_sub(self.disk, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    fn limits() -> SeatLimits {
        SeatLimits {
            memory: Bytes::from_mib(256),
            processes: 32,
            descriptors: 64,
            disk: Bytes::from_mib(8),
            files: 64,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(64),
            stderr_hard: Bytes::from_kib(256),
        }
    }

    #[test]
    fn reservations_add_up_and_are_given_back() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: None };
        let reservations = Reservations { totals: Arc::default(), room: Some(room) };
        assert!(reservations.have_room_for(&limits()));
        let first = reservations.reserve(&limits());
        assert!(!reservations.exceed_memory() && !reservations.have_room_for(&limits()));
        let second = reservations.reserve(&limits());
        assert!(reservations.exceed_memory());
        assert_eq!(reservations.disk(), 16 << 20);
        drop((first, second));
        assert!(!reservations.exceed_memory());
        assert_eq!(reservations.disk(), 0);
    }
}

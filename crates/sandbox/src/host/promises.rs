//! Commitments: the sums of the limits of all living seats, compared with what the machine has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::SeatLimits;
use crate::mechanism::memory::{MemoryRoom, memory_room};

/// Resources promised to the seats of a host.
pub(crate) struct Promises {
    sums: Arc<Sums>,
    room: Option<MemoryRoom>,
}

/// Bytes, of all seats.
#[derive(Default)]
struct Sums {
    memory: AtomicU64,
    disk: AtomicU64,
}

/// A seat's part. Taken back when dropped.
pub(crate) struct Promise {
    sums: Arc<Sums>,
    memory: u64,
    disk: u64,
}

impl Promises {
    /// Reads how much memory there is; nothing is promised yet.
    pub(super) fn new() -> Self {
        Self { sums: Arc::default(), room: memory_room() }
    }

    /// Promises a seat its limits.
    pub(crate) fn promise(&self, limits: &SeatLimits) -> Promise {
        let (memory, disk) = (limits.memory.0, limits.disk.0);
        self.sums.memory.fetch_add(memory, Ordering::Relaxed);
        self.sums.disk.fetch_add(disk, Ordering::Relaxed);
        Promise { sums: Arc::clone(&self.sums), memory, disk }
    }

    /// Returns the bytes that all scratches may hold.
    pub(super) fn disk(&self) -> u64 {
        self.sums.disk.load(Ordering::Relaxed)
    }

    /// Returns whether there is memory for one seat more.
    pub(super) fn have_room_for(&self, limits: &SeatLimits) -> bool {
        let promised = self.sums.memory.load(Ordering::Relaxed).saturating_add(limits.memory.0);
        self.room.as_ref().is_none_or(|room| promised <= room.bytes.0)
    }

    /// Returns whether the seats together were promised more than there is.
    pub(crate) fn exceed_the_room(&self) -> bool {
        let promised = self.sums.memory.load(Ordering::Relaxed);
        self.room.as_ref().is_some_and(|room| promised > room.bytes.0)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.sums.memory.fetch_sub(self.memory, Ordering::Relaxed);
        self.sums.disk.fetch_sub(self.disk, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use crate::host::probe::trial_spec;

    fn limits() -> SeatLimits {
        SeatLimits { memory: Bytes::from_mib(256), disk: Bytes::from_mib(8), ..trial_spec().limits }
    }

    #[test]
    fn promises_add_up_and_are_taken_back() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: None };
        let promises = Promises { sums: Arc::default(), room: Some(room) };
        assert!(promises.have_room_for(&limits()));
        let first = promises.promise(&limits());
        assert!(!promises.exceed_the_room() && !promises.have_room_for(&limits()));
        let second = promises.promise(&limits());
        assert!(promises.exceed_the_room());
        assert_eq!(promises.disk(), 16 << 20);
        drop((first, second));
        assert!(!promises.exceed_the_room());
        assert_eq!(promises.disk(), 0);
    }
}

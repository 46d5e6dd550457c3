//! Memory commitments: the sum of the limits of all living seats, compared with what the machine
//! has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Bytes;
use crate::mechanism::memory::{MemoryRoom, memory_room};

/// What was promised to the seats of a host.
pub(crate) struct Promises {
    promised: Arc<AtomicU64>,
    room: Option<MemoryRoom>,
}

/// A seat's part. Taken back when dropped.
pub(crate) struct Promise {
    promised: Arc<AtomicU64>,
    bytes: u64,
}

impl Promises {
    /// Looks how much there is.
    pub(super) fn new() -> Self {
        Self { promised: Arc::default(), room: memory_room() }
    }

    /// Promises a seat its limit.
    pub(crate) fn promise(&self, limit: Bytes) -> Promise {
        self.promised.fetch_add(limit.0, Ordering::Relaxed);
        Promise { promised: Arc::clone(&self.promised), bytes: limit.0 }
    }

    /// Whether the seats together were promised more than there is.
    pub(crate) fn exceed_the_room(&self) -> bool {
        let promised = self.promised.load(Ordering::Relaxed);
        self.room.as_ref().is_some_and(|room| promised > room.bytes.0)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.promised.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_add_up_and_are_taken_back() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: None };
        let promises = Promises { promised: Arc::default(), room: Some(room) };
        let first = promises.promise(Bytes::from_mib(256));
        assert!(!promises.exceed_the_room());
        let second = promises.promise(Bytes::from_mib(256));
        assert!(promises.exceed_the_room());
        drop((first, second));
        assert!(!promises.exceed_the_room());
    }
}

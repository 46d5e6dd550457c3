//! Time of day, from a clock that tests can replace.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::UNIX_EPOCH;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMillis = i64;

/// Source of the time of day. Durations are never measured with it.
pub trait Clock: Send + Sync {
    /// Returns the time.
    fn now(&self) -> UnixMillis;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "the one place that asks for the time of day"
    )]
    fn now(&self) -> UnixMillis {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that only moves when it is set.
#[derive(Debug, Default)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Makes a clock that is set to `now`.
    #[must_use]
    pub fn at(now: UnixMillis) -> Self {
        Self(AtomicI64::new(now))
    }

    /// Sets the clock.
    pub fn set(&self, now: UnixMillis) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> UnixMillis {
        self.0.load(Ordering::Relaxed)
    }
}

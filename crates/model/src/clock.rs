//! Time of day.

use std::time::UNIX_EPOCH;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMillis = i64;

/// Returns the time of day. Durations are never measured with it.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one place that asks for the time of day"
)]
pub fn now() -> UnixMillis {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

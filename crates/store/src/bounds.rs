//! Bounds of numbers in a database. The file may come from a stranger, and sums over many rows must
//! not overflow.

/// The end of the year 9999, milliseconds since 1970.
pub(super) const LATEST_MS: i64 = 253_402_300_799_999;

/// A year, in nanoseconds.
pub(super) const LONGEST_NS: i64 = 366 * 24 * 3600 * 1_000_000_000;

/// The most millionths of points that a seat has, either way: those of `Score::MOST`.
pub(super) const MOST_MILLIONTHS: i64 = 9_000_000_000_000_000;

/// Upper bound of every other count, such as bytes or the matches of an event.
pub(super) const MOST_COUNTED: i64 = 1 << 50;

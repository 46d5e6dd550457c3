//! Limits: what a process tree may use, with the units in the types.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Makes a number of bytes from mebibytes.
    pub const fn from_mib(mebibytes: u64) -> Self {
        Self(mebibytes * 1024 * 1024)
    }

    /// Makes a number of bytes from kibibytes.
    pub const fn from_kib(kibibytes: u64) -> Self {
        Self(kibibytes * 1024)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let fitting =
            UNITS.iter().find(|(size, _)| self.0 >= *size && self.0.is_multiple_of(*size));
        match fitting {
            Some((size, unit)) => write!(f, "{}{unit}", self.0 / size),
            None => write!(f, "{}B", self.0),
        }
    }
}

/// Limits that hold for a seat as long as it lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatLimits {
    /// Memory of the whole tree, scratch included. Above it the kernel kills.
    pub memory: Bytes,
    /// Processes and threads of the whole tree. Above it `fork` gives EAGAIN.
    pub processes: u32,
    /// Open descriptors per process. Above it `open` gives EMFILE.
    pub descriptors: u32,
    /// Bytes in the scratch. Above it `write` gives ENOSPC.
    pub disk: Bytes,
    /// Files and folders in the scratch. Above it `open` gives ENOSPC.
    pub files: u32,
    /// Standard output of one turn. Above it the tree is killed.
    pub stdout: Bytes,
    /// Part of the standard error of one turn that is kept; the rest is thrown away.
    pub stderr: Bytes,
    /// Standard error of one turn above which the tree is killed.
    pub stderr_hard: Bytes,
}

/// Limits of a program, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLimits {
    /// Processor time of the whole tree.
    pub cpu: Duration,
    /// Wall clock after which an answer does not count and the tree is killed.
    pub wall: Duration,
}

/// Divisor for the part of the stall that is added to it: the measured stall lacks what happens
/// between two samples.
const UNMEASURED_SHARE: u32 = 5;

/// Returns the extension of a wall clock limit for a tree that had to wait for a processor for
/// `stall`: the stall and a fifth more, up to a maximum of nine times the limit or one second, if
/// that is more.
pub fn extension(stall: Duration, limit: Duration) -> Duration {
    (stall + stall / UNMEASURED_SHARE).min(longest_extension(limit))
}

/// Returns whether a tree was kept waiting for so long that its limit could not be extended any
/// further: if it is late then, the machine may be the reason.
pub fn is_starved(stall: Duration, limit: Duration) -> bool {
    extension(stall, limit) >= longest_extension(limit)
}

pub(crate) fn longest_extension(limit: Duration) -> Duration {
    limit.saturating_mul(9).max(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_moves_with_the_stall_up_to_a_bound() {
        let ms = Duration::from_millis;
        assert_eq!(extension(ms(0), ms(100)), ms(0));
        assert_eq!(extension(ms(500), ms(100)), ms(600));
        assert_eq!(extension(ms(5000), ms(100)), ms(1000));
        assert_eq!(extension(ms(5000), ms(400)), ms(3600));
        assert!(!is_starved(ms(500), ms(100)) && is_starved(ms(900), ms(100)));
    }
}

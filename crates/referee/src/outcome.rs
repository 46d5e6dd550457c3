//! Outcome of a bout: how it ended.

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::{PerSeat, Score};

/// Result of a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended, in the game's words: `knock-out`, `round-limit` and so on.
    pub ended: Cow<'static, str>,
    /// Rounds or ticks played.
    pub rounds: u32,
    /// Each seat's result.
    pub seats: PerSeat<SeatOutcome>,
}

/// One seat's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOutcome {
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
    /// The game's own points (hp, points, kills ...).
    pub score: Score,
}

/// The SHA-256 of a game's canonical state bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateHash(pub [u8; 32]);

impl StateHash {
    /// Returns the SHA-256 of the bytes that `write` appends.
    pub fn of(write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut bytes = Vec::new();
        write(&mut bytes);
        Self(sha256(&bytes))
    }
}

/// Returns the SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

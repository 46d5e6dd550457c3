//! Rules that the two games of the Entelect Challenge share.

use std::time::Duration;

use crate::DefaultLimits;

/// End of a line of a text file.
///
/// Source: [`map.txt`](crate::docs::bomberman_2016#maptxt).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndings {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl LineEndings {
    /// Returns the bytes.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// The rule has been wall clock since release 1.1.0; the original starts Java with
/// `-Xms512m`.
pub(super) fn limits() -> DefaultLimits {
    DefaultLimits {
        start: None,
        cpu: Some(Duration::from_secs(4)),
        turn: Some(Duration::from_secs(2)),
        kill: Some(Duration::from_secs(4)),
        memory_bytes: Some(1024 << 20),
        counts_wall_clock: true,
    }
}

//! The head of a database's chain, by which anybody can tell it was not changed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ChainHash, counted};

/// The newest link of a database's chain. Each link has the hash of the one
/// before, so this one stands for everything that was recorded up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// Number of links after the first, which is the same everywhere.
    pub links: u64,
    /// The newest link's hash.
    pub hash: ChainHash,
}

impl fmt::Display for ChainHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, head {}", counted(self.links, "link"), self.hash)
    }
}

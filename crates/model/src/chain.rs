//! The head of a database's chain, which anybody can use to detect changes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ChainHash, counted};

/// The newest link of a database's chain. Each link includes the hash of the link before, so this
/// one identifies everything that was recorded up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// Number of links after the first one, which is the same in all databases.
    pub links: u64,
    /// The newest link's hash.
    pub hash: ChainHash,
}

impl fmt::Display for ChainHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, head {}", counted(self.links, "link"), self.hash)
    }
}

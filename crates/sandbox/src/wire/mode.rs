//! Modes: how seats are isolated, and what follows from that.

use serde::{Deserialize, Serialize};

use crate::Network;

/// Kind of a seat's isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// Name spaces made by root, a user of the host's per seat.
    Root,
    /// Name spaces under a user name space that holds subordinate ids, one of them per seat.
    Subordinate,
    /// Name spaces under a user name space of the caller's own id.
    UserNameSpace,
    /// Root without the right to make name spaces: a user of the host's per seat.
    Container,
    /// Nothing but the caller's own user.
    Plain,
}

/// Ownership of a scratch's file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// The seat's alone, with a size of its own.
    Own,
    /// The host's, which others use too.
    Shared,
}

impl Mode {
    /// Returns whether a seat has mounts, processes, a network and objects of its own.
    pub(crate) fn has_name_spaces(self) -> bool {
        match self {
            Self::Root | Self::Subordinate | Self::UserNameSpace => true,
            Self::Container | Self::Plain => false,
        }
    }

    /// Returns whether its first process holds the name spaces for one launcher after the other.
    /// Programs must not be able to send signals to a launcher that is not the first process.
    pub(crate) fn holds_name_spaces(self, network: Network) -> bool {
        network == Network::None && matches!(self, Self::Root | Self::Subordinate)
    }

    /// Returns the kind of its scratch's file system.
    pub(crate) fn file_system(self) -> FileSystem {
        match self.has_name_spaces() {
            true => FileSystem::Own,
            false => FileSystem::Shared,
        }
    }
}

//! Invitations: a key in a file, and the public half for the server.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use joust_cluster::transport::TransportError;
use joust_cluster::transport::nats::{Invitation, invite as make, invite_coordinator};

/// A key that was written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitedKey {
    /// The name that it has at the server.
    pub name: String,
    /// The file with the key.
    pub file: PathBuf,
    /// The entry of the server's list of accounts.
    pub entry: String,
}

/// Reason why an invitation failed.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    /// The name cannot be one, or no key can be made.
    #[error(transparent)]
    Key(#[from] TransportError),
    /// The file cannot be written.
    #[error("the key cannot be written to `{}`: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl InviteError {
    /// Returns what to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File { error, .. } if error.kind() == io::ErrorKind::AlreadyExists => Some(
                "the server may know that key already: delete the file to make another one, and \
                 its entry at the server",
            ),
            _ => None,
        }
    }
}

/// Role of a key's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRole {
    /// The machine that runs the tournament.
    Coordinator,
    /// A worker.
    Worker,
}

/// Makes a key for the worker `name`, or for a coordinator, in `folder/NAME.nk`, which only its
/// owner reads.
///
/// # Errors
///
/// [`InviteError`]; a file that is there is never written over.
pub fn invite(name: &str, folder: &Path, role: KeyRole) -> Result<InvitedKey, InviteError> {
    let Invitation { seed, entry } = match role {
        KeyRole::Coordinator => invite_coordinator(name)?,
        KeyRole::Worker => make(name)?,
    };
    let file = folder.join(format!("{name}.nk"));
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    let mut open = match opened {
        Ok(open) => open,
        Err(error) => return Err(InviteError::File { file, error }),
    };
    match writeln!(open, "{seed}") {
        Ok(()) => Ok(InvitedKey { name: name.to_owned(), file, entry }),
        Err(error) => {
            // Half a key would keep the next one from being written.
            _ = std::fs::remove_file(&file);
            Err(InviteError::File { file, error })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_its_owner_s_alone_and_never_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let invited = invite("lab-1", folder.path(), KeyRole::Worker).expect("a key");
        let mode = invited.file.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let seed = std::fs::read_to_string(&invited.file).expect("it is text");
        assert!(seed.starts_with("SU"), "no seed of a user");
        assert!(!invited.entry.contains(seed.trim()), "the server gets the public part alone");
        let again = invite("lab-1", folder.path(), KeyRole::Worker).expect_err("it is there");
        assert!(again.hint().is_some(), "{again}");
        assert_eq!(std::fs::read_to_string(&invited.file).expect("it is text"), seed);
    }

    #[test]
    fn a_name_that_means_something_to_the_server_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["", "a.b", "*", ">", "a b", "../a"] {
            assert!(invite(name, folder.path(), KeyRole::Worker).is_err(), "{name}");
        }
    }
}

//! Files of a commit, laid out in a folder of their own as they were committed: nothing
//! is converted on the way, and nothing is written outside of that folder.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::{EntryKind, GitError};
use crate::tree_writer::TreeWriter;

/// The longest target of a link, bytes; the system takes no longer one.
const LONGEST_TARGET: u64 = 4096;

/// A folder into which files are laid out.
#[derive(Debug)]
pub struct CommitWriter(TreeWriter);

impl CommitWriter {
    /// Begins with the existing, empty folder.
    pub fn new(folder: &Path) -> Self {
        Self(TreeWriter::new(folder))
    }

    /// Adds a file, or a link with the target `content`, at a path relative to the folder.
    ///
    /// # Errors
    ///
    /// [`GitError::Write`] if it cannot be read or written.
    pub fn add(
        &mut self,
        path: &Path,
        kind: EntryKind,
        mut content: impl Read,
    ) -> Result<(), GitError> {
        let done = match kind {
            EntryKind::Plain { executable } => self
                .0
                .file(path, executable)
                .and_then(|mut file| io::copy(&mut content, &mut file).map(drop)),
            EntryKind::Submodule => self.0.folder(path),
            EntryKind::Link => {
                let mut target = Vec::new();
                let read = content.take(LONGEST_TARGET).read_to_end(&mut target);
                self.0.link(path, OsString::from_vec(target));
                read.map(drop)
            }
        };
        done.map_err(|source| GitError::Write { path: path.to_owned(), source })
    }

    /// Makes the links.
    ///
    /// # Errors
    ///
    /// [`GitError::Write`] when one cannot be made.
    pub fn finish(self) -> Result<(), GitError> {
        self.0.finish().map_err(|(path, source)| GitError::Write { path, source })
    }
}

//! Files of a commit, laid out in a folder of their own as they were committed: nothing
//! is converted on the way, and nothing is written outside of that folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{EntryKind, GitError};

/// The longest target of a link, bytes; the system takes no longer one.
const LONGEST_TARGET: u64 = 4096;

/// A folder into which files are laid out.
#[derive(Debug)]
pub struct CommitWriter {
    folder: PathBuf,
    /// Links come last, so that no file is written through one.
    links: Vec<(PathBuf, Vec<u8>)>,
}

impl CommitWriter {
    /// Begins with the existing, empty folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), links: Vec::new() }
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
        content: impl Read,
    ) -> Result<(), GitError> {
        let place = self.place(path);
        let done = match kind {
            EntryKind::Plain { executable } => write(&place, executable, content),
            EntryKind::Submodule => fs::create_dir_all(&place),
            EntryKind::Link => {
                let mut target = Vec::new();
                let read = content.take(LONGEST_TARGET).read_to_end(&mut target);
                self.links.push((path.to_owned(), target));
                read.map(drop)
            }
        };
        done.map_err(|source| GitError::Write { path: path.to_owned(), source })
    }

    /// The folder itself stands for a commit's file that is laid out alone.
    fn place(&self, path: &Path) -> PathBuf {
        match path.as_os_str().is_empty() {
            true => self.folder.clone(),
            false => self.folder.join(path),
        }
    }

    /// Makes the links.
    ///
    /// # Errors
    ///
    /// [`GitError::Write`] when one cannot be made.
    pub fn finish(self) -> Result<(), GitError> {
        for (path, target) in &self.links {
            let place = self.place(path);
            let above = place.ancestors().skip(1).take_while(|above| *above != self.folder);
            let made = match above.into_iter().any(Path::is_symlink) {
                true => Err(io::ErrorKind::InvalidData.into()),
                false => make_parent(&place)
                    .and_then(|()| symlink(std::ffi::OsStr::from_bytes(target), &place)),
            };
            made.map_err(|source| GitError::Write { path: path.clone(), source })?;
        }
        Ok(())
    }
}

fn write(place: &Path, executable: bool, mut content: impl Read) -> io::Result<()> {
    make_parent(place)?;
    let mode = if executable { 0o755 } else { 0o644 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(place)?;
    io::copy(&mut content, &mut file).map(drop)
}

fn make_parent(place: &Path) -> io::Result<()> {
    place.parent().map_or(Ok(()), fs::create_dir_all)
}

//! Writer of a tree of files: unpacked archives, commits and copies of sources.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Existing, empty folder that receives files. Links are made last, so that no file is written
/// through one.
#[derive(Debug)]
pub(crate) struct TreeWriter {
    root: PathBuf,
    links: Vec<(PathBuf, OsString)>,
}

impl TreeWriter {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), links: Vec::new() }
    }

    /// Makes an empty file, readable for everybody, with the folders above it.
    pub(crate) fn file(&self, path: &Path, executable: bool) -> io::Result<File> {
        let place = self.place(path);
        make_parent(&place)?;
        let file = File::create_new(place)?;
        let mode = if executable { 0o755 } else { 0o644 };
        file.set_permissions(Permissions::from_mode(mode))?;
        Ok(file)
    }

    pub(crate) fn folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(self.place(path))
    }

    pub(crate) fn link(&mut self, path: impl Into<PathBuf>, target: impl Into<OsString>) {
        self.links.push((path.into(), target.into()));
    }

    /// Makes the links. Of one that cannot be made it returns the path with the error, which is
    /// [`io::ErrorKind::InvalidData`] where another link leads to it.
    pub(crate) fn finish(self) -> Result<(), (PathBuf, io::Error)> {
        for (path, target) in &self.links {
            let place = self.place(path);
            let above = place.ancestors().skip(1).take_while(|above| *above != self.root);
            let made = match above.into_iter().any(Path::is_symlink) {
                true => Err(io::ErrorKind::InvalidData.into()),
                false => make_parent(&place).and_then(|()| symlink(target, &place)),
            };
            made.map_err(|error| (path.clone(), error))?;
        }
        Ok(())
    }

    /// The folder itself stands for a file that is alone.
    fn place(&self, path: &Path) -> PathBuf {
        match path.as_os_str().is_empty() {
            true => self.root.clone(),
            false => self.root.join(path),
        }
    }
}

fn make_parent(place: &Path) -> io::Result<()> {
    place.parent().map_or(Ok(()), fs::create_dir_all)
}

//! New files of a command, with the folders for them. They are removed again unless all were
//! written.
//!
//! Existing files are never touched: an existing file is an error, and a folder is removed only if
//! it was made here and has nothing else in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Files and folders that were made, and are removed when this is dropped.
#[derive(Debug, Default)]
pub struct NewFiles {
    files: Vec<PathBuf>,
    /// Parents come before their children.
    folders: Vec<PathBuf>,
}

impl NewFiles {
    /// Makes a folder and the folders above it that do not exist yet.
    ///
    /// # Errors
    ///
    /// When one cannot be made.
    pub fn folder(&mut self, folder: &Path) -> io::Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(above) = folder.parent() {
            self.folder(above)?;
        }
        match fs::create_dir(folder) {
            Ok(()) => {
                self.folders.push(folder.to_owned());
                Ok(())
            }
            // Somebody else was faster, or the path goes back with `..`.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes an empty file in a folder that is there.
    ///
    /// # Errors
    ///
    /// When it cannot be made, or is there already ([`ErrorKind::AlreadyExists`]).
    pub fn create(&mut self, file: &Path) -> io::Result<File> {
        let made = OpenOptions::new().write(true).create_new(true).open(file)?;
        self.files.push(file.to_owned());
        Ok(made)
    }

    /// Makes a file with these bytes, and the folders for it.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or is there already.
    pub fn write(&mut self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            self.folder(folder)?;
        }
        self.create(file)?.write_all(bytes)
    }

    /// Returns whether a folder was made here.
    pub fn has(&self, folder: &Path) -> bool {
        self.folders.iter().any(|made| made == folder)
    }

    /// Keeps everything that was made, and returns the files in their order.
    #[must_use]
    pub fn keep(mut self) -> Vec<PathBuf> {
        self.folders.clear();
        std::mem::take(&mut self.files)
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // What cannot be removed stays: there is no better error than the one that led here.
        self.files.iter().for_each(|file| _ = fs::remove_file(file));
        self.folders.iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn dropped_files_are_removed_and_older_ones_stay() {
        let home = tempfile::tempdir().expect("a folder");
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("there")).expect("it is made");
        fs::write(at("there/mine"), "mine").expect("it is written");
        let mut new = NewFiles::default();
        new.write(&at("there/a/b/one"), b"1").expect("it is written");
        new.write(&at("c/two"), b"2").expect("it is written");
        fs::write(at("c/stranger"), "theirs").expect("it is written");
        let error = new.write(&at("there/mine"), b"ours").expect_err("it is there");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        new.write(&at("c/two/three"), b"3").expect_err("there is a file in the way");
        drop(new);
        assert_eq!(entries(&at("there")), ["mine"]);
        assert_eq!(fs::read_to_string(at("there/mine")).expect("it can be read"), "mine");
        assert_eq!(entries(&at("c")), ["stranger"]);
    }

    #[test]
    fn kept_files_stay() {
        let home = tempfile::tempdir().expect("a folder");
        let mut new = NewFiles::default();
        let file = home.path().join("a/b");
        new.write(&file, b"1").expect("it is written");
        assert_eq!(new.keep(), [file.as_path()]);
        assert_eq!(fs::read_to_string(file).expect("it can be read"), "1");
    }

    #[test]
    fn folders_above_go_with_a_folder_that_cannot_be_made() {
        let home = tempfile::tempdir().expect("a folder");
        let long = home.path().join("a/b").join("x".repeat(300));
        NewFiles::default().folder(&long).expect_err("the name is too long");
        assert_eq!(entries(home.path()), Vec::<String>::new());
    }
}

#[cfg(test)]
pub(crate) mod long_paths {
    use std::path::{Path, PathBuf};

    /// The most bytes of a path that Linux takes.
    pub(crate) const LONGEST_PATH: usize = 4095;

    /// Returns a path in `home` that ends with `name` and has so many bytes.
    pub(crate) fn path_of(bytes: usize, home: &Path, name: &str) -> PathBuf {
        let mut path = home.to_owned();
        let length = |path: &Path| path.as_os_str().len();
        loop {
            let rest = bytes - length(&path) - name.len() - 1;
            match rest {
                0 => return path.join(name),
                // One byte more would be a separator alone.
                1 => panic!("choose another length"),
                2..=200 => path.push("x".repeat(rest - 1)),
                _ => path.push("x".repeat(100)),
            }
        }
    }
}

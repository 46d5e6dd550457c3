//! Plain files, read whole up to a length: a pipe or a device would be read for ever.
#![expect(clippy::disallowed_types, reason = "this is the one place that opens files")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

/// Reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum PlainFileError {
    /// It is a folder.
    #[error("this is a folder")]
    Folder,
    /// It is a pipe, a device or a socket.
    #[error("this is {0}, not a plain file")]
    NotPlain(&'static str),
    /// It is longer than so many bytes.
    #[error("the file is larger than {} KiB", .0 >> 10)]
    TooLong(u64),
    /// An error of the system.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl From<PlainFileError> for io::Error {
    fn from(unread: PlainFileError) -> Self {
        match unread {
            PlainFileError::Io(error) => error,
            other => Self::other(other.to_string()),
        }
    }
}

/// Reads the plain file at `path`, or where a link of that name leads; at most `most`
/// bytes.
///
/// # Errors
///
/// [`PlainFileError`].
pub fn read_plain(path: &Path, most: u64) -> Result<Vec<u8>, PlainFileError> {
    // A file that is too long costs no reading; others grow meanwhile.
    let is_long = open_plain(path)?.metadata()?.len() > most;
    let bytes = if is_long { Vec::new() } else { read_start(path, most.saturating_add(1))? };
    match is_long || bytes.len() as u64 > most {
        true => Err(PlainFileError::TooLong(most)),
        false => Ok(bytes),
    }
}

/// Reads the first `most` bytes of the plain file at `path`, or all where it has fewer.
///
/// # Errors
///
/// [`PlainFileError`], but for a file that is too long.
pub fn read_start(path: &Path, most: u64) -> Result<Vec<u8>, PlainFileError> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens the plain file at `path`, or where a link of that name leads, for reading.
///
/// # Errors
///
/// [`PlainFileError`], but for a file that is too long.
pub fn open_plain(path: &Path) -> Result<File, PlainFileError> {
    check(&fs::metadata(path)?)?;
    // The file may have become a pipe since the check: opening it must not wait.
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Returns the folder that a file lies in. An empty path cannot be joined or opened as such.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn check(metadata: &fs::Metadata) -> Result<(), PlainFileError> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => Ok(()),
        () if kind.is_dir() => Err(PlainFileError::Folder),
        () if kind.is_fifo() => Err(PlainFileError::NotPlain("a pipe")),
        () if kind.is_socket() => Err(PlainFileError::NotPlain("a socket")),
        () => Err(PlainFileError::NotPlain("a device")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
    fn only_plain_files_that_are_short_enough_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        fs::write(&file, "12345").unwrap();
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let why = |path: &Path, most| read_plain(path, most).unwrap_err().to_string();
        assert_eq!(read_plain(&file, 5).unwrap(), b"12345");
        assert_eq!(why(&file, 4), "the file is larger than 0 KiB");
        assert_eq!(why(&pipe, 4), "this is a pipe, not a plain file");
        assert_eq!(why(Path::new("/dev/zero"), 4), "this is a device, not a plain file");
        assert_eq!(why(folder.path(), 4), "this is a folder");
        assert!(matches!(read_plain(Path::new("/none"), 4), Err(PlainFileError::Io(_))));
        assert_eq!(read_start(&file, 2).unwrap(), b"12");
        assert!(open_plain(&pipe).is_err());
    }
}

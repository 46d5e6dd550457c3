//! Caps of archives, and reasons for which one is refused.
//!
//! The reader of tar archives keeps whole long names in memory, so their framing (headers, long
//! names and padding, everything outside files) has a bound of its own. Files are bounded where
//! they are written.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::zip_file::MOST_LISTED;

/// Largest number of entries of an archive, and of files, folders and links made of them.
pub(super) const MOST_ENTRIES: usize = 10_000;
/// Largest size of an archive's unpacked content, bytes.
pub(super) const MOST_BYTES: u64 = 256 << 20;
/// Largest size of an archive itself, bytes.
pub(super) const MOST_PACKED: u64 = 128 << 20;
/// Largest growth of an archive by unpacking, as a multiple of its size, once above
/// [`FREE_GROWTH`].
pub(super) const MOST_GROWTH: u64 = 100;
/// Unpacked size up to which the growth of an archive is not checked, bytes.
pub(super) const FREE_GROWTH: u64 = 8 << 20;
/// Largest number of folders that an entry may be nested in.
pub(super) const DEEPEST: usize = 32;
/// Longest name of an entry, bytes.
pub(super) const LONGEST_NAME: usize = 1024;

/// Reason why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    #[error("the archive has more than {MOST_ENTRIES} entries, files and folders")]
    Entries,
    #[error("the archive's directory lists more than {MOST_LISTED} entries, or 16 MiB of names")]
    Listed,
    #[error("the archive holds more than {} MiB", MOST_BYTES >> 20)]
    Bytes,
    #[error("the archive grows to more than {MOST_GROWTH} times its size")]
    Growth,
    #[error("the archive is larger than {} MiB", MOST_PACKED >> 20)]
    Packed,
    #[error("the archive's entry `{0}` leaves the folder")]
    Leaves(String),
    #[error("the archive's entry `{0}` has a name of more than {LONGEST_NAME} bytes")]
    Long(String),
    #[error("the archive's entry `{0}` lies more than {DEEPEST} folders deep")]
    Deep(String),
    #[error("the archive's entry `{0}` has a name that is no text, or has characters nobody sees")]
    Unseen(String),
    #[error("the archive's entry `{0}` is a device, a pipe, a hard link or a sparse file")]
    Special(String),
    #[error("the archive's entries `{0}` and `{1}` are the same when case is ignored")]
    Collision(String, String),
    /// As files, or as a file and a folder.
    #[error("the archive has two entries `{0}`")]
    Twice(String),
    #[error("the archive holds {0}")]
    Source(String),
    #[error("cannot unpack: {0}")]
    Io(#[from] io::Error),
}

/// Largest number of unpacked bytes of a tar archive that are in no file.
const MOST_FRAMING: u64 = 32 << 20;

/// Bytes outside files that may still be read of an archive.
#[derive(Clone)]
pub(crate) struct FramingBudget(Rc<Cell<u64>>);

/// Unpacked bytes of an archive, as the reader of the format takes them.
pub(crate) struct LimitedReader<R> {
    stream: R,
    room: FramingBudget,
}

/// Content of one file of an archive.
pub(crate) struct FileContent<'a, R: ?Sized> {
    file: &'a mut R,
    room: FramingBudget,
}

impl FramingBudget {
    pub(crate) fn new() -> Self {
        Self(Rc::new(Cell::new(MOST_FRAMING)))
    }

    pub(crate) fn around<R>(&self, stream: R) -> LimitedReader<R> {
        LimitedReader { stream, room: self.clone() }
    }

    /// Returns a reader of a file whose bytes do not count as framing.
    pub(crate) fn content<'a, R: Read + ?Sized>(&self, file: &'a mut R) -> FileContent<'a, R> {
        FileContent { file, room: self.clone() }
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self.room.0.get();
        let most = usize::try_from(room).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 && !buffer.is_empty() {
            let text = format!("more than {} MiB of it are in no file", MOST_FRAMING >> 20);
            return Err(io::Error::other(text));
        }
        let read = self.stream.read(&mut buffer[..most])?;
        self.room.0.set(room - read as u64);
        Ok(read)
    }
}

impl<R: Read + ?Sized> Read for FileContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self.room.0.get();
        let read = self.file.read(buffer);
        self.room.0.set(room);
        read
    }
}

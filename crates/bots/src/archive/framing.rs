//! Framing of a tar archive: headers, long names and padding, everything outside its files.
//!
//! The reader of the format keeps whole long names in memory, so the framing has a bound of its
//! own. Files are bounded where they are written.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

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

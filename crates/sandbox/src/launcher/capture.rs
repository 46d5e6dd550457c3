//! Output capture: the two streams of a turn, each read up to its cap.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{pipe2, read};

use rustix::io::ioctl_fionread;

/// Bytes read at once; a pipe as it is made holds that many.
pub(super) const CHUNK: usize = 64 * 1024;

/// State of one output stream.
pub(super) struct Capture {
    /// `None` once no process can write to it any more.
    pipe: Option<OwnedFd>,
    pub(super) kept: Vec<u8>,
    pub(super) seen: u64,
    /// Bytes to keep.
    cap: u64,
    /// Bytes above which the tree is killed.
    hard: u64,
}

impl Capture {
    /// Makes the stream; gives the end to write to as well.
    pub(super) fn open(cap: u64, hard: u64) -> Result<(Self, OwnedFd), Errno> {
        let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
        Ok((Self { pipe: Some(reader), kept: Vec::new(), seen: 0, cap, hard }, writer))
    }

    /// Makes a stream that the caller reads instead of the launcher.
    pub(super) fn closed() -> Self {
        Self { pipe: None, kept: Vec::new(), seen: 0, cap: 0, hard: 0 }
    }

    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn is_cut(&self) -> bool {
        self.seen > self.cap
    }

    pub(super) fn is_over(&self) -> bool {
        self.seen > self.hard
    }

    /// Reads what is there without waiting for more.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) {
        while let Some(pipe) = &self.pipe {
            let Ok(count @ 1..) = ioctl_fionread(pipe) else { return };
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let most = count.min(buffer.len());
            let read = self.read_some(&mut buffer[..most]);
            if [0, count].contains(&read) || self.is_over() {
                return;
            }
        }
    }

    /// Reads what is left when no program is, and closes the pipe. It never waits for its end,
    /// which does not come while the other end waits in a message that nobody receives.
    pub(super) fn finish(&mut self, buffer: &mut [u8]) {
        self.drain(buffer);
        self.pipe = None;
    }

    /// Reads once; returns how much.
    fn read_some(&mut self, buffer: &mut [u8]) -> usize {
        let count = self.pipe.as_ref().and_then(|pipe| read(pipe, buffer).ok()).unwrap_or(0);
        self.seen += count as u64;
        let room = usize::try_from(self.cap).unwrap_or(usize::MAX).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&buffer[..count.min(room)]);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::unistd::write;

    #[test]
    fn what_fits_is_kept_and_the_rest_is_counted() {
        let (mut capture, writer) = Capture::open(4, 100).unwrap();
        write(&writer, b"abcdefgh").unwrap();
        drop(writer);
        capture.finish(&mut [0; 64]);
        assert_eq!((capture.seen, capture.is_cut(), capture.is_over()), (8, true, false));
        assert_eq!(capture.kept, b"abcd");
    }

    #[test]
    fn packets_are_read_one_after_the_other() {
        let (mut capture, writer) = Capture::open(10, 10).unwrap();
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_DIRECT)).unwrap();
        for packet in [b"ab", b"cd"] {
            write(&writer, packet).unwrap();
        }
        capture.finish(&mut [0; 64]);
        assert_eq!(capture.kept, b"abcd");
    }

    #[test]
    fn the_end_is_not_waited_for() {
        let (mut capture, writer) = Capture::open(10, 10).unwrap();
        write(&writer, b"ab").unwrap();
        capture.finish(&mut [0; 64]);
        assert_eq!(capture.kept, b"ab");
        drop(writer);
    }

    #[test]
    fn draining_does_not_wait_for_a_writer() {
        let (mut capture, writer) = Capture::open(10, 10).unwrap();
        write(&writer, b"a").unwrap();
        capture.drain(&mut [0; 64]);
        assert_eq!(capture.seen, 1);
    }
}

//! Poll over several descriptors, so that one thread can speak with several long-lived programs.

use std::os::fd::BorrowedFd;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use crate::error::SandboxError;

/// Event to wait for on a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Something to read, or the end of it.
    Read,
    /// Room to write, or the loss of the last reader.
    Write,
}

/// Descriptors to wait for, kept so that waiting again allocates nothing.
#[derive(Debug, Default)]
pub struct Poll<'a>(Vec<PollFd<'a>>);

impl<'a> Poll<'a> {
    /// Adds a descriptor; the first has number 0.
    pub fn add(&mut self, descriptor: BorrowedFd<'a>, interest: Interest) {
        let flags = match interest {
            Interest::Read => PollFlags::POLLIN,
            Interest::Write => PollFlags::POLLOUT,
        };
        self.0.push(PollFd::new(descriptor, flags));
    }

    /// Waits until something happened, or until that moment; `None` waits without a bound.
    ///
    /// # Errors
    ///
    /// If the kernel refuses, for instance because of more descriptors than this process may have.
    pub fn wait(&mut self, until: Option<Instant>) -> Result<(), SandboxError> {
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match ppoll(&mut self.0, left.map(TimeSpec::from_duration), None) {
                Ok(_) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(SandboxError::new("wait for programs", errno)),
            }
        }
    }

    /// Returns whether something happened on descriptor `number`.
    pub fn happened(&self, number: usize) -> bool {
        let events = self.0.get(number).and_then(PollFd::revents);
        events.is_some_and(|events| !events.is_empty())
    }
}

/// Returns whether a descriptor can be read from, or will never be again.
///
/// # Errors
///
/// As [`Poll::wait`].
pub fn is_readable(descriptor: BorrowedFd<'_>) -> Result<bool, SandboxError> {
    wait_readable(descriptor, Instant::now())
}

/// Waits until a descriptor can be read from, or never can be again, but not beyond `until`.
/// Returns false if that moment came first.
///
/// # Errors
///
/// As [`Poll::wait`].
pub fn wait_readable(descriptor: BorrowedFd<'_>, until: Instant) -> Result<bool, SandboxError> {
    let mut poll = Poll::default();
    poll.add(descriptor, Interest::Read);
    poll.wait(Some(until))?;
    Ok(poll.happened(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_pipe_with_bytes_is_told_from_one_without() {
        let (full, writer) = nix::unistd::pipe().unwrap();
        let (empty, _writer) = nix::unistd::pipe().unwrap();
        nix::unistd::write(&writer, b"x").unwrap();
        let mut poll = Poll::default();
        poll.add(empty.as_fd(), Interest::Read);
        poll.add(full.as_fd(), Interest::Read);
        poll.wait(None).unwrap();
        assert_eq!((poll.happened(0), poll.happened(1)), (false, true));
    }

    #[test]
    fn waiting_ends_at_its_moment() {
        let (empty, _writer) = nix::unistd::pipe().unwrap();
        assert_eq!(is_readable(empty.as_fd()), Ok(false));
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_news_for_a_writer() {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        drop(reader);
        let mut poll = Poll::default();
        poll.add(writer.as_fd(), Interest::Write);
        poll.wait(None).unwrap();
        assert!(poll.happened(0));
    }
}

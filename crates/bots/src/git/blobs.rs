//! Contents of a repository's files, read one after the other.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::GitError;

/// A reader of contents.
#[derive(Debug)]
pub struct Blobs {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// Bytes of the last content that were not read, with the line end that follows it.
    unread: u64,
}

/// Content of a file, which is read as a stream: it may be larger than memory.
#[derive(Debug)]
pub struct Blob<'a> {
    blobs: &'a mut Blobs,
    size: u64,
    left: u64,
}

impl Blobs {
    pub(super) fn start(mut command: Command) -> Result<Self, GitError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::NotStarted)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.expect("both are pipes");
        Ok(Self { child, stdin, stdout: BufReader::new(stdout), unread: 0 })
    }

    /// Opens the content of a file.
    ///
    /// # Errors
    ///
    /// [`GitError::NoObject`] if it is not here.
    pub fn open(&mut self, id: &str) -> Result<Blob<'_>, GitError> {
        let size = self.request(id).map_err(|_| GitError::NoObject(id.to_owned()))?;
        self.unread = size + 1;
        Ok(Blob { blobs: self, size, left: size })
    }

    /// Requests a content and returns its size, bytes.
    fn request(&mut self, id: &str) -> io::Result<u64> {
        io::copy(&mut (&mut self.stdout).take(self.unread), &mut io::sink())?;
        self.unread = 0;
        writeln!(self.stdin, "{id}")?;
        self.stdin.flush()?;
        let mut head = String::new();
        (&mut self.stdout).take(1024).read_line(&mut head)?;
        let size = head.trim_end().strip_prefix(id).and_then(|rest| rest.strip_prefix(" blob "));
        size.and_then(|size| size.parse().ok()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Blob<'_> {
    /// Returns the size of the whole content, bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for Blob<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&mut self.blobs.stdout).take(self.left).read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        self.blobs.unread -= read as u64;
        Ok(read)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It may have ended already: errors of both calls are ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

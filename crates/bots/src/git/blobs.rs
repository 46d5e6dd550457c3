//! Contents of a repository's files, read one after the other.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::GitError;

/// The largest file that is read, bytes: as much as a bot may have.
const LARGEST: u64 = 512 << 20;

/// A reader of contents.
#[derive(Debug)]
pub struct Blobs {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Blobs {
    pub(super) fn start(mut command: Command) -> Result<Self, GitError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::NotStarted)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.expect("both are pipes");
        Ok(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Returns the content of a file; `None` when it is larger than 512 MiB.
    ///
    /// # Errors
    ///
    /// [`GitError::NoObject`] when it is not here.
    pub fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.content(id).map_err(|_| GitError::NoObject(id.to_owned()))
    }

    fn content(&mut self, id: &str) -> io::Result<Option<Vec<u8>>> {
        writeln!(self.stdin, "{id}")?;
        self.stdin.flush()?;
        let mut head = String::new();
        (&mut self.stdout).take(1024).read_line(&mut head)?;
        let size = head.trim_end().strip_prefix(id).and_then(|rest| rest.strip_prefix(" blob "));
        let size: u64 = size.and_then(|size| size.parse().ok()).ok_or(io::ErrorKind::NotFound)?;
        let mut content = (&mut self.stdout).take(size);
        let mut bytes = Vec::new();
        match size <= LARGEST {
            true => _ = content.read_to_end(&mut bytes)?,
            false => _ = io::copy(&mut content, &mut io::sink())?,
        }
        let mut end = [0];
        self.stdout.read_exact(&mut end)?;
        Ok((size <= LARGEST).then_some(bytes))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It may have ended already: errors of both calls are ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

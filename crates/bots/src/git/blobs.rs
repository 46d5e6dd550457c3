//! Contents of a repository's files, read one after the other, and files of a commit, laid out in a
//! folder of their own as they were committed: nothing is converted on the way, and nothing is
//! written outside of that folder.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{EntryKind, GitError};
use crate::tree_writer::TreeWriter;

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

/// The longest target of a link, bytes; the system takes no longer one.
const LONGEST_TARGET: u64 = 4096;

/// A folder into which files are laid out.
#[derive(Debug)]
pub struct CommitWriter(TreeWriter);

impl CommitWriter {
    /// Begins with the existing, empty folder.
    pub fn new(folder: &Path) -> Self {
        Self(TreeWriter::new(folder))
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
        mut content: impl Read,
    ) -> Result<(), GitError> {
        let done = match kind {
            EntryKind::Plain { executable } => self
                .0
                .file(path, executable)
                .and_then(|mut file| io::copy(&mut content, &mut file).map(drop)),
            EntryKind::Submodule => self.0.folder(path),
            EntryKind::Link => {
                let mut target = Vec::new();
                let read = content.take(LONGEST_TARGET).read_to_end(&mut target);
                self.0.link(path, OsString::from_vec(target));
                read.map(drop)
            }
        };
        done.map_err(|source| GitError::Write { path: path.to_owned(), source })
    }

    /// Makes the links.
    ///
    /// # Errors
    ///
    /// [`GitError::Write`] when one cannot be made.
    pub fn finish(self) -> Result<(), GitError> {
        self.0.finish().map_err(|(path, source)| GitError::Write { path, source })
    }
}

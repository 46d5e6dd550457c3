//! Destination of the files of a site.

use std::io;

/// Takes the files of a site, from several threads at once.
pub trait Sink: Send + Sync {
    /// Writes a file. `path` is relative, has `/` between folders, and is made
    /// of lower-case letters, digits, hyphens and dots alone.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
}

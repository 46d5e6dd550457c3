//! Destination of the files of a site.

use std::collections::BTreeMap;
use std::io;

use parking_lot::Mutex;

/// Receiver of the files of a site, from several threads at once.
pub trait Sink: Send + Sync {
    /// Writes a file. `path` is relative, has `/` between folders, and is made
    /// of lower-case letters, digits, hyphens and dots alone.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
}

/// Files in memory, by their paths.
impl Sink for Mutex<BTreeMap<String, Vec<u8>>> {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.lock().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }
}

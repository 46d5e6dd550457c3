//! Stamp of a source: tells one state of a bot's files from another without reading them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Stamp of a source: every file's path, size, mode and time of change, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(u64);

impl Stamp {
    /// Reads the stamp of a source, a file or a folder; unreadable entries count as absent.
    pub(super) fn of(source: &Path) -> Self {
        let mut files = Vec::new();
        let mut left = vec![source.to_owned()];
        while let Some(path) = left.pop() {
            let Ok(what) = fs::symlink_metadata(&path) else { continue };
            if what.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            } else {
                files.push((path, what.len(), what.mode(), what.mtime(), what.mtime_nsec()));
            }
        }
        files.sort_unstable();
        let mut digest = DefaultHasher::new();
        files.hash(&mut digest);
        Self(digest.finish())
    }
}

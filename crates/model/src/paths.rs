//! Paths as text in what programs read: what is not UTF-8 in one is replaced, because
//! no name of a file may keep a report from being written.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// Writes a path.
///
/// # Errors
///
/// The serializer's.
pub fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    path.to_string_lossy().serialize(serializer)
}

/// Writes a path that may be missing.
///
/// # Errors
///
/// The serializer's.
pub fn as_text_if<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

/// Writes a list of paths.
///
/// # Errors
///
/// The serializer's.
pub fn as_texts<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

//! Paths as text in machine-readable output. Bytes that are not UTF-8 are replaced, so that no file
//! name can prevent a report.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// Serialises a path.
///
/// # Errors
///
/// The serializer's.
pub fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    path.to_string_lossy().serialize(serializer)
}

/// Serialises an optional path.
///
/// # Errors
///
/// The serializer's.
pub fn as_text_if<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

/// Serialises a list of paths.
///
/// # Errors
///
/// The serializer's.
pub fn as_texts<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

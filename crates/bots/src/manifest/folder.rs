//! Folder without a manifest; the tournament sets its language.

use super::Format;

/// A folder of sources.
pub(super) const FORMAT: Format = Format {
    name: "folder",
    form: "a folder whose entry in `bots:` says its language (`{ path: ..., language: java }`)",
    fits: |candidate| candidate.path.is_dir() && candidate.language.is_some(),
    read: |candidate| candidate.plain(candidate.language.unwrap_or_default()),
};

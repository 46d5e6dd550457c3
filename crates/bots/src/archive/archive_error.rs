//! Caps of archives, and reasons for which one is refused.

use std::io;

use super::zip_file::MOST_LISTED;

/// Largest number of entries of an archive, and of files, folders and links made of them.
pub(super) const MOST_ENTRIES: usize = 10_000;
/// Largest size of an archive's unpacked content, bytes.
pub(super) const MOST_BYTES: u64 = 256 << 20;
/// Largest size of an archive itself, bytes.
pub(super) const MOST_PACKED: u64 = 128 << 20;
/// Largest growth of an archive by unpacking, as a multiple of its size, once above
/// [`FREE_GROWTH`].
pub(super) const MOST_GROWTH: u64 = 100;
/// Unpacked size up to which the growth of an archive is not checked, bytes.
pub(super) const FREE_GROWTH: u64 = 8 << 20;
/// Largest number of folders that an entry may be nested in.
pub(super) const DEEPEST: usize = 32;
/// Longest name of an entry, bytes.
pub(super) const LONGEST_NAME: usize = 1024;

/// Reason why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    #[error("the archive has more than {MOST_ENTRIES} entries, files and folders")]
    Entries,
    #[error("the archive's directory lists more than {MOST_LISTED} entries, or 16 MiB of names")]
    Listed,
    #[error("the archive holds more than {} MiB", MOST_BYTES >> 20)]
    Bytes,
    #[error("the archive grows to more than {MOST_GROWTH} times its size")]
    Growth,
    #[error("the archive is larger than {} MiB", MOST_PACKED >> 20)]
    Packed,
    #[error("the archive's entry `{0}` leaves the folder")]
    Leaves(String),
    #[error("the archive's entry `{0}` has a name of more than {LONGEST_NAME} bytes")]
    Long(String),
    #[error("the archive's entry `{0}` lies more than {DEEPEST} folders deep")]
    Deep(String),
    #[error("the archive's entry `{0}` has a name that is no text, or has characters nobody sees")]
    Unseen(String),
    #[error("the archive's entry `{0}` is a device, a pipe, a hard link or a sparse file")]
    Special(String),
    #[error("the archive's entries `{0}` and `{1}` are the same when case is ignored")]
    Collision(String, String),
    /// As files, or as a file and a folder.
    #[error("the archive has two entries `{0}`")]
    Twice(String),
    #[error("the archive holds {0}")]
    Source(String),
    #[error("cannot unpack: {0}")]
    Io(#[from] io::Error),
}

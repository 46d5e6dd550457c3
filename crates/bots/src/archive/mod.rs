//! Archives of bots (`.zip`, `.tar.gz`), unpacked beneath a folder of their own.
//!
//! Nothing is ever written outside that folder, however the archive was made:
//! names are checked before use, links are made after every file, and caps on
//! entries, bytes and growth are watched while unpacking. Archives within are
//! left as they are. Set-user-id bits are dropped; devices are refused.

mod limits;

#[cfg(test)]
mod tests;
mod unpacker;
mod zip_file;

use std::fs;
use std::path::{Path, PathBuf};

use crate::problem::BotProblem;
use crate::source::{SourceTree, hash_file};
pub(crate) use limits::FramingBudget;
use limits::{ArchiveError, MOST_PACKED};
use unpacker::Unpacker;
pub use zip_file::check_jar;

/// Prefix of the names of folders into which an archive is being unpacked.
pub const UNPACKING: &str = ".unpack-";

/// File name endings of archives.
const ENDS: [&str; 3] = [".zip", ".tar.gz", ".tgz"];

/// Entries at an archive's top that a hint shows.
const MOST_SHOWN: usize = 6;

/// Returns whether `path` is named like an archive.
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| ENDS.iter().any(|end| name.ends_with(end)))
}

/// Returns the archive's name without its extension.
pub(crate) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let end = ENDS.iter().find(|end| name.to_lowercase().ends_with(*end))?;
    name.get(..name.len() - end.len())
}

/// Unpacks the archive at `path` into a folder beneath `cache` named by the
/// archive's kind and hash, unless that is there already as it was unpacked, and
/// returns where the bot lies: that folder, or the innermost of folders that are each alone in the
/// one before.
///
/// # Errors
///
/// When the archive is refused or cannot be read; nothing is left then.
pub fn unpack(path: &Path, cache: &Path) -> Result<PathBuf, BotProblem> {
    let refused = |refusal: ArchiveError| BotProblem::new(path, refusal.to_string());
    let hash = fs::metadata(path)
        .map_err(ArchiveError::Io)
        .and_then(|data| if data.len() > MOST_PACKED { Err(ArchiveError::Packed) } else { Ok(()) })
        .and_then(|()| Ok(hash_file(path)?))
        .map_err(refused)?;
    let kind = if is_zip(path) { "zip" } else { "tar" };
    let target = cache.join(format!("{kind}-{hash}"));
    if !is_as_unpacked(&target) {
        unpack_once(path, cache, &target).map_err(refused)?;
    }
    let wrapped = std::iter::successors(Some(target), |folder| {
        only_entry(folder).filter(|path| path.is_dir())
    });
    Ok(wrapped.last().expect("the first one is there"))
}

fn is_zip(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(".zip")
}

/// The file beside an unpacked archive with the hash of all that was in it.
fn hash_file_of(target: &Path) -> PathBuf {
    target.with_extension("hash")
}

/// Returns whether an archive is unpacked at `target` and nothing was changed since.
fn is_as_unpacked(target: &Path) -> bool {
    let sealed = target.is_dir().then(|| fs::read_to_string(hash_file_of(target)).ok()).flatten();
    let found = || SourceTree::read_all(target).ok().map(|tree| tree.hash().to_string());
    sealed.is_some_and(|sealed| found().as_ref() == Some(&sealed))
}

fn unpack_once(path: &Path, cache: &Path, target: &Path) -> Result<(), ArchiveError> {
    fs::create_dir_all(cache)?;
    let fresh = tempfile::Builder::new().prefix(UNPACKING).tempdir_in(cache)?;
    let packed = fs::metadata(path)?.len();
    let tree = fresh.path().join("tree");
    fs::create_dir(&tree)?;
    let mut unpacker = Unpacker::new(&tree, packed);
    if is_zip(path) { unpacker.zip(path) } else { unpacker.tar_gz(path) }?;
    unpacker.finish()?;
    let source = |problem: BotProblem| ArchiveError::Source(problem.message);
    SourceTree::read(&tree, &[]).map_err(source)?;
    let whole = SourceTree::read_all(&tree).map_err(source)?.hash().to_string();
    fs::write(fresh.path().join("hash"), &whole)?;
    // A folder that was changed, or that an interrupted run left incomplete, is replaced.
    if target.symlink_metadata().is_ok() {
        fs::rename(target, fresh.path().join("old"))?;
    }
    fs::rename(fresh.path().join("hash"), hash_file_of(target))?;
    match fs::rename(&tree, target) {
        Err(_) if is_as_unpacked(target) => Ok(()),
        other => Ok(other?),
    }
}

/// Returns the only entry of a folder.
pub(crate) fn only_entry(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let (first, second) = (entries.next()?, entries.next());
    Some(first.path()).filter(|path| second.is_none() && !path.is_symlink())
}

/// Lists some entries at the top of an unpacked archive, for a hint.
pub(crate) fn top_entries(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> =
        entries.map(|entry| format!("`{}`", entry.file_name().to_string_lossy())).collect();
    names.sort();
    let more = if names.len() > MOST_SHOWN { " ..." } else { "" };
    names.truncate(MOST_SHOWN);
    match &names[..] {
        [] => "the archive is empty".to_owned(),
        names => format!("at the archive's top: {}{more}", names.join(", ")),
    }
}

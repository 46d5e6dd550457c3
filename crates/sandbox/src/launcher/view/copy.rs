//! Copies of small folders, made in the new root instead of mounts: programs start faster from
//! there than through an overlay, and a copy tells nothing about the host either.

use std::fs::{self, File, FileTimes};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

/// Budget that is left for copies into one seat's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RootBudget {
    bytes: u64,
    entries: u32,
}

impl RootBudget {
    /// The root's file system is made large enough for all of it.
    pub(super) const WHOLE: Self = Self { bytes: 768 * 1024, entries: 384 };

    fn spend(&mut self, bytes: u64) -> Option<()> {
        self.bytes = self.bytes.checked_sub(bytes)?;
        self.entries = self.entries.checked_sub(1)?;
        Some(())
    }
}

/// Copies a folder if it fits the budget and holds only files, folders and
/// links; `None` when it does not.
///
/// # Errors
///
/// When it fits and cannot be read or written.
pub(super) fn copy_small(
    folder: &OwnedFd,
    target: &Path,
    budget: &mut RootBudget,
) -> io::Result<Option<()>> {
    let source = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let mut left = *budget;
    if measure(&source, &mut left)?.is_none() {
        return Ok(None);
    }
    *budget = left;
    copy(&source, target).map(Some)
}

/// Gives a folder and all beneath it to a user.
pub(super) fn set_owner(folder: &Path, owner: u32) -> io::Result<()> {
    lchown(folder, Some(owner), Some(owner))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => set_owner(&entry.path(), owner)?,
            false => lchown(entry.path(), Some(owner), Some(owner))?,
        }
    }
    Ok(())
}

fn measure(folder: &Path, budget: &mut RootBudget) -> io::Result<Option<()>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let known = metadata.is_dir() || metadata.is_file() || metadata.is_symlink();
        // Counted in pages, as the root's file system does.
        let bytes = metadata.len().next_multiple_of(4096);
        if !known || budget.spend(bytes).is_none() {
            return Ok(None);
        }
        if metadata.is_dir() && measure(&entry.path(), budget)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (metadata, target) = (entry.metadata()?, to.join(entry.file_name()));
        let mode = metadata.mode() & 0o777;
        if metadata.is_dir() {
            fs::DirBuilder::new().mode(mode | 0o700).create(&target)?;
            copy(&entry.path(), &target)?;
        } else if metadata.is_symlink() {
            symlink(fs::read_link(entry.path())?, &target)?;
        } else {
            copy_file(&entry.path(), &target, &metadata)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    let mode = metadata.mode() & 0o777;
    let mut target = File::options().write(true).create_new(true).mode(mode).open(to)?;
    io::copy(&mut File::open(from)?, &mut target)?;
    // Byte code beside a module is valid only for the module's time.
    target.set_times(FileTimes::new().set_modified(metadata.modified()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(budget: &mut RootBudget) -> (tempfile::TempDir, tempfile::TempDir, Option<()>) {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(from.path().join("d")).unwrap();
        fs::write(from.path().join("d/f"), "text").unwrap();
        symlink("d/f", from.path().join("l")).unwrap();
        let folder = File::open(from.path()).unwrap().into();
        let done = copy_small(&folder, to.path(), budget).unwrap();
        (from, to, done)
    }

    #[test]
    fn a_small_folder_is_copied_with_its_times() {
        let (from, to, done) = copied(&mut RootBudget::WHOLE.clone());
        assert_eq!(done, Some(()));
        assert_eq!(fs::read_to_string(to.path().join("l")).unwrap(), "text");
        let time = |root: &Path| fs::metadata(root.join("d/f")).unwrap().modified().unwrap();
        assert_eq!(time(to.path()), time(from.path()));
    }

    #[test]
    fn a_folder_above_the_budget_is_left_and_costs_nothing() {
        let mut budget = RootBudget { bytes: 1 << 20, entries: 2 };
        let (_from, to, done) = copied(&mut budget);
        assert_eq!((done, budget.entries), (None, 2));
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0);
    }
}

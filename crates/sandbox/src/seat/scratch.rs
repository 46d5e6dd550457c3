//! Scratch: the writable folders of a seat, from outside: files put in before a turn, taken out
//! after it, and everything removed.
//!
//! All of this happens between turns, when no process of the seat is alive, so
//! nothing changes between a check and the action after it. Nothing is reached by
//! path and no link is followed.
//!
//! A file system in memory numbers files one after the other, and counts the places of the names in
//! a folder. Both counts continue after everything was removed, and would show the next turn how
//! many there were, so a turn that has used some is noticed by them.

use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{FchmodatFlags, Mode, fchmod, fchmodat, fstat, futimens};
use nix::sys::statfs::fstatfs;
use nix::sys::time::TimeSpec;

use crate::error::{SandboxError, Step};
use crate::folder;
use crate::machine::scratch_prefix;
use crate::sys;
use crate::wire::{FileSystem, SCRATCH, SHARED_MEMORY, TEMPORARY, WRITTEN};
use crate::{FileOutcome, OutputFile, PutFile, SeatLimits, TakeFile};

/// The three writable folders.
const PARTS: [&str; 3] = [SCRATCH, TEMPORARY, SHARED_MEMORY];

/// The writable folders of a seat.
pub(super) struct ScratchFolders {
    whole: OwnedFd,
    parts: Vec<OwnedFd>,
    /// The layer above the programs' own folder, and when it was last changed by us.
    written: Option<(OwnedFd, Cell<ChangeTime>)>,
    pub(super) owner: Option<u32>,
    file_system: FileSystem,
    /// Room in its own file system when it is empty.
    empty: FreeSpace,
    /// The usage of each part.
    mode: Mode,
}

/// Free blocks and free files of the seat's own file system; `None` where it
/// has none of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeSpace {
    pub(super) blocks: Option<u64>,
    pub(super) files: Option<u64>,
}

/// Limits that the scratch has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReachedLimits {
    pub(super) bytes: bool,
    pub(super) files: bool,
}

/// Treatment of missing folders on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFolders {
    Made,
    Left,
}

impl ScratchFolders {
    /// Takes over folders that are new and empty.
    pub(super) fn new(
        whole: OwnedFd,
        owner: Option<u32>,
        file_system: FileSystem,
    ) -> Result<Self, SandboxError> {
        let step = "open the scratch";
        let parts = PARTS.iter().map(|name| folder::open(whole.as_fd(), *name));
        let parts: Vec<OwnedFd> = parts.collect::<Result<_, _>>().step(step)?;
        let mode = Mode::from_bits_truncate(fstat(&parts[0]).step(step)?.st_mode);
        let written = match folder::open(whole.as_fd(), WRITTEN) {
            Ok(layer) => {
                let changed = Cell::new(changed(&layer).step(step)?);
                Some((layer, changed))
            }
            Err(Errno::ENOENT) => None,
            Err(errno) => return Err(SandboxError::new(step, errno)),
        };
        let empty = free_space(&whole, file_system).step(step)?;
        Ok(Self { whole, parts, written, owner, file_system, empty, mode })
    }

    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.parts[0].as_fd()
    }

    /// Returns the room that is free.
    pub(super) fn free_space(&self) -> Result<FreeSpace, SandboxError> {
        free_space(&self.whole, self.file_system).step("ask for the room in the scratch")
    }

    /// Returns whether the limits are reached; counts the files if `room` has no figures.
    pub(super) fn is_full(
        &self,
        room: FreeSpace,
        limits: &SeatLimits,
    ) -> Result<ReachedLimits, SandboxError> {
        if let (Some(blocks), Some(files)) = (room.blocks, room.files) {
            return Ok(ReachedLimits { bytes: blocks == 0, files: files == 0 });
        }
        let most = u64::from(limits.files);
        let used = folder::usage(self.whole.as_fd(), most).step("measure the scratch")?;
        Ok(ReachedLimits { bytes: used.0 >= limits.disk.0, files: used.1 >= most })
    }

    /// Removes old files that will be taken later, then writes files.
    pub(super) fn put_files(&self, put: &[PutFile], take: &[TakeFile]) -> Result<(), SandboxError> {
        for file in take {
            if let Some((parent, name)) = self.parent(&file.path, MissingFolders::Left)? {
                folder::remove(parent.as_fd(), &name)
                    .step(&format!("remove an old `{}`", file.path))?;
            }
        }
        put.iter().try_for_each(|file| self.write(file))
    }

    /// Reads the numbers that the scratch has given out so far; `None` if it has no file system of
    /// its own.
    pub(super) fn numbers(&self, scope: ReadScope) -> Result<Option<InodeNumbers>, SandboxError> {
        match self.empty.blocks {
            Some(_) => {
                InodeNumbers::read(self.folder(), scope).map(Some).step("look at the scratch")
            }
            None => Ok(None),
        }
    }

    fn write(&self, file: &PutFile) -> Result<(), SandboxError> {
        let step = format!("write `{}` into the scratch", file.path);
        let (parent, name) = self
            .parent(&file.path, MissingFolders::Made)?
            .ok_or_else(|| SandboxError::new(step.clone(), Errno::ENOENT))?;
        folder::remove(parent.as_fd(), &name).step(&step)?;
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        let made = openat(&parent, name.as_c_str(), flags, Mode::from_bits_truncate(0o644));
        let made = made.step(&step)?;
        folder::set_owner(made.as_fd(), self.owner).step(&step)?;
        File::from(made).write_all(&file.bytes).step(&step)
    }

    /// Reads files.
    pub(super) fn take_files(&self, take: &[TakeFile]) -> Result<Vec<OutputFile>, SandboxError> {
        take.iter()
            .map(|file| {
                let outcome = self.take_file(file)?;
                Ok(OutputFile { path: file.path.clone(), outcome })
            })
            .collect()
    }

    fn take_file(&self, file: &TakeFile) -> Result<FileOutcome, SandboxError> {
        let step = format!("read `{}` from the scratch", file.path);
        let Some((parent, name)) = self.parent(&file.path, MissingFolders::Left)? else {
            return Ok(FileOutcome::Missing);
        };
        let Some(stat) = folder::stat(parent.as_fd(), &name).step(&step)? else {
            return Ok(FileOutcome::Missing);
        };
        if folder::kind(&stat) != libc::S_IFREG || stat.st_nlink != 1 {
            return Ok(FileOutcome::NotPlain);
        }
        if u64::try_from(stat.st_size).unwrap_or(u64::MAX) > file.cap.0 {
            return Ok(FileOutcome::TooLong);
        }
        let mut bytes = Vec::new();
        let opened = open_plain(parent.as_fd(), &name).step(&step)?;
        File::from(opened).take(file.cap.0).read_to_end(&mut bytes).step(&step)?;
        Ok(FileOutcome::Bytes(bytes))
    }

    /// Empties all folders.
    ///
    /// `room` is the current [`ScratchFolders::free_space`].
    pub(super) fn clear(&self, room: FreeSpace) -> Result<(), SandboxError> {
        let step = "empty the scratch";
        let changed = room != self.empty || room.blocks.is_none();
        for part in &self.parts {
            // If the seat's programs own these folders, they may have changed the mode.
            if changed || self.owner.is_none() {
                fchmod(part, self.mode).step(step)?;
            }
            if changed {
                folder::clear(part.as_fd()).step(step)?;
            }
        }
        Ok(())
    }

    /// Makes the folders look as in every turn. Must be called last before a program starts: the
    /// time of the last change, which no call can set, is then the time of this start. So it shows
    /// neither whether an earlier turn made a change nor when that turn ended.
    pub(super) fn forget_times(&self) -> Result<(), SandboxError> {
        let step = "set the times of the scratch";
        let written = self.written.iter().map(|(layer, _)| layer);
        for part in self.parts.iter().chain(written) {
            futimens(part, &TimeSpec::new(0, 0), &TimeSpec::new(0, 0)).step(step)?;
        }
        if let Some((layer, last)) = &self.written {
            last.set(changed(layer).step(step)?);
        }
        Ok(())
    }

    /// Returns whether the folder of the programs was changed since the times were last forgotten.
    /// Changes beneath its own folders show in the numbers of files.
    pub(super) fn is_written(&self) -> Result<bool, SandboxError> {
        let step = "look at the folder of the programs";
        let Some((layer, last)) = &self.written else { return Ok(false) };
        Ok(changed(layer).step(step)? != last.get())
    }

    /// Opens the folder that holds `path` and returns the last name.
    fn parent(
        &self,
        path: &str,
        missing: MissingFolders,
    ) -> Result<Option<(OwnedFd, CString)>, SandboxError> {
        let mut names = plain_names(path)?;
        let last = names.pop().ok_or_else(|| {
            SandboxError::because(format!("find `{path}` in the scratch"), "it is empty")
        })?;
        Ok(self.walk(&names, missing)?.map(|folder| (folder, last)))
    }

    /// Opens a folder of the scratch; `path` is empty for the scratch itself.
    pub(super) fn open_folder(
        &self,
        path: &str,
        missing: MissingFolders,
    ) -> Result<Option<OwnedFd>, SandboxError> {
        let names = if path.is_empty() { Vec::new() } else { plain_names(path)? };
        self.walk(&names, missing)
    }

    /// Opens a folder; `None` if it is missing and is not made. If folders are made, anything on
    /// the way that is no folder is removed.
    fn walk(
        &self,
        names: &[CString],
        missing: MissingFolders,
    ) -> Result<Option<OwnedFd>, SandboxError> {
        let step = "open a folder of the scratch";
        let mut folder = self.folder().try_clone_to_owned().step(step)?;
        for name in names {
            folder = match (folder::open(folder.as_fd(), name.as_c_str()), missing) {
                (Ok(inner), _) => inner,
                (Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP), MissingFolders::Left) => {
                    return Ok(None);
                }
                (Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP), MissingFolders::Made) => {
                    folder::remove(folder.as_fd(), name).step(step)?;
                    folder::make(folder.as_fd(), name, self.owner).step(step)?
                }
                (Err(errno), _) => return Err(SandboxError::new(step, errno)),
            };
        }
        Ok(Some(folder))
    }
}

/// Time of a folder's last change: seconds and nanoseconds.
type ChangeTime = (i64, i64);

fn changed(folder: &OwnedFd) -> Result<ChangeTime, Errno> {
    fstat(folder).map(|stat| (stat.st_ctime, stat.st_ctime_nsec))
}

/// Returns the names of a plain relative path: no "..", no ".", none empty.
fn plain_names(path: &str) -> Result<Vec<CString>, SandboxError> {
    let plain = |name| match name {
        "" | "." | ".." => None,
        name => CString::new(name).ok(),
    };
    path.split('/').map(plain).collect::<Option<_>>().ok_or_else(|| {
        let step = format!("find `{path}` in the scratch");
        SandboxError::because(step, "the path is not plain and relative")
    })
}

/// Opens a plain file, whatever its rights.
pub(super) fn open_plain(folder: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::EACCES) => {
            fchmodat(folder, name, Mode::S_IRUSR, FchmodatFlags::FollowSymlink)?;
            openat(folder, name, flags, Mode::empty())
        }
        other => other,
    }
}

fn free_space(folder: &OwnedFd, file_system: FileSystem) -> Result<FreeSpace, Errno> {
    let stat = fstatfs(folder)?;
    let own = file_system == FileSystem::Own;
    Ok(FreeSpace { blocks: own.then(|| stat.blocks_free()), files: own.then(|| stat.files_free()) })
}

/// Makes the writable folders in a folder of the host, for modes that can mount nothing.
pub(super) fn make_on_host(root: &Path, owner: Option<u32>) -> Result<PathBuf, SandboxError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = root.join(format!("{}{number}", scratch_prefix()));
    let step = format!("make the scratch `{}`", path.display());
    let mode = |folder: &Path, mode: u32| {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode))
    };
    std::fs::create_dir(&path).step(&step)?;
    for part in PARTS {
        let part = path.join(part);
        std::fs::create_dir(&part).step(&step)?;
        // The group's right to enter is for the launcher, which has the user's group.
        mode(&part, if owner.is_some() { 0o710 } else { 0o700 }).step(&step)?;
        std::os::unix::fs::chown(&part, owner, owner).step(&step)?;
    }
    mode(&path, 0o711).step(&step)?;
    Ok(path)
}

/// Name of a file that exists for a moment, while no program runs.
const NAME: &CStr = c".joust";

/// Numbers that have been given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InodeNumbers {
    file: u64,
    place: i64,
}

/// Scope of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadScope {
    /// The number of files only.
    Files,
    /// The places in the folder too, which a file without a name does not take.
    Places,
}

impl InodeNumbers {
    /// Reads the numbers by making a file. Reads places only in an empty folder: the place of the
    /// last of several entries differs from kernel to kernel.
    pub(super) fn read(folder: BorrowedFd<'_>, scope: ReadScope) -> Result<Self, Errno> {
        match scope {
            ReadScope::Files => Ok(Self { file: number(&unnamed(folder)?)?, place: 0 }),
            ReadScope::Places => {
                let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
                let file = number(&openat(folder, NAME, flags, Mode::empty())?)?;
                // A new descriptor, because reading a folder continues where the last read ended.
                let place =
                    folder::open(folder, c".").and_then(|again| sys::farthest_place(again.as_fd()));
                folder::remove(folder, NAME)?;
                Ok(Self { file, place: place? })
            }
        }
    }

    /// Returns whether exactly `files` files, and places for `names` names, were given out since
    /// `before`, apart from those of the reading itself. File systems that do not count places
    /// always give the same one.
    pub(super) fn follow(self, before: Self, files: u64, names: usize) -> bool {
        let names = i64::try_from(names).unwrap_or(i64::MAX);
        let next = before.place.saturating_add(names).saturating_add(1);
        let place = [0, before.place, next].contains(&self.place);
        self.file == before.file + files + 1 && place
    }

    /// Returns the numbers known after a later reading.
    pub(super) fn updated(self, later: Self) -> Self {
        Self { file: later.file, place: if later.place == 0 { self.place } else { later.place } }
    }
}

fn unnamed(folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_WRONLY | OFlag::O_TMPFILE | OFlag::O_CLOEXEC;
    openat(folder, ".", flags, Mode::empty())
}

fn number(file: &OwnedFd) -> Result<u64, Errno> {
    Ok(fstat(file)?.st_ino)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn scratch() -> (tempfile::TempDir, ScratchFolders) {
        let root = tempfile::tempdir().unwrap();
        for part in ["scratch", "tmp", "shm"] {
            fs::create_dir(root.path().join(part)).unwrap();
        }
        let whole = fs::File::open(root.path()).unwrap().into();
        (root, ScratchFolders::new(whole, None, FileSystem::Shared).unwrap())
    }

    fn put(path: &str, text: &str) -> PutFile {
        PutFile { path: path.to_owned(), bytes: text.as_bytes().into() }
    }

    fn take(scratch: &ScratchFolders, path: &str) -> FileOutcome {
        let wanted = TakeFile { path: path.to_owned(), cap: Bytes(8) };
        scratch.take_files(&[wanted]).unwrap().remove(0).outcome
    }

    #[test]
    fn a_file_put_into_new_folders_is_taken_back() {
        let (_root, scratch) = scratch();
        scratch.put_files(&[put("a/b/c", "text")], &[]).unwrap();
        assert_eq!(take(&scratch, "a/b/c"), FileOutcome::Bytes(b"text".to_vec()));
    }

    #[test]
    fn a_link_in_the_way_of_a_put_file_is_replaced() {
        let (root, scratch) = scratch();
        let outside = tempfile::tempdir().unwrap();
        symlink(outside.path(), root.path().join("scratch/a")).unwrap();
        scratch.put_files(&[put("a/b", "text")], &[]).unwrap();
        assert!(!outside.path().join("b").exists());
        assert_eq!(take(&scratch, "a/b"), FileOutcome::Bytes(b"text".to_vec()));
    }

    #[test]
    fn links_and_files_with_two_names_are_not_plain() {
        let (root, scratch) = scratch();
        let folder = root.path().join("scratch");
        fs::write(folder.join("one"), "x").unwrap();
        fs::hard_link(folder.join("one"), folder.join("two")).unwrap();
        symlink("/etc/passwd", folder.join("link")).unwrap();
        fs::create_dir(folder.join("folder")).unwrap();
        for name in ["one", "link", "folder"] {
            assert_eq!(take(&scratch, name), FileOutcome::NotPlain, "{name}");
        }
    }

    #[test]
    fn a_file_above_its_cap_is_not_read() {
        let (_root, scratch) = scratch();
        scratch.put_files(&[put("long", "123456789")], &[]).unwrap();
        assert_eq!(take(&scratch, "long"), FileOutcome::TooLong);
    }

    #[test]
    fn a_file_of_an_earlier_turn_is_gone() {
        let (_root, scratch) = scratch();
        scratch.put_files(&[put("move", "x")], &[]).unwrap();
        scratch.put_files(&[], &[TakeFile { path: "move".to_owned(), cap: Bytes(8) }]).unwrap();
        assert_eq!(take(&scratch, "move"), FileOutcome::Missing);
    }

    #[test]
    fn a_path_that_leads_out_is_refused() {
        let (_root, scratch) = scratch();
        for path in ["../x", "/x", "a/../x", "", "a//b", "./x"] {
            assert!(scratch.put_files(&[put(path, "x")], &[]).is_err(), "{path}");
        }
    }
}

//! Folders of the host in the scratch: copied, or laid into it so that a program can write beside
//! its own files and over them.
//!
//! Small files of a folder that is laid into it are copied. Large files, and files that no program
//! writes to, are linked: this costs little and never fails for want of room.

use std::ffi::{CString, OsString};
use std::fs::{self, DirEntry, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::symlinkat;

use super::scratch::{MissingFolders, ScratchFolders};
use crate::error::{SandboxError, Step};
use crate::folder;

/// A folder of the host to copy into the scratch, where it can be written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Path on the host. Links in it are copied as links.
    pub from: PathBuf,
    /// Its path in the scratch, relative; empty for the scratch itself.
    pub inside: String,
}

pub(super) fn copy(import: &Import, scratch: &ScratchFolders) -> Result<(), SandboxError> {
    let step = format!("copy `{}` into the scratch", import.from.display());
    let target = scratch.open_folder(&import.inside, MissingFolders::Made)?;
    let target = target.expect("a missing folder is made");
    copy_folder(&import.from, target.as_fd(), scratch.owner).map_err(|error| {
        let full = error.raw_os_error() == Some(libc::ENOSPC);
        let error = SandboxError::io(step, &error);
        if full { error.with_hint("raise the disk and files limits of the seat") } else { error }
    })
}

fn copy_folder(from: &Path, to: BorrowedFd<'_>, owner: Option<u32>) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let name = std::ffi::CString::new(entry.file_name().as_bytes())?;
        if kind.is_dir() {
            let inner = folder::make(to, &name, owner)?;
            copy_folder(&path, inner.as_fd(), owner)?;
        } else if kind.is_symlink() {
            symlinkat(&fs::read_link(&path)?, to, name.as_c_str())?;
        } else if kind.is_file() {
            copy_file(&path, to, &name, owner)?;
        }
        // Devices, sockets and pipes are not part of a bot's sources.
    }
    Ok(())
}

pub(super) fn copy_file(
    from: &Path,
    to: BorrowedFd<'_>,
    name: &std::ffi::CStr,
    owner: Option<u32>,
) -> io::Result<()> {
    let mut source = File::open(from)?;
    let executable = source.metadata()?.permissions().mode() & 0o111 != 0;
    let mode = Mode::from_bits_truncate(if executable { 0o755 } else { 0o644 });
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
    let target = openat(to, name, flags, mode)?;
    folder::set_owner(target.as_fd(), owner)?;
    io::copy(&mut source, &mut File::from(target)).map(drop)
}

/// Largest size of a file that is copied, bytes; larger ones are linked.
const LONGEST_COPY: u64 = 1 << 20;
/// Maximum size of all copies, bytes and entries, unless the limits are small.
const MOST_BYTES: u64 = 8 << 20;
const MOST_ENTRIES: u64 = 1000;
/// Divisor of a limit of the scratch: copies use at most this part of it.
const SHARE: u64 = 4;
/// Step in which a file takes room in a file system, bytes.
const BLOCK: u64 = 4096;

/// A folder to lay into the scratch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkFolder {
    /// Path on the host.
    pub from: PathBuf,
    /// Path at which the tree can read it, inside.
    pub shown: PathBuf,
    /// Name in the scratch; one part of a path.
    pub name: String,
    /// Name of an entry of the folder that is always linked, whatever its kind or size.
    pub linked: Option<OsString>,
}

/// Room that is left for copies.
struct CopyBudget {
    bytes: u64,
    entries: u64,
}

pub(super) fn add_work_folder(
    work: &WorkFolder,
    shown: &Path,
    scratch: &ScratchFolders,
    limits: &crate::SeatLimits,
) -> Result<(), SandboxError> {
    let step = format!("lay `{}` into the scratch", work.name);
    let name = CString::new(work.name.as_bytes())
        .ok()
        .filter(|name| !name.is_empty() && !name.as_bytes().contains(&b'/'))
        .ok_or_else(|| SandboxError::because(step.clone(), "the name is not plain"))?;
    let made = folder::make(scratch.folder(), &name, scratch.owner).step(&step)?;
    let mut budget = CopyBudget {
        bytes: MOST_BYTES.min(limits.disk.0 / SHARE),
        entries: MOST_ENTRIES.min(u64::from(limits.files) / SHARE),
    };
    let (from, linked) = ((work.from.as_path(), shown), work.linked.as_ref());
    let laid = fill_folder(from, made.as_fd(), scratch.owner, linked, &mut budget);
    laid.map_err(|error| SandboxError::io(step, &error))
}

fn fill_folder(
    (from, shown): (&Path, &Path),
    to: BorrowedFd<'_>,
    owner: Option<u32>,
    linked: Option<&OsString>,
    budget: &mut CopyBudget,
) -> io::Result<()> {
    for entry in sorted(from)? {
        let (path, shown) = (entry.path(), shown.join(entry.file_name()));
        let name = CString::new(entry.file_name().as_bytes())?;
        let kind = entry.file_type()?;
        if linked == Some(&entry.file_name()) {
            symlinkat(&shown, to, name.as_c_str())?;
        } else if kind.is_dir() && budget.reserve(&path)? {
            let inner = folder::make(to, &name, owner)?;
            fill_folder((&path, &shown), inner.as_fd(), owner, None, budget)?;
        } else if kind.is_symlink() {
            symlinkat(&fs::read_link(&path)?, to, name.as_c_str())?;
        } else if kind.is_file() && budget.reserve(&path)? {
            copy_file(&path, to, &name, owner)?;
        } else {
            symlinkat(&shown, to, name.as_c_str())?;
        }
    }
    Ok(())
}

impl CopyBudget {
    /// Takes the room that a file, or a folder without its content, needs; returns whether
    /// it fits together with everything beneath.
    fn reserve(&mut self, path: &Path) -> io::Result<bool> {
        let (mut bytes, mut entries) = (0, 0);
        let mut waiting = vec![path.to_owned()];
        while let Some(next) = waiting.pop() {
            let metadata = next.symlink_metadata()?;
            entries += 1;
            if metadata.is_dir() {
                waiting.extend(sorted(&next)?.iter().map(DirEntry::path));
            } else if metadata.len() <= LONGEST_COPY {
                bytes += metadata.len().next_multiple_of(BLOCK);
            } else if next == path {
                return Ok(false);
            }
            if bytes > self.bytes || entries > self.entries {
                return Ok(false);
            }
        }
        // The content of a folder takes its own room later.
        self.entries -= 1;
        self.bytes -= if path.is_dir() { 0 } else { bytes };
        Ok(true)
    }
}

fn sorted(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

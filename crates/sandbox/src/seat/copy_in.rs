//! Import: copies a folder of the host into the scratch.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::symlinkat;

use super::scratch::{MissingFolders, ScratchFolders};
use crate::error::SandboxError;
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

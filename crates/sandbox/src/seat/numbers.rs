//! Inode numbers and folder places that a seat's scratch has given out, to notice when a turn has
//! used some.
//!
//! A file system in memory numbers files one after the other, and counts the places of the names in
//! a folder. Both counts continue after everything was removed, and would show the next turn how
//! many there were.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, fstat};

use crate::folder;
use crate::sys;

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

//! Mounts: making folders of the host readable inside without telling their
//! host path.
//!
//! A bind mount shows where it came from in the mount table. A read-only
//! overlay of the folder and an empty one, with the folder named ".", does not;
//! it also gives the files inodes of their own, so that locks on shared files
//! do not reach other seats.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::mount::{MsFlags, mount};
use nix::sys::stat::Mode;
use nix::sys::statvfs::{FsFlags, fstatvfs};
use nix::unistd::fchdir;

use crate::sys::{self, IdMaps};

/// Method by which a folder was mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MountMethod {
    /// Without a trace of the host's path.
    Overlay,
    /// With the host's path in the mount table, because this kernel refused the overlay.
    Bind(Errno),
}

/// Returns the flags that keep every mount for a seat harmless: no set-user-id programs, no
/// devices.
pub(crate) fn harmless() -> MsFlags {
    MsFlags::MS_NOSUID | MsFlags::MS_NODEV
}

/// Mounts `folder` read-only at `target`. Leaves the working folder at `folder`.
pub(crate) fn mount_readable(
    folder: BorrowedFd<'_>,
    target: &Path,
    empty: &Path,
) -> Result<MountMethod, Errno> {
    match mount_overlay(folder, target, empty) {
        Ok(()) => Ok(MountMethod::Overlay),
        Err(errno) => {
            bind_descriptor(folder, target)?;
            Ok(MountMethod::Bind(errno))
        }
    }
}

fn mount_overlay(folder: BorrowedFd<'_>, target: &Path, empty: &Path) -> Result<(), Errno> {
    fchdir(folder)?;
    let options = format!("lowerdir=.:{}", empty.display());
    let flags = harmless() | MsFlags::MS_RDONLY | MsFlags::MS_NOATIME;
    mount(Some("overlay"), target, Some("overlay"), flags, Some(options.as_str()))
}

/// Mounts a folder at `target` with a layer above it that takes what is written: the folder, the
/// layer, and an empty folder beside the layer. Paths are relative to the working folder, so that
/// they tell nothing.
pub(crate) fn mount_layered(layers: [&Path; 3], target: &Path) -> Result<(), Errno> {
    let [lower, upper, work] = layers.map(Path::display);
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    let flags = harmless() | MsFlags::MS_NOATIME;
    mount(Some("overlay"), target, Some("overlay"), flags, Some(options.as_str()))
}

/// Binds what a descriptor names, read-only.
pub(crate) fn bind_descriptor(source: BorrowedFd<'_>, target: &Path) -> Result<(), Errno> {
    let path = format!("/proc/self/fd/{}", source.as_raw_fd());
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(path.as_str()), target, None::<&str>, flags, None::<&str>)?;
    make_read_only(target, kept_flags(source)?)
}

/// Flags of the original that a user name space may not take away. What is not said of the times of
/// access stays as it is.
fn kept_flags(source: BorrowedFd<'_>) -> Result<MsFlags, Errno> {
    let flags = fstatvfs(source)?.flags();
    let pairs = [
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
    ];
    let kept = pairs.into_iter().filter(|(from, _)| flags.contains(*from)).map(|(_, to)| to);
    Ok(kept.collect())
}

/// Makes one mount read-only and harmless.
pub(crate) fn make_read_only(target: &Path, kept: MsFlags) -> Result<(), Errno> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | harmless() | kept;
    mount(None::<&str>, target, None::<&str>, flags, None::<&str>)
}

/// Binds a folder or file that is already inside to another place inside.
pub(crate) fn bind(source: &Path, target: &Path) -> Result<(), Errno> {
    mount(Some(source), target, None::<&str>, MsFlags::MS_BIND, None::<&str>)
}

/// Moves a mount to another place inside.
pub(crate) fn move_to(source: &Path, target: &Path) -> Result<(), Errno> {
    mount(Some(source), target, None::<&str>, MsFlags::MS_MOVE, None::<&str>)
}

/// Binds a device of the host so that it can be used but not touched.
pub(crate) fn bind_device(source: &Path, target: &Path) -> Result<(), Errno> {
    bind(source, target)?;
    let source = open(source, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?;
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    mount(None::<&str>, target, None::<&str>, flags | kept_flags(source.as_fd())?, None::<&str>)
}

/// Mounts a new file system in memory.
pub(crate) fn mount_memory(target: &Path, flags: MsFlags, options: &str) -> Result<(), Errno> {
    mount(Some("joust"), target, Some("tmpfs"), flags, Some(options))
}

/// Opens `folder` through a mount of its own, where what belongs to `user` of the caller's user
/// name space belongs to the caller, and what the caller makes belongs to `user`.
pub(crate) fn open_as_own(folder: BorrowedFd<'_>, user: u32) -> Result<OwnedFd, Errno> {
    let line = || CString::new(format!("{user} 0 1")).expect("numbers hold no zero byte");
    let users = sys::make_mapping(&IdMaps { users: line(), groups: line() })?;
    let mount = sys::clone_mapped(folder, users.as_fd())?;
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    openat(&mount, ".", flags, Mode::empty())
}

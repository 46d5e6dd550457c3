//! Mounts under which files have other owners.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use rustix::mount::{OpenTreeFlags, open_tree};

/// The structure of `mount_setattr`, first version.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    users: u64,
}

const MAP_IDS: u64 = 0x0010_0000;

/// Makes a second mount of the folder that a descriptor names, where owners are changed by the
/// maps of a user name space. It is nowhere in the file system.
pub(crate) fn clone_mapped(
    folder: BorrowedFd<'_>,
    users: BorrowedFd<'_>,
) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    let mount =
        open_tree(folder, c"", flags).map_err(|errno| Errno::from_raw(errno.raw_os_error()))?;
    let users = u64::try_from(users.as_raw_fd()).map_err(|_| Errno::EBADF)?;
    let attributes = MountAttributes { set: MAP_IDS, clear: 0, propagation: 0, users };
    // SAFETY: the path is empty and the structure, whose size is given, lives through the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    Errno::result(result)?;
    Ok(mount)
}

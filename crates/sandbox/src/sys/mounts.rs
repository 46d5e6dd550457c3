//! Mounts under which files have other owners.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;

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
    let mount = clone_mount(folder)?;
    let users = u64::try_from(users.as_raw_fd()).map_err(|_| Errno::EBADF)?;
    let attributes = MountAttributes { set: MAP_IDS, clear: 0, propagation: 0, users };
    // SAFETY: the path is empty and the structure, whose size is given, lives through the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    Errno::result(result)?;
    Ok(mount)
}

fn clone_mount(folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH as u32;
    // SAFETY: an empty path and numbers; what it returns is a new descriptor.
    let opened =
        unsafe { libc::syscall(libc::SYS_open_tree, folder.as_raw_fd(), c"".as_ptr(), flags) };
    let opened = RawFd::try_from(Errno::result(opened)?).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel made it just now, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

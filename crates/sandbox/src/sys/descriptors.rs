//! Descriptors: adopting and receiving them.

use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

/// Most descriptors that the kernel lets one message carry (`SCM_MAX_FD`): none is left behind
/// because there is no room for it.
const MOST_DESCRIPTORS: usize = 253;

/// Takes ownership of a descriptor that was handed over at program start.
///
/// # Errors
///
/// `EBADF` when it is not open, or when it is one of the first three.
pub(crate) fn adopt(descriptor: RawFd) -> Result<OwnedFd, Errno> {
    if descriptor <= 2 {
        return Err(Errno::EBADF);
    }
    // SAFETY: F_SETFD takes no pointer; it fails when the number is not open. What the launcher
    // starts must not inherit it.
    Errno::result(unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    // SAFETY: the number is open; the launcher calls this once, first thing, for the socket its
    // parent put there for it, so nothing else in this process owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Returns whether a process can leave a table of descriptors that it shares, as since Linux 5.9.
pub(crate) fn can_leave_table() -> bool {
    // SAFETY: numbers only, and no descriptor has these.
    let left = unsafe {
        libc::syscall(libc::SYS_close_range, u32::MAX, u32::MAX, libc::CLOSE_RANGE_UNSHARE)
    };
    left == 0
}

/// Returns the farthest place among the first entries of a folder. It grows with every entry ever
/// made if the file system counts them.
pub(crate) fn farthest_place(folder: BorrowedFd<'_>) -> Result<i64, Errno> {
    // Inode, place of the next entry, length, kind, then the name.
    const PLACE: usize = 8;
    const LENGTH: usize = 16;
    let mut room = [0_u8; 1024];
    // SAFETY: the kernel writes at most as much as the room holds, which lives through the call.
    let read = unsafe {
        libc::syscall(libc::SYS_getdents64, folder.as_raw_fd(), room.as_mut_ptr(), room.len())
    };
    let read = usize::try_from(Errno::result(read)?).unwrap_or(0);
    let (mut at, mut farthest) = (0, 0);
    while let Some(entry) = room[..read].get(at..).filter(|entry| entry.len() > LENGTH + 2) {
        let place = entry[PLACE..PLACE + 8].try_into().map_or(0, i64::from_ne_bytes);
        // The last entry's may be the end of all folders.
        farthest = farthest.max(if place < 1 << 40 { place } else { 0 });
        let length = u16::from_ne_bytes([entry[LENGTH], entry[LENGTH + 1]]);
        at += usize::from(length.max(1));
    }
    Ok(farthest)
}

/// Receives one packet with the descriptors that came along.
///
/// Returns how many bytes were written to `buffer` (0: the other end is gone).
///
/// # Errors
///
/// Errors of `recvmsg`; `EMSGSIZE` when the packet did not fit.
pub(crate) fn receive(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8],
) -> Result<(usize, Vec<OwnedFd>), Errno> {
    let mut control = nix::cmsg_space!([RawFd; MOST_DESCRIPTORS]);
    let mut pieces = [IoSliceMut::new(buffer)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let received = recvmsg::<()>(socket.as_raw_fd(), &mut pieces, Some(&mut control), flags)?;
    let mut descriptors = Vec::new();
    for message in received.cmsgs()? {
        let ControlMessageOwned::ScmRights(numbers) = message else { continue };
        // SAFETY: the kernel has just made each of them, and nothing else owns it.
        let owned = |number| unsafe { OwnedFd::from_raw_fd(number) };
        descriptors.extend(numbers.into_iter().map(owned));
    }
    match received.flags.contains(MsgFlags::MSG_TRUNC) {
        true => Err(Errno::EMSGSIZE),
        false => Ok((received.bytes, descriptors)),
    }
}

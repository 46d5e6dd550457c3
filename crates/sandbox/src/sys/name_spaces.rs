//! Parts of name spaces: System V objects, mounts under which files have other owners, and the
//! loopback interface of a new network.

use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use rustix::mount::{OpenTreeFlags, open_tree};

/// A kind of System V object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IpcKind {
    /// Shared memory.
    Memory,
    /// Semaphores.
    Semaphores,
    /// Message queues.
    Messages,
}

/// Linux's `SEM_INFO`, which `libc` lacks on some targets.
const SEM_INFO: libc::c_int = 19;
/// Linux's `MSG_INFO`.
const MSG_INFO: libc::c_int = 12;
/// Linux's `SHM_INFO`.
const SHM_INFO: libc::c_int = 14;
/// Linux's `SHM_STAT`.
const SHM_STAT: libc::c_int = 13;
/// Linux's `SEM_STAT`.
const SEM_STAT: libc::c_int = 18;
/// Linux's `MSG_STAT`.
const MSG_STAT: libc::c_int = 11;

/// Larger than any structure the `*_INFO` and `*_STAT` commands write (112 bytes at most).
#[repr(C, align(16))]
struct IpcBuffer([u8; 256]);

fn control(
    kind: IpcKind,
    id: libc::c_int,
    command: libc::c_int,
) -> Result<(i32, IpcBuffer), Errno> {
    let mut buffer = IpcBuffer([0; 256]);
    let address = buffer.0.as_mut_ptr();
    // SAFETY: the commands used here (INFO, STAT, RMID) write at most one structure, all of them
    // smaller than the room, which lives through the call.
    let result = unsafe {
        match kind {
            IpcKind::Memory => libc::shmctl(id, command, address.cast()),
            IpcKind::Semaphores => libc::semctl(id, 0, command, address),
            IpcKind::Messages => libc::msgctl(id, command, address.cast()),
        }
    };
    Errno::result(result).map(|value| (value, buffer))
}

/// Highest index in use and the number of objects that exist.
fn info(kind: IpcKind) -> Result<(i32, i32), Errno> {
    let (command, offset) = match kind {
        // struct shm_info: int used_ids first.
        IpcKind::Memory => (SHM_INFO, 0),
        // struct seminfo: semusz is the eighth int, and holds the number of sets for SEM_INFO.
        IpcKind::Semaphores => (SEM_INFO, 7 * mem::size_of::<i32>()),
        // struct msginfo: msgpool is the first int, and holds the number of queues for MSG_INFO.
        IpcKind::Messages => (MSG_INFO, 0),
    };
    let (highest, buffer) = control(kind, 0, command)?;
    let mut number = [0; 4];
    number.copy_from_slice(&buffer.0[offset..offset + 4]);
    Ok((highest, i32::from_ne_bytes(number)))
}

/// Returns the number of objects of this kind in the caller's name space.
pub(crate) fn ipc_in_use(kind: IpcKind) -> Result<i32, Errno> {
    info(kind).map(|(_, in_use)| in_use)
}

/// Removes every object the caller may remove in its name space. Makes system
/// calls only.
pub(crate) fn remove_all_ipc() {
    for (kind, stat) in [
        (IpcKind::Memory, SHM_STAT),
        (IpcKind::Semaphores, SEM_STAT),
        (IpcKind::Messages, MSG_STAT),
    ] {
        let Ok((highest, _)) = info(kind) else { continue };
        for index in 0..=highest {
            if let Ok((id, _)) = control(kind, index, stat) {
                let _ = control(kind, id, libc::IPC_RMID);
            }
        }
    }
}

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

/// Switches the loopback interface on.
pub(crate) fn raise_loopback() -> Result<(), Errno> {
    let control = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    // SAFETY: ifreq is plain data for which all zeroes is valid.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: SIOCSIFFLAGS reads one ifreq, which lives through the call.
    let result =
        unsafe { libc::ioctl(control.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    Errno::result(result).map(drop)
}

//! Seccomp notifications: receives the calls that a filter hands over, and answers them.

use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::sys::socket::{SockaddrLike, SockaddrStorage};
use rustix::rand::{GetRandomFlags, getrandom};
use seccompiler::sock_filter;

/// `SECCOMP_IOCTL_NOTIF_RECV`, `_SEND`, `_ID_VALID` and `_ADDFD`.
const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const IS_VALID: libc::c_ulong = 0x4008_2102;
const PUT: libc::c_ulong = 0x4018_2103;

/// `SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV`: once its call is reported, only a signal that
/// ends a program interrupts it (Linux 5.19).
const UNDISTURBED: libc::c_ulong = 1 << 5;
/// `SECCOMP_ADDFD_FLAG_SETFD`.
const AT_NUMBER: u32 = 1;

/// Mark of the calls of this program that are not handed over; 0 for nothing.
static TOKEN: AtomicU64 = AtomicU64::new(0);

/// A call that was handed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotifiedCall {
    pub(crate) id: u64,
    /// The thread that makes it.
    pub(crate) thread: u32,
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 6],
}

/// The kernel's `struct seccomp_notif_addfd`.
#[repr(C)]
struct AddedDescriptor {
    id: u64,
    flags: u32,
    source: u32,
    number: u32,
    number_flags: u32,
}

/// Returns what marks the calls of this program that are not handed over.
pub(super) fn token() -> u64 {
    TOKEN.load(Ordering::Relaxed)
}

/// Draws the mark, once, which only this program knows, and keeps it.
pub(crate) fn make_token() -> Result<u64, Errno> {
    if token() != 0 {
        return Ok(token());
    }
    let mut drawn = [0; size_of::<u64>()];
    getrandom(&mut drawn, GetRandomFlags::empty())
        .map_err(|errno| Errno::from_raw(errno.raw_os_error()))?;
    let drawn = u64::from_ne_bytes(drawn);
    let before = TOKEN.compare_exchange(0, drawn, Ordering::Relaxed, Ordering::Relaxed);
    Ok(before.map_or_else(|earlier| earlier, |_| drawn))
}

/// Installs a filter for this thread and all it will start; returns what the
/// calls are read from that the filter hands over.
pub(crate) fn install_listener(program: &[sock_filter]) -> Result<OwnedFd, Errno> {
    nix::sys::prctl::set_no_new_privs()?;
    let length = u16::try_from(program.len()).map_err(|_| Errno::EINVAL)?;
    // The two structures of a statement have one layout, which is the kernel's.
    let filter = program.as_ptr().cast_mut().cast::<libc::sock_filter>();
    let program = libc::sock_fprog { len: length, filter };
    let install = |flags: libc::c_ulong| {
        // SAFETY: the kernel copies the program, which outlives the call; the result is a new
        // descriptor that nothing else owns.
        unsafe {
            let listener = libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | flags,
                &raw const program,
            );
            let listener = RawFd::try_from(Errno::result(listener)?).map_err(|_| Errno::EBADF)?;
            Ok(OwnedFd::from_raw_fd(listener))
        }
    };
    match install(UNDISTURBED) {
        Err(Errno::EINVAL) => install(0),
        other => other,
    }
}

/// Returns the next call that was handed over, if its maker still waits. To be called
/// when the listener is readable, or it waits.
pub(crate) fn next_call(listener: BorrowedFd<'_>) -> Option<NotifiedCall> {
    // SAFETY: plain numbers, and the kernel wants the structure zeroed; it lives through the
    // call and has the kernel's layout.
    let asked = unsafe {
        let mut asked: libc::seccomp_notif = std::mem::zeroed();
        if libc::ioctl(listener.as_raw_fd(), RECEIVE as libc::Ioctl, &raw mut asked) < 0 {
            return None;
        }
        asked
    };
    Some(NotifiedCall {
        id: asked.id,
        thread: asked.pid,
        number: asked.data.nr.into(),
        arguments: asked.data.args,
    })
}

/// Lets the kernel do a call as without a notification. The caller may have been killed meanwhile.
pub(crate) fn let_call(listener: BorrowedFd<'_>, call: &NotifiedCall) {
    const CONTINUE: u32 = 1;
    // SAFETY: as in `answer_call`.
    unsafe {
        let mut answer: libc::seccomp_notif_resp = std::mem::zeroed();
        answer.id = call.id;
        answer.flags = CONTINUE;
        libc::ioctl(listener.as_raw_fd(), SEND as libc::Ioctl, &raw mut answer);
    }
}

/// Gives a call its result: 0, or an error.
///
/// # Errors
///
/// `ENOENT` when its maker was killed or interrupted meanwhile.
pub(crate) fn answer_call(
    listener: BorrowedFd<'_>,
    call: &NotifiedCall,
    result: Result<(), Errno>,
) -> Result<(), Errno> {
    // SAFETY: plain numbers for which all zeroes is valid, with the kernel's layout; the
    // structure lives through the call.
    let sent = unsafe {
        let mut answer: libc::seccomp_notif_resp = std::mem::zeroed();
        answer.id = call.id;
        answer.error = result.err().map_or(0, |errno| -(errno as i32));
        libc::ioctl(listener.as_raw_fd(), SEND as libc::Ioctl, &raw mut answer)
    };
    Errno::result(sent).map(drop)
}

/// Returns whether a call's maker still waits. If so, earlier readings about it are about it, and
/// not about a later process of the same number.
pub(crate) fn still_waits(listener: BorrowedFd<'_>, call: &NotifiedCall) -> bool {
    // SAFETY: the kernel reads one number, which lives through the call.
    unsafe { libc::ioctl(listener.as_raw_fd(), IS_VALID as libc::Ioctl, &raw const call.id) == 0 }
}

/// Puts a descriptor into the process that makes a call, at this number, in place of what
/// is there.
///
/// # Errors
///
/// The kernel's error; `ENOENT` as in [`answer_call`].
pub(crate) fn put_descriptor(
    listener: BorrowedFd<'_>,
    call: &NotifiedCall,
    descriptor: BorrowedFd<'_>,
    number: u32,
    number_flags: u32,
) -> Result<(), Errno> {
    let source = descriptor.as_raw_fd().cast_unsigned();
    let put = AddedDescriptor { id: call.id, flags: AT_NUMBER, source, number, number_flags };
    // SAFETY: the kernel reads the structure, which has its layout and lives through the call.
    let done = unsafe { libc::ioctl(listener.as_raw_fd(), PUT as libc::Ioctl, &raw const put) };
    Errno::result(done).map(drop)
}

/// Makes a stream socket that does not block, under a filter that notes sockets.
///
/// # Errors
///
/// Those of `socket`.
pub(crate) fn socket_marked(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no memory is passed, and the kernel does not look at the fourth argument; the result
    // is a new descriptor that nothing else owns.
    unsafe {
        let made = libc::syscall(libc::SYS_socket, family, kind, 0, token());
        let made = RawFd::try_from(Errno::result(made)?).map_err(|_| Errno::EBADF)?;
        Ok(OwnedFd::from_raw_fd(made))
    }
}

/// Makes a connected pair of unix sockets of that type, under a filter that notes sockets.
///
/// # Errors
///
/// Those of `socketpair`.
pub(crate) fn socket_pair_marked(kind: i32) -> Result<(OwnedFd, OwnedFd), Errno> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: the kernel writes two numbers, which live through the call, and does not look at the
    // fifth argument; the results are new descriptors that nothing else owns.
    unsafe {
        let kind = kind | libc::SOCK_CLOEXEC;
        let made =
            libc::syscall(libc::SYS_socketpair, libc::AF_UNIX, kind, 0, ends.as_mut_ptr(), token());
        Errno::result(made)?;
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Connects under a filter that hands connections over.
///
/// # Errors
///
/// Those of `connect`.
pub(crate) fn connect_marked(socket: BorrowedFd<'_>, address: SocketAddr) -> Result<(), Errno> {
    with_address(libc::SYS_connect, socket, address)
}

/// Binds under a filter that hands servers over.
///
/// # Errors
///
/// Those of `bind`.
pub(crate) fn bind_marked(socket: BorrowedFd<'_>, address: SocketAddr) -> Result<(), Errno> {
    with_address(libc::SYS_bind, socket, address)
}

/// Listens under a filter that hands servers over.
///
/// # Errors
///
/// Those of `listen`.
pub(crate) fn listen_marked(socket: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: no memory is passed, and the kernel does not look at the third argument.
    let listens =
        unsafe { libc::syscall(libc::SYS_listen, socket.as_raw_fd(), libc::SOMAXCONN, token()) };
    Errno::result(listens).map(drop)
}

fn with_address(
    call: libc::c_long,
    socket: BorrowedFd<'_>,
    address: SocketAddr,
) -> Result<(), Errno> {
    let address = SockaddrStorage::from(address);
    // SAFETY: the address lives through the call and is as long as is said; the kernel does not
    // look at the fourth argument.
    let result = unsafe {
        let (socket, mark) = (socket.as_raw_fd(), token());
        libc::syscall(call, socket, address.as_ptr(), address.len(), mark)
    };
    Errno::result(result).map(drop)
}

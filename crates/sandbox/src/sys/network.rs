//! The loopback interface of a new network name space.

use std::mem;
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

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

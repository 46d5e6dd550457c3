//! Network of a seat: the listeners that its programs can connect to.

use std::ffi::CStr;
use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::AT_FDCWD;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, getsockname, setsockopt, socket, sockopt,
};
use nix::sys::stat::{FchmodatFlags, Mode, fchmodat};
use nix::sys::time::TimeVal;

use crate::error::{SandboxError, Step};
use crate::folder;
use crate::mechanism::landlock;
use crate::sys;

/// Time that a connection from loopback to loopback may take; it takes microseconds.
const PATIENCE_MS: u16 = 500;

/// Listens on ports of the seat's own loopback interface.
pub(super) fn listen(ports: &[u16]) -> Result<Vec<OwnedFd>, SandboxError> {
    let listen = |port: &u16| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port));
        listener.map(OwnedFd::from).step(&format!("listen on port {port}"))
    };
    ports.iter().map(listen).collect()
}

/// Bounds the buffers of a socket of the host's network and of the sockets that it accepts,
/// because no control group counts them there.
pub(super) fn bound_buffers(socket: &impl AsFd) {
    let _ = setsockopt(socket, sockopt::RcvBuf, &BUFFER);
    let _ = setsockopt(socket, sockopt::SndBuf, &BUFFER);
}

/// Half of what the kernel then takes.
const BUFFER: usize = 64 << 10;

/// Settings of a network of the seat's own.
///
/// No closed connection and no data about it outlives a turn.
///
/// The least, the usual and the largest buffer of a stream, and the most that options may take of a
/// socket, which newer kernels set for each network. The kernel lets buffers grow to 32 MiB each,
/// and not every host counts them; options it counts nowhere. The host bounds the buffers of
/// datagrams, and the system call filter lets no program enlarge any.
///
/// The first port that needs no privilege: web servers listen at port 80.
const SETTINGS: [(&str, &str); 6] = [
    ("ipv4/tcp_max_tw_buckets", "0"),
    ("ipv4/tcp_no_metrics_save", "1"),
    ("core/optmem_max", "20480"),
    ("ipv4/tcp_rmem", "4096 65536 131072"),
    ("ipv4/tcp_wmem", "4096 16384 65536"),
    ("ipv4/ip_unprivileged_port_start", "0"),
];

/// Entries of a network of the seat's own that can be read: addresses and routes. Everything else
/// there has counters that never stop.
const SHOWN: [&CStr; 2] = [c"if_inet6", c"route"];

/// Moves this process to a new network.
pub(super) fn renew() -> Result<(), SandboxError> {
    unshare(CloneFlags::CLONE_NEWNET).step("make a network name space")?;
    sys::raise_loopback().step("switch the loopback interface on")?;
    configure(Path::new("/proc")).step("set the network up")
}

/// Sets a network of the seat's own up, as far as this `/proc` allows: the settings, and no rights
/// to the files with counters.
pub(super) fn configure(proc: &Path) -> std::io::Result<()> {
    let set = |(setting, value)| match fs::write(proc.join("sys/net").join(setting), value) {
        // Kernels without the sizes count what is in them all the same.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        written => written,
    };
    let set = SETTINGS.map(set).into_iter().fold(Ok(()), Result::and);
    // From there the kernel finds each entry sooner.
    let folder = folder::open(AT_FDCWD, &proc.join("self/net"))?;
    let names = folder::names(folder.as_fd())?;
    names.iter().filter(|name| !SHOWN.contains(&name.as_c_str())).fold(set, |done, name| {
        let none = Mode::empty();
        let hidden = fchmodat(&folder, name.as_c_str(), none, FchmodatFlags::FollowSymlink);
        done.and(hidden.map_err(Into::into))
    })
}

/// A port of the seat, where the network is the host's: the launcher makes both ends of
/// each connection, through a listener on a free port that only it knows.
pub(super) struct PortForward {
    /// The port that programs ask for.
    pub(super) port: u16,
    listener: TcpListener,
}

impl PortForward {
    /// Opens one for each port.
    pub(super) fn open(ports: &[u16]) -> Result<Vec<Self>, SandboxError> {
        ports.iter().map(|port| Self::on(*port).step("listen on a free port")).collect()
    }

    fn on(port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        bound_buffers(&listener);
        Ok(Self { port, listener })
    }

    pub(super) fn address(&self) -> Result<SocketAddr, Errno> {
        self.listener.local_addr().map_err(errno)
    }

    /// Makes a connection; gives the program's end, of that family, and the caller's.
    pub(super) fn connect(&self, family: AddressFamily) -> Result<(OwnedFd, OwnedFd), Errno> {
        let programs = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
        bound_buffers(&programs);
        setsockopt(
            &programs,
            sockopt::SendTimeout,
            &TimeVal::new(0, 1000 * i64::from(PATIENCE_MS)),
        )?;
        let mut address = self.address()?;
        if family == AddressFamily::Inet6 {
            address.set_ip(IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped()));
        }
        sys::connect_marked(programs.as_fd(), address)?;
        setsockopt(&programs, sockopt::SendTimeout, &TimeVal::new(0, 0))?;
        let callers = self.accept(port_of(&programs)?)?;
        Ok((programs, callers.into()))
    }

    /// Takes the connection that comes from a port of ours, and closes all others.
    fn accept(&self, from: u16) -> Result<TcpStream, Errno> {
        loop {
            match self.listener.accept() {
                Ok((stream, peer)) if peer.ip().is_loopback() && peer.port() == from => {
                    return Ok(stream);
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut waits = [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)];
                    if poll(&mut waits, PollTimeout::from(PATIENCE_MS))? == 0 {
                        return Err(Errno::ETIMEDOUT);
                    }
                }
                Err(error) => return Err(errno(error)),
            }
        }
    }
}

fn port_of(socket: &OwnedFd) -> Result<u16, Errno> {
    let name: SockaddrStorage = getsockname(socket.as_raw_fd())?;
    let four = name.as_sockaddr_in().map(|name| name.port());
    four.or_else(|| name.as_sockaddr_in6().map(|name| name.port())).ok_or(Errno::EAFNOSUPPORT)
}

#[expect(clippy::needless_pass_by_value, reason = "it is mapped over")]
pub(super) fn errno(error: std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO))
}

/// Restricts connections where the network is the host's: a second wall behind the launcher, which
/// makes all connections. Kernels without it (before Linux 6.7) lack nothing.
pub(super) fn restrict(forwards: &[PortForward]) {
    let ports =
        forwards.iter().filter_map(|forward| forward.address().ok()).map(|address| address.port());
    let ports: Vec<u16> = ports.collect();
    if !ports.is_empty() {
        let _ = landlock::restrict_connections(&ports);
    }
}

#[cfg(test)]
mod tests;

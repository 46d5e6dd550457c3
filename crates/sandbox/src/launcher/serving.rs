//! Programs that are servers: connections of the caller to them.
//!
//! A socket belongs to the network in which it was made, so the launcher makes it, in the seat's
//! own network. There a program may listen wherever it likes, and the kernel lists its ports.
//!
//! A seat without a network of its own lets no `bind` of a program happen: the launcher makes a
//! socket that listens on a free port of 127.0.0.1, and puts it in the place of the program's. So
//! every seat can use the same port, nothing listens on another interface, and no program can
//! occupy a port that somebody else needs. Options that were set on the socket before are lost,
//! except for blocking and close-on-exec. Other programs of the host could connect to that port;
//! those of seats cannot.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, SockaddrStorage, getsockname, getsockopt, setsockopt, sockopt,
};

use super::connections::{Target, read, target};
use super::identity::ProgramUser;
use super::network::{bound_buffers, errno};
use super::sockets::{SocketDiag, SocketKind};
use crate::sys::{self, NotifiedCall};
use crate::wire::SetUp;

/// Largest number of ports of one program that are known; the oldest are forgotten.
const MOST: usize = 16;

/// Largest number of sockets that one program binds, open or not. Their ports are the host's.
const MOST_BOUND: usize = 256;

/// Ports at which programs of a seat listen.
pub(super) enum Servers {
    /// Programs are no servers.
    None,
    /// In a network of the seat's own, with the kernel's list if it has one.
    OfSeat(Option<SocketDiag>),
    /// In the host's network.
    OfHost(BoundPorts),
}

/// Ports of the host that stand for ports of a program.
pub(super) struct BoundPorts {
    inner: ProgramUser,
    ports: Vec<BoundPort>,
    /// Number of sockets that the program has bound.
    count: usize,
}

struct BoundPort {
    /// The port that the program asked for.
    port: u16,
    /// The address where it listens.
    address: SocketAddr,
    /// Bound to the same port without listening, so that the kernel gives the port to nobody else
    /// when the program closes its socket.
    _reserved: TcpListener,
}

impl Servers {
    pub(super) fn of(request: &SetUp) -> Self {
        match request.identity.mode.has_name_spaces() {
            _ if !request.may_listen => Self::None,
            true => {
                let kinds = [AddressFamily::Inet, AddressFamily::Inet6].map(SocketKind::Tcp);
                Self::OfSeat(SocketDiag::ask_about(&kinds))
            }
            false => Self::OfHost(BoundPorts::new()),
        }
    }

    /// Sets the user of programs.
    pub(super) fn with_user(self, inner: ProgramUser) -> Self {
        match self {
            Self::OfHost(bound) => Self::OfHost(BoundPorts { inner, ..bound }),
            other => other,
        }
    }

    /// Returns whether programs have to ask for a socket that listens.
    pub(super) fn are_of_host(&self) -> bool {
        matches!(self, Self::OfHost(_))
    }

    /// Forgets the previous program.
    pub(super) fn begin_turn(&mut self) {
        if let Self::OfHost(bound) = self {
            bound.ports.clear();
            bound.count = 0;
        }
    }

    /// Answers a `bind`.
    pub(super) fn answer(&mut self, listener: BorrowedFd<'_>, call: &NotifiedCall) {
        let result = match self {
            Self::OfHost(bound) => bound.bind(listener, call),
            Self::None | Self::OfSeat(_) => Err(Errno::EACCES),
        };
        // The caller may have been killed meanwhile.
        let _ = sys::answer_call(listener, call, result);
    }

    /// Connects to a port of a program; `None` if nothing listens there. The socket does not block.
    ///
    /// # Errors
    ///
    /// That of the kernel, if no program can be its cause.
    pub(super) fn connect(&self, port: u16) -> Result<Option<OwnedFd>, Errno> {
        match self.connect_to(port) {
            Ok(socket) => Ok(Some(socket)),
            Err(errno @ (Errno::EMFILE | Errno::ENFILE)) => Err(errno),
            // In a network of the seat's own, programs can use up what these are about.
            Err(errno @ (Errno::EADDRNOTAVAIL | Errno::ENOBUFS)) if self.are_of_host() => {
                Err(errno)
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the ports at which programs listen.
    pub(super) fn ports(&mut self) -> Vec<u16> {
        match self {
            Self::None => Vec::new(),
            Self::OfSeat(list) => list.as_mut().map(SocketDiag::listening).unwrap_or_default(),
            Self::OfHost(bound) => bound.ports.iter().map(|bound| bound.port).collect(),
        }
    }

    fn connect_to(&self, port: u16) -> Result<OwnedFd, Errno> {
        match self {
            Self::None => Err(Errno::ECONNREFUSED),
            Self::OfSeat(_) => {
                let (four, six) = (Ipv4Addr::LOCALHOST, Ipv6Addr::LOCALHOST);
                connect((four, port).into())
                    .or_else(|errno| connect((six, port).into()).map_err(|_| errno))
            }
            Self::OfHost(bound) => {
                let bound = bound.ports.iter().find(|bound| bound.port == port);
                connect(bound.ok_or(Errno::ECONNREFUSED)?.address).inspect(bound_buffers)
            }
        }
    }
}

impl BoundPorts {
    fn new() -> Self {
        Self { inner: ProgramUser::Same, ports: Vec::new(), count: 0 }
    }

    /// Puts a socket that listens in the place of the program's.
    fn bind(&mut self, listener: BorrowedFd<'_>, call: &NotifiedCall) -> Result<(), Errno> {
        let asked = read(call, self.inner)?;
        if !sys::still_waits(listener, call) {
            return Err(Errno::EINTR);
        }
        let Target { family, ip, port } = target(&asked.address)?;
        if !ip.is_loopback() && !ip.is_unspecified() {
            return Err(Errno::EADDRNOTAVAIL);
        }
        if self.count >= MOST_BOUND {
            return Err(Errno::ENOBUFS);
        }
        self.count += 1;
        self.ports.retain(|bound| bound.port != port);
        let free = match family {
            AddressFamily::Inet => IpAddr::V4(Ipv4Addr::LOCALHOST),
            _ => IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped()),
        };
        let reserved = bound_socket((free, 0).into())?;
        let mut address = reserved.local_addr().map_err(errno)?;
        let socket = bound_socket(address)?;
        bound_buffers(&socket);
        sys::listen_marked(socket.as_fd())?;
        address.set_ip(Ipv4Addr::LOCALHOST.into());
        socket.set_nonblocking(false).map_err(errno)?;
        asked.replace_with(&socket.into(), listener, call)?;
        // Runtimes try at any port whether they can listen at all; nobody could know that port.
        if port == 0 {
            return Ok(());
        }
        if self.ports.len() >= MOST {
            self.ports.remove(0);
        }
        self.ports.push(BoundPort { port, address, _reserved: reserved });
        Ok(())
    }
}

/// Makes a socket with an address that other sockets may have too, as long as none listens.
fn bound_socket(address: SocketAddr) -> Result<TcpListener, Errno> {
    let socket = sys::socket_marked(address)?;
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    sys::bind_marked(socket.as_fd(), address)?;
    Ok(socket.into())
}

/// Connects to a port of this computer. A server whose queue is full accepts the connection later.
fn connect(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let socket = sys::socket_marked(address)?;
    connect_socket(&socket, address)?;
    Ok(socket)
}

fn connect_socket(socket: &OwnedFd, address: SocketAddr) -> Result<(), Errno> {
    match sys::connect_marked(socket.as_fd(), address) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(errno) => return Err(errno),
    }
    match getsockopt(socket, sockopt::SocketError)? {
        0 => {}
        error => return Err(Errno::from_raw(error)),
    }
    // If nothing listens there, the kernel may choose that very port for the socket, which is then
    // connected to itself.
    let own: SockaddrStorage = getsockname(socket.as_raw_fd())?;
    if own == SockaddrStorage::from(address) {
        // Otherwise the port stays taken for a while after the end of the connection.
        let _ = setsockopt(socket, sockopt::Linger, &libc::linger { l_onoff: 1, l_linger: 0 });
        return Err(Errno::ECONNREFUSED);
    }
    Ok(())
}

#[cfg(test)]
mod tests;

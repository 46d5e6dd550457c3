//! Connections of programs where the network is the host's: the launcher makes them,
//! to the ports of the seat and to nothing else.
//!
//! A program's `connect` never happens. The launcher copies the address, decides, makes
//! a connection of its own to a listener of its own, and puts the program's end in the
//! place of the socket that was to be connected; the other end goes to the caller. So
//! nothing that the program changes meanwhile matters, and no other process can connect:
//! only connections made here are handed on. Options that were set on the socket before
//! are lost, except for blocking and close-on-exec.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::AddressFamily;
use nix::sys::stat::fstat;
use nix::unistd::{Uid, setfsuid};

use super::identity::ProgramUser;
use super::network::PortForward;
use crate::sys::{self, NotifiedCall};

/// Length of the queue of connections to the caller; more are refused. Also the number of a
/// program's latest sockets that are remembered.
const MOST: usize = 128;

/// The longest address the kernel takes.
const LONGEST: u64 = 128;

/// Connections that programs of a seat make.
pub(super) struct Connections {
    forwards: Vec<PortForward>,
    inner: ProgramUser,
    /// The inodes of the last sockets of the program that runs.
    made: VecDeque<u64>,
    /// The last sockets whose program was interrupted before it got the answer.
    unacknowledged: VecDeque<u64>,
    /// The caller's ends.
    accepted: VecDeque<OwnedFd>,
    /// True while one was taken that has not arrived yet.
    pub(super) is_on_the_way: bool,
}

/// A program's request to connect or to bind a socket.
pub(super) struct SocketRequest {
    pub(super) number: u32,
    pub(super) inode: u64,
    pub(super) flags: OFlag,
    pub(super) address: Vec<u8>,
}

/// Address in a program's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) family: AddressFamily,
    pub(super) ip: IpAddr,
    pub(super) port: u16,
}

impl SocketRequest {
    /// Puts `socket` in the place of the program's, with its flags.
    pub(super) fn replace_with(
        &self,
        socket: &OwnedFd,
        listener: BorrowedFd<'_>,
        call: &NotifiedCall,
    ) -> Result<(), Errno> {
        if self.flags.contains(OFlag::O_NONBLOCK) {
            fcntl(socket, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        let number_flags = (self.flags & OFlag::O_CLOEXEC).bits().unsigned_abs();
        sys::put_descriptor(listener, call, socket.as_fd(), self.number, number_flags)
    }
}

impl Connections {
    pub(super) fn new(forwards: Vec<PortForward>, inner: ProgramUser) -> Self {
        let (made, unacknowledged, accepted) = Default::default();
        Self { forwards, inner, made, unacknowledged, accepted, is_on_the_way: false }
    }

    /// Forgets the previous program.
    pub(super) fn begin_turn(&mut self) {
        self.made.clear();
        self.unacknowledged.clear();
        self.accepted.clear();
        self.is_on_the_way = false;
    }

    /// Returns the caller's end of the connection that has waited longest, if the last one has
    /// arrived. The kernel lets the launchers of all seats together have few descriptors on the
    /// way.
    pub(super) fn take_accepted(&mut self) -> Option<OwnedFd> {
        let taken = self.accepted.pop_front_if(|_| !self.is_on_the_way)?;
        self.is_on_the_way = true;
        Some(taken)
    }

    /// Answers a `connect`.
    pub(super) fn answer(&mut self, listener: BorrowedFd<'_>, call: &NotifiedCall) {
        let result = self.connect(listener, call);
        let answered = sys::answer_call(listener, call, result.map(drop));
        if let (Ok(inode), Err(Errno::ENOENT)) = (result, answered) {
            remember(&mut self.unacknowledged, inode);
        }
    }

    /// Returns the inode of the socket that is connected.
    fn connect(&mut self, listener: BorrowedFd<'_>, call: &NotifiedCall) -> Result<u64, Errno> {
        let asked = read(call, self.inner)?;
        if !sys::still_waits(listener, call) {
            return Err(Errno::EINTR);
        }
        if let Some(at) = self.unacknowledged.iter().position(|inode| *inode == asked.inode) {
            self.unacknowledged.remove(at);
            return Ok(asked.inode);
        }
        if self.made.contains(&asked.inode) {
            return Err(Errno::EISCONN);
        }
        let target = target(&asked.address)?;
        let forward = self.forward(target)?;
        if self.accepted.len() >= MOST {
            return Err(Errno::ECONNREFUSED);
        }
        let (programs, callers) = forward.connect(target.family)?;
        let inode = fstat(&programs)?.st_ino;
        asked.replace_with(&programs, listener, call)?;
        remember(&mut self.made, inode);
        self.accepted.push_back(callers);
        Ok(inode)
    }

    /// Returns the forward for a target, as in a network of the seat's own, where each port listens
    /// on 127.0.0.1.
    fn forward(&self, target: Target) -> Result<&PortForward, Errno> {
        match target.ip {
            IpAddr::V4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED) => {
                let forward = self.forwards.iter().find(|forward| forward.port == target.port);
                forward.ok_or(Errno::ECONNREFUSED)
            }
            ip if ip.is_loopback() || ip.is_unspecified() => Err(Errno::ECONNREFUSED),
            _ => Err(Errno::ENETUNREACH),
        }
    }
}

/// Remembers a socket instead of the oldest.
fn remember(sockets: &mut VecDeque<u64>, inode: u64) {
    sockets.truncate(MOST - 1);
    sockets.push_front(inode);
}

/// Reads the arguments of the call from the program's memory, as its user.
pub(super) fn read(call: &NotifiedCall, inner: ProgramUser) -> Result<SocketRequest, Errno> {
    let [number, at, length, ..] = call.arguments;
    let number = (number & u64::from(u32::MAX)) as u32;
    let length = length & u64::from(u32::MAX);
    let process = format!("/proc/{}", call.thread);
    let _user = FileUser::become_user(inner);
    let link = fs::read_link(format!("{process}/fd/{number}")).map_err(|error| missing(&error))?;
    let inode = link.to_str().and_then(|link| link.strip_prefix("socket:[")?.strip_suffix(']'));
    let inode = inode.and_then(|inode| inode.parse().ok()).ok_or(Errno::ENOTSOCK)?;
    let about = fs::read_to_string(format!("{process}/fdinfo/{number}"));
    let flags = flags(&about.map_err(|error| missing(&error))?);
    if length > LONGEST {
        return Err(Errno::EINVAL);
    }
    let mut address = vec![0; length as usize];
    let memory = File::open(format!("{process}/mem")).map_err(|_| Errno::EACCES)?;
    memory.read_exact_at(&mut address, at).map_err(|_| Errno::EFAULT)?;
    Ok(SocketRequest { number, inode, flags, address })
}

fn missing(error: &std::io::Error) -> Errno {
    if error.kind() == ErrorKind::NotFound { Errno::EBADF } else { Errno::EACCES }
}

/// Returns the flags in the kernel's text about a descriptor.
fn flags(about: &str) -> OFlag {
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    OFlag::from_bits_truncate(flags.unwrap_or(0))
}

/// Returns the meaning of an address, with IPv4 addresses taken out of IPv6 ones.
pub(super) fn target(address: &[u8]) -> Result<Target, Errno> {
    let (family, rest) = address.split_first_chunk().ok_or(Errno::EINVAL)?;
    let family = match i32::from(u16::from_ne_bytes(*family)) {
        libc::AF_INET if address.len() >= size_of::<libc::sockaddr_in>() => AddressFamily::Inet,
        // Without its last field.
        libc::AF_INET6 if address.len() >= 24 => AddressFamily::Inet6,
        libc::AF_INET | libc::AF_INET6 => return Err(Errno::EINVAL),
        _ => return Err(Errno::EAFNOSUPPORT),
    };
    let (port, rest) = rest.split_first_chunk().ok_or(Errno::EINVAL)?;
    let ip = match family {
        AddressFamily::Inet => IpAddr::from(*rest.first_chunk::<4>().ok_or(Errno::EINVAL)?),
        _ => {
            let ip = rest.get(4..).and_then(<[u8]>::first_chunk::<16>).ok_or(Errno::EINVAL)?;
            Ipv6Addr::from(*ip).to_canonical()
        }
    };
    Ok(Target { family, ip, port: u16::from_be_bytes(*port) })
}

/// The user under which the launcher looks at files: the user of the seat's programs, as only that
/// user may read their memory. The programs cannot signal the launcher meanwhile.
struct FileUser {
    before: Option<Uid>,
}

impl FileUser {
    fn become_user(inner: ProgramUser) -> Self {
        let before = match inner {
            ProgramUser::Same => None,
            ProgramUser::User(user) => Some(setfsuid(Uid::from_raw(user))),
        };
        Self { before }
    }
}

impl Drop for FileUser {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            setfsuid(before);
        }
    }
}

#[cfg(test)]
mod tests;

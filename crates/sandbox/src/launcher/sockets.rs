//! Memory of sockets and ports of listeners, as the kernel reports them by `NETLINK_SOCK_DIAG`.
//!
//! The lists in `/proc` show sent bytes, each of which can occupy hundreds; these
//! answers show the memory in use.

use std::collections::BTreeSet;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

const ASK_BY_FAMILY: u16 = 20;
/// Flags of a request for all sockets.
const ALL: u16 = 0x301;
const FAILED: u16 = 2;
const DONE: u16 = 3;
const EVERY_STATE: u32 = u32::MAX;
/// `TCP_LISTEN`.
const LISTENING: u32 = 1 << 10;
/// `TCP_ESTABLISHED`, and `TCP_CLOSE_WAIT`, in which the other end is closed. What a program closed
/// is in neither.
const CONNECTED: u32 = 1 << 1 | 1 << 8;
/// Place of the number of the file in an answer about TCP; a socket without a file has 0.
const FILE: usize = 68;
/// The length of the head of a message, and of an attribute's.
const HEAD: usize = 16;
const ATTRIBUTE_HEAD: usize = 4;

/// A kind of sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketKind {
    /// TCP, of this family.
    Tcp(AddressFamily),
    /// Connections of TCP, of this family, that no program has accepted.
    Unaccepted(AddressFamily),
    /// Unix sockets of this user, or of all users.
    Unix(Option<u32>),
}

impl SocketKind {
    /// `inet_diag_req_v2` or `unix_diag_req`.
    fn question(self, states: u32) -> Vec<u8> {
        const TCP: u8 = 6;
        const ASK_MEMORY: u8 = 1 << 6;
        const ASK_QUEUE_MEMORY_USER: u32 = 0x10 | 0x20 | 0x40;
        let mut question = match self {
            Self::Tcp(family) | Self::Unaccepted(family) => {
                vec![family as u8, TCP, ASK_MEMORY, 0]
            }
            Self::Unix(_) => vec![AddressFamily::Unix as u8, 0, 0, 0],
        };
        question.extend(states.to_ne_bytes());
        match self {
            Self::Tcp(_) | Self::Unaccepted(_) => question.resize(question.len() + 48, 0),
            Self::Unix(_) => {
                question.extend(0_u32.to_ne_bytes());
                question.extend(ASK_QUEUE_MEMORY_USER.to_ne_bytes());
                question.resize(question.len() + 8, 0);
            }
        }
        question
    }

    /// Returns the states of the sockets to ask about.
    fn states(self) -> u32 {
        match self {
            Self::Unaccepted(_) => CONNECTED,
            Self::Tcp(_) | Self::Unix(_) => EVERY_STATE,
        }
    }

    /// Returns the memory of one socket, from an answer without its head.
    fn held(self, answer: &[u8]) -> SocketMemory {
        let (fixed, memory) = match self {
            Self::Unaccepted(_) if answer.get(FILE..72) != Some(&[0; 4]) => {
                return SocketMemory::default();
            }
            Self::Tcp(_) | Self::Unaccepted(_) => (72, 7),
            Self::Unix(_) => (16, 5),
        };
        let mut held = SocketMemory::default();
        let mut user = None;
        for (kind, value) in attributes(answer.get(fixed..).unwrap_or_default()) {
            match (self, kind) {
                (_, kind) if kind == memory => held.buffers = buffers(value),
                (Self::Unix(_), 4) => held.unread = word(value, 0),
                (Self::Unix(_), 7) => user = Some(word(value, 0)),
                _ => {}
            }
        }
        match self {
            Self::Unix(Some(own)) if user != Some(u64::from(own)) => SocketMemory::default(),
            _ => held,
        }
    }
}

/// Memory of sockets, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SocketMemory {
    /// Memory charged to them.
    buffers: u64,
    /// Bytes that can be read from them. For unix sockets the kernel charges the sender, which may
    /// be gone.
    unread: u64,
}

/// `SK_MEMINFO_*`: received, sent and not yet freed, options, and not yet taken in.
fn buffers(value: &[u8]) -> u64 {
    let [received, sent, queued, options, backlog] =
        [0, 2, 5, 6, 7].map(|index| word(value, index));
    received + sent.max(queued) + options + backlog
}

fn word(bytes: &[u8], index: usize) -> u64 {
    let bytes = bytes.get(4 * index..4 * index + 4).and_then(|word| word.try_into().ok());
    bytes.map_or(0, |word| u32::from_ne_bytes(word).into())
}

fn half(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..at + 2).and_then(|half| half.try_into().ok());
    bytes.map_or(0, u16::from_ne_bytes)
}

/// Kind and value of each attribute.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(half(bytes, 0));
        let value = bytes.get(ATTRIBUTE_HEAD..length)?;
        let kind = half(bytes, 2);
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// Socket to the kernel, with the kinds to ask about.
pub(super) struct SocketDiag {
    kernel: OwnedFd,
    kinds: Vec<SocketKind>,
    buffer: Vec<u8>,
}

impl SocketDiag {
    /// Opens a socket to ask about these kinds in the network of this process; `None` if the kernel
    /// answers nothing about one of them.
    pub(super) fn ask_about(kinds: &[SocketKind]) -> Option<Self> {
        let protocol = SockProtocol::NetlinkSockDiag;
        let flags = SockFlag::SOCK_CLOEXEC;
        let kernel = socket(AddressFamily::Netlink, SockType::Datagram, flags, protocol).ok()?;
        let mut sockets = Self { kernel, kinds: Vec::new(), buffer: vec![0; 32 << 10] };
        for kind in kinds {
            // Listeners alone: a question about all walks every connection of the machine.
            sockets.ask(&kind.question(LISTENING), |_| {})?;
            sockets.kinds.push(*kind);
        }
        Some(sockets)
    }

    /// Returns the memory of those of the kinds that are used now, in bytes.
    pub(super) fn memory(&mut self, is_used: impl Fn(SocketKind) -> bool) -> u64 {
        let kinds = self.kinds.clone();
        let used = kinds.into_iter().filter(|kind| is_used(*kind));
        used.filter_map(|kind| self.of_kind(kind)).sum()
    }

    /// Returns the number of all of them now.
    pub(super) fn count(&mut self) -> Option<usize> {
        let mut count = 0;
        for kind in self.kinds.clone() {
            self.ask(&kind.question(EVERY_STATE), |_| count += 1)?;
        }
        Some(count)
    }

    /// Returns the ports at which something listens, each once, in ascending order.
    pub(super) fn listening(&mut self) -> Vec<u16> {
        let mut ports = BTreeSet::new();
        for kind in self.kinds.clone() {
            // After the family and three bytes more, in the order of the network.
            let port = |answer: &[u8]| answer.get(4..6)?.try_into().ok().map(u16::from_be_bytes);
            self.ask(&kind.question(LISTENING), |answer| ports.extend(port(answer)));
        }
        ports.into_iter().collect()
    }

    fn of_kind(&mut self, kind: SocketKind) -> Option<u64> {
        let mut sum = SocketMemory::default();
        self.ask(&kind.question(kind.states()), |answer| {
            let held = kind.held(answer);
            sum.buffers = sum.buffers.saturating_add(held.buffers);
            sum.unread = sum.unread.saturating_add(held.unread);
        })?;
        Some(sum.buffers.max(sum.unread))
    }

    /// Passes each answer to a question, without its head, to `note`.
    fn ask(&mut self, question: &[u8], mut note: impl FnMut(&[u8])) -> Option<()> {
        let mut message = u32::try_from(HEAD + question.len()).ok()?.to_ne_bytes().to_vec();
        message.extend(ASK_BY_FAMILY.to_ne_bytes());
        message.extend(ALL.to_ne_bytes());
        message.extend([0; 8]);
        message.extend(question);
        send(self.kernel.as_raw_fd(), &message, MsgFlags::empty()).ok()?;
        loop {
            // The kernel has queued the answer before the request's call returns.
            let flags = MsgFlags::MSG_DONTWAIT;
            let read = recv(self.kernel.as_raw_fd(), &mut self.buffer, flags).ok()?;
            let mut rest = &self.buffer[..read];
            while rest.len() >= HEAD {
                let length = usize::try_from(word(rest, 0)).ok()?;
                let answer = rest.get(HEAD..length)?;
                match half(rest, 4) {
                    DONE => return Some(()),
                    FAILED => return None,
                    _ => note(answer),
                }
                rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    use super::*;

    const CONNECTIONS: usize = 80;
    const WAITING: usize = 50_000;

    #[test]
    fn what_waits_in_a_stream_is_told_with_what_it_takes() {
        let kinds = [SocketKind::Tcp(AddressFamily::Inet), SocketKind::Unix(None)];
        let mut sockets = SocketDiag::ask_about(&kinds).expect("this kernel tells of sockets");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // More than other programs of this machine can leave unread meanwhile.
        let mut pairs = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let receiver = listener.accept().unwrap();
            sender.write_all(&[0; WAITING]).unwrap();
            pairs.push((sender, receiver));
        }
        let all = (CONNECTIONS * WAITING) as u64;
        assert!(sockets.of_kind(kinds[0]).unwrap() >= all);
        assert!(sockets.memory(|_| true) >= all);
        drop(pairs);
        assert!(sockets.of_kind(kinds[0]).unwrap() < all);
    }

    #[test]
    fn what_a_closed_unix_socket_sent_is_told_and_only_of_the_user() {
        let own = nix::unistd::geteuid().as_raw();
        let memory =
            |user| SocketDiag::ask_about(&[SocketKind::Unix(user)]).unwrap().memory(|_| true);
        let (mut sender, _receiver) = UnixStream::pair().unwrap();
        let nobody_s = own.wrapping_add(1_000_000);
        sender.write_all(&[0; 50_000]).unwrap();
        drop(sender);
        assert!(memory(Some(own)) >= 50_000);
        assert!(memory(None) >= 50_000);
        assert_eq!(memory(Some(nobody_s)), 0);
    }

    #[test]
    fn nonsense_is_nothing() {
        for bytes in [&[][..], &[0; 3], &[0; 4], &[255; 40]] {
            assert_eq!(attributes(bytes).count(), 0);
            assert_eq!(SocketKind::Unix(None).held(bytes), SocketMemory::default());
        }
    }
}

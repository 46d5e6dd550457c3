//! Message link over a pair of sequenced-packet sockets.
//!
//! The first packet of a message starts with the length of the whole message;
//! what does not fit follows in further packets. Descriptors travel with the
//! first one.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockType, recv, sendmsg, setsockopt,
    socketpair, sockopt,
};
use nix::sys::time::TimeVal;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sys;
use crate::wire::{MalformedMessage, decode, encode};

/// Payload of one packet. Small enough for the default socket buffer.
const PACKET: usize = 64 * 1024;
const HEAD: usize = 4;
/// Nobody sends more; a longer announcement is refused.
const LONGEST: usize = 256 * 1024 * 1024;

/// Most attempts to send a message with descriptors. The kernel limits descriptors in flight by
/// user, and all seats belong to one user: if there are too many, a sender tries again until
/// receivers have taken theirs.
const MOST_REFUSED: u32 = 2000;
const REFUSED_PAUSE: Duration = Duration::from_millis(1);

/// One end.
pub(crate) struct Link {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

/// Why nothing could be received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkError {
    /// The other end is gone.
    Closed,
    /// Nothing came in the time set.
    Silent,
    /// The kernel said so.
    Errno(Errno),
    /// Received bytes are no message.
    Malformed,
}

impl From<Errno> for LinkError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::EAGAIN => Self::Silent,
            Errno::ECONNRESET | Errno::EPIPE => Self::Closed,
            errno => Self::Errno(errno),
        }
    }
}

impl From<MalformedMessage> for LinkError {
    fn from(_: MalformedMessage) -> Self {
        Self::Malformed
    }
}

impl Link {
    /// Makes a connected pair.
    pub(crate) fn pair() -> Result<(Self, Self), Errno> {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Self::new(ours), Self::new(theirs)))
    }

    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket, buffer: vec![0; HEAD + PACKET] }
    }

    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Bounds every later wait of this end.
    pub(crate) fn set_patience(&self, limit: Duration) -> Result<(), Errno> {
        let limit = TimeVal::new(
            limit.as_secs().try_into().unwrap_or(i64::MAX),
            limit.subsec_micros().into(),
        );
        setsockopt(&self.socket, sockopt::ReceiveTimeout, &limit)?;
        setsockopt(&self.socket, sockopt::SendTimeout, &limit)
    }

    /// Sends a message.
    pub(crate) fn send(
        &self,
        message: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), LinkError> {
        let message = encode(message);
        let length = u32::try_from(message.len()).map_err(|_| LinkError::Malformed)?.to_le_bytes();
        let (first, rest) = message.split_at(message.len().min(PACKET));
        self.send_packet(&[IoSlice::new(&length), IoSlice::new(first)], descriptors)?;
        for piece in rest.chunks(PACKET) {
            self.send_packet(&[IoSlice::new(piece)], &[])?;
        }
        Ok(())
    }

    fn send_packet(
        &self,
        pieces: &[IoSlice<'_>],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), LinkError> {
        let raw: Vec<_> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&raw)];
        let control = if raw.is_empty() { &[] } else { rights.as_slice() };
        let mut refused = 0;
        loop {
            let socket = self.socket.as_raw_fd();
            match sendmsg::<()>(socket, pieces, control, MsgFlags::MSG_NOSIGNAL, None) {
                Ok(_) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(Errno::ETOOMANYREFS) if refused < MOST_REFUSED => {
                    refused += 1;
                    std::thread::sleep(REFUSED_PAUSE);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Receives a message; descriptors that came along are closed.
    pub(crate) fn receive<M: DeserializeOwned>(&mut self) -> Result<M, LinkError> {
        let count = loop {
            match recv(self.socket.as_raw_fd(), &mut self.buffer, MsgFlags::MSG_TRUNC) {
                Err(Errno::EINTR) => {}
                other => break other?,
            }
        };
        self.decode(count)
    }

    /// Receives a message with the descriptors that came along.
    pub(crate) fn receive_with_descriptors<M: DeserializeOwned>(
        &mut self,
    ) -> Result<(M, Vec<OwnedFd>), LinkError> {
        let (count, descriptors) = loop {
            match sys::receive(self.socket.as_fd(), &mut self.buffer) {
                Err(Errno::EINTR) => {}
                other => break other?,
            }
        };
        Ok((self.decode(count)?, descriptors))
    }

    /// Decodes a message whose first packet has `count` bytes in the buffer; reads the packets
    /// after it.
    fn decode<M: DeserializeOwned>(&mut self, count: usize) -> Result<M, LinkError> {
        if count == 0 {
            return Err(LinkError::Closed);
        }
        let packet = self.buffer.get(..count).ok_or(LinkError::Malformed)?;
        let (head, first) = packet.split_first_chunk::<HEAD>().ok_or(LinkError::Malformed)?;
        let length = u32::from_le_bytes(*head) as usize;
        if length > LONGEST || first.len() > length {
            return Err(LinkError::Malformed);
        }
        if first.len() == length {
            return Ok(decode(first)?);
        }
        let mut message = first.to_vec();
        while message.len() < length {
            self.append_packet(&mut message, length)?;
        }
        Ok(decode(&message)?)
    }

    fn append_packet(&mut self, message: &mut Vec<u8>, length: usize) -> Result<(), LinkError> {
        let mut pieces = [IoSliceMut::new(&mut self.buffer)];
        let count = match recv(self.socket.as_raw_fd(), &mut pieces[0], MsgFlags::MSG_TRUNC) {
            Err(Errno::EINTR) => return Ok(()),
            other => other?,
        };
        match count {
            0 => Err(LinkError::Closed),
            _ if count > self.buffer.len() || message.len() + count > length => {
                Err(LinkError::Malformed)
            }
            _ => {
                message.extend_from_slice(&self.buffer[..count]);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_longer_than_a_packet_arrives_whole() {
        let (ours, mut theirs) = Link::pair().unwrap();
        let sent: Vec<u8> = (0..300_000_u32).map(|index| (index % 251) as u8).collect();
        let expected = sent.clone();
        let sender = std::thread::spawn(move || ours.send(&sent, &[]));
        assert_eq!(theirs.receive(), Ok(expected));
        assert_eq!(sender.join().unwrap(), Ok(()));
    }

    #[test]
    fn a_closed_other_end_is_noticed() {
        let (ours, mut theirs) = Link::pair().unwrap();
        drop(ours);
        assert_eq!(theirs.receive::<u8>(), Err(LinkError::Closed));
    }

    #[test]
    fn a_packet_that_announces_less_than_it_holds_is_malformed() {
        let (ours, mut theirs) = Link::pair().unwrap();
        ours.send_packet(&[IoSlice::new(&[1, 0, 0, 0, 5, 6, 7])], &[]).unwrap();
        assert_eq!(theirs.receive::<u8>(), Err(LinkError::Malformed));
    }
}

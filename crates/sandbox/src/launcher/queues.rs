//! Socket memory that no control group counts: what waits in a socket.
//!
//! The kernel charges its answers about interfaces to no group, and datagrams only to a group of
//! version 2; without groups it charges nothing. Each socket holds some hundred kilobytes, and
//! there can be thousands, so the launcher measures them. Where the network is the host's, only
//! pairs of unix sockets can be filled, and their user shows which of them are the seat's.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::sys::socket::AddressFamily;

use super::sockets::{SocketDiag, SocketKind};

/// The shortest and the longest time between two samples.
const STEP: Duration = Duration::from_millis(10);
const LONGEST_STEP: Duration = Duration::from_millis(50);
/// Time to the next sample as a multiple of the last one's duration.
const SPARING: u32 = 30;

/// Largest part of a list that is read, bytes.
const LONGEST: u64 = 16 << 20;

/// The lists of sockets, and the column of a line with the waiting bytes of one or both directions.
const LISTS: [(&str, usize, Column); 3] = [
    ("/proc/self/net/netlink", 4, Column::Bytes),
    ("/proc/self/net/udp", 4, Column::Queues),
    ("/proc/self/net/udp6", 4, Column::Queues),
];

#[derive(Clone, Copy)]
enum Column {
    /// Decimal.
    Bytes,
    /// Hexadecimal: sent, a colon, to be read.
    Queues,
}

/// The sockets of the seat.
#[derive(Default)]
pub(super) struct SocketQueues {
    lists: Vec<(File, usize, Column)>,
    sockets: Option<SocketDiag>,
    due: Option<Instant>,
    bytes: u64,
}

/// Failure: the kernel does not report the memory of some sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnmeasuredSockets;

/// Part of the sockets' memory that groups count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketAccounting {
    /// Everything except what `/proc` lists.
    Most,
    /// Everything except that and TCP.
    NoStreams,
    /// Nothing.
    Nothing,
}

impl SocketQueues {
    /// Opens the sockets of this process's network for sampling. The error is for sockets that the
    /// kernel does not report.
    pub(super) fn open(counted: SocketAccounting) -> (Self, Result<(), UnmeasuredSockets>) {
        let lists = LISTS.into_iter().filter_map(|(path, index, column)| {
            File::open(path).ok().map(|file| (file, index, column))
        });
        let streams = [AddressFamily::Inet, AddressFamily::Inet6].map(SocketKind::Tcp);
        let kinds = match counted {
            SocketAccounting::Most => vec![],
            SocketAccounting::NoStreams => streams.to_vec(),
            SocketAccounting::Nothing => [&streams[..], &[SocketKind::Unix(None)]].concat(),
        };
        Self::with(lists.collect(), &kinds)
    }

    /// Opens the unix sockets of `user`, which has no network of its own.
    pub(super) fn of_user(user: u32) -> (Self, Result<(), UnmeasuredSockets>) {
        Self::with(Vec::new(), &[SocketKind::Unix(Some(user))])
    }

    fn with(
        lists: Vec<(File, usize, Column)>,
        kinds: &[SocketKind],
    ) -> (Self, Result<(), UnmeasuredSockets>) {
        let sockets = (!kinds.is_empty()).then(|| SocketDiag::ask_about(kinds));
        let measured = if sockets.as_ref().is_some_and(Option::is_none) {
            Err(UnmeasuredSockets)
        } else {
            Ok(())
        };
        (Self { lists, sockets: sockets.flatten(), due: None, bytes: 0 }, measured)
    }

    /// Takes a sample if one is due; returns the bytes, and the time until the next sample.
    pub(super) fn sample(&mut self, now: Instant) -> Option<(u64, Duration)> {
        if self.lists.is_empty() && self.sockets.is_none() {
            return None;
        }
        let due = self.due.filter(|due| *due > now).unwrap_or_else(|| {
            let before = Instant::now();
            let of =
                |(file, index, column): &(File, usize, Column)| sum(&text(file), *index, *column);
            let listed: u64 = self.lists.iter().map(of).sum();
            let measured = self.sockets.as_mut().map_or(0, SocketDiag::memory);
            self.bytes = listed.saturating_add(measured);
            now + (SPARING * before.elapsed()).clamp(STEP, LONGEST_STEP)
        });
        self.due = Some(due);
        Some((self.bytes, due - now))
    }

    /// Forgets the samples. The first one is a step away, so most turns end before it.
    pub(super) fn begin_turn(&mut self) {
        (self.due, self.bytes) = (Some(Instant::now() + STEP), 0);
    }
}

/// Reads a list from its beginning; sockets that change meanwhile may be missing.
fn text(file: &File) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 16 << 10]);
    while let Ok(read @ 1..) = file.read_at(&mut buffer, bytes.len() as u64) {
        bytes.extend_from_slice(&buffer[..read]);
        if bytes.len() as u64 > LONGEST {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn sum(list: &str, index: usize, column: Column) -> u64 {
    let values = list.lines().skip(1).filter_map(|line| line.split_whitespace().nth(index));
    let parse = |value: &str| match column {
        Column::Bytes => value.parse().ok(),
        Column::Queues => u64::from_str_radix(value.split_once(':')?.1, 16).ok(),
    };
    values.filter_map(parse).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn what_waits_is_summed_up() {
        let netlink = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks\n\
                       00000000b7a8 0   4196       00000000 2048     0        0  2  0  22087\n\
                       00000000b7a9 0   4197       00000000 1024     0        0  2  0  22088\n";
        assert_eq!(sum(netlink, 4, Column::Bytes), 3072);
        let udp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n  \
                   12: 0100007F:1F65 00000000:0000 07 00000001:00000300 00:00000000\n";
        assert_eq!(sum(udp, 4, Column::Queues), 0x300);
        assert_eq!(sum("no list\nof sockets", 4, Column::Queues), 0);
    }

    #[test]
    fn a_datagram_that_nobody_reads_is_seen() {
        let (mut queues, _) = SocketQueues::open(SocketAccounting::Most);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let now = Instant::now();
        let before = queues.sample(now).expect("the kernel lists sockets").0;
        for _ in 0..50 {
            socket.send_to(&[0; 1000], socket.local_addr().unwrap()).unwrap();
        }
        assert_eq!(queues.sample(now).unwrap().0, before, "it is not time to look");
        assert!(queues.sample(now + LONGEST_STEP).unwrap().0 >= 50_000);
    }
}

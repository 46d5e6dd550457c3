//! Socket memory that no control group counts: what waits in a socket.
//!
//! The kernel charges its answers about interfaces to no group, and datagrams only to a group of
//! version 2; without groups it charges nothing. Each socket holds some hundred kilobytes, and
//! there can be thousands, so the launcher measures them. A connection is charged to a group once a
//! program accepts it: until then, what its other end sent is nobody's. Where the network is the
//! host's, only pairs of unix sockets can be filled, and their user shows which of them are the
//! seat's.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::sys::socket::AddressFamily;

use super::sockets::{SocketDiag, SocketKind};
use crate::{kernel_text, sys};

/// The shortest and the longest time between two samples; a sample that takes longer than that is
/// followed by as much time without one.
const STEP: Duration = Duration::from_millis(10);
const LONGEST_STEP: Duration = Duration::from_millis(50);
/// Time to the next sample as a multiple of the last one's duration.
const SPARING: u32 = 30;

/// Largest part of a list that is read, bytes.
const LONGEST: u64 = 16 << 20;
/// A read with fewer bytes was the last one: the kernel fills a page with short lines. Another read
/// would walk through all tables of sockets again.
const FULL: usize = 2 << 10;

/// Memory of all sockets of the machine below which nobody can hold much, bytes: each processor may
/// have one MiB of each protocol in reserve.
const LITTLE: u64 = 4 << 20;
/// Number of sockets without an address that honest programs have.
const USUAL: u64 = 16;
/// Largest size of a socket's queue where the kernel does not tell it, bytes.
const USUAL_QUEUE: u64 = 212_992;

/// Number of streams below which those that nobody has accepted cannot hold much.
const FEW: u64 = 64;
/// Memory of the kernel for a stream, beside what waits in it, bytes.
const STREAM: u64 = 4 << 10;

/// Lists of sockets, and numbers of sockets, in `/proc`.
struct SocketLists {
    netlink: File,
    udp: [Option<File>; 2],
    /// Numbers of sockets by family and protocol, and the memory of each protocol on the machine.
    statistics: [Option<File>; 2],
    /// Number of sockets of each protocol, without those that have lost their address.
    protocols: File,
    /// The most that one socket can hold, bytes.
    largest_queue: u64,
}

/// Numbers of sockets in the seat's network, as the kernel writes them.
struct SocketStatistics {
    texts: [String; 2],
}

/// The sockets of the seat.
#[derive(Default)]
pub(super) struct SocketQueues {
    lists: Option<SocketLists>,
    sockets: Option<SocketDiag>,
    due: Option<Instant>,
    bytes: u64,
}

impl SocketLists {
    /// Opens those of this process's network.
    fn open() -> io::Result<Self> {
        let file = |name: &str| File::open(format!("/proc/self/net/{name}"));
        Ok(Self {
            netlink: file("netlink")?,
            udp: ["udp", "udp6"].map(|name| file(name).ok()),
            statistics: ["sockstat", "sockstat6"].map(|name| file(name).ok()),
            protocols: file("protocols")?,
            largest_queue: largest_queue(),
        })
    }

    fn statistics(&self) -> SocketStatistics {
        SocketStatistics {
            texts: self
                .statistics
                .each_ref()
                .map(|file| file.as_ref().map(text).unwrap_or_default()),
        }
    }

    /// Returns the memory of the sockets in the lists, and an upper bound of the memory of those in
    /// none, bytes.
    fn memory(&self, statistics: &SocketStatistics) -> u64 {
        let netlink = sum(&text(&self.netlink), |word| word.parse().ok());
        let families = [AddressFamily::Inet, AddressFamily::Inet6].into_iter().zip(&self.udp);
        // The kernel walks through the sockets of the whole machine for a list.
        let used = families.filter(|(family, _)| statistics.has("UDP", *family));
        let udp = used.filter_map(|(_, file)| file.as_ref()).map(|file| {
            sum(&text(file), |word| u64::from_str_radix(word.split_once(':')?.1, 16).ok())
        });
        udp.fold(netlink + self.unlisted(statistics), u64::saturating_add)
    }

    /// Returns an upper bound of the memory of sockets in no list, bytes. One that has lost its
    /// address, or whose connection was reset, is in none and keeps what it received.
    fn unlisted(&self, statistics: &SocketStatistics) -> u64 {
        let all_memory = statistics.memory_of_machine();
        if all_memory <= LITTLE {
            return 0;
        }
        let all = statistics.number("sockets:", "used").unwrap_or(0);
        let sockets = all.saturating_sub(listed_sockets(&text(&self.protocols)) + USUAL);
        all_memory.min(sockets.saturating_mul(self.largest_queue))
    }
}

impl SocketStatistics {
    /// Returns the number after `word` in the line that begins with `name`.
    fn number(&self, name: &str, word: &str) -> Option<u64> {
        let mut lines = self.texts.iter().flat_map(|text| text.lines());
        let mut words = lines.find_map(|line| line.strip_prefix(name))?.split(' ');
        words.find(|it| *it == word)?;
        words.next()?.parse().ok()
    }

    /// Returns whether there may be sockets of a protocol with an address of this family.
    fn has(&self, protocol: &str, family: AddressFamily) -> bool {
        let six = if family == AddressFamily::Inet6 { "6" } else { "" };
        self.number(&format!("{protocol}{six}:"), "inuse") != Some(0)
    }

    /// Returns the number of streams, with those that no program has: not accepted yet, or closed.
    fn streams(&self) -> u64 {
        ["TCP:", "TCP6:"].map(|name| self.number(name, "inuse").unwrap_or(0)).iter().sum()
    }

    /// Returns the memory of all TCP and UDP sockets of the machine, bytes.
    fn memory_of_machine(&self) -> u64 {
        let pages = ["TCP:", "UDP:"].map(|name| self.number(name, "mem").unwrap_or(0));
        pages.iter().sum::<u64>().saturating_mul(sys::page_size())
    }
}

/// Returns the most that a socket can hold, bytes: programs cannot ask for more.
fn largest_queue() -> u64 {
    let setting = |path: &str| -> Option<u64> {
        kernel_text::read(path).ok()?.split_whitespace().last()?.parse().ok()
    };
    let datagrams = setting("/proc/sys/net/core/rmem_default");
    let streams = setting("/proc/sys/net/ipv4/tcp_rmem");
    datagrams.max(streams).unwrap_or(USUAL_QUEUE).max(USUAL_QUEUE)
}

/// Failure: the kernel does not report the memory of some sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnmeasuredSockets;

/// Part of the sockets' memory that groups count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketAccounting {
    /// Everything except what `/proc` lists and streams that nobody has accepted.
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
        let families = [AddressFamily::Inet, AddressFamily::Inet6];
        let streams = families.map(SocketKind::Tcp);
        let kinds = match counted {
            SocketAccounting::Most => families.map(SocketKind::Unaccepted).to_vec(),
            SocketAccounting::NoStreams => streams.to_vec(),
            SocketAccounting::Nothing => [&streams[..], &[SocketKind::Unix(None)]].concat(),
        };
        Self::with(SocketLists::open().ok(), &kinds)
    }

    /// Opens the unix sockets of `user`, which has no network of its own.
    pub(super) fn of_user(user: u32) -> (Self, Result<(), UnmeasuredSockets>) {
        Self::with(None, &[SocketKind::Unix(Some(user))])
    }

    fn with(
        lists: Option<SocketLists>,
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
        if self.lists.is_none() && self.sockets.is_none() {
            return None;
        }
        let due = self.due.filter(|due| *due > now).unwrap_or_else(|| {
            let before = Instant::now();
            let statistics = self.lists.as_ref().map(SocketLists::statistics);
            let streams = statistics.as_ref().map_or(0, SocketStatistics::streams);
            let many = streams.saturating_sub(FEW);
            let is_used = |kind| match (kind, &statistics) {
                (SocketKind::Unaccepted(_), _) if many == 0 => false,
                (SocketKind::Tcp(family) | SocketKind::Unaccepted(family), Some(statistics)) => {
                    statistics.has("TCP", family)
                }
                _ => true,
            };
            let measured = self.sockets.as_mut().map_or(0, |sockets| sockets.memory(is_used));
            let lists = self.lists.as_ref().zip(statistics.as_ref());
            let listed = lists.map_or(0, |(lists, statistics)| lists.memory(statistics));
            let streams = many.saturating_mul(STREAM);
            self.bytes = listed.saturating_add(measured).saturating_add(streams);
            // Programs may have made so many sockets that a sample takes longer than a step.
            let spent = before.elapsed();
            now + spent + (SPARING * spent).clamp(STEP, LONGEST_STEP).max(spent)
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
        if read < FULL || bytes.len() as u64 > LONGEST {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sums up the fifth column of a list, which `parse` reads.
fn sum(list: &str, parse: impl Fn(&str) -> Option<u64>) -> u64 {
    let values = list.lines().skip(1).filter_map(|line| line.split_whitespace().nth(4));
    values.filter_map(parse).fold(0, u64::saturating_add)
}

/// Returns the number of sockets that lists show: the third column.
fn listed_sockets(protocols: &str) -> u64 {
    let numbers = protocols.lines().skip(1).filter_map(|line| line.split_whitespace().nth(2));
    numbers.filter_map(|number| number.parse::<u64>().ok()).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream, UdpSocket};

    use super::*;

    /// Time after which the next sample is due, also after a slow one.
    const LATER: Duration = Duration::from_secs(1);

    #[test]
    fn what_waits_is_summed_up() {
        let netlink = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks\n\
                       00000000b7a8 0   4196       00000000 2048     0        0  2  0  22087\n\
                       00000000b7a9 0   4197       00000000 1024     0        0  2  0  22088\n";
        assert_eq!(sum(netlink, |word| word.parse().ok()), 3072);
        assert_eq!(sum("no list\nof sockets", |word| word.parse().ok()), 0);
        let four = "sockets: used 33\nTCP: inuse 2 orphan 0 tw 0 alloc 3 mem 104\n\
                    UDP: inuse 0 mem 370\nUDPLITE: inuse 0\n";
        let texts = [four, "TCP6: inuse 0\nUDP6: inuse 3\n"].map(str::to_owned);
        let statistics = SocketStatistics { texts };
        assert_eq!(statistics.number("sockets:", "used"), Some(33));
        assert_eq!(statistics.number("RAW:", "inuse"), None);
        assert_eq!(statistics.memory_of_machine(), 474 * sys::page_size());
        let has = |protocol| {
            [AddressFamily::Inet, AddressFamily::Inet6]
                .map(|family| statistics.has(protocol, family))
        };
        assert_eq!([has("TCP"), has("UDP")], [[true, false], [false, true]]);
        let protocols = "protocol  size sockets  memory press\n\
                         UNIX      1152     12      -1   NI\nUDP       1344      1     370   NI\n";
        assert_eq!(listed_sockets(protocols), 13);
    }

    #[test]
    fn connections_that_nobody_accepts_are_seen() {
        const MANY: u64 = 2 * FEW;
        let (mut queues, _) = SocketQueues::open(SocketAccounting::Most);
        let now = Instant::now();
        let before = queues.sample(now).expect("the kernel lists sockets").0;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let senders: Vec<_> = (0..MANY)
            .map(|_| {
                let mut sender = TcpStream::connect(address).unwrap();
                sender.write_all(&[0; 20_000]).unwrap();
                sender
            })
            .collect();
        let unread = MANY * 20_000;
        let held = queues.sample(now + LATER).unwrap().0;
        assert!(held >= before + unread, "{held} bytes of {unread}");
        drop(senders);
        let held = queues.sample(now + 2 * LATER).unwrap().0;
        assert!(held >= before + unread, "{held} bytes of {unread} whose senders are gone");
    }

    #[test]
    fn a_list_of_many_pages_is_read_to_its_end() {
        let sockets: Vec<_> = (0..100).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        let list = text(&File::open("/proc/self/net/udp").unwrap());
        let port = |socket: &UdpSocket| socket.local_addr().unwrap().port();
        assert!(sockets.iter().all(|socket| list.contains(&format!(":{:04X} ", port(socket)))));
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
        assert!(queues.sample(now + LATER).unwrap().0 >= 50_000);
    }
}

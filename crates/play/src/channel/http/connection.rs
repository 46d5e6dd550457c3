//! Connection to a server: requests out, answers in, one after the other.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::linux::net::TcpStreamExt;
use std::time::{Duration, Instant};

use super::super::live::PollTarget;
use super::message::{BadResponse, Response, ResponseReader};
use crate::transfer::{at_once, write_at_once};

/// Size of one read in bytes.
const READ_BYTES: usize = 16 * 1024;

/// Largest number of ports in the reason why a server was not ready.
const NAMED_PORTS: usize = 16;

/// The most reads for data that had arrived when the thread woke.
const FIRST_READS: u32 = 4;

/// Connection that does not block.
pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes of the current request that were sent.
    sent: usize,
    reader: Option<ResponseReader>,
    /// True if it has carried an answer.
    pub(super) is_reused: bool,
    /// True if bytes came after the last answer.
    has_excess: bool,
    buffer: Box<[u8]>,
}

/// State of a connection between requests.
pub(super) enum IdleState {
    Open,
    Closed,
    /// Bytes came that nobody had asked for.
    Unasked,
}

/// End of what a server sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionEnd {
    /// It has closed its side.
    Regular,
    /// A reset, after which bytes may be missing.
    Broken,
}

/// Progress of a request.
pub(super) enum Exchange {
    /// Nothing more is possible now.
    Waits,
    Answer(Response),
    /// The connection ended before the first byte of an answer.
    Closed,
    Bad(BadResponse),
}

impl Connection {
    /// Takes over a stream that does not block.
    pub(super) fn new(stream: TcpStream) -> Self {
        // Without it a request in two parts would wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let (reader, buffer) = (None, vec![0; READ_BYTES].into());
        Self { stream, sent: 0, reader, is_reused: false, has_excess: false, buffer }
    }

    /// Returns the state between two requests.
    pub(super) fn state(&mut self) -> IdleState {
        match at_once(|| self.stream.peek(&mut [0])) {
            _ if self.has_excess => IdleState::Unasked,
            Ok(None) => IdleState::Open,
            Ok(Some(0)) | Err(_) => IdleState::Closed,
            Ok(Some(_)) => IdleState::Unasked,
        }
    }

    /// Sends and receives what is possible now. After several reads, `seen` becomes the time of the
    /// last one.
    pub(super) fn exchange(&mut self, request: &[u8], seen: &mut Instant, cap: usize) -> Exchange {
        if self.send(request) {
            return Exchange::Waits;
        }
        let mut reads = 0;
        loop {
            let count = match at_once(|| self.stream.read(&mut self.buffer)) {
                Ok(None) => return Exchange::Waits,
                Ok(Some(0)) => return self.closed(ConnectionEnd::Regular),
                Ok(Some(count)) => count,
                Err(_) => return self.closed(ConnectionEnd::Broken),
            };
            reads += 1;
            if reads > FIRST_READS {
                *seen = Instant::now();
            }
            let reader = self.reader.get_or_insert_with(|| ResponseReader::new(cap));
            match reader.push(&self.buffer[..count]) {
                Ok(None) => {
                    // A server that writes its head and its body apart would wait 40 ms for the
                    // acknowledgement of the head.
                    let _ = self.stream.set_quickack(true);
                }
                Ok(Some(mut response)) => {
                    // What was not sent yet would be taken for the next request.
                    response.is_kept &= self.sent >= request.len();
                    self.has_excess = response.has_excess;
                    (self.sent, self.reader, self.is_reused) = (0, None, true);
                    return Exchange::Answer(response);
                }
                Err(bad) => return Exchange::Bad(bad),
            }
        }
    }

    /// Sends what is possible now; returns whether that was the beginning, to which there is no
    /// answer yet.
    fn send(&mut self, request: &[u8]) -> bool {
        let is_beginning = self.sent == 0;
        let rest = request.get(self.sent..).unwrap_or_default();
        let written = write_at_once(rest, |bytes| self.stream.write(bytes));
        // An answer may have come before the server stopped reading.
        self.sent += written.unwrap_or(rest.len());
        is_beginning
    }

    /// Handles the end of what the server sends.
    fn closed(&mut self, end: ConnectionEnd) -> Exchange {
        match self.reader.take() {
            None => Exchange::Closed,
            Some(_) if end == ConnectionEnd::Broken => Exchange::Bad(BadResponse::Incomplete),
            Some(mut reader) => match reader.end() {
                Ok(response) => Exchange::Answer(response),
                Err(bad) => Exchange::Bad(bad),
            },
        }
    }

    /// Appends what to poll while a request of `length` bytes is under way.
    pub(super) fn descriptors<'a>(&'a self, length: usize, wanted: &mut Vec<PollTarget<'a>>) {
        let descriptor = self.stream.as_fd();
        wanted.push(PollTarget { descriptor, for_writing: false });
        if self.sent < length {
            wanted.push(PollTarget { descriptor, for_writing: true });
        }
    }
}

/// Returns the reason why a server that is to listen at `port` was not ready within `start`, if it
/// listens at `others`.
pub(super) fn why_not_ready(port: u16, others: &[u16], start: Duration) -> String {
    if others.is_empty() {
        return format!(
            "it did not listen within its start limit of {} s: it is to listen at the port that \
             the environment variable `PORT` has ({port}), or at one port of its own",
            start.as_secs_f64()
        );
    }
    if others.contains(&port) {
        return format!(
            "it listens at port {port}, but of another address than 127.0.0.1: it is to listen at \
             0.0.0.0 or 127.0.0.1"
        );
    }
    let named: Vec<String> = others.iter().take(NAMED_PORTS).map(u16::to_string).collect();
    let more = match others.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    format!(
        "it listens at the ports {named}{more}, and not at {port}: set `port` in its `bot.yaml`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_the_first_of_many_ports() {
        let why = |others: &[u16]| why_not_ready(8000, others, Duration::from_secs(2));
        assert!(why(&[]).starts_with("it did not listen within its start limit of 2 s: "));
        assert!(
            why(&[8001, 8002]).starts_with("it listens at the ports 8001, 8002, and not at 8000")
        );
        let many: Vec<u16> = (1..=20).collect();
        let named = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 4 more, and not at";
        assert!(why(&many).contains(named));
    }

    #[test]
    fn a_server_at_another_address_is_told_so() {
        let why = why_not_ready(8000, &[8000], Duration::from_secs(2));
        assert!(why.starts_with("it listens at port 8000, but of another address"), "{why}");
    }
}

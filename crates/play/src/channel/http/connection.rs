//! Connection to a server: requests out, answers in, one after the other.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::linux::net::TcpStreamExt;
use std::time::Instant;

use super::super::live::PollTarget;
use super::message::{BadResponse, Response, ResponseReader};

/// Size of one read in bytes.
const READ_BYTES: usize = 16 * 1024;

/// The most reads for data that had arrived when the thread woke.
const FIRST_READS: u32 = 4;

/// Connection that does not block.
pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes of the current request that were sent.
    sent: usize,
    reader: Option<ResponseReader>,
    /// True if it has carried an answer.
    is_reused: bool,
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

    pub(super) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Returns the state between two requests.
    pub(super) fn state(&mut self) -> IdleState {
        match self.stream.peek(&mut [0]) {
            _ if self.has_excess => IdleState::Unasked,
            Ok(0) => IdleState::Closed,
            Ok(_) => IdleState::Unasked,
            Err(error) if is_passing(&error) => IdleState::Open,
            Err(_) => IdleState::Closed,
        }
    }

    /// Sends and receives what is possible now. After several reads, `seen` becomes the time of the
    /// last one.
    pub(super) fn exchange(&mut self, request: &[u8], seen: &mut Instant, cap: usize) -> Exchange {
        self.send(request);
        let mut reads = 0;
        loop {
            let count = match self.stream.read(&mut self.buffer) {
                Ok(0) => return self.closed(ConnectionEnd::Regular),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_passing(&error) => return Exchange::Waits,
                Err(_) => return self.closed(ConnectionEnd::Broken),
            };
            reads += 1;
            if reads > FIRST_READS {
                *seen = Instant::now();
            }
            let reader = self.reader.get_or_insert_with(|| ResponseReader::new(cap));
            match reader.push(&self.buffer[..count]) {
                Ok(None) => {}
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

    fn send(&mut self, request: &[u8]) {
        while let Some(rest) = request.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_passing(&error) => return,
                // An answer may have come before the server stopped reading.
                Err(_) => self.sent = request.len(),
            }
            if self.sent == request.len() {
                // Only now: a server that writes its head and its body apart would wait 40 ms for
                // the acknowledgement of the head.
                let _ = self.stream.set_quickack(true);
            }
        }
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

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

//! Connection of a game over TCP: what it says is passed on as it comes, what
//! it is sent is kept until it takes it.
//!
//! One whose sending side is closed still listens. More bytes in a second than
//! [`BYTES_PER_SECOND`], or more waiting to be taken than [`UNSENT_BYTES`], are too
//! much: such a connection is to be closed.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::{TcpSpec, Verdict};

use super::{Event, News, PollTarget, SeatConnection};

/// Bytes that wait to be taken by the bot; more close the connection.
const UNSENT_BYTES: usize = 64 * 1024;

/// Bytes that a connection sends within a second; more close it.
const BYTES_PER_SECOND: usize = 512 * 1024;

/// Bytes of one read.
const READ_BYTES: usize = 64 * 1024;

/// Reads of one connection before the others have their turn.
const READS: usize = 4;

/// One connection.
pub(super) struct Wire {
    stream: TcpStream,
    unsent: Vec<u8>,
    /// Time that bytes without a line end wait.
    patience: Duration,
    /// Time when they have waited long enough.
    quiet_at: Option<Instant>,
    second: Instant,
    bytes_in_second: usize,
    /// The bot has closed its sending side. It may still listen; that it does not
    /// is seen when something cannot be sent.
    is_silent: bool,
}

/// State of a connection after it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireState {
    Open,
    Closed,
    TooMuch,
}

impl Wire {
    /// Takes over a connection that was made at that moment, of a game whose clients
    /// have these habits.
    pub(super) fn new(stream: TcpStream, game: &TcpSpec, second: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        // A line that waits to be joined by another comes too late.
        let _ = stream.set_nodelay(true);
        Ok(Self {
            stream,
            unsent: Vec::new(),
            patience: Duration::from_millis(game.quiet_ms.into()),
            quiet_at: None,
            second,
            bytes_in_second: 0,
            is_silent: false,
        })
    }

    /// Appends what to poll.
    pub(super) fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        let descriptor = self.stream.as_fd();
        if !self.is_silent {
            wanted.push(PollTarget { descriptor, for_writing: false });
        }
        if !self.unsent.is_empty() {
            wanted.push(PollTarget { descriptor, for_writing: true });
        }
    }

    /// Returns when there is something to do although nothing came.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.quiet_at
    }

    /// Sends what can be sent now, and keeps the rest.
    pub(super) fn send(&mut self, bytes: &[u8]) -> WireState {
        self.unsent.extend_from_slice(bytes);
        self.flush()
    }

    /// Passes on what has come.
    pub(super) fn read(&mut self, connection: SeatConnection, news: &mut Vec<News>) -> WireState {
        let mut buffer = [0; READ_BYTES];
        let reads = if self.is_silent { 0 } else { READS };
        for _ in 0..reads {
            let read = self.stream.read(&mut buffer);
            let at = Instant::now();
            match read {
                Ok(0) => {
                    self.is_silent = true;
                    // No more can come: what it said last is whole.
                    self.quiet_at = self.quiet_at.map(|_| at);
                    break;
                }
                Ok(length) => {
                    let bytes = Arc::from(&buffer[..length]);
                    news.push(News { at, event: Event::Message { connection, bytes } });
                    let is_mid_line = buffer[length - 1] != b'\n';
                    self.quiet_at = is_mid_line.then_some(at + self.patience);
                    if self.exceeds_rate(length, at) {
                        return WireState::TooMuch;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return WireState::Closed,
            }
        }
        self.report_quiet(connection, news);
        WireState::Open
    }

    fn exceeds_rate(&mut self, length: usize, at: Instant) -> bool {
        if at.duration_since(self.second) >= Duration::from_secs(1) {
            self.second = at;
            self.bytes_in_second = 0;
        }
        self.bytes_in_second += length;
        self.bytes_in_second > BYTES_PER_SECOND
    }

    fn report_quiet(&mut self, connection: SeatConnection, news: &mut Vec<News>) {
        let at = Instant::now();
        if self.quiet_at.is_some_and(|quiet_at| quiet_at <= at) {
            self.quiet_at = None;
            let bytes = Arc::from(&[][..]);
            news.push(News { at, event: Event::Message { connection, bytes } });
        }
    }

    /// Sends what was kept and can be sent now.
    pub(super) fn flush(&mut self) -> WireState {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => return WireState::Closed,
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return WireState::Closed,
            }
        }
        if self.unsent.len() > UNSENT_BYTES { WireState::TooMuch } else { WireState::Open }
    }
}

impl WireState {
    /// Tells what becomes of a connection that is over; `is_news` says that it was open before.
    pub(super) fn report(self, connection: SeatConnection, is_news: bool, news: &mut Vec<News>) {
        let at = Instant::now();
        if self == Self::TooMuch {
            let reason = "more bytes on a connection than are taken".to_owned();
            news.push(fault(at, Verdict::OutputLimit, reason));
        }
        if is_news {
            news.push(News { at, event: Event::Closed(connection) });
        }
    }
}

/// A fault that is not the end of who earned it.
pub(super) fn fault(at: Instant, verdict: Verdict, reason: String) -> News {
    News { at, event: Event::Fault { verdict, reason } }
}

//! Connection of a game over TCP: received bytes are passed on immediately, and sent bytes are
//! queued until the client takes them.
//!
//! A connection whose sending side is closed still receives. A connection has to be closed when
//! more than [`BYTES_PER_SECOND`] arrive in a second, or more than [`BYTES_PER_BOUT`] on all
//! connections of a seat, or more than [`UNSENT_BYTES`] are queued.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::{TcpSpec, Verdict};

use super::{Event, News, PollTarget, SeatConnection};
use crate::transfer::{at_once, write_at_once};

/// The most bytes that are queued for the bot; above it the connection is closed.
const UNSENT_BYTES: usize = 64 * 1024;

/// The most bytes that a connection may send in a second; above it the connection is closed.
const BYTES_PER_SECOND: usize = 512 * 1024;

/// The most bytes that a seat may send in a bout: its log has them all.
pub(super) const BYTES_PER_BOUT: usize = 16 * 1024 * 1024;

/// Size of one read in bytes.
const READ_BYTES: usize = 64 * 1024;

/// The most reads of one connection in a row, before others are served.
const READS: usize = 4;

/// One connection.
pub(super) struct Wire {
    stream: TcpStream,
    unsent: Vec<u8>,
    /// Time after which an incomplete line counts as complete.
    patience: Duration,
    /// Time when the current incomplete line counts as complete.
    quiet_at: Option<Instant>,
    second: Instant,
    bytes_in_second: usize,
    /// The bot has closed its sending side. It may still receive; if it does not, that is noticed
    /// when sending fails.
    is_silent: bool,
}

/// State of a connection after a read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireState {
    Open,
    Closed,
    TooMuch,
}

impl Wire {
    /// Takes over a connection of `game`; `second` is the beginning of its first second.
    pub(super) fn new(stream: TcpStream, game: &TcpSpec, second: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        // Without it, the kernel may delay lines to combine them.
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

    /// Appends the descriptors to poll.
    pub(super) fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        let descriptor = self.stream.as_fd();
        if !self.is_silent {
            wanted.push(PollTarget { descriptor, for_writing: false });
        }
        if !self.unsent.is_empty() {
            wanted.push(PollTarget { descriptor, for_writing: true });
        }
    }

    /// Returns the time of the next work if nothing arrives.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.quiet_at
    }

    /// Sends what can be sent now, and queues the rest.
    pub(super) fn send(&mut self, bytes: &[u8]) -> WireState {
        self.unsent.extend_from_slice(bytes);
        self.flush()
    }

    /// Reads available bytes and appends them as events. `left` are the bytes that the seat may
    /// still send in its bout.
    pub(super) fn read(
        &mut self,
        connection: SeatConnection,
        left: &mut usize,
        news: &mut Vec<News>,
    ) -> WireState {
        let mut buffer = [0; READ_BYTES];
        let reads = if self.is_silent { 0 } else { READS };
        for _ in 0..reads {
            let read = at_once(|| self.stream.read(&mut buffer));
            let at = Instant::now();
            match read {
                Ok(None) => break,
                Err(_) => return WireState::Closed,
                Ok(Some(0)) => {
                    self.is_silent = true;
                    // The last line is complete, because no more input can come.
                    self.quiet_at = self.quiet_at.map(|_| at);
                    break;
                }
                Ok(Some(length)) => {
                    let bytes = Arc::from(&buffer[..length]);
                    news.push(News { at, event: Event::Message { connection, bytes } });
                    let is_mid_line = buffer[length - 1] != b'\n';
                    self.quiet_at = is_mid_line.then_some(at + self.patience);
                    *left = left.saturating_sub(length);
                    if self.exceeds_rate(length, at) || *left == 0 {
                        return WireState::TooMuch;
                    }
                }
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

    /// Sends queued bytes that can be sent now.
    pub(super) fn flush(&mut self) -> WireState {
        let written = write_at_once(&self.unsent, |bytes| self.stream.write(bytes));
        let Ok(written) = written else { return WireState::Closed };
        self.unsent.drain(..written);
        if self.unsent.len() > UNSENT_BYTES { WireState::TooMuch } else { WireState::Open }
    }
}

impl WireState {
    /// Appends the events of a closed connection; `is_news` is true if it was open before.
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

/// Makes a fault that does not end the bot.
pub(super) fn fault(at: Instant, verdict: Verdict, reason: String) -> News {
    News { at, event: Event::Fault { verdict, reason } }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use joust_referee::Catalogue;

    use super::*;

    #[test]
    fn a_seat_that_has_sent_all_it_may_loses_its_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).expect("it listens");
        let (stream, _) = listener.accept().expect("it has connected");
        let games = Catalogue::built_in();
        let game = games.find("uwcs-bomberman").unwrap().spec().tcp.clone().unwrap();
        let mut wire = Wire::new(stream, &game, Instant::now()).expect("it is set up");
        let (mut left, mut news) = (10, Vec::new());
        let mut read_of = |sent: &str| {
            client.write_all(sent.as_bytes()).expect("there is space");
            let before = news.len();
            loop {
                let state = wire.read(SeatConnection(0), &mut left, &mut news);
                if news.len() > before {
                    return state;
                }
                std::thread::yield_now();
            }
        };
        assert_eq!(read_of("ACTION U\n"), WireState::Open);
        assert_eq!(read_of("X\n"), WireState::TooMuch);
    }
}

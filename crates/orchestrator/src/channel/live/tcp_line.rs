//! A TCP client in a long-lived process: it connects to the game's port, which
//! is open before it starts, and speaks in lines.
//!
//! The listener stands in the seat's own network, on the port that published clients
//! have in their source, and the name of their server leads there. So whatever
//! comes in by it is this seat's, and nobody else's client can come in. Where
//! seats have no network of their own the port is another; `JOUST_PORT` tells it.
//!
//! What a connection sends is passed on as it comes. One whose sending side is
//! closed still listens. Two things the game does not
//! define are faults: more connections than [`CONNECTIONS`], and more bytes in a
//! second than [`BYTES_PER_SECOND`] or waiting to be taken than [`UNSENT_BYTES`];
//! the connection is closed.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::games::uwcs_bomberman::{PORT, QUIET_MS};
use joust_referee::{Parts, RequestId, Verdict};
use joust_sandbox::{Doors, Listen, Pipes};

use super::{Event, LiveChannel, News, Program, SeatConnection, Wanted};
use crate::channel::{Answered, ChannelError, Opening, Usage};

/// Connections of one seat in a whole bout.
const CONNECTIONS: usize = 64;

/// Bytes that wait to be taken by the bot; more close the connection.
const UNSENT_BYTES: usize = 64 * 1024;

/// Bytes that a connection sends within a second; more close it.
const BYTES_PER_SECOND: usize = 512 * 1024;

/// Bytes of one read.
const READ_BYTES: usize = 64 * 1024;

/// Reads of one connection before the others have their turn.
const READS: usize = 4;

/// The name that published clients connect to.
const HOST: &str = "uwcs.co.uk";

/// Speaks to a client.
pub(super) struct TcpLine {
    program: Program,
    listener: Option<TcpListener>,
    /// By number; those that are closed have left their place.
    connections: Vec<Option<Wire>>,
    is_ready: bool,
    is_crowded: bool,
    /// What happened while bytes were sent.
    kept: Vec<News>,
}

/// One connection.
struct Wire {
    stream: TcpStream,
    unsent: Vec<u8>,
    /// When bytes without a line end have waited long enough.
    quiet_at: Option<Instant>,
    second: Instant,
    bytes_in_second: usize,
    /// The bot has closed its sending side. It may still listen; that it does not
    /// is seen when something cannot be sent.
    is_silent: bool,
}

/// How a connection stands after it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Open,
    Closed,
    TooMuch,
}

impl TcpLine {
    pub(super) fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        let listen = vec![Listen { port: PORT, variable: "JOUST_PORT".into() }];
        opening.spec.doors = Doors { listen, hosts: vec![HOST.to_owned()] };
        let host = (OsString::from("JOUST_HOST"), OsString::from("127.0.0.1"));
        opening.spec.environment.push(host);
        let mut program = Program::open(opening)?;
        let listener = program.listeners().pop();
        Ok(Self {
            program,
            listener,
            connections: Vec::new(),
            is_ready: false,
            is_crowded: false,
            kept: Vec::new(),
        })
    }

    fn accept(&mut self, news: &mut Vec<News>) {
        let Some(listener) = &self.listener else { return };
        while let Ok((stream, _)) = listener.accept() {
            let at = Instant::now();
            if self.connections.len() >= CONNECTIONS {
                if !std::mem::replace(&mut self.is_crowded, true) {
                    let reason = format!("more than {CONNECTIONS} connections");
                    news.push(fault(at, Verdict::ProtocolViolation, reason));
                }
                continue;
            }
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            // A line that waits to be joined by another comes too late.
            let _ = stream.set_nodelay(true);
            let number = self.connections.len();
            self.connections.push(Some(Wire::new(stream, at)));
            news.push(News { at, event: Event::Opened(connection(number)) });
            if !std::mem::replace(&mut self.is_ready, true) {
                news.push(News { at, event: Event::Ready });
            }
        }
    }

    fn read_all(&mut self, news: &mut Vec<News>) {
        for number in 0..self.connections.len() {
            let Some(wire) = &mut self.connections[number] else { continue };
            let standing = wire.read(connection(number), news);
            self.settle(number, standing, news);
        }
    }

    /// Forgets a connection that is over, and says so.
    fn settle(&mut self, number: usize, standing: Standing, news: &mut Vec<News>) {
        if standing == Standing::Open {
            return;
        }
        let at = Instant::now();
        if standing == Standing::TooMuch {
            let reason = "more bytes on a connection than are taken".to_owned();
            news.push(fault(at, Verdict::OutputLimit, reason));
        }
        if self.connections[number].take().is_some() {
            news.push(News { at, event: Event::Closed(connection(number)) });
        }
    }

    fn flush_all(&mut self, news: &mut Vec<News>) {
        for number in 0..self.connections.len() {
            let Some(wire) = &mut self.connections[number] else { continue };
            let standing = wire.flush();
            self.settle(number, standing, news);
        }
    }
}

impl Wire {
    fn new(stream: TcpStream, second: Instant) -> Self {
        Self {
            stream,
            unsent: Vec::new(),
            quiet_at: None,
            second,
            bytes_in_second: 0,
            is_silent: false,
        }
    }

    fn read(&mut self, connection: SeatConnection, news: &mut Vec<News>) -> Standing {
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
                    let patience = Duration::from_millis(QUIET_MS.into());
                    self.quiet_at = (buffer[length - 1] != b'\n').then_some(at + patience);
                    if self.counts_too_much(length, at) {
                        return Standing::TooMuch;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Standing::Closed,
            }
        }
        self.tell_quiet(connection, news);
        Standing::Open
    }

    fn counts_too_much(&mut self, length: usize, at: Instant) -> bool {
        if at.duration_since(self.second) >= Duration::from_secs(1) {
            self.second = at;
            self.bytes_in_second = 0;
        }
        self.bytes_in_second += length;
        self.bytes_in_second > BYTES_PER_SECOND
    }

    fn tell_quiet(&mut self, connection: SeatConnection, news: &mut Vec<News>) {
        let at = Instant::now();
        if self.quiet_at.is_some_and(|quiet_at| quiet_at <= at) {
            self.quiet_at = None;
            let bytes = Arc::from(&[][..]);
            news.push(News { at, event: Event::Message { connection, bytes } });
        }
    }

    fn flush(&mut self) -> Standing {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => return Standing::Closed,
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return Standing::Closed,
            }
        }
        if self.unsent.len() > UNSENT_BYTES { Standing::TooMuch } else { Standing::Open }
    }
}

impl LiveChannel for TcpLine {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.program.start(Pipes::None)
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<Wanted<'a>>) {
        self.program.descriptors(wanted, false);
        let read = |descriptor| Wanted { descriptor, for_writing: false };
        wanted.extend(self.listener.iter().map(|listener| read(listener.as_fd())));
        for wire in self.connections.iter().flatten() {
            if !wire.is_silent {
                wanted.push(read(wire.stream.as_fd()));
            }
            if !wire.unsent.is_empty() {
                wanted.push(Wanted { descriptor: wire.stream.as_fd(), for_writing: true });
            }
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let quiet = self.connections.iter().flatten().filter_map(|wire| wire.quiet_at).min();
        if self.kept.is_empty() { quiet } else { Some(Instant::now()) }
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        news.append(&mut self.kept);
        self.flush_all(news);
        // What came before the end is read before the end is told.
        let ended = self.program.ended()?;
        self.accept(news);
        self.read_all(news);
        if let Some(ended) = ended {
            for number in 0..self.connections.len() {
                self.settle(number, Standing::Closed, news);
            }
            news.push(News { at: Instant::now(), event: Event::Ended(Box::new(ended)) });
        }
        Ok(())
    }

    fn ask(&mut self, _: RequestId, _: &Parts) -> Result<(), ChannelError> {
        Ok(())
    }

    fn send(&mut self, to: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        let number = to.0 as usize;
        let Some(Some(wire)) = self.connections.get_mut(number) else { return Ok(()) };
        wire.unsent.extend_from_slice(bytes);
        let standing = wire.flush();
        let mut kept = std::mem::take(&mut self.kept);
        self.settle(number, standing, &mut kept);
        self.kept = kept;
        Ok(())
    }

    fn disconnect(&mut self, connection: SeatConnection) -> Result<(), ChannelError> {
        let number = connection.0 as usize;
        if number < self.connections.len() {
            let mut kept = std::mem::take(&mut self.kept);
            self.settle(number, Standing::Closed, &mut kept);
            self.kept = kept;
        }
        Ok(())
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        self.program.usage()
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.program.end()
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.program.close()
    }
}

fn connection(number: usize) -> SeatConnection {
    SeatConnection(u32::try_from(number).unwrap_or(u32::MAX))
}

fn fault(at: Instant, verdict: Verdict, reason: String) -> News {
    News { at, event: Event::Fault { verdict, reason } }
}

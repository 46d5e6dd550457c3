//! Channel `tcp-line`: a TCP client in a long-lived process, which connects to the game's port and
//! exchanges lines. The port is open before the client starts.
//!
//! The port is the one in the source of published clients. It is open in the seat's own network,
//! where the name of their server leads to it, too. Where seats have no network of their own, the
//! bot's launcher makes the connections, and the name does not resolve. In both cases, only this
//! seat's client can connect. `JOUST_HOST` and `JOUST_PORT` contain the address, as do `{host}` and
//! `{port}` in the client's arguments.
//!
//! Bytes from a connection are passed on immediately. A connection whose sending side is closed
//! still receives. Two situations that the game does not define are faults: more connections than
//! [`CONNECTIONS`], and more bytes than a connection may have ([`wire`](super::wire)); the
//! connection is closed.

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Instant;

use joust_referee::{GameSpec, TcpSpec, Verdict};
use joust_sandbox::{HostSockets, ListenPort, Pipes};

use super::wire::{BYTES_PER_BOUT, Wire, WireState, fault};
use super::{Event, LiveChannel, News, PollTarget, Program, SeatConnection};
use crate::channel::{Answered, ChannelError, Opening, Usage};
use joust_model::{GameOptions, Setting};

/// The most connections of one seat in a whole bout.
const CONNECTIONS: usize = 64;

/// Address of the game inside the seat.
const ADDRESS: &str = "127.0.0.1";

/// Channel to a TCP client.
pub(crate) struct TcpLine {
    game: TcpSpec,
    program: Program,
    listener: Option<TcpListener>,
    /// Connections by number; `None` for closed ones.
    connections: Vec<Option<Wire>>,
    is_ready: bool,
    is_crowded: bool,
    /// Bytes that the client may still send.
    left: usize,
    /// Events that occurred while bytes were sent.
    kept: Vec<News>,
    opened_at: Instant,
}

impl TcpLine {
    pub(crate) fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        let spec = opening.game.spec();
        let game = spec.tcp.clone().ok_or_else(|| ChannelError::NoPort(spec.id.clone()))?;
        let listen = vec![ListenPort { port: game.port, variable: "JOUST_PORT".into() }];
        let mut hosts = std::mem::take(&mut opening.spec.host_sockets.hosts);
        if hosts.is_empty() {
            hosts.push(game.host.clone());
        }
        opening.spec.host_sockets = HostSockets { listen, hosts, may_listen: false };
        let host = (OsString::from("JOUST_HOST"), OsString::from(ADDRESS));
        opening.spec.environment.push(host);
        let mut program = Program::open(opening)?;
        let listener = program.listeners().pop();
        program.fill_in("{host}", ADDRESS);
        program.fill_in("{port}", &game.port.to_string());
        Ok(Self {
            game,
            program,
            listener,
            connections: Vec::new(),
            is_ready: false,
            is_crowded: false,
            left: BYTES_PER_BOUT,
            kept: Vec::new(),
            opened_at: Instant::now(),
        })
    }

    fn accept(&mut self, news: &mut Vec<News>) {
        for stream in self.program.arrived() {
            self.welcome(stream, news);
        }
        while let Some(Ok((stream, _))) = self.listener.as_ref().map(TcpListener::accept) {
            self.welcome(stream, news);
        }
    }

    fn welcome(&mut self, stream: TcpStream, news: &mut Vec<News>) {
        let at = Instant::now();
        if self.connections.len() >= CONNECTIONS {
            if !std::mem::replace(&mut self.is_crowded, true) {
                let reason = format!("more than {CONNECTIONS} connections");
                news.push(fault(at, Verdict::ProtocolViolation, reason));
            }
            return;
        }
        let Ok(wire) = Wire::new(stream, &self.game, at) else { return };
        let number = self.connections.len();
        self.connections.push(Some(wire));
        news.push(News { at, event: Event::Opened(connection(number)) });
        if !std::mem::replace(&mut self.is_ready, true) {
            news.push(News { at, event: Event::Ready });
        }
    }

    fn read_all(&mut self, news: &mut Vec<News>) {
        for number in 0..self.connections.len() {
            let Some(wire) = &mut self.connections[number] else { continue };
            let state = wire.read(connection(number), &mut self.left, news);
            self.settle(number, state, news);
        }
    }

    /// Drops a connection if it is closed, and appends an event about that.
    fn settle(&mut self, number: usize, state: WireState, news: &mut Vec<News>) {
        if state != WireState::Open {
            let was_open = self.connections[number].take().is_some();
            state.report(connection(number), was_open, news);
        }
    }

    /// As [`TcpLine::settle`], with the event queued for the next call of `receive`.
    fn settle_later(&mut self, number: usize, state: WireState) {
        let mut kept = std::mem::take(&mut self.kept);
        self.settle(number, state, &mut kept);
        self.kept = kept;
    }

    fn flush_all(&mut self, news: &mut Vec<News>) {
        for number in 0..self.connections.len() {
            let Some(wire) = &mut self.connections[number] else { continue };
            let state = wire.flush();
            self.settle(number, state, news);
        }
    }
}

impl LiveChannel for TcpLine {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.program.start(Pipes::None)
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.program.descriptors(wanted, false);
        let read = |descriptor| PollTarget { descriptor, for_writing: false };
        wanted.extend(self.listener.iter().map(|listener| read(listener.as_fd())));
        for wire in self.connections.iter().flatten() {
            wire.descriptors(wanted);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let quiet = self.connections.iter().flatten().filter_map(Wire::wake_at).min();
        let is_due = !self.kept.is_empty() || self.program.has_unreported_event();
        if is_due { Some(self.opened_at) } else { quiet }
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        news.append(&mut self.kept);
        self.flush_all(news);
        // Input from before the end is read before the end is reported.
        let ended = self.program.ended()?;
        self.accept(news);
        self.read_all(news);
        if let Some(ended) = ended {
            for number in 0..self.connections.len() {
                self.settle(number, WireState::Closed, news);
            }
            news.push(News { at: Instant::now(), event: Event::Ended(Box::new(ended)) });
        }
        Ok(())
    }

    fn send(&mut self, to: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        let number = to.0 as usize;
        let Some(Some(wire)) = self.connections.get_mut(number) else { return Ok(()) };
        let state = wire.send(bytes);
        self.settle_later(number, state);
        Ok(())
    }

    fn disconnect(&mut self, connection: SeatConnection) -> Result<(), ChannelError> {
        let number = connection.0 as usize;
        if number < self.connections.len() {
            self.settle_later(number, WireState::Closed);
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

/// Returns the host names by which clients of a game with these options know the server; empty if
/// they use none.
pub fn server_names(game: &GameSpec, options: &GameOptions) -> Vec<String> {
    let option = game.tcp.as_ref().and_then(|tcp| tcp.host_option.as_ref());
    match option.and_then(|option| options.0.get(option)) {
        Some(Setting::Text(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

fn connection(number: usize) -> SeatConnection {
    SeatConnection(u32::try_from(number).unwrap_or(u32::MAX))
}

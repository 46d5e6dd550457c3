//! Remote client of a game over TCP. It was connected before the bout, and nothing limits its
//! resources except the connection.

use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::TcpSpec;

use super::wire::{BYTES_PER_BOUT, Wire, WireState};
use super::{Event, LiveChannel, News, PollTarget, SeatConnection};
use crate::channel::ChannelError;

/// The number of the only connection.
const ONLY: SeatConnection = SeatConnection(0);
/// Time that a client may take to close its side after the bout.
const FAREWELL: Duration = Duration::from_millis(200);

/// A client at the other end of a connection.
pub struct Remote {
    stream: TcpStream,
    wire: Option<Wire>,
    /// Bytes that the client may still send.
    left: usize,
    is_told: bool,
    kept: Vec<News>,
    seated_at: Instant,
    on_leave: Box<dyn FnMut() + Send>,
}

impl Remote {
    /// Takes over the connection of a client of `game`; `on_leave` is called once if the client
    /// leaves before the end of the bout.
    ///
    /// # Errors
    ///
    /// The system's, when the connection cannot be set up.
    pub fn new(
        stream: TcpStream,
        game: &TcpSpec,
        on_leave: Box<dyn FnMut() + Send>,
    ) -> std::io::Result<Self> {
        let seated_at = Instant::now();
        let wire = Some(Wire::new(stream.try_clone()?, game, seated_at)?);
        let (left, kept) = (BYTES_PER_BOUT, Vec::new());
        Ok(Self { stream, wire, left, is_told: false, kept, seated_at, on_leave })
    }

    /// Drops the connection if it is closed, and queues the events about that.
    fn settle(&mut self, state: WireState) {
        if state == WireState::Open {
            return;
        }
        let was_open = self.wire.take().is_some();
        if was_open {
            // The client is informed that nothing more will be sent.
            let _ = self.stream.shutdown(Shutdown::Both);
            (self.on_leave)();
        }
        state.report(ONLY, was_open, &mut self.kept);
    }
}

impl LiveChannel for Remote {
    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        if let Some(wire) = &self.wire {
            wire.descriptors(wanted);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        if !self.is_told || !self.kept.is_empty() {
            return Some(self.seated_at);
        }
        self.wire.as_ref().and_then(Wire::wake_at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        if !std::mem::replace(&mut self.is_told, true) {
            let at = Instant::now();
            news.push(News { at, event: Event::Opened(ONLY) });
            news.push(News { at, event: Event::Ready });
        }
        if let Some(wire) = &mut self.wire {
            let state = match wire.flush() {
                WireState::Open => wire.read(ONLY, &mut self.left, &mut self.kept),
                over => over,
            };
            self.settle(state);
        }
        news.append(&mut self.kept);
        Ok(())
    }

    fn send(&mut self, _: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        if let Some(wire) = &mut self.wire {
            let state = wire.send(bytes);
            self.settle(state);
        }
        Ok(())
    }

    fn disconnect(&mut self, _: SeatConnection) -> Result<(), ChannelError> {
        self.settle(WireState::Closed);
        Ok(())
    }

    /// Closes the sending side, and waits a moment for the client to close its own. If bytes were
    /// unread when the connection is closed, the last ones sent would be lost.
    fn close(mut self: Box<Self>) -> Result<(), ChannelError> {
        if self.wire.take().is_some() && self.stream.shutdown(Shutdown::Write).is_ok() {
            let until = Instant::now() + FAREWELL;
            let is_patient = self.stream.set_nonblocking(false).is_ok()
                && self.stream.set_read_timeout(Some(FAREWELL)).is_ok();
            let mut unread = [0; 4096];
            while is_patient && Instant::now() < until {
                if !matches!(self.stream.read(&mut unread), Ok(1..)) {
                    break;
                }
            }
        }
        Ok(())
    }
}

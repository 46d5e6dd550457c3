//! Channels to bots that live as long as their bout, each with a file and an entry in
//! [`ALL`](super::ALL).
//!
//! Nothing here blocks. The bout's loop polls the descriptors of all its channels in the bout's one
//! thread, and calls the channels that are ready. A channel handles processes and bytes; the
//! referee decides about the content of messages, and which tick they belong to.

mod connection_test;
mod keyboard_client;
mod keys;
mod program;
mod python_class;
mod remote;
mod series;
mod tcp_line;
mod wire;

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Instant;

use joust_referee::{Parts, RequestId, Verdict};

use super::{Answered, ChannelError, Usage};
use crate::channel::poll::{Interest, Poll};

pub use super::open_live;
pub(super) use connection_test::{AbsenceCause, BotTask, reason};
pub use connection_test::{ConnectOutcome, needs_connection_test, test_connection};
pub use joust_sandbox::{HostSockets, ListenPort, Pipes};
pub use keyboard_client::KeyboardClient;
pub use keys::{END, HOME, KeyNotice, Keyboard, Keys, first_key};
pub use program::Program;
pub(super) use python_class::PythonClass;
pub use remote::Remote;
pub use series::{SeriesChannel, SeriesSlot};
pub(super) use tcp_line::TcpLine;
pub use tcp_line::server_names;

/// The number of a connection within its seat, from 0 by arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatConnection(pub u32);

/// A descriptor to poll.
#[derive(Clone, Copy, Debug)]
pub struct PollTarget<'a> {
    /// Descriptor to poll.
    pub descriptor: BorrowedFd<'a>,
    /// True if it is polled for writing instead of reading.
    pub for_writing: bool,
}

/// An event of a long-lived bot, with the time when its bytes were read.
#[derive(Clone, Debug)]
pub struct News {
    /// Time when its bytes were read.
    pub at: Instant,
    /// The event.
    pub event: Event,
}

/// Event of a long-lived bot.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is ready. Occurs once.
    Ready,
    /// It answered a request. The channel passes on any number that the bot sent; the caller checks
    /// that there is such a request.
    Answer {
        /// The request number in the answer.
        request: RequestId,
        /// The raw answer.
        parts: Parts,
    },
    /// It opened a connection.
    Opened(SeatConnection),
    /// Bytes of one read from a connection. An empty message means that the connection has been
    /// quiet for a while after an incomplete line.
    Message {
        /// Connection that they came on.
        connection: SeatConnection,
        /// Bytes as they were read.
        bytes: Arc<[u8]>,
    },
    /// A connection is closed.
    Closed(SeatConnection),
    /// It broke the protocol but continues: at most the current request is lost.
    Fault {
        /// `protocol-violation` or `output-limit`.
        verdict: Verdict,
        /// A short reason.
        reason: String,
    },
    /// It has exited, or was killed at a limit; no more events follow. `parts` is empty and
    /// `verdict` is never `ok`.
    Ended(Box<Answered>),
}

/// Command of a person at a keyboard for the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockControl {
    /// It runs.
    Run,
    /// It is held.
    Pause,
    /// The bout is abandoned and another begins.
    NewBout,
}

/// Channel to one seat's long-lived bot. Where a method has a body, that is what a seat without
/// a program of its own does: a person, or a client elsewhere.
pub trait LiveChannel: Send {
    /// Starts the bot and returns at once, long before it is ready.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed. A program that cannot be started is reported as
    /// ended instead.
    fn start(&mut self) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Appends the descriptors to poll.
    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>);

    /// Returns when [`LiveChannel::receive`] has to be called even without a ready descriptor; a
    /// time in the past means at once.
    fn wake_at(&self) -> Option<Instant> {
        None
    }

    /// Appends the bot's events since the last call, in order. Never blocks.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError>;

    /// Sends a request to the bot. Never blocks: bytes that do not fit are queued up to a limit,
    /// then replaced or dropped as the protocol defines. Does nothing after the end of the bot.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn ask(&mut self, _request: RequestId, _view: &Parts) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Sends bytes on a connection, as [`LiveChannel::ask`] does.
    ///
    /// # Errors
    ///
    /// As [`LiveChannel::ask`].
    fn send(
        &mut self,
        _connection: SeatConnection,
        _bytes: &Arc<[u8]>,
    ) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Closes a connection. An event follows, as when the bot closes it.
    ///
    /// # Errors
    ///
    /// As [`LiveChannel::ask`].
    fn disconnect(&mut self, _connection: SeatConnection) -> Result<(), ChannelError> {
        Ok(())
    }

    /// Returns the clock command of the person at this channel.
    fn clock_control(&self) -> ClockControl {
        ClockControl::Run
    }

    /// Handles the end of a tick.
    fn on_tick(&mut self) {}

    /// Begins another bout with the same bot. Requests of the last bout will not be answered any
    /// more.
    fn restart(&mut self) {}

    /// Returns the resources that the bot has used so far.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    fn usage(&mut self) -> Result<Usage, ChannelError> {
        Ok(Usage::default())
    }

    /// Ends the bot if it is still running, and returns its end, its total usage and its output.
    /// The verdict is `ok` when it was still running within its limits.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    fn end(&mut self) -> Result<Answered, ChannelError> {
        Ok(Answered::still_there())
    }

    /// Ends the bot and removes its sandbox.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when a part of the sandbox could not be removed.
    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

/// Returns what to poll, in the order of `wanted`.
pub(crate) fn poll_of<'a>(wanted: &[PollTarget<'a>]) -> Poll<'a> {
    let mut poll = Poll::default();
    for target in wanted {
        let interest = if target.for_writing { Interest::Write } else { Interest::Read };
        poll.add(target.descriptor, interest);
    }
    poll
}

/// Waits until one of `wanted` is ready, until `until` at most.
pub(crate) fn wait_for(wanted: &[PollTarget<'_>], until: Instant) -> Result<(), ChannelError> {
    Ok(poll_of(wanted).wait(Some(until))?)
}

/// Reader of a bot's events.
pub(crate) struct EventReader<'a> {
    pub(crate) channel: &'a mut dyn LiveChannel,
    read: VecDeque<News>,
}

impl<'a> EventReader<'a> {
    /// Starts the bot.
    pub(crate) fn start(channel: &'a mut dyn LiveChannel) -> Result<Self, ChannelError> {
        channel.start()?;
        Ok(Self { channel, read: VecDeque::new() })
    }

    /// Waits for the next event; `None` when none has come at `until`.
    pub(crate) fn next(&mut self, until: Instant) -> Result<Option<Event>, ChannelError> {
        while self.read.is_empty() {
            let mut wanted = Vec::new();
            self.channel.descriptors(&mut wanted);
            let wake = self.channel.wake_at().map_or(until, |at| at.min(until));
            wait_for(&wanted, wake)?;
            if Instant::now() >= until {
                return Ok(None);
            }
            let mut news = Vec::new();
            self.channel.receive(&mut news)?;
            self.read.extend(news);
        }
        Ok(self.read.pop_front().map(|news| news.event))
    }
}

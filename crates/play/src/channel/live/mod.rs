//! Channels to bots that live as long as their bout: one file each, one entry in
//! [`ALL`](super::ALL).
//!
//! Nothing here waits. The bout's loop polls the descriptors of all its
//! channels at once, in the bout's one thread, and asks those for news that have
//! some. A channel knows processes and bytes; what a message is worth, and for
//! which tick, is for the referee to say.

mod connection_test;
pub(crate) mod events;
mod keyboard_client;
mod keys;
mod program;
mod python_class;
mod remote;
mod series;
mod tcp_line;
mod wire;
mod work_folder;

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Instant;

use joust_referee::{Parts, RequestId, Verdict};

use super::{Answered, ChannelError, Usage};

pub use super::open_live;
pub use joust_sandbox::{HostSockets, ListenPort, Pipes};
pub use keyboard_client::KeyboardClient;
pub(super) use python_class::PythonClass;
pub(super) use tcp_line::TcpLine;

pub use connection_test::{ConnectOutcome, needs_connection_test, test_connection};
pub use keys::{END, HOME, KeyNotice, Keyboard, Keys, first_key};
pub use program::Program;
pub use remote::Remote;
pub use series::{SeriesChannel, SeriesSlot};
pub use tcp_line::server_names;

/// The number of a connection within its seat, from 0 by arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatConnection(pub u32);

/// Something to poll.
#[derive(Clone, Copy, Debug)]
pub struct PollTarget<'a> {
    /// Descriptor to poll.
    pub descriptor: BorrowedFd<'a>,
    /// True if it is polled for room to write, not for something to read.
    pub for_writing: bool,
}

/// Something a long-lived bot did, and when its bytes were seen.
#[derive(Clone, Debug)]
pub struct News {
    /// Time when its bytes were seen.
    pub at: Instant,
    /// Event that happened.
    pub event: Event,
}

/// Something a long-lived bot did.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is ready. Comes once.
    Ready,
    /// It answered a request. The channel passes on whatever number the bot
    /// gave; the caller checks that there is such a request.
    Answer {
        /// The request it says it answers.
        request: RequestId,
        /// The raw answer.
        parts: Parts,
    },
    /// It made a connection.
    Opened(SeatConnection),
    /// Bytes came on a connection, as one read returned them; none at all says
    /// that the connection has been quiet for a while after bytes without a
    /// line's end.
    Message {
        /// Connection that they came on.
        connection: SeatConnection,
        /// Bytes as they were read.
        bytes: Arc<[u8]>,
    },
    /// A connection is closed.
    Closed(SeatConnection),
    /// It broke the protocol and continues: at most the request under way is lost.
    Fault {
        /// `protocol-violation` or `output-limit`.
        verdict: Verdict,
        /// In short.
        reason: String,
    },
    /// It has ended, or was ended at a limit; nothing more will come. `parts` is
    /// empty and `verdict` never `ok`.
    Ended(Box<Answered>),
}

/// Command of a person at a keyboard to the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockControl {
    /// It runs.
    Run,
    /// It stands still.
    Pause,
    /// The bout is abandoned and another begins.
    NewBout,
}

/// A way to speak to one seat's long-lived bot.
pub trait LiveChannel: Send {
    /// Starts the bot and returns at once, long before it is ready.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed. A program that cannot be
    /// started is news of its end instead.
    fn start(&mut self) -> Result<(), ChannelError>;

    /// Appends what to poll for news.
    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>);

    /// Returns when [`LiveChannel::receive`] has something to do even if no
    /// descriptor has news; a moment that has passed if that is now.
    fn wake_at(&self) -> Option<Instant> {
        None
    }

    /// Appends what the bot did since the last call, in order. Never waits.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError>;

    /// Shows a request to the bot. Never waits: what the bot does not take is
    /// kept up to a bound, then replaced or dropped as the protocol says. After
    /// the bot's end nothing happens.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed; never because of the bot.
    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError>;

    /// Sends bytes on a connection, as [`LiveChannel::ask`] does.
    ///
    /// # Errors
    ///
    /// As [`LiveChannel::ask`].
    fn send(&mut self, connection: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        let _ = (connection, bytes);
        Ok(())
    }

    /// Closes a connection; news of it comes as for one the bot closed.
    ///
    /// # Errors
    ///
    /// As [`LiveChannel::ask`].
    fn disconnect(&mut self, connection: SeatConnection) -> Result<(), ChannelError> {
        let _ = connection;
        Ok(())
    }

    /// Returns the clock command of a person here.
    fn clock_control(&self) -> ClockControl {
        ClockControl::Run
    }

    /// Notes that the clock has struck and the tick was played.
    fn on_tick(&mut self) {}

    /// Begins another bout with the same bot. Requests of the bout before will not be answered any
    /// more.
    fn restart(&mut self) {}

    /// Returns what the bot has used so far.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    fn usage(&mut self) -> Result<Usage, ChannelError>;

    /// Ends the bot, if it still runs, and returns how it ended, what it used in
    /// all and what it wrote. `ok` when it was still running within its limits.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    fn end(&mut self) -> Result<Answered, ChannelError>;

    /// Ends the bot and removes everything of it.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when something of it could not be removed.
    fn close(self: Box<Self>) -> Result<(), ChannelError>;
}

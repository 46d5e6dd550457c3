//! Channel `http`: a web server in a long-lived process. A view is a request to it, and its
//! response is the answer. [`joust_referee::http`] names the parts of both.
//!
//! The server starts with the first request and may listen at `PORT`, which its environment has
//! (8000 unless its manifest names another one), or at any one other port ([`SETTLED`]). It has the
//! start limit to get there, which is not on the clock of the request. The launcher makes each
//! connection in the seat's network and hands it over; from then on the bout's thread and the
//! server exchange bytes without a detour.
//!
//! One connection serves all requests in order, as long as the server keeps it open. A server may
//! close it between two requests without notice. If a reused connection ends before the first byte
//! of an answer, the request is therefore sent once more, on a new connection and within the same
//! limit, and from then on each request has a connection of its own. After a fault the connection
//! is closed, so no late byte is ever taken for the answer to another request.
//!
//! A broken connection does not say at once whether the program ended, because the kernel closes
//! the sockets of a process before it reports the end. So the fault is found a moment later
//! ([`GRACE`]). That moment is part of the time that the bot has used, and is no reason for a
//! timeout.

mod connection;
mod message;
mod start_test;

use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_referee::{Limit, Parts, Verdict};
use joust_sandbox::{HostSockets, Pipes, ServerConnection};

use super::live::PollTarget;
use super::resident::{self, ResidentBot};
use super::{Answered, Channel, ChannelError, Opening, Request};

use connection::{Connection, Exchange, why_not_ready};
#[cfg(any(fuzzing, test))]
pub(crate) use message::ResponseReader;
pub(super) use message::why_no_request;
use message::{BadResponse, Response, Target};
pub use start_test::test_server;

/// Time between the end of a connection and the decision that the program still runs.
const GRACE: Duration = Duration::from_millis(50);

/// Time for which a server has to listen at another port than the one that it was given.
const SETTLED: Duration = Duration::from_millis(100);

/// The shortest and the longest time between two attempts to connect to a server that starts.
const ATTEMPTS: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// Checks that a view is a request.
pub(super) fn carries(view: &Parts) -> Result<(), ChannelError> {
    why_no_request(view).map_or(Ok(()), |reason| Err(ChannelError::NoRequest(reason)))
}

pub(super) struct Http {
    bot: ResidentBot,
    /// Time that the server has to listen.
    start: Duration,
    /// Maximum size of a body, bytes.
    cap: usize,
    state: ServerState,
    target: Target,
    /// The port of the last connection.
    port: u16,
    /// Other ports at which it listens while it starts, and the time from which these were all.
    other_ports: (Vec<u16>, Instant),
    connection: Option<Connection>,
    /// True if the server has closed a connection that it promised to keep.
    is_unreliable: bool,
    pending: Option<PendingRequest>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerState {
    NotStarted,
    Starting,
    Ready,
}

/// A request that waits for its answer.
struct PendingRequest {
    bytes: Vec<u8>,
    /// Time limit of the answer.
    within: Duration,
    /// True if it was sent again.
    is_repeated: bool,
    broken: Option<BrokenConnection>,
    /// Outcome that is not fetched yet.
    outcome: Option<WaitOutcome>,
}

/// End of the connection during a request.
struct BrokenConnection {
    reason: String,
    /// Time from which it is a fault of a program that still runs.
    until: Instant,
}

/// Outcome of a wait for an answer.
enum WaitOutcome {
    Answer(Response),
    Late,
    Violation(String),
    TooLong(String),
    Over(Answered),
}

impl Http {
    pub(super) fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        opening.spec.host_sockets = HostSockets { may_listen: true, ..HostSockets::default() };
        let target = Target::of(&mut opening);
        let port = target.port;
        Ok(Self {
            start: opening.limits.start,
            cap: usize::try_from(opening.limits.output.0).unwrap_or(usize::MAX),
            bot: ResidentBot::open(opening)?,
            state: ServerState::NotStarted,
            target,
            port,
            other_ports: (Vec::new(), Instant::now()),
            connection: None,
            is_unreliable: false,
            pending: None,
        })
    }

    fn start(&mut self) -> Result<(), ChannelError> {
        self.bot.program.start(Pipes::None)?;
        self.state = ServerState::Starting;
        Ok(())
    }

    /// Begins a request. A server that has to start first has the start limit for that.
    fn begin(&mut self, request: &Request<'_>) -> Result<(), ChannelError> {
        let mut pending = PendingRequest {
            bytes: message::request(request.view, &self.target),
            within: request.within,
            is_repeated: false,
            broken: None,
            outcome: None,
        };
        let is_ready = self.state == ServerState::Ready;
        self.bot.begin(request, if is_ready { request.within } else { self.start })?;
        if self.state == ServerState::NotStarted {
            self.start()?;
        }
        match self.connection.as_mut().map(Connection::state) {
            None | Some(connection::IdleState::Open) => {}
            Some(connection::IdleState::Closed) => self.connection = None,
            Some(connection::IdleState::Unasked) => {
                self.connection = None;
                let reason = "it sent bytes that nobody had asked for".to_owned();
                pending.broken = Some(BrokenConnection { reason, until: self.bot.seen });
            }
        }
        self.pending = Some(pending);
        Ok(())
    }

    /// Returns the outcome of the wait for the current answer, if there is one; never blocks.
    fn ending_of_wait(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        let early = self.pending.as_mut().and_then(|pending| pending.outcome.take());
        let mut exchanged = if early.is_some() { early } else { self.exchange()? };
        if exchanged.is_none() {
            self.bot.over = self.bot.program.ended()?;
            // It may have answered since the last read.
            if self.bot.over.is_some() {
                exchanged = self.last_answer();
            }
        }
        if let Some(outcome) = exchanged {
            let is_late = self.bot.is_late()?;
            return Ok(Some(if is_late { WaitOutcome::Late } else { outcome }));
        }
        if let Some(ended) = self.bot.over.take() {
            return Ok(Some(WaitOutcome::Over(ended)));
        }
        if let Some(broken) = self.pending.as_ref().and_then(|pending| pending.broken.as_ref()) {
            if Instant::now() < broken.until {
                return Ok(None);
            }
            let reason = broken.reason.clone();
            self.bot.seen = Instant::now();
            return Ok(Some(WaitOutcome::Violation(reason)));
        }
        if self.bot.is_late()? {
            return Ok(Some(WaitOutcome::Late));
        }
        self.bot.check_stall()?;
        Ok(None)
    }

    /// Sends and receives what is possible now.
    fn exchange(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        loop {
            let Some(pending) = self.pending.as_mut().filter(|it| it.broken.is_none()) else {
                return Ok(None);
            };
            let Some(connection) = &mut self.connection else {
                if !self.connect()? {
                    return Ok(None);
                }
                continue;
            };
            let is_reused = connection.is_reused;
            match connection.exchange(&pending.bytes, &mut self.bot.seen, self.cap) {
                Exchange::Waits => return Ok(None),
                Exchange::Answer(response) => {
                    if self.is_unreliable || !response.is_kept {
                        self.connection = None;
                    }
                    return Ok(Some(WaitOutcome::Answer(response)));
                }
                Exchange::Closed if is_reused && !pending.is_repeated => {
                    pending.is_repeated = true;
                    (self.is_unreliable, self.connection) = (true, None);
                }
                Exchange::Closed => self.broken("it closed the connection without an answer"),
                Exchange::Bad(bad @ (BadResponse::HeadTooLong | BadResponse::BodyTooLong(_))) => {
                    return Ok(Some(WaitOutcome::TooLong(bad.to_string())));
                }
                Exchange::Bad(bad) => self.broken(&bad.to_string()),
            }
        }
    }

    /// Takes the answer that a program sent before it ended.
    fn last_answer(&mut self) -> Option<WaitOutcome> {
        let pending = self.pending.as_ref().filter(|it| it.broken.is_none())?;
        let connection = self.connection.as_mut()?;
        match connection.exchange(&pending.bytes, &mut self.bot.seen, self.cap) {
            Exchange::Answer(response) => Some(WaitOutcome::Answer(response)),
            _ => None,
        }
    }

    /// Notes that the connection broke; the fault is decided a moment later.
    fn broken(&mut self, reason: &str) {
        self.connection = None;
        if let Some(pending) = &mut self.pending {
            let (reason, until) = (reason.to_owned(), Instant::now() + GRACE);
            pending.broken = Some(BrokenConnection { reason, until });
        }
    }

    /// Connects to the server; returns whether there is a connection.
    fn connect(&mut self) -> Result<bool, ChannelError> {
        let is_starting = self.state == ServerState::Starting;
        // First, as the port in use may be the one of a debugger that was there earlier.
        let mut port = self.target.port;
        let mut made = self.bot.program.connect(port, is_starting)?;
        if let ServerConnection::Refused(others) = &made {
            let other = if is_starting { self.settled_port(others) } else { Some(self.port) };
            if let Some(other) = other.filter(|other| *other != port) {
                port = other;
                made = self.bot.program.connect(port, false)?;
            }
        }
        match made {
            ServerConnection::Made(stream) => {
                self.connection = Some(Connection::new(stream));
                self.port = port;
                if is_starting {
                    self.state = ServerState::Ready;
                    let within = self.pending.as_ref().map_or(self.start, |it| it.within);
                    self.bot.restart_clock(within);
                }
                Ok(true)
            }
            ServerConnection::Refused(_) if is_starting => Ok(false),
            ServerConnection::Refused(_) => {
                self.broken("nobody listens any more");
                Ok(false)
            }
        }
    }

    /// Returns the only port at which a server that starts has listened for a while. Before that it
    /// may still be about to listen at the port that it was given.
    fn settled_port(&mut self, ports: &[u16]) -> Option<u16> {
        let (known, since) = &mut self.other_ports;
        if known != ports {
            (*known, *since) = (ports.to_vec(), Instant::now());
        }
        match known[..] {
            [port] if since.elapsed() >= SETTLED => Some(port),
            _ => None,
        }
    }

    /// Returns the time of the next check, if nothing happens before.
    fn next_look(&self) -> Instant {
        let next = self.bot.next_look();
        let pending = self.pending.as_ref();
        if pending.is_none_or(|pending| pending.outcome.is_some()) {
            return Instant::now();
        }
        if let Some(broken) = pending.and_then(|pending| pending.broken.as_ref()) {
            return broken.until;
        }
        if self.state == ServerState::Starting { next.min(self.next_attempt()) } else { next }
    }

    /// Returns the time of the next attempt to connect to a server that starts.
    fn next_attempt(&self) -> Instant {
        let (shortest, longest) = ATTEMPTS;
        Instant::now() + (self.bot.elapsed() / 8).clamp(shortest, longest)
    }

    /// Returns the answer of a wait, with times and other details.
    fn finish_answer(&mut self, outcome: WaitOutcome) -> Result<Answered, ChannelError> {
        self.pending = None;
        self.bot.end_wait()?;
        if matches!(outcome, WaitOutcome::Answer(_)) {
            self.bot.complete()?;
        } else {
            self.connection = None;
        }
        let answered = match outcome {
            WaitOutcome::Answer(response) => {
                let parts = response.parts();
                Answered { parts, output: response.body, ..Answered::still_there() }
            }
            WaitOutcome::Late if self.state != ServerState::Ready => {
                let ended = self.bot.program.end()?;
                let (verdict, exit) = (Verdict::Timeout, Exit::Killed);
                let reason = why_not_ready(self.target.port, &self.other_ports.0, self.start);
                let late = Answered { parts: Parts::none(), verdict, reason, exit, ..ended };
                self.bot.over.insert(late.hitting(Limit::Wall)).clone()
            }
            WaitOutcome::Late => {
                let late = Answered::passing_fault(Verdict::Timeout, "").hitting(Limit::Wall);
                Answered { usage: self.bot.program.usage()?, ..late }
            }
            WaitOutcome::Violation(reason) => {
                Answered::passing_fault(Verdict::ProtocolViolation, reason)
            }
            WaitOutcome::TooLong(reason) => {
                Answered::passing_fault(Verdict::OutputLimit, reason).hitting(Limit::Stdout)
            }
            WaitOutcome::Over(ended) => self.bot.over.insert(ended).clone(),
        };
        Ok(self.bot.measured(answered))
    }
}

impl Channel for Http {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        resident::ask(self, request)
    }

    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        if self.bot.over.is_none() {
            self.begin(request)?;
            let outcome = self.exchange()?;
            if let Some(pending) = &mut self.pending {
                pending.outcome = outcome;
            }
        }
        Ok(true)
    }

    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        if let Some(over) = &self.bot.over {
            return Ok(Some(over.again()));
        }
        self.bot.seen = seen;
        let Some(outcome) = self.ending_of_wait()? else { return Ok(None) };
        self.finish_answer(outcome).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        if self.bot.over.is_some() || self.bot.program.has_unreported_event() {
            return Instant::now();
        }
        self.bot.program.descriptors(wanted, false);
        if let (Some(connection), Some(pending)) = (&self.connection, &self.pending) {
            connection.descriptors(pending.bytes.len(), wanted);
        }
        self.next_look()
    }

    fn look(&mut self) -> Result<(), ChannelError> {
        self.bot.look()
    }

    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        self.bot.finish().map(Some)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.bot.program.close()
    }
}

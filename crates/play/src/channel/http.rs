//! Channel `http`: a web server in a long-lived process. A view is a request to it, and its response
//! is the answer. [`joust_referee::http`] names the parts of both.
//!
//! The server starts with the first request and may listen at `PORT`, which its environment has (8000
//! unless its manifest names another one), or at any one other port ([`SETTLED`]). It has the start limit to get there, which is not on the clock of the
//! request. The launcher makes each connection in the seat's network and hands it over; from then on
//! the bout's thread and the server exchange bytes without a detour.
//!
//! One connection serves all requests in order, as long as the server keeps it open. A server may
//! close it between two requests without notice. If a reused connection ends before the first byte
//! of an answer, the request is therefore sent once more, on a new connection and within the same
//! limit, and from then on each request has a connection of its own. After a fault the connection is
//! closed, so no late byte is ever taken for the answer to another request.
//!
//! A broken connection does not say at once whether the program ended, because the kernel closes the
//! sockets of a process before it reports the end. So the fault is found a moment later ([`GRACE`]).
//! That moment is part of the time that the bot has used, and is no reason for a timeout.

mod connection;
mod message;
mod start_test;

use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_referee::{Limit, Parts, Verdict};
use joust_sandbox::{HostSockets, Pipes, ServerConnection};

use super::live::{PollTarget, Program};
use super::pondering::PonderPolicy;
use super::wait::{AnswerClock, OpponentLoad};
use super::{Answered, Channel, ChannelError, Opening, Request};

use connection::{Connection, Exchange};
#[cfg(fuzzing)]
pub(crate) use message::ResponseReader;
pub(super) use message::why_no_request;
use message::{BadResponse, Response, Target};
pub use start_test::test_server;

/// Time between the end of a connection and the decision that the program still runs.
const GRACE: Duration = Duration::from_millis(50);

/// Time for which a server has to listen at another port than the one that it was given.
const SETTLED: Duration = Duration::from_millis(100);

/// Largest number of ports in the reason why a server was not ready.
const NAMED_PORTS: usize = 16;

/// The shortest and the longest time between two attempts to connect to a server that starts.
const ATTEMPTS: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(20));

/// Checks that a view is a request.
pub(super) fn carries(view: &Parts) -> Result<(), ChannelError> {
    why_no_request(view).map_or(Ok(()), |reason| Err(ChannelError::NoRequest(reason)))
}

pub(super) struct Http {
    program: Program,
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
    rest: PonderPolicy,
    clock: AnswerClock,
    over: Option<Answered>,
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
            clock: AnswerClock::new(opening.limit_mode),
            program: Program::open(opening)?,
            state: ServerState::NotStarted,
            target,
            port,
            other_ports: (Vec::new(), Instant::now()),
            connection: None,
            is_unreliable: false,
            rest: PonderPolicy::default(),
            over: None,
            pending: None,
        })
    }

    fn start(&mut self) -> Result<(), ChannelError> {
        self.clock.begin(self.start);
        self.program.start(Pipes::None)?;
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
        match self.state {
            ServerState::NotStarted => self.start()?,
            ServerState::Starting => self.clock.begin(self.start),
            ServerState::Ready => self.clock.begin(request.within),
        }
        match self.connection.as_mut().map(Connection::state) {
            None | Some(connection::IdleState::Open) => {}
            Some(connection::IdleState::Closed) => self.connection = None,
            Some(connection::IdleState::Unasked) => {
                self.connection = None;
                let reason = "it sent bytes that nobody had asked for".to_owned();
                pending.broken = Some(BrokenConnection { reason, until: self.clock.seen });
            }
        }
        self.pending = Some(pending);
        Ok(())
    }

    /// Returns the outcome of the wait for the current answer, if there is one; never blocks.
    fn ending_of_wait(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        let early = self.pending.as_mut().and_then(|pending| pending.outcome.take());
        let exchanged = if early.is_some() { early } else { self.exchange()? };
        if let Some(outcome) = exchanged {
            let is_late = self.clock.is_late(&mut self.program)?;
            return Ok(Some(if is_late { WaitOutcome::Late } else { outcome }));
        }
        if let Some(ended) = self.program.ended()? {
            return Ok(Some(WaitOutcome::Over(ended)));
        }
        if let Some(broken) = self.pending.as_ref().and_then(|pending| pending.broken.as_ref()) {
            if Instant::now() < broken.until {
                return Ok(None);
            }
            let reason = broken.reason.clone();
            self.clock.seen = Instant::now();
            return Ok(Some(WaitOutcome::Violation(reason)));
        }
        if self.clock.is_late(&mut self.program)? {
            return Ok(Some(WaitOutcome::Late));
        }
        self.clock.check_stall(&mut self.program)?;
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
            let is_reused = connection.is_reused();
            match connection.exchange(&pending.bytes, &mut self.clock.seen, self.cap) {
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
        let mut made = self.program.connect(port, is_starting)?;
        if let ServerConnection::Refused(others) = &made {
            let other = if is_starting { self.settled_port(others) } else { Some(self.port) };
            if let Some(other) = other.filter(|other| *other != port) {
                port = other;
                made = self.program.connect(port, false)?;
            }
        }
        match made {
            ServerConnection::Made(stream) => {
                self.connection = Some(Connection::new(stream));
                self.port = port;
                if is_starting {
                    self.state = ServerState::Ready;
                    let within = self.pending.as_ref().map_or(self.start, |it| it.within);
                    self.clock.begin(within);
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
        let next = self.clock.next_look();
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
        Instant::now() + (self.clock.elapsed() / 16).clamp(shortest, longest)
    }

    /// Waits for an event of the server, until `until` at most.
    fn pause(&mut self, until: Instant) -> Result<(), ChannelError> {
        if self.program.has_unreported_event() {
            return Ok(());
        }
        let mut wanted = Vec::with_capacity(3);
        descriptors(&self.program, self.connection.as_ref(), self.pending.as_ref(), &mut wanted);
        self.clock.pause(&wanted, until)
    }

    fn wait_for_answer(
        &mut self,
        beside: &mut Option<OpponentLoad<'_>>,
    ) -> Result<WaitOutcome, ChannelError> {
        loop {
            // Mostly the answer comes first, so the program is not looked at before that.
            if self.pending.as_ref().is_none_or(|pending| pending.outcome.is_none()) {
                let until = self.next_look();
                self.pause(beside.as_ref().map_or(until, |beside| until.min(beside.looks.next())))?;
                if let Some(beside) = beside {
                    beside.check_if_due()?;
                }
            }
            if let Some(outcome) = self.ending_of_wait()? {
                return Ok(outcome);
            }
        }
    }

    /// Returns the reason why a server was not ready in time.
    fn why_not_ready(&self) -> String {
        let port = self.target.port;
        match &self.other_ports.0[..] {
            [] => format!(
                "it did not listen within its start limit of {} s: it is to listen at the port that \
                 the environment variable `PORT` has ({port}), or at one port of its own",
                self.start.as_secs_f64()
            ),
            others => format!(
                "it listens at the ports {}, and not at {port}: set `port` in its `bot.yaml`",
                named_ports(others)
            ),
        }
    }

    /// Returns the answer of a wait, with times and other details.
    fn finish_answer(&mut self, outcome: WaitOutcome) -> Result<Answered, ChannelError> {
        self.pending = None;
        if matches!(outcome, WaitOutcome::Answer(_)) {
            self.clock.complete(&mut self.program)?;
        } else {
            self.connection = None;
        }
        let answered = match outcome {
            WaitOutcome::Answer(response) => {
                let output = response.body.clone();
                Answered { parts: response.into_parts(), output, ..Answered::still_there() }
            }
            WaitOutcome::Late if self.state != ServerState::Ready => {
                let ended = self.program.end()?;
                let (verdict, exit) = (Verdict::Timeout, Exit::Killed);
                let reason = self.why_not_ready();
                let late = Answered { parts: Parts::none(), verdict, reason, exit, ..ended };
                self.over.insert(late.hitting(Limit::Wall)).clone()
            }
            WaitOutcome::Late => {
                let late = Answered::passing_fault(Verdict::Timeout, "").hitting(Limit::Wall);
                Answered { usage: self.program.usage()?, ..late }
            }
            WaitOutcome::Violation(reason) => {
                Answered::passing_fault(Verdict::ProtocolViolation, reason)
            }
            WaitOutcome::TooLong(reason) => {
                Answered::passing_fault(Verdict::OutputLimit, reason).hitting(Limit::Stdout)
            }
            WaitOutcome::Over(ended) => self.over.insert(ended).clone(),
        };
        Ok(self.clock.measured(answered))
    }
}

impl Channel for Http {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        if let Some(over) = &self.over {
            return Ok(over.again());
        }
        self.put(request)?;
        let mut beside = request.idle_seats.map(OpponentLoad::new);
        let outcome = self.wait_for_answer(&mut beside)?;
        if let Some(beside) = &beside {
            self.rest.begin(&mut self.program)?;
            beside.check_after_answer()?;
        }
        self.finish_answer(outcome)
    }

    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        if self.over.is_none() {
            self.rest.end(&mut self.program)?;
            self.begin(request)?;
            let outcome = self.exchange()?;
            if let Some(pending) = &mut self.pending {
                pending.outcome = outcome;
            }
        }
        Ok(true)
    }

    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        if let Some(over) = &self.over {
            return Ok(Some(over.again()));
        }
        self.clock.seen = seen;
        let Some(outcome) = self.ending_of_wait()? else { return Ok(None) };
        self.finish_answer(outcome).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        if self.over.is_some() || self.program.has_unreported_event() {
            return Instant::now();
        }
        descriptors(&self.program, self.connection.as_ref(), self.pending.as_ref(), wanted);
        self.next_look()
    }

    fn look(&mut self) -> Result<(), ChannelError> {
        match self.over {
            Some(_) => Ok(()),
            None => self.rest.look(&mut self.program),
        }
    }

    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        match &self.over {
            Some(over) => Ok(Some(over.clone())),
            None => self.program.end().map(Some),
        }
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.program.close()
    }
}

/// Returns the first of `ports`, and how many more there are.
fn named_ports(ports: &[u16]) -> String {
    let named: Vec<String> = ports.iter().take(NAMED_PORTS).map(u16::to_string).collect();
    match ports.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Appends what to poll while a request is under way.
fn descriptors<'a>(
    program: &'a Program,
    connection: Option<&'a Connection>,
    pending: Option<&PendingRequest>,
    wanted: &mut Vec<PollTarget<'a>>,
) {
    program.descriptors(wanted, false);
    if let (Some(connection), Some(pending)) = (connection, pending) {
        connection.descriptors(pending.bytes.len(), wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_of_many_ports_are_named() {
        assert_eq!(named_ports(&[8001, 8002]), "8001, 8002");
        let many: Vec<u16> = (1..=20).collect();
        let named = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 4 more";
        assert_eq!(named_ports(&many), named);
    }
}

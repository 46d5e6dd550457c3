//! State of one seat in a running bout, and the connections of all seats, numbered together in order
//! of arrival.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use joust_referee::{Connection, Parts, RequestId, Seat, SendTo};

use crate::channel::Answered;
use crate::channel::live::SeatConnection;
use crate::channel::stall::StallMeter;

/// State of one seat.
pub(super) struct SeatState {
    /// True if its bot can act.
    pub(super) is_ready: bool,
    /// True if its bot has ended.
    pub(super) is_gone: bool,
    /// The request that is answered when the bot is ready.
    pub(super) start_request: Option<RequestId>,
    /// The first request, whether it is answered or not.
    pub(super) first_request: Option<RequestId>,
    /// The newest request to it.
    pub(super) newest: Option<RequestId>,
    /// State of the current tick.
    pub(super) tick: SeatTick,
    /// A request that is sent when it is the seat's turn.
    pub(super) unshown: Option<(RequestId, Parts)>,
    /// The newest request it answered.
    pub(super) answered: Option<RequestId>,
    pub(super) faults: SeatFaults,
    /// Meter of the time that the machine takes from it while it is waited for.
    pub(super) meter: StallMeter,
    /// Time that it has kept its bout waiting.
    pub(super) waited: Duration,
}

/// State of a seat in the current tick.
pub(super) struct SeatTick {
    /// True if it was asked.
    pub(super) is_asked: bool,
    /// Time when the newest request was sent.
    pub(super) asked_at: Instant,
    /// Time of its first answer.
    pub(super) answered_at: Option<Instant>,
    /// True if it has answered the request.
    pub(super) is_settled: bool,
}

/// Faults of a seat that are not judged yet.
#[derive(Default)]
pub(super) struct SeatFaults {
    /// Those that the referee has not received.
    pub(super) untold: VecDeque<Answered>,
    /// Those that the referee has received.
    pub(super) unjudged: VecDeque<Answered>,
}

impl SeatState {
    pub(super) fn new() -> Self {
        Self {
            is_ready: false,
            is_gone: false,
            start_request: None,
            first_request: None,
            newest: None,
            tick: SeatTick {
                is_asked: false,
                asked_at: Instant::now(),
                answered_at: None,
                is_settled: false,
            },
            unshown: None,
            answered: None,
            faults: SeatFaults::default(),
            meter: StallMeter::new(),
            waited: Duration::ZERO,
        }
    }

    /// Records a request to the seat.
    pub(super) fn ask(&mut self, request: RequestId, now: Instant) {
        self.newest = Some(request);
        self.tick =
            SeatTick { is_asked: true, asked_at: now, answered_at: None, is_settled: false };
    }

    /// Returns whether the seat may answer `request`: it must be one of its requests, and newer
    /// than the last one that it answered.
    pub(super) fn may_answer(&self, request: RequestId) -> bool {
        self.newest.is_some_and(|newest| request <= newest)
            && self.answered.is_none_or(|answered| answered < request)
    }

    /// Records an answer; returns whether it is late.
    pub(super) fn answer(&mut self, request: RequestId, at: Instant) -> bool {
        let is_late = self.newest != Some(request);
        self.answered = Some(request);
        self.tick.answered_at.get_or_insert(at);
        self.tick.is_settled |= !is_late;
        is_late
    }

    /// Ends the seat's current tick; returns the time that it took to answer.
    pub(super) fn end_tick(&mut self, now: Instant) -> Duration {
        let until = if self.tick.is_settled { self.tick.answered_at.unwrap_or(now) } else { now };
        until.saturating_duration_since(self.tick.asked_at)
    }
}

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seat: usize,
    pub(super) own: SeatConnection,
    pub(super) is_open: bool,
}

/// All connections of the bout, including closed ones, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<Link>);

impl Links {
    /// Returns whether there was any connection.
    pub(super) fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Numbers a new connection of a seat.
    pub(super) fn open(&mut self, seat: usize, own: SeatConnection) -> Connection {
        self.0.push(Link { seat, own, is_open: true });
        Connection(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// Finds an open connection of a seat.
    pub(super) fn find(&self, seat: usize, own: SeatConnection) -> Option<Connection> {
        let is_it = |link: &Link| link.seat == seat && link.own == own && link.is_open;
        let number = self.0.iter().rposition(is_it)?;
        u32::try_from(number).ok().map(Connection)
    }

    /// Closes a connection of a seat; returns its number if it was open.
    pub(super) fn close(&mut self, seat: usize, own: SeatConnection) -> Option<Connection> {
        let connection = self.find(seat, own)?;
        self.0[connection.0 as usize].is_open = false;
        Some(connection)
    }

    /// Returns the connection with this number, if there was one.
    pub(super) fn get(&self, connection: Connection) -> Option<Link> {
        self.0.get(connection.0 as usize).copied()
    }

    /// Returns the open connections that `to` addresses.
    pub(super) fn addressees(&self, to: SendTo) -> Vec<Link> {
        match to {
            SendTo::Connection(one) => {
                self.get(one).filter(|link| link.is_open).into_iter().collect()
            }
            SendTo::All => self.0.iter().filter(|link| link.is_open).copied().collect(),
        }
    }
}

/// Returns a seat for the referee.
pub(super) fn seat(index: usize) -> Seat {
    Seat(u8::try_from(index).unwrap_or(u8::MAX))
}

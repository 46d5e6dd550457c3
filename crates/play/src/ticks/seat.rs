//! State of one seat in a running bout.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use joust_referee::{Parts, RequestId};

use crate::channel::Answered;
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

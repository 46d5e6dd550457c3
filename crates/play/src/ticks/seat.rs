//! State of one seat while its bout is played.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use joust_referee::{Parts, RequestId};

use crate::channel::Answered;
use crate::channel::stall::StallMeter;

/// State of one seat.
pub(super) struct SeatState {
    /// Its bot can act.
    pub(super) is_ready: bool,
    /// Its bot has ended.
    pub(super) is_gone: bool,
    /// The request that its being ready answers.
    pub(super) start_request: Option<RequestId>,
    /// That request, whether it is answered or not.
    pub(super) first_request: Option<RequestId>,
    /// The newest request made to it.
    pub(super) newest: Option<RequestId>,
    /// State of the tick under way.
    pub(super) tick: SeatTick,
    /// A request it is to be shown when it is its turn.
    pub(super) unshown: Option<(RequestId, Parts)>,
    /// The newest request it answered.
    pub(super) answered: Option<RequestId>,
    pub(super) faults: SeatFaults,
    /// Meter of the time that the machine takes from it while it is waited for.
    pub(super) meter: StallMeter,
    /// Time that it has kept its bout waiting.
    pub(super) waited: Duration,
}

/// State of a seat in the tick under way.
pub(super) struct SeatTick {
    /// True if it was asked.
    pub(super) is_asked: bool,
    /// Time when it was shown the newest request.
    pub(super) asked_at: Instant,
    /// Time of its first answer.
    pub(super) answered_at: Option<Instant>,
    /// True if it has answered the request.
    pub(super) is_settled: bool,
}

/// Faults of a seat that are not judged yet.
#[derive(Default)]
pub(super) struct SeatFaults {
    /// Those that the referee does not know.
    pub(super) untold: VecDeque<Answered>,
    /// Those that the referee knows.
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

    /// Notes that it was made a request.
    pub(super) fn ask(&mut self, request: RequestId, now: Instant) {
        self.newest = Some(request);
        self.tick =
            SeatTick { is_asked: true, asked_at: now, answered_at: None, is_settled: false };
    }

    /// Returns whether it may answer `request`, which has to be one it was asked and newer than the
    /// last it answered.
    pub(super) fn may_answer(&self, request: RequestId) -> bool {
        self.newest.is_some_and(|newest| request <= newest)
            && self.answered.is_none_or(|answered| answered < request)
    }

    /// Notes an answer; says whether it is late.
    pub(super) fn answer(&mut self, request: RequestId, at: Instant) -> bool {
        let is_late = self.newest != Some(request);
        self.answered = Some(request);
        self.tick.answered_at.get_or_insert(at);
        self.tick.is_settled |= !is_late;
        is_late
    }

    /// Ends the tick under way for it; returns how long it took to answer.
    pub(super) fn end_tick(&mut self, now: Instant) -> Duration {
        let until = if self.tick.is_settled { self.tick.answered_at.unwrap_or(now) } else { now };
        until.saturating_duration_since(self.tick.asked_at)
    }
}

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
    /// True if it was asked for the tick under way.
    pub(super) is_asked: bool,
    /// Time when it was shown the newest request.
    pub(super) asked_at: Instant,
    /// A request it is to be shown when it is its turn.
    pub(super) unshown: Option<(RequestId, Parts)>,
    /// The newest request it answered.
    pub(super) answered: Option<RequestId>,
    /// Time of its first answer in the tick under way.
    pub(super) answered_at: Option<Instant>,
    /// True if it has answered the request of the tick under way.
    pub(super) is_settled: bool,
    /// Faults that the referee has not been told of.
    pub(super) untold: VecDeque<Answered>,
    /// Faults that the referee was told of and has not judged.
    pub(super) unjudged: VecDeque<Answered>,
    /// Meter of the time that the machine takes from it while it is waited for.
    pub(super) meter: StallMeter,
    /// Time that it has kept its bout waiting.
    pub(super) waited: Duration,
}

impl SeatState {
    pub(super) fn new() -> Self {
        Self {
            is_ready: false,
            is_gone: false,
            start_request: None,
            first_request: None,
            newest: None,
            is_asked: false,
            asked_at: Instant::now(),
            unshown: None,
            answered: None,
            answered_at: None,
            is_settled: false,
            untold: VecDeque::new(),
            unjudged: VecDeque::new(),
            meter: StallMeter::new(),
            waited: Duration::ZERO,
        }
    }

    /// Notes that it was made a request.
    pub(super) fn ask(&mut self, request: RequestId, now: Instant) {
        self.newest = Some(request);
        self.is_asked = true;
        self.is_settled = false;
        self.answered_at = None;
        self.asked_at = now;
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
        self.answered_at.get_or_insert(at);
        self.is_settled |= !is_late;
        is_late
    }

    /// Ends the tick under way for it; returns how long it took to answer.
    pub(super) fn end_tick(&mut self, now: Instant) -> Duration {
        let until = if self.is_settled { self.answered_at.unwrap_or(now) } else { now };
        until.saturating_duration_since(self.asked_at)
    }
}

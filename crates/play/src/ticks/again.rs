//! Rerun of a recorded bout with a clock, with its bots.
//!
//! The record contains the tick of every answer, so ticks do not depend on time here: each recorded
//! input waits for the corresponding action of the bot. A request that the bot ignored in the
//! recorded play, for instance because it was busy, is not sent now. The requests that it answered
//! are sent one by one, because ticks without a wait would pass before the bot has seen the first
//! request.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::{Connection, Input, Limit, Parts, RequestId, Seat, Verdict};

use super::bout::Bout;
use super::seat::{SeatState, seat};
use crate::PlayError;
use crate::channel::live::{Event, News, SeatConnection};
use crate::channel::{Answered, LimitMode};

/// Number of ticks to wait for a recorded event.
const TICKS: u32 = 20;
/// The least time to wait: bots take some time to start or end.
const AT_LEAST: Duration = Duration::from_secs(5);

/// Recorded inputs that are still to happen, and pending events.
pub(super) struct RecordedPlay {
    inputs: VecDeque<Input>,
    answered: HashSet<(u8, RequestId)>,
    kept: Vec<PendingEvents>,
}

/// Pending events of a seat's bot.
#[derive(Default)]
struct PendingEvents {
    answers: VecDeque<(RequestId, Parts)>,
    opened: VecDeque<SeatConnection>,
    bytes: HashMap<SeatConnection, Vec<u8>>,
    closed: HashSet<SeatConnection>,
    faults: VecDeque<Answered>,
    /// Request that was sent and is not answered yet.
    open: Option<RequestId>,
    /// Further requests to send after that one.
    unshown: VecDeque<(RequestId, Parts)>,
    /// True if the bot did not do what is recorded; then it is not waited for again.
    differs: bool,
}

impl RecordedPlay {
    pub(super) fn new(inputs: Vec<Input>, seats: usize) -> Self {
        let answered = inputs.iter().filter_map(|input| match input {
            Input::Answer { seat, request, .. } => Some((seat.0, *request)),
            _ => None,
        });
        Self {
            answered: answered.collect(),
            inputs: inputs.into(),
            kept: (0..seats).map(|_| PendingEvents::default()).collect(),
        }
    }

    /// Queues a request for a seat, if it was answered in the recorded play.
    pub(super) fn queue_request(&mut self, index: usize, request: RequestId, view: Parts) {
        if self.answered.contains(&(seat(index).0, request)) {
            self.kept[index].unshown.push_back((request, view));
        }
    }

    /// Returns the request to send to a seat now.
    pub(super) fn next_shown(&mut self, index: usize) -> Option<(RequestId, Parts)> {
        let kept = &mut self.kept[index];
        if kept.open.is_some() {
            return None;
        }
        let next = kept.unshown.pop_front()?;
        kept.open = Some(next.0);
        Some(next)
    }

    pub(super) fn keep(&mut self, index: usize, state: &mut SeatState, news: News) {
        let kept = &mut self.kept[index];
        match news.event {
            Event::Ready => state.is_ready = true,
            Event::Answer { request, parts } => {
                kept.open = kept.open.filter(|open| *open > request);
                kept.answers.push_back((request, parts));
            }
            Event::Opened(own) => kept.opened.push_back(own),
            Event::Message { connection, bytes } => {
                kept.bytes.entry(connection).or_default().extend_from_slice(&bytes);
            }
            Event::Closed(own) => _ = kept.closed.insert(own),
            Event::Fault { verdict, reason } => {
                kept.faults.push_back(Answered::passing_fault(verdict, reason));
            }
            Event::Ended(answered) => {
                state.is_gone = true;
                kept.faults.push_back(*answered);
            }
        }
    }
}

impl Bout<'_> {
    /// Sends a seat its next request, if it has no open one.
    pub(super) fn show_next_again(&mut self, index: usize) -> Result<(), PlayError> {
        let next = self.recording.as_mut().and_then(|recording| recording.next_shown(index));
        next.map_or(Ok(()), |(request, view)| self.show(index, request, &view))
    }

    /// Plays the recorded inputs. If the game ends earlier, the bout ends there; if it ends later,
    /// it continues with its clock.
    pub(super) fn play_again(&mut self) -> Result<(), PlayError> {
        while let Some(input) =
            self.recording.as_mut().and_then(|recording| recording.inputs.pop_front())
        {
            if self.outcome.is_some() {
                break;
            }
            self.refuse_cancelled()?;
            self.repeat(input)?;
        }
        self.recording = None;
        Ok(())
    }

    fn repeat(&mut self, input: Input) -> Result<(), PlayError> {
        match input {
            Input::Tick | Input::Resolved { .. } | Input::Person { .. } => self.feed(input),
            Input::Answer { seat, request, verdict: Verdict::Ok, .. } => {
                self.repeat_answer(seat, request)
            }
            Input::Answer { seat, verdict, .. } => self.repeat_fault(seat, verdict),
            Input::Opened { seat, .. } => self.repeat_opened(seat),
            Input::Message { connection, bytes } => self.repeat_message(connection, &bytes),
            Input::Closed { connection } => self.repeat_closed(connection),
        }
    }

    fn repeat_answer(&mut self, who: Seat, request: RequestId) -> Result<(), PlayError> {
        let index = who.index();
        if self.seats.get(index).is_some_and(|state| state.start_request == Some(request)) {
            self.wait_for(index, |state, _| state.is_ready)?;
            return if self.seats[index].is_ready { self.report_ready(index) } else { Ok(()) };
        }
        self.wait_for(index, |_, kept| kept.answers.iter().any(|(id, _)| *id == request))?;
        let Some(kept) = self.kept(index) else { return Ok(()) };
        let found = kept.answers.iter().position(|(id, _)| *id == request);
        let Some((_, parts)) = found.and_then(|at| kept.answers.remove(at)) else { return Ok(()) };
        let is_late = self.seats[index].answer(request, Instant::now());
        self.ledger.seats[index].answers_late += u32::from(is_late);
        self.feed(Input::Answer { seat: who, request, parts, verdict: Verdict::Ok })
    }

    /// Repeats a recorded fault. A time limit that was exceeded then counts as exceeded now; any
    /// other fault has to occur again.
    fn repeat_fault(&mut self, who: Seat, verdict: Verdict) -> Result<(), PlayError> {
        let index = who.index();
        if index >= self.seats.len() {
            return Ok(());
        }
        if verdict == Verdict::Timeout {
            let fault = Answered::passing_fault(verdict, "as recorded");
            return self.record_fault(index, fault.hitting(Limit::Wall));
        }
        self.wait_for(index, |_, kept| !kept.faults.is_empty())?;
        match self.kept(index).and_then(|kept| kept.faults.pop_front()) {
            Some(answered) => self.record_fault(index, answered),
            None => Ok(()),
        }
    }

    fn repeat_opened(&mut self, who: Option<Seat>) -> Result<(), PlayError> {
        let Some(who) = who else { return Ok(()) };
        let index = who.index();
        self.wait_for(index, |_, kept| !kept.opened.is_empty())?;
        match self.kept(index).and_then(|kept| kept.opened.pop_front()) {
            Some(own) => {
                let connection = self.links.open(index, own);
                self.feed(Input::Opened { connection, seat: Some(who) })
            }
            None => Ok(()),
        }
    }

    fn repeat_message(&mut self, connection: Connection, was: &[u8]) -> Result<(), PlayError> {
        let Some(link) = self.links.get(connection) else { return Ok(()) };
        let there = |kept: &PendingEvents| kept.bytes.get(&link.own).map_or(0, Vec::len);
        self.wait_for(link.seat, |_, kept| there(kept) >= was.len())?;
        let Some(kept) = self.kept(link.seat) else { return Ok(()) };
        let bytes = kept.bytes.entry(link.own).or_default();
        let piece: Vec<u8> = bytes.drain(..was.len().min(bytes.len())).collect();
        if piece.is_empty() && !was.is_empty() {
            return Ok(());
        }
        self.feed(Input::Message { connection, bytes: Arc::from(piece) })
    }

    fn repeat_closed(&mut self, connection: Connection) -> Result<(), PlayError> {
        let Some(link) = self.links.get(connection) else { return Ok(()) };
        self.wait_for(link.seat, |_, kept| kept.closed.contains(&link.own))?;
        let is_closed = self.kept(link.seat).is_some_and(|kept| kept.closed.contains(&link.own));
        match is_closed.then(|| self.links.close(link.seat, link.own)).flatten() {
            Some(connection) => self.feed(Input::Closed { connection }),
            None => Ok(()),
        }
    }

    fn kept(&mut self, index: usize) -> Option<&mut PendingEvents> {
        self.recording.as_mut()?.kept.get_mut(index)
    }

    /// Waits until a seat has done something, or until it can be assumed that it will not.
    fn wait_for(
        &mut self,
        index: usize,
        is_done: impl Fn(&SeatState, &PendingEvents) -> bool,
    ) -> Result<(), PlayError> {
        let tick = Duration::from_millis(self.clock.tick_ms.into());
        let until = Instant::now() + self.patience(tick);
        loop {
            let Some(kept) =
                self.recording.as_ref().and_then(|recording| recording.kept.get(index))
            else {
                return Ok(());
            };
            let state = &self.seats[index];
            let is_over = state.is_gone && kept.faults.is_empty();
            if is_done(state, kept) || is_over || kept.differs {
                return Ok(());
            }
            if Instant::now() >= until {
                break;
            }
            self.refuse_cancelled()?;
            self.wait(until.min(Instant::now() + AT_LEAST / 50))?;
        }
        if let Some(kept) = self.kept(index) {
            kept.differs = true;
        }
        Ok(())
    }

    /// Returns how long to wait. A bot may use its whole budget before it is ended for that.
    fn patience(&self, tick: Duration) -> Duration {
        match self.setup.limit_mode {
            LimitMode::Configured => {
                let limits = &self.setup.plan.limits;
                let whole = limits.cpu_bout.unwrap_or_default().min(limits.bout);
                (tick * TICKS).max(AT_LEAST).max(limits.start).max(whole)
            }
            LimitMode::NoTime => (tick * TICKS).max(AT_LEAST),
        }
    }
}

//! Rerun of a recorded bout on a clock with its bots.
//!
//! The record says in which tick every answer was taken, so here nothing strikes
//! by time: each recorded input waits for what the bot does now in its place.
//! What a bot took no notice of then, for instance because it was still busy, it
//! is not shown now; and what it took notice of it is shown one by one, because
//! ticks that wait for nothing would go by before it has seen the first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_referee::{Connection, Input, Limit, Parts, RequestId, Seat, Verdict};

use super::bout::Bout;
use super::links::seat;
use super::seat::SeatState;
use crate::PlayError;
use crate::channel::live::{Event, News, SeatConnection};
use crate::channel::{Answered, LimitMode};

/// Number of ticks to wait for what the record has.
const TICKS: u32 = 20;
/// At least that long: a bot that starts or ends takes its time.
const AT_LEAST: Duration = Duration::from_secs(5);

/// Inputs that are to happen again, and events that were not taken yet.
pub(super) struct RecordedPlay {
    inputs: VecDeque<Input>,
    answered: HashSet<(u8, RequestId)>,
    kept: Vec<PendingEvents>,
}

/// Events of a seat's bot that were not taken yet.
#[derive(Default)]
struct PendingEvents {
    answers: VecDeque<(RequestId, Parts)>,
    opened: VecDeque<SeatConnection>,
    bytes: HashMap<SeatConnection, Vec<u8>>,
    closed: HashSet<SeatConnection>,
    faults: VecDeque<Answered>,
    /// Request that it was shown and has not answered.
    open: Option<RequestId>,
    /// Requests that it is to be shown after that.
    unshown: VecDeque<(RequestId, Parts)>,
    /// It did not do what the record says it did: it is not waited for again.
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

    /// Returns whether a seat took notice of a request.
    pub(super) fn is_answered(&self, index: usize, request: RequestId) -> bool {
        self.answered.contains(&(seat(index).0, request))
    }

    /// Notes what a seat is to be shown.
    pub(super) fn queue_request(&mut self, index: usize, request: RequestId, view: Parts) {
        self.kept[index].unshown.push_back((request, view));
    }

    /// Returns what a seat is shown now.
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
    /// Shows a seat what it is to be shown next, if it is free.
    pub(super) fn show_next_again(&mut self, index: usize) -> Result<(), PlayError> {
        let next = self.recording.as_mut().and_then(|recording| recording.next_shown(index));
        next.map_or(Ok(()), |(request, view)| self.show(index, request, &view))
    }

    /// Goes through the record; where the game ends differently, it ends there
    /// or continues by its clock.
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

    /// A limit on time that was passed then counts now too; anything else has to
    /// happen again.
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

    /// Waits until a seat has done something, or for so long that it will not.
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

    /// A bot may use its whole budget before it ends at it.
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

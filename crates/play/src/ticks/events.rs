//! Events of the bots in a bout with a clock.

use std::time::Instant;

use joust_referee::{Input, Parts, RequestId, Verdict};

use super::bout::Bout;
use super::seat::seat;
use crate::PlayError;
use crate::channel::Answered;
use crate::channel::live::{Event, News, poll_of};
use joust_model::ClockMode;

impl Bout<'_> {
    /// Waits until a bot did something or until `until`, and handles the events.
    pub(super) fn wait(&mut self, until: Instant) -> Result<(), PlayError> {
        let having_news = self.poll(until)?;
        let mut news = Vec::new();
        for index in having_news {
            let received = self.setup.channels[index].receive(&mut news);
            received.map_err(|error| self.failed(index, error))?;
            for one in news.drain(..) {
                self.handle_event(index, one)?;
            }
        }
        Ok(())
    }

    /// Handles the available events.
    pub(super) fn collect(&mut self) -> Result<(), PlayError> {
        self.wait(Instant::now())
    }

    /// Returns the seats that have events.
    fn poll(&self, until: Instant) -> Result<Vec<usize>, PlayError> {
        let (mut wanted, mut owners, mut wake) = (Vec::new(), Vec::new(), until);
        for (index, channel) in self.setup.channels.iter().enumerate() {
            channel.descriptors(&mut wanted);
            owners.resize(wanted.len(), index);
            wake = channel.wake_at().map_or(wake, |at| at.min(wake));
        }
        let mut poll = poll_of(&wanted);
        poll.wait(Some(wake)).map_err(|error| self.failed(0, error.into()))?;
        let now = Instant::now();
        let mut seats: Vec<usize> = Vec::with_capacity(self.setup.channels.len());
        for (index, channel) in self.setup.channels.iter().enumerate() {
            let happened =
                owners.iter().enumerate().any(|(n, owner)| *owner == index && poll.happened(n));
            if happened || channel.wake_at().is_some_and(|at| at <= now) {
                seats.push(index);
            }
        }
        Ok(seats)
    }

    fn handle_event(&mut self, index: usize, news: News) -> Result<(), PlayError> {
        if let Some(recording) = &mut self.recording {
            recording.keep(index, &mut self.seats[index], news);
            return self.show_next_again(index);
        }
        if let Some(held) = &mut self.deferred.news {
            match news.event {
                Event::Ready => self.seats[index].is_ready = true,
                Event::Ended(_) => self.seats[index].is_gone = true,
                _ => {}
            }
            held.push((index, news));
            return Ok(());
        }
        self.apply_event(index, news)
    }

    /// Handles all events that were held back, in the order of the seats.
    pub(super) fn release_held(&mut self) -> Result<(), PlayError> {
        let mut held = self.deferred.news.take().unwrap_or_default();
        held.sort_by_key(|(index, _)| *index);
        held.into_iter().try_for_each(|(index, news)| self.apply_event(index, news))
    }

    pub(super) fn apply_event(&mut self, index: usize, news: News) -> Result<(), PlayError> {
        match news.event {
            Event::Ready => self.report_ready(index),
            Event::Answer { request, parts } => self.answer(index, request, parts, news.at),
            Event::Opened(own) => {
                let connection = self.links.open(index, own);
                self.feed(Input::Opened { connection, seat: Some(seat(index)) })
            }
            Event::Message { connection, bytes } => match self.links.find(index, connection) {
                Some(connection) => self.feed(Input::Message { connection, bytes }),
                None => Ok(()),
            },
            Event::Closed(own) => match self.links.close(index, own) {
                Some(connection) => self.feed(Input::Closed { connection }),
                None => Ok(()),
            },
            Event::Fault { verdict, reason } => {
                self.record_fault(index, Answered::passing_fault(verdict, reason))
            }
            Event::Ended(answered) => {
                self.seats[index].is_gone = true;
                self.record_fault(index, *answered)
            }
        }
    }

    fn answer(
        &mut self,
        index: usize,
        request: RequestId,
        parts: Parts,
        at: Instant,
    ) -> Result<(), PlayError> {
        if !self.seats[index].may_answer(request) {
            let reason = format!("an answer to request {}, which is not open", request.0);
            let fault = Answered::passing_fault(Verdict::ProtocolViolation, reason);
            return self.record_fault(index, fault);
        }
        if let Err(reason) = self.ledger.admit_answer(index, &parts) {
            return self.record_fault(index, Answered::passing_fault(Verdict::OutputLimit, reason));
        }
        let is_late = self.seats[index].answer(request, at);
        self.ledger.seats[index].answers_late += u32::from(is_late);
        let input = Input::Answer { seat: seat(index), request, parts, verdict: Verdict::Ok };
        if self.pace() == ClockMode::Lockstep {
            self.deferred.inputs.push((index, input));
            return Ok(());
        }
        self.feed(input)
    }

    /// Sends the answers of the current tick to the referee, in the order of the seats.
    pub(super) fn feed_sorted(&mut self) -> Result<(), PlayError> {
        let mut unsorted = std::mem::take(&mut self.deferred.inputs);
        unsorted.sort_by_key(|(index, _)| *index);
        unsorted.into_iter().try_for_each(|(_, input)| self.feed(input))
    }
}

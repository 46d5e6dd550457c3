//! Channel to a bot that plays several bouts in a row: the original's endless mode, or a new map on
//! request.
//!
//! Every bout numbers its requests from the beginning, so this channel renumbers them consecutively
//! for the bot, and drops answers to requests of earlier bouts. A bot that has ended stays ended in
//! all later bouts.

use std::sync::Arc;
use std::time::Instant;

use joust_referee::{Parts, RequestId};
use parking_lot::Mutex;

use super::{ClockControl, Event, LiveChannel, News, PollTarget, SeatConnection};
use crate::channel::{Answered, ChannelError, Usage};

/// Slot that contains a bot between two bouts.
#[derive(Clone, Default)]
pub struct SeriesSlot(Arc<Mutex<Option<SeriesChannel>>>);

impl SeriesSlot {
    /// Removes and returns the bot, if the slot contains it.
    pub fn take(&self) -> Option<SeriesChannel> {
        self.0.lock().take()
    }
}

/// A bot that returns to its slot after a bout.
pub struct SeriesChannel {
    inner: Box<dyn LiveChannel>,
    home: SeriesSlot,
    stage: Stage,
    /// Number of the bout's first request in the bot's numbering.
    base: u32,
    /// The next request number in the bot's numbering.
    next: u32,
    is_ready: bool,
    ended: Option<Box<Answered>>,
    /// Events of earlier bouts that are repeated in this bout.
    again: Vec<Event>,
    /// Resources that the bot had used when this bout began.
    before: Usage,
    began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    New,
    Started,
}

impl SeriesChannel {
    /// Makes a bot that was not started yet stay for several bouts.
    pub fn new(inner: Box<dyn LiveChannel>, home: SeriesSlot) -> Self {
        Self {
            inner,
            home,
            stage: Stage::New,
            base: 0,
            next: 0,
            is_ready: false,
            ended: None,
            again: Vec::new(),
            before: Usage::default(),
            began: Instant::now(),
        }
    }

    /// Ends the bot and removes its sandbox.
    ///
    /// # Errors
    ///
    /// As [`LiveChannel::close`].
    pub fn leave(self) -> Result<(), ChannelError> {
        self.inner.close()
    }

    fn translate(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Ready => self.is_ready = true,
            Event::Answer { request, parts } => {
                let request = RequestId(request.0.checked_sub(self.base)?);
                return Some(Event::Answer { request, parts });
            }
            Event::Ended(ref answered) => self.ended = Some(answered.clone()),
            _ => {}
        }
        Some(event)
    }
}

impl LiveChannel for SeriesChannel {
    fn start(&mut self) -> Result<(), ChannelError> {
        if self.stage == Stage::New {
            self.stage = Stage::Started;
            return self.inner.start();
        }
        self.base = self.next;
        self.began = Instant::now();
        self.before = self.inner.usage()?;
        self.inner.restart();
        self.again.extend(self.is_ready.then_some(Event::Ready));
        self.again.extend(self.ended.clone().map(Event::Ended));
        Ok(())
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.inner.descriptors(wanted);
    }

    fn wake_at(&self) -> Option<Instant> {
        let own = (!self.again.is_empty()).then_some(self.began);
        own.into_iter().chain(self.inner.wake_at()).min()
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let at = Instant::now();
        news.extend(self.again.drain(..).map(|event| News { at, event }));
        let mut raw = Vec::new();
        self.inner.receive(&mut raw)?;
        for News { at, event } in raw {
            news.extend(self.translate(event).map(|event| News { at, event }));
        }
        Ok(())
    }

    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError> {
        let request = RequestId(self.base.wrapping_add(request.0));
        self.next = self.next.max(request.0.wrapping_add(1));
        self.inner.ask(request, view)
    }

    fn send(&mut self, to: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        self.inner.send(to, bytes)
    }

    fn disconnect(&mut self, connection: SeatConnection) -> Result<(), ChannelError> {
        self.inner.disconnect(connection)
    }

    fn clock_control(&self) -> ClockControl {
        self.inner.clock_control()
    }

    fn on_tick(&mut self) {
        self.inner.on_tick();
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        Ok(self.inner.usage()?.since(self.before))
    }

    /// Does not end the bot, because another bout may follow.
    fn end(&mut self) -> Result<Answered, ChannelError> {
        let usage = self.usage()?;
        if let Some(ended) = &self.ended {
            return Ok(Answered { usage, ..(**ended).clone() });
        }
        Ok(Answered { usage, ..Answered::still_there() })
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        let home = self.home.clone();
        *home.0.lock() = Some(*self);
        Ok(())
    }
}

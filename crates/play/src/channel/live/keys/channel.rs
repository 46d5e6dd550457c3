//! Channel of a person at a keyboard: keys are answers to requests.

use std::io::Read;
use std::os::fd::AsFd;
use std::time::Instant;

use joust_referee::{Part, Parts, RequestId};

use super::{Keys, Orders, first_key};
use crate::channel::live::{ClockControl, Event, LiveChannel, News, PollTarget};
use crate::channel::poll::is_readable;
use crate::channel::{Answered, ChannelError};
use crate::transfer::at_once;

impl LiveChannel for Keys {
    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        if self.is_here {
            wanted.push(PollTarget { descriptor: self.keyboard.input.as_fd(), for_writing: false });
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let is_unread = !self.wants_another && first_key(&self.unread).is_some();
        let is_due = !self.is_told || !self.orders.answered.is_empty() || is_unread;
        is_due.then_some(self.seated_at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let at = Instant::now();
        if !self.is_told {
            self.is_told = true;
            news.push(News { at, event: Event::Ready });
            return Ok(());
        }
        if self.orders.answered.is_empty()
            && self.is_here
            && is_readable(self.keyboard.input.as_fd())?
        {
            let mut keys = [0; 64];
            match at_once(|| self.keyboard.input.read(&mut keys)) {
                Ok(None) => {}
                Ok(Some(0)) | Err(_) => self.is_here = false,
                Ok(Some(read)) => self.unread.extend_from_slice(&keys[..read]),
            }
            // A person who has left cannot hold the clock.
            self.is_held &= self.is_here;
        }
        // Keys after a request for another bout belong to that bout.
        while !self.wants_another
            && let Some((key, length)) = first_key(&self.unread)
        {
            self.unread.drain(..length);
            self.press(key);
            self.is_held &= self.is_here;
        }
        for (request, word) in self.orders.answered.drain(..) {
            let part = Part { name: "".into(), bytes: word.as_bytes().into() };
            news.push(News { at, event: Event::Answer { request, parts: Parts(vec![part]) } });
        }
        Ok(())
    }

    fn ask(&mut self, request: RequestId, _: &Parts) -> Result<(), ChannelError> {
        self.orders.request(request);
        Ok(())
    }

    fn clock_control(&self) -> ClockControl {
        match (self.wants_another, self.is_held) {
            (true, _) => ClockControl::NewBout,
            (false, true) => ClockControl::Pause,
            (false, false) => ClockControl::Run,
        }
    }

    fn on_tick(&mut self) {
        if self.options.steps && self.is_here {
            self.hold(true);
        }
    }

    /// Clears the queues, as the original does for a new map, and holds the clock if the person
    /// asked for the new bout.
    fn restart(&mut self) {
        self.orders = Orders::default();
        if std::mem::take(&mut self.wants_another) && self.is_here {
            self.hold(true);
        }
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.is_here = false;
        Ok(Answered::still_there())
    }
}

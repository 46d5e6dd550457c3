//! Reloading of a long-lived bot that may be exchanged while its bout goes on, for
//! people who write one.
//!
//! A successor is started beside the bot that plays and takes its place when it
//! is ready; one that never gets ready is dropped, and the old one plays on. A
//! bot that ends is not gone: whoever fixes it sends a successor.

use std::time::Instant;

use joust_referee::{Parts, RequestId};

use super::{Event, LiveChannel, News, PollTarget};
use crate::channel::reloading::last_words;
use crate::channel::{Answered, ChannelError, Opening, Succession, Successor, Usage, open_live};

/// A channel to a bot that may have a successor.
pub struct ReloadingLive {
    channel: String,
    current: Box<dyn LiveChannel>,
    next: Option<Box<dyn LiveChannel>>,
    successor: Successor,
    is_ready: bool,
    /// The newest request, until it is answered.
    open: Option<(RequestId, Parts)>,
}

impl ReloadingLive {
    /// Opens the channel called `channel`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the sandbox cannot be made.
    pub fn open(
        channel: &str,
        opening: Opening,
        successor: Successor,
    ) -> Result<Self, ChannelError> {
        let current = open_live(channel, opening)?;
        let channel = channel.to_owned();
        Ok(Self { channel, current, next: None, successor, is_ready: false, open: None })
    }

    /// Starts what was left as a successor, in the place of one that is not ready yet.
    fn prepare(&mut self) -> Result<(), ChannelError> {
        let Some(opening) = self.successor.take() else { return Ok(()) };
        self.drop_next()?;
        let mut next = open_live(&self.channel, opening)?;
        next.start()?;
        self.next = Some(next);
        Ok(())
    }

    fn drop_next(&mut self) -> Result<(), ChannelError> {
        self.next.take().map_or(Ok(()), LiveChannel::close)
    }

    /// Checks if the successor is ready, or has failed to start.
    fn hear_next(&mut self) -> Result<(), ChannelError> {
        let Some(next) = &mut self.next else { return Ok(()) };
        let mut news = Vec::new();
        next.receive(&mut news)?;
        for one in news {
            match one.event {
                Event::Ready => return self.succeed(),
                Event::Ended(ended) => {
                    self.successor.note(Succession::Failed(last_words(&ended)));
                    return self.drop_next();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts the successor into the place of the bot that plays.
    fn succeed(&mut self) -> Result<(), ChannelError> {
        let Some(mut next) = self.next.take() else { return Ok(()) };
        if let Some((request, view)) = &self.open {
            next.ask(*request, view)?;
        }
        self.successor.note(Succession::TookOver);
        std::mem::replace(&mut self.current, next).close()
    }

    /// Passes on what the bot that plays does; its end is not that of the seat.
    fn hear_current(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let mut raw = Vec::new();
        self.current.receive(&mut raw)?;
        for News { at, event } in raw {
            let event = match event {
                Event::Ready => {
                    self.is_ready = true;
                    Event::Ready
                }
                Event::Ended(ended) => {
                    if !self.is_ready {
                        // Nobody waits for one that cannot be started.
                        self.is_ready = true;
                        news.push(News { at, event: Event::Ready });
                    }
                    self.successor.note(Succession::Ended(last_words(&ended)));
                    Event::Fallen(ended)
                }
                Event::Answer { request, parts } => {
                    self.open = self.open.take().filter(|(open, _)| *open != request);
                    Event::Answer { request, parts }
                }
                other => other,
            };
            news.push(News { at, event });
        }
        Ok(())
    }
}

impl LiveChannel for ReloadingLive {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.current.start()
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.current.descriptors(wanted);
        if let Some(next) = &self.next {
            next.descriptors(wanted);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let next = self.next.as_ref().and_then(|next| next.wake_at());
        self.current.wake_at().into_iter().chain(next).min()
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        self.hear_current(news)?;
        self.hear_next()
    }

    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError> {
        self.open = Some((request, view.clone()));
        self.prepare()?;
        self.current.ask(request, view)
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        self.current.usage()
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.current.end()
    }

    fn close(mut self: Box<Self>) -> Result<(), ChannelError> {
        let dropped = self.drop_next();
        self.current.close()?;
        dropped
    }
}

//! Events of one long-lived bot in order, for callers outside a bout.

use std::collections::VecDeque;
use std::time::Instant;

use super::{Event, LiveChannel, News, PollTarget};
use crate::channel::ChannelError;
use crate::channel::poll::{Interest, Poll};

/// Returns what to poll, in the order of `wanted`.
pub(crate) fn poll_of<'a>(wanted: &[PollTarget<'a>]) -> Poll<'a> {
    let mut poll = Poll::default();
    for target in wanted {
        let interest = if target.for_writing { Interest::Write } else { Interest::Read };
        poll.add(target.descriptor, interest);
    }
    poll
}

/// Waits until one of `wanted` is ready, until `until` at most.
pub(crate) fn wait_for(wanted: &[PollTarget<'_>], until: Instant) -> Result<(), ChannelError> {
    Ok(poll_of(wanted).wait(Some(until))?)
}

/// Reader of a bot's events.
pub(crate) struct EventReader<'a> {
    pub(crate) channel: &'a mut dyn LiveChannel,
    read: VecDeque<News>,
}

impl<'a> EventReader<'a> {
    /// Starts the bot.
    pub(crate) fn start(channel: &'a mut dyn LiveChannel) -> Result<Self, ChannelError> {
        channel.start()?;
        Ok(Self { channel, read: VecDeque::new() })
    }

    /// Waits for the next event; `None` when none has come at `until`.
    pub(crate) fn next(&mut self, until: Instant) -> Result<Option<Event>, ChannelError> {
        while self.read.is_empty() {
            let mut wanted = Vec::new();
            self.channel.descriptors(&mut wanted);
            let wake = self.channel.wake_at().map_or(until, |at| at.min(until));
            wait_for(&wanted, wake)?;
            if Instant::now() >= until {
                return Ok(None);
            }
            let mut news = Vec::new();
            self.channel.receive(&mut news)?;
            self.read.extend(news);
        }
        Ok(self.read.pop_front().map(|news| news.event))
    }
}

//! Scripted long-lived bot, a function: for tests and benchmarks of the clock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_play::channel::live::{Event, LiveChannel, News, PollTarget, SeatConnection};
use joust_play::channel::{Answered, ChannelError, Usage};
use joust_referee::{Parts, RequestId};

/// Reactions of a scripted bot to a view, each after a delay.
pub(crate) type Script = Box<dyn FnMut(RequestId, &Parts) -> Vec<(Duration, Event)> + Send>;

/// A long-lived bot that is a function.
pub(crate) struct ScriptedLive {
    script: Script,
    ready_after: Option<Duration>,
    pending: VecDeque<(Instant, Event)>,
    is_over: bool,
    /// Time since which it has had no processor.
    starved_since: Option<Instant>,
}

impl ScriptedLive {
    /// Makes a bot that is ready so long after its start, or never, and does
    /// what `script` says.
    #[must_use]
    pub(crate) fn new(ready_after: Option<Duration>, script: Script) -> Self {
        Self { script, ready_after, pending: VecDeque::new(), is_over: false, starved_since: None }
    }

    /// Lets the machine keep the bot waiting for a processor from now on.
    #[must_use]
    pub(crate) fn starved(self) -> Self {
        Self { starved_since: Some(Instant::now()), ..self }
    }

    /// Lets the bot do something more, so long from now.
    pub(crate) fn plan(&mut self, after: Duration, event: Event) {
        let at = Instant::now() + after;
        let place = self.pending.iter().position(|(other, _)| *other > at);
        self.pending.insert(place.unwrap_or(self.pending.len()), (at, event));
    }

    /// Returns whether it has ended.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}

impl LiveChannel for ScriptedLive {
    fn start(&mut self) -> Result<(), ChannelError> {
        if let Some(after) = self.ready_after {
            self.plan(after, Event::Ready);
        }
        Ok(())
    }

    fn descriptors<'a>(&'a self, _: &mut Vec<PollTarget<'a>>) {}

    fn wake_at(&self) -> Option<Instant> {
        self.pending.front().map(|(at, _)| *at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let now = Instant::now();
        while self.pending.front().is_some_and(|(at, _)| *at <= now) {
            let Some((at, event)) = self.pending.pop_front() else { break };
            if matches!(event, Event::Ended(_)) {
                self.is_over = true;
                self.pending.clear();
            }
            news.push(News { at, event });
        }
        Ok(())
    }

    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError> {
        if !self.is_over {
            for (after, event) in (self.script)(request, view) {
                self.plan(after, event);
            }
        }
        Ok(())
    }

    fn send(&mut self, _: SeatConnection, _: &Arc<[u8]>) -> Result<(), ChannelError> {
        Ok(())
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        let stall = self.starved_since.map(|since| since.elapsed()).unwrap_or_default();
        Ok(Usage { stall, ..Usage::default() })
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.is_over = true;
        self.pending.clear();
        Ok(Answered { exit: Exit::Killed, ..Answered::still_there() })
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

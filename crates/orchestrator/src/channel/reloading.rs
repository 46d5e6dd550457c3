//! A seat whose bot may be exchanged between two turns, for people who write one.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::escaped_bytes;

use super::{Answered, Channel, ChannelError, Opening, Request};

/// The last part of what a bot that ended wrote to standard error, bytes.
const LAST_WORDS: usize = 2000;

/// Where the next bot of a seat is left, and what is to be told of it.
#[derive(Clone, Debug, Default)]
pub struct Successor(Arc<Mutex<Slot>>);

#[derive(Debug, Default)]
struct Slot {
    opening: Option<Opening>,
    failures: Vec<String>,
}

impl Successor {
    /// Leaves the bot that plays from the next turn on.
    pub fn leave(&self, opening: Opening) {
        self.slot().opening = Some(opening);
    }

    /// Returns how bots of this seat ended since this was asked last, each with
    /// its last words.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        std::mem::take(&mut self.slot().failures)
    }

    pub(super) fn take(&self) -> Option<Opening> {
        self.slot().opening.take()
    }

    /// Notes how a bot of the seat has ended.
    pub(super) fn fail(&self, ended: &Answered) {
        let stderr = &ended.stderr[ended.stderr.len().saturating_sub(LAST_WORDS)..];
        let mut text = ended.verdict.to_string();
        for line in stderr.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            text.push_str("\n  ");
            text.push_str(&escaped_bytes(line));
        }
        self.slot().failures.push(text);
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel that is opened anew when there is a successor.
pub struct Reloading {
    channel: &'static str,
    current: Option<Box<dyn Channel>>,
    successor: Successor,
}

impl Reloading {
    /// Opens the channel called `channel`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the sandbox cannot be made.
    pub fn open(
        channel: &'static str,
        opening: Opening,
        successor: Successor,
    ) -> Result<Self, ChannelError> {
        let current = Some(super::open(channel, opening)?);
        Ok(Self { channel, current, successor })
    }
}

impl Channel for Reloading {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        if let Some(opening) = self.successor.take() {
            if let Some(old) = self.current.take() {
                old.close()?;
            }
            self.current = Some(super::open(self.channel, opening)?);
        }
        self.current.as_mut().expect("one is always open").ask(request)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.current.map_or(Ok(()), Channel::close)
    }
}

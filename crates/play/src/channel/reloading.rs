//! Reloading of a bot that may be exchanged between two turns, for people who write one.

use std::sync::{Arc, Mutex, PoisonError};

use joust_model::escaped_bytes;

use super::{Answered, Channel, ChannelError, Opening, Request};

/// The last part of what a bot that ended wrote to standard error, bytes.
const LAST_WORDS: usize = 2000;

/// Slot for the next bot of a seat, with the news of it.
#[derive(Clone, Debug, Default)]
pub struct Successor(Arc<Mutex<Slot>>);

#[derive(Debug, Default)]
struct Slot {
    opening: Option<Opening>,
    news: Vec<Succession>,
}

/// Event of a seat's bot or its successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Succession {
    /// The successor plays from now on.
    TookOver,
    /// The successor has ended before it was ready: the verdict and its last words.
    Failed(String),
    /// The bot that played has ended: the verdict and its last words.
    Ended(String),
}

impl Successor {
    /// Leaves the bot that plays from the next turn on.
    pub fn leave(&self, opening: Opening) {
        self.slot().opening = Some(opening);
    }

    /// Returns what happened since this was asked last.
    #[must_use]
    pub fn news(&self) -> Vec<Succession> {
        std::mem::take(&mut self.slot().news)
    }

    pub(super) fn take(&self) -> Option<Opening> {
        self.slot().opening.take()
    }

    /// Notes what has happened.
    pub(super) fn note(&self, news: Succession) {
        self.slot().news.push(news);
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how a bot ended, with its last words.
pub(super) fn last_words(ended: &Answered) -> String {
    let stderr = &ended.stderr[ended.stderr.len().saturating_sub(LAST_WORDS)..];
    let mut text = ended.verdict.to_string();
    for line in stderr.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        text.push_str("\n  ");
        text.push_str(&escaped_bytes(line));
    }
    text
}

/// A channel that is opened anew when there is a successor.
pub struct Reloading {
    channel: String,
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
        channel: &str,
        opening: Opening,
        successor: Successor,
    ) -> Result<Self, ChannelError> {
        let current = Some(super::open(channel, opening)?);
        Ok(Self { channel: channel.to_owned(), current, successor })
    }
}

impl Channel for Reloading {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        if let Some(opening) = self.successor.take() {
            if let Some(old) = self.current.take() {
                old.close()?;
            }
            self.current = Some(super::open(&self.channel, opening)?);
            self.successor.note(Succession::TookOver);
        }
        self.current.as_mut().expect("one is always open").ask(request)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.current.map_or(Ok(()), Channel::close)
    }
}

//! A seat whose bot may be exchanged between two turns, for people who write one.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Answered, Channel, ChannelError, Opening, Request};

/// Where the next bot of a seat is left.
#[derive(Clone, Debug, Default)]
pub struct Successor(Arc<Mutex<Option<Opening>>>);

impl Successor {
    /// Leaves the bot that plays from the next turn on.
    pub fn leave(&self, opening: Opening) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(opening);
    }

    fn take(&self) -> Option<Opening> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
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

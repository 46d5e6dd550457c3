//! Scripted seat that answers from a list: for tests and for playing a log again.

use std::collections::VecDeque;

use joust_referee::Parts;

use super::{Answered, Channel, ChannelError, Request};

/// Answers with the given texts, in order, then with nothing.
#[derive(Clone, Debug, Default)]
pub struct Scripted(VecDeque<Vec<u8>>);

impl Scripted {
    /// Makes a seat that gives `answers`.
    #[must_use]
    pub fn new(answers: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        Self(answers.into_iter().map(Into::into).collect())
    }
}

impl Channel for Scripted {
    fn ask(&mut self, _: &Request<'_>) -> Result<Answered, ChannelError> {
        let output = self.0.pop_front().unwrap_or_default();
        let parts = Parts::single(output.as_slice());
        Ok(Answered { output, ..Answered::with(parts) })
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

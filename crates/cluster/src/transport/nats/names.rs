//! Names of workers: one worker has a name, and also of those that begin at the same moment.
//!
//! A worker listens under its name before it claims it, and its claim tells its instance. So of
//! two that begin at once at least one hears the other's claim; the one with the lower instance
//! answers and stays, and whoever gets an answer leaves.

use async_recursion::async_recursion as boxed;
use std::time::Duration;

use async_nats::{Message, Subscriber};

use super::{ALL_ANSWER, Line, is_inbox, next};
use crate::time::{Moment, at_most};
use crate::transport::TransportError;

/// How long a worker waits at least for others of its name that begin at the same moment.
const SAME_MOMENT: Duration = Duration::from_millis(20);
/// How much longer, in times that its own claim took to the server and back: theirs and their
/// answers may take as long.
const WAYS: u32 = 4;

/// A worker's claim to its name.
pub(super) struct Claim<'a> {
    pub(super) line: &'a Line,
    /// Where the worker of the name is asked.
    pub(super) place: &'a str,
    pub(super) instance: u64,
}

impl Claim<'_> {
    /// Claims the name, with the subscription to its place; says whether it is this worker's.
    ///
    /// # Errors
    ///
    /// [`TransportError::Away`] when the server is gone.
    #[boxed]
    pub(super) async fn is_won(&self, asked: &mut Subscriber) -> Result<bool, TransportError> {
        let away = |error: String| TransportError::Away(error);
        let client = &self.line.client;
        let inbox = client.new_inbox();
        let answers = client.subscribe(inbox.clone()).await;
        let mut answers = answers.map_err(|error| away(error.to_string()))?;
        let own = self.instance.to_be_bytes().to_vec();
        let sent = client.publish_with_reply(self.place.to_owned(), inbox, own.into()).await;
        sent.map_err(|error| away(error.to_string()))?;
        let claimed = Moment::now();
        let mut wait = ALL_ANSWER;
        loop {
            let contest = async {
                tokio::select! {
                    answer = next(&mut answers) => Heard::Answer(answer),
                    other = next(asked) => Heard::Claim(other),
                }
            };
            match at_most(wait.saturating_sub(claimed.elapsed()), contest).await {
                None | Some(Heard::Claim(None)) => return Ok(true),
                Some(Heard::Answer(answer)) => return Ok(answer.is_none()),
                Some(Heard::Claim(Some(other))) => match Self::instance_of(&other) {
                    Some(instance) if instance == self.instance => {
                        wait = wait.min(SAME_MOMENT + claimed.elapsed() * WAYS);
                    }
                    Some(instance) if instance < self.instance => return Ok(false),
                    // A question without a claim comes of one that has not begun to listen.
                    _ => self.answer(other).await,
                },
            }
        }
    }

    /// Returns the instance that claims the name; `None` for a question without a claim.
    fn instance_of(other: &Message) -> Option<u64> {
        let bytes: [u8; 8] = other.payload.as_ref().try_into().ok()?;
        Some(u64::from_be_bytes(bytes))
    }

    #[boxed]
    async fn answer(&self, other: Message) {
        if let Some(reply) = other.reply.filter(is_inbox) {
            _ = self.line.client.publish(reply, "".into()).await;
        }
    }
}

/// What a worker hears that claims its name.
enum Heard {
    /// An answer to its claim.
    Answer(Option<Message>),
    /// What somebody of its name says, itself included.
    Claim(Option<Message>),
}

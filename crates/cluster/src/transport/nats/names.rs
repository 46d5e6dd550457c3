//! Names that one at a time has: a worker's, and the office of a tournament's coordinator.
//!
//! Whoever wants a name listens at its place first and claims it then, over a connection that does
//! not hear itself. So the server says that nobody listens only where nobody else does, and of two
//! that begin at once at least one hears of the other: the lower claim stays, and asks again until
//! the other has left. Whoever gets an answer leaves. How long anything takes decides nothing, but
//! for somebody who listens and does not answer at all.

use async_recursion::async_recursion as boxed;
use std::time::Duration;

use async_nats::{Message, Subscriber};

use super::{LOST, Line, PATIENCE, is_inbox, next};
use crate::time::{Moment, at_most};
use crate::transport::TransportError;

/// How soon it is asked again whether others that claim a name have left.
const AGAIN: Duration = Duration::from_millis(20);

/// Whose a name is that was claimed.
pub(super) enum Claimed {
    /// One's own: who asks for it is heard here, and has to be answered.
    Own(Subscriber),
    /// Somebody else's, who answers with this.
    Taken(Vec<u8>),
}

/// What is heard while a name is claimed.
enum ClaimEvent {
    /// An answer, or the server's word that nobody else listens.
    Answer(Option<Message>),
    /// The claim of somebody else.
    Claim(Option<Message>),
}

/// Claims the name whose place is the subject `place`, for `who`, whom others are told of.
///
/// # Errors
///
/// [`TransportError::Away`] when the server is gone.
#[boxed]
pub(super) async fn claim(line: &Line, place: &str, who: &str) -> Result<Claimed, TransportError> {
    let away = |error: String| TransportError::Away(error);
    let client = &line.client;
    let asked = client.subscribe(place.to_owned()).await;
    let mut asked = asked.map_err(|error| away(error.to_string()))?;
    let inbox = client.new_inbox();
    let answers = client.subscribe(inbox.clone()).await;
    let mut answers = answers.map_err(|error| away(error.to_string()))?;
    let own = format!("{inbox} {who}");
    let end = Moment::now() + PATIENCE;
    loop {
        let said = own.clone().into();
        let sent = client.publish_with_reply(place.to_owned(), inbox.clone(), said).await;
        sent.map_err(|error| away(error.to_string()))?;
        let again = Moment::now() + AGAIN;
        while let Some(heard) = at_most(again.since(Moment::now()), async {
            tokio::select! {
                answer = next(&mut answers) => ClaimEvent::Answer(answer),
                other = next(&mut asked) => ClaimEvent::Claim(other),
            }
        })
        .await
        {
            match heard {
                ClaimEvent::Answer(None) | ClaimEvent::Claim(None) => {
                    return Err(away(LOST.to_owned()));
                }
                ClaimEvent::Answer(Some(answer)) if answer.status.is_some() => {
                    return Ok(Claimed::Own(asked));
                }
                ClaimEvent::Answer(Some(answer)) => {
                    return Ok(Claimed::Taken(answer.payload.to_vec()));
                }
                ClaimEvent::Claim(Some(other)) => {
                    if let Some(winner) = lower(&other.payload, &own) {
                        return Ok(Claimed::Taken(winner));
                    }
                    if let Some(reply) = other.reply.filter(is_inbox) {
                        let told = client.publish(reply, who.to_owned().into()).await;
                        told.map_err(|error| away(error.to_string()))?;
                    }
                }
            }
        }
        if line.losses() > 0 {
            return Err(away(LOST.to_owned()));
        }
        if Moment::now() >= end {
            return Ok(Claimed::Own(asked));
        }
    }
}

/// Returns who makes the claim `theirs`, if it is lower than `own`.
fn lower(theirs: &[u8], own: &str) -> Option<Vec<u8>> {
    let who = theirs.iter().position(|byte| *byte == b' ')? + 1;
    (theirs < own.as_bytes()).then(|| theirs[who..].to_vec())
}

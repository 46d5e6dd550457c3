//! Transport over NATS, with JetStream, its object store and its key-value store.
//!
//! | what | place |
//! |---|---|
//! | batches | subject `joust.T.plan.CLASS`, stream `joust_T_plans_CLASS`, a work queue with the consumer `all` |
//! | reports | subject `joust.T.result.WORKER`, stream `joust_T_results`, a work queue with the consumer `coordinator` |
//! | builds, and batches and stages that are longer than a message | object store `joust_builds` |
//! | reports that are longer than a message | subject `joust.part.WORKER`, stream `joust_parts` |
//! | names in use | key-value store `joust_names`: `worker.NAME`, `run.T` |
//! | stage queries | subject `joust.hello`, answered by coordinators |
//! | announcements | subject `joust.here.WORKER`, also in answer to `joust.roll` |
//!
//! `accounts` lists a worker's rights to these.

mod accounts;
mod announcements;
mod coordinator;
mod names;
mod objects;
mod streams;
mod worker;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{
    AccountErrorKind, ContextBuilder, PublishError, PublishErrorKind,
};
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, ConnectOptions, Event, Message, ServerAddr, Subject};
use async_recursion::async_recursion as boxed;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::TransportError;
use crate::envelope;
use crate::message::ClassId;

pub use accounts::{Invitation, check_name, invite, invite_coordinator, key_in};
pub use announcements::PresenceQuery;
pub use coordinator::NatsCoordinator;
pub use worker::NatsWorker;

/// The default port of a server.
pub const USUAL_PORT: u16 = 4222;

/// Interval of pings on an idle connection, which is replaced after three unanswered ones.
const PING: Duration = Duration::from_secs(5);
/// Increment of the delay between attempts to connect; the delay stops growing after five.
const RETRY: Duration = Duration::from_millis(100);
/// Longest time for a server's answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest time to wait for the replies to a query with many responders.
const ALL_ANSWER: Duration = Duration::from_millis(300);
/// The most replies to such a query that are read; each tournament that is played sends one.
const MOST_ANSWERS: usize = 1024;
/// Number of attempts to start while the server drops the connection, as a restarting one does.
const STARTS: usize = 4;
/// Number of unread messages that a subscription keeps; further ones are lost.
const MOST_UNREAD: usize = 4096;
/// A day.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Error of a request when the connection is lost.
const LOST: &str = "the connection is lost";
/// Longest headers of a message, bytes.
const HEADERS: usize = 1024;
/// Smallest acceptable limit of a server's message length, bytes.
const LEAST_MESSAGE: usize = 4 * HEADERS;
/// Time for which a message of one id is stored once.
const DUPLICATES: Duration = Duration::from_secs(120);
/// Size of an object's chunks in bytes.
const CHUNK: usize = 512 << 10;

/// Address of a server, with credentials.
#[derive(Clone, Debug)]
pub struct Address<'a> {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub url: &'a str,
    /// A file with the seed of a key, from [`invite`].
    pub credentials: Option<&'a Path>,
    /// Name of this client for the server's logs.
    pub name: &'a str,
}

/// Returns a JetStream context whose API has this prefix.
fn context(client: &Client, prefix: &str) -> Context {
    let settings = ContextBuilder::new().timeout(PATIENCE).ack_timeout(PATIENCE);
    settings.api_prefix(prefix).build(client.clone())
}

/// A connection to a server.
#[derive(Clone)]
struct ServerConnection {
    client: Client,
    jetstream: Context,
    /// Number of times the connection was lost.
    losses: watch::Receiver<u64>,
}

impl ServerConnection {
    #[boxed]
    async fn connect(address: &Address<'_>) -> Result<Self, TransportError> {
        check_url(address.url)?;
        let (count, losses) = watch::channel(0);
        let mut options = ConnectOptions::new()
            .name(format!("joust {}", address.name))
            .custom_inbox_prefix(format!("_INBOX_{}", address.name))
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .max_reconnects(None)
            .subscription_capacity(MOST_UNREAD)
            // A connection's own messages are no news: see `names`.
            .no_echo()
            .ping_interval(PING)
            // The first attempt has no delay.
            .reconnect_delay_callback(|tries| RETRY * tries.saturating_sub(1).min(5) as u32)
            .event_callback(move |event| {
                if matches!(event, Event::Disconnected) {
                    count.send_modify(|losses| *losses += 1);
                }
                async move { tracing::debug!(%event, "server") }
            });
        if let Some(file) = address.credentials {
            let seed = key_in(file)?.seed();
            let seed = seed.map_err(|error| TransportError::Refused(error.to_string()))?;
            options = options.nkey(seed);
        }
        let client = options.connect(address.url).await.map_err(|error| {
            let url = without_user(address.url);
            TransportError::Refused(format!("no server at `{url}`: {error}"))
        })?;
        let most = client.max_payload();
        if most < LEAST_MESSAGE {
            return Err(TransportError::Refused(format!(
                "the server takes messages of at most {most} bytes: raise its `max_payload`"
            )));
        }
        let jetstream = context(&client, "$JS.API");
        Ok(Self { client, jetstream, losses })
    }

    /// Returns the result of `start` on a connection to the server at `address`. If the connection
    /// is lost meanwhile, repeats everything.
    ///
    /// The reason is that missing answers of a server that is shutting down say nothing about
    /// names, keys or streams.
    async fn start_session<T, S, F>(address: &Address<'_>, start: S) -> Result<T, TransportError>
    where
        S: Fn(Self) -> F + Send + Sync,
        F: Future<Output = Result<T, TransportError>> + Send,
        T: Send,
    {
        let mut why = String::new();
        for _ in 0..STARTS {
            let connection = Self::connect(address).await?;
            let held = connection.clone();
            match start(connection).await {
                Err(TransportError::Unavailable(gone)) => why = gone,
                _ if held.losses() > 0 || !held.is_connected() => why = LOST.to_owned(),
                start_session => return start_session,
            }
        }
        let url = without_user(address.url);
        let text = format!("no server at `{url}` that stays: {why}");
        Err(TransportError::Refused(text))
    }

    /// Returns how often the connection was lost.
    fn losses(&self) -> u64 {
        *self.losses.borrow()
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Returns the client, to send something.
    ///
    /// # Errors
    ///
    /// [`TransportError::Unavailable`] while there is no connection. The client would queue what is
    /// sent, and once its queue is full, sending would wait until the server is back.
    fn client(&self) -> Result<&Client, TransportError> {
        match self.is_connected() {
            true => Ok(&self.client),
            false => Err(TransportError::Unavailable(LOST.to_owned())),
        }
    }

    /// Returns the JetStream context, to send something.
    ///
    /// # Errors
    ///
    /// As [`Self::client`].
    fn jetstream(&self) -> Result<&Context, TransportError> {
        self.client().map(|_| &self.jetstream)
    }

    /// Returns the longest message, without headers.
    fn longest(&self) -> usize {
        self.client.max_payload().min(envelope::MOST_MESSAGE).saturating_sub(HEADERS)
    }

    /// Refuses a server without JetStream. Where this server has none, asks for the account,
    /// because another server of its cluster may have it. A client without the right to ask gets no
    /// reply and is accepted.
    async fn require_jetstream(&self, url: &str) -> Result<(), TransportError> {
        if self.client.server_info().jetstream {
            return Ok(());
        }
        match timeout(ALL_ANSWER, self.jetstream()?.query_account()).await {
            Ok(Err(error)) if error.kind() == AccountErrorKind::JetStreamUnavailable => {
                Err(TransportError::Refused(format!(
                    "the server at `{}` has no JetStream: start it with `--jetstream`",
                    without_user(url)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Publishes into a stream; returns the message's number there when the server has stored it.
    async fn publish_durably(
        &self,
        subject: String,
        id: &str,
        bytes: Vec<u8>,
    ) -> Result<u64, PublishError> {
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let lost = |error| PublishError::with_source(PublishErrorKind::Other, error);
        Ok(self.jetstream().map_err(lost)?.send_publish(subject, message).await?.await?.sequence)
    }

    /// Sends a query to all subscribers of `subject` and returns their replies, up to
    /// [`MOST_ANSWERS`] and the maximum size of one message in total; none without a connection.
    #[boxed]
    async fn query_all(&self, subject: &str) -> Result<Vec<Vec<u8>>, TransportError> {
        let Ok(client) = self.client() else { return Ok(Vec::new()) };
        let inbox = client.new_inbox();
        let mut answers = client.subscribe(inbox.clone()).await.map_err(unavailable)?;
        let asked = client.publish_with_reply(subject.to_owned(), inbox, "".into()).await;
        asked.map_err(unavailable)?;
        let end = Instant::now() + ALL_ANSWER;
        let (mut all, mut bytes) = (Vec::new(), 0);
        while all.len() < MOST_ANSWERS
            && let Ok(Some(message)) = timeout_at(end, next_message(&mut answers)).await
        {
            bytes += message.payload.len();
            // Without subscribers the server itself replies, with a status.
            if message.status.is_some() || bytes > envelope::MOST_BYTES {
                break;
            }
            all.push(message.payload.to_vec());
        }
        Ok(all)
    }
}

/// Waits for the next message.
async fn next_message(subscriber: &mut async_nats::Subscriber) -> Option<Message> {
    futures_util::StreamExt::next(subscriber).await
}

/// Returns the stream of the batches of a class.
fn batch_stream(tournament: &str, class: &ClassId) -> String {
    format!("joust_{tournament}_plans_{class}")
}

/// The consumer through which workers take batches of a class.
const WORKERS: &str = "all";

/// Returns the subject of a worker's announcements.
fn presence_subject(worker: &str) -> String {
    format!("joust.here.{worker}")
}

/// Returns whether a reply may be sent to this subject: an inbox, or the server's inbox for another
/// account. Otherwise a requester could have others, with more rights, publish to a subject of its
/// choice.
fn is_inbox(reply: &Subject) -> bool {
    reply.starts_with("_INBOX") || reply.starts_with("_R_.")
}

/// Checks that `url` can be the address of a server.
///
/// # Errors
///
/// If it cannot; the error describes valid addresses.
pub fn check_url(url: &str) -> Result<(), TransportError> {
    let rest = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
    let is_named = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([':', '/']));
    let why = match url.parse::<ServerAddr>() {
        Ok(_) if is_named => return Ok(()),
        Err(error) if is_named => format!(" ({error})"),
        _ => String::new(),
    };
    let url = without_user(url);
    Err(TransportError::Refused(format!(
        "`{url}` cannot be the address of a NATS server, which is `nats://HOST:{USUAL_PORT}` or \
         `tls://HOST:{USUAL_PORT}`{why}"
    )))
}

/// Returns the address without the user and the password that it may have, for messages: many can
/// read those.
fn without_user(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + "://".len());
    let host = url.rfind('@').map_or(start, |at| at + 1).max(start);
    format!("{}{}", &url[..start], &url[host..])
}

/// Returns the error for a request that did not reach the server or got no reply.
fn unavailable(error: impl fmt::Display) -> TransportError {
    TransportError::Unavailable(error.to_string())
}

/// Codes for a stream that cannot store a message, because it or the disk is full.
const FULL: [u32; 3] = [10077, 10023, 10047];
/// Codes for a state of the server that may pass: it lacks room or time.
const PASSING: [u32; 5] = [10008, 10023, 10047, 10028, 10077];

/// Returns the server's error code, which the client only includes in the text of an error.
fn error_code(text: &str) -> Option<u32> {
    let after = text.rsplit_once("error code ")?.1;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns whether a stream has as many messages as it may, in total or of one subject.
fn is_full_of_messages(error: &PublishError) -> bool {
    error.to_string().contains("maximum messages")
}

/// Returns the error for a request that the server refused or did not receive.
fn server_error(error: impl fmt::Display) -> TransportError {
    let text = error.to_string();
    let Some(code) = error_code(&text) else { return TransportError::Unavailable(text) };
    let is_full = FULL.contains(&code) || text.contains("no space left");
    let what_to_do = match is_full {
        true => ": make room on its disk, or raise its `max_file_store`",
        false => "",
    };
    TransportError::Refused(format!("the server says: {text}{what_to_do}"))
}

/// Returns the error for a message that could not be stored; a server without room may have room
/// later.
fn retryable_error(error: impl fmt::Display) -> TransportError {
    let is_passing = error_code(&error.to_string()).is_some_and(|code| PASSING.contains(&code));
    match server_error(error) {
        TransportError::Refused(text) if is_passing => TransportError::Unavailable(text),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_no_password() {
        for (url, shown) in [
            ("nats://ann:secret@host:4222", "nats://host:4222"),
            ("tls://ann:se@cret@host", "tls://host"),
            ("nats://host:4222", "nats://host:4222"),
            ("ann:secret@host", "host"),
            ("a@b://host", "a@b://host"),
            ("", ""),
        ] {
            assert_eq!(without_user(url), shown);
        }
        let refused = check_url("http://ann:secret@host").unwrap_err().to_string();
        assert!(refused.starts_with("`http://host` cannot be the address"), "{refused}");
    }

    #[test]
    fn a_key_file_without_end_is_not_read_for_ever() {
        let refused = key_in(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(refused.starts_with("`/dev/zero` is no key"), "{refused}");
    }

    #[test]
    fn a_server_without_room_is_asked_again_and_one_that_refuses_is_not() {
        let full = "other: maximum bytes exceeded (code 503, error code 10077)";
        assert!(matches!(retryable_error(full), TransportError::Unavailable(_)));
        let refused = server_error(full).to_string();
        assert!(refused.ends_with("make room on its disk, or raise its `max_file_store`"));
        let odd = "jetstream error: subjects overlap (code 400, error code 10065)";
        assert!(matches!(retryable_error(odd), TransportError::Refused(_)));
        assert!(matches!(server_error("timed out"), TransportError::Unavailable(_)));
    }
}

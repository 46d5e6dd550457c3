//! NATS JetStream as transport, in a few words of its protocol.
//!
//! | what | subject | kept |
//! |---|---|---|
//! | batches | `joust.T.plan.CLASS` | stream `joust_T_plans_CLASS`, a work queue with the consumer `all` |
//! | reports | `joust.T.result.WORKER` | stream `joust_T_results`, a work queue with the consumer `coordinator` |
//! | builds | `joust.blob.HASH.N` | stream `joust_blobs`, read by subject |
//! | who plays what | `joust.hello`, answered by coordinators | not at all |
//! | whether a tournament has its coordinator | `joust.office.T`, answered by that | not at all |
//! | who is there | `joust.here.WORKER`, and so after each `joust.roll` | not at all |
//! | whether a name is taken | `joust.name.WORKER`, answered by the worker of that name | not at all |
//!
//! What is longer than a message may be goes in [`pieces`](crate::pieces): a report as several
//! messages under its subject, a batch or a stage beside the builds.
//!
//! A worker speaks to those subjects and to three of the server's for them; `accounts` writes
//! exactly these down.

mod accounts;
mod coordinator;
mod empty;
mod names;
mod receipts;
mod roll;
mod streams;
mod voices;
mod worker;

use async_recursion::async_recursion as boxed;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::header::HeaderMap;
use async_nats::{
    Client, ConnectOptions, Event, Message, Request, RequestErrorKind, ServerAddr, Subject,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::TransportError;
use crate::envelope;
use crate::message::ClassId;
use crate::time::at_most;

pub use accounts::{Invitation, check_name, invite, invite_coordinator, key_in};
pub use coordinator::NatsCoordinator;
pub use roll::Roll;
pub use worker::NatsWorker;

/// The port of a server where none is named.
pub const USUAL_PORT: u16 = 4222;

/// How often a connection is tested on which nothing is heard; it is made anew after the third test.
const PING: Duration = Duration::from_secs(5);
/// How much longer each try to connect waits than the one before, five times at most.
const RETRY: Duration = Duration::from_millis(100);
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long those who were asked all together may take.
const ALL_ANSWER: Duration = Duration::from_millis(300);
/// How often a start begins anew while the server leaves half-way, as one does that starts again.
const STARTS: usize = 4;
/// How many messages of a subscription wait to be read; more are lost.
const MOST_UNREAD: usize = 4096;
/// Why nobody answers what was asked.
const LOST: &str = "the connection is lost";
/// How many bytes the headers of a message take at most.
const HEADERS: usize = 1024;
/// How long messages have to be allowed to be, bytes.
const LEAST_MESSAGE: usize = 4 * HEADERS;
/// How many bytes of a blob travel at once.
const CHUNK: usize = 512 << 10;

/// How to reach a server.
#[derive(Clone, Debug)]
pub struct Address<'a> {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub url: &'a str,
    /// A file with the seed of a key, as [`invite`] makes one.
    pub credentials: Option<&'a Path>,
    /// What the server calls this end.
    pub name: &'a str,
}

/// Says that a server keeps no messages.
fn no_jetstream(url: &str) -> TransportError {
    TransportError::Refused(format!(
        "the server at `{url}` has no JetStream: start it with `--jetstream`"
    ))
}

/// Says that a server takes no message as long as some are.
fn too_short(most: usize) -> TransportError {
    TransportError::Refused(format!(
        "the server takes messages of at most {most} bytes: raise its `max_payload`"
    ))
}

/// A connection to a server, and the last thing it complained of.
#[derive(Clone)]
struct Line {
    client: Client,
    complaint: Arc<Mutex<Option<String>>>,
    /// How often the connection was lost.
    losses: watch::Receiver<u64>,
}

impl Line {
    #[boxed]
    async fn connect(address: &Address<'_>) -> Result<Self, TransportError> {
        check_url(address.url)?;
        let complaint = Arc::<Mutex<Option<String>>>::default();
        let heard = Arc::clone(&complaint);
        let (count, losses) = watch::channel(0);
        let mut options = ConnectOptions::new()
            .name(format!("joust {}", address.name))
            .custom_inbox_prefix(format!("_INBOX_{}", address.name))
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .max_reconnects(None)
            .subscription_capacity(MOST_UNREAD)
            // What one says oneself is no news: see `names`.
            .no_echo()
            .ping_interval(PING)
            // The first try waits for nothing.
            .reconnect_delay_callback(|tries| RETRY * tries.saturating_sub(1).min(5) as u32)
            .event_callback(move |event| {
                if matches!(event, Event::Disconnected) {
                    count.send_modify(|losses| *losses += 1);
                }
                let heard = Arc::clone(&heard);
                async move {
                    tracing::debug!(%event, "server");
                    if let Event::ServerError(error) = event {
                        let text = Some(error.to_string());
                        *heard.lock().unwrap_or_else(PoisonError::into_inner) = text;
                    }
                }
            });
        if let Some(file) = address.credentials {
            let seed = key_in(file)?.seed();
            let seed = seed.map_err(|error| TransportError::Refused(error.to_string()))?;
            options = options.nkey(seed);
        }
        let client = options.connect(address.url).await.map_err(|error| {
            TransportError::Refused(format!("no server at `{}`: {error}", address.url))
        })?;
        if client.max_payload() < LEAST_MESSAGE {
            return Err(too_short(client.max_payload()));
        }
        Ok(Self { client, complaint, losses })
    }

    /// Returns what `start` says to the server at `address`, over a connection that held as long
    /// as it took.
    ///
    /// What a server does not answer that is just leaving says nothing of names, keys or streams:
    /// all is asked anew then.
    async fn started<T, S, F>(address: &Address<'_>, start: S) -> Result<T, TransportError>
    where
        S: Fn(Self) -> F + Send + Sync,
        F: Future<Output = Result<T, TransportError>> + Send,
        T: Send,
    {
        let mut why = String::new();
        for _ in 0..STARTS {
            let line = Self::connect(address).await?;
            let held = line.clone();
            match start(line).await {
                Err(TransportError::Away(gone)) => why = gone,
                _ if held.losses() > 0 || !held.is_connected() => why = LOST.to_owned(),
                started => return started,
            }
        }
        let text = format!("no server at `{}` that stays: {why}", address.url);
        Err(TransportError::Refused(text))
    }

    /// Asks the server or whoever listens.
    #[boxed]
    async fn ask(&self, subject: &str, request: Request) -> Result<Message, TransportError> {
        let mut losses = self.losses.clone();
        losses.mark_unchanged();
        let asked = tokio::select! {
            biased;
            asked = self.client.send_request(subject.to_owned(), request) => asked,
            // Nobody will answer what was asked of a server that is gone.
            Ok(()) = losses.changed() => {
                return Err(TransportError::Away(LOST.to_owned()));
            }
        };
        asked.map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => {
                TransportError::Away(format!("nobody answers to `{subject}`"))
            }
            RequestErrorKind::MaxPayloadExceeded => too_short(self.client.max_payload()),
            _ => TransportError::Away(self.complaint().unwrap_or_else(|| error.to_string())),
        })
    }

    /// Returns how often the connection was lost.
    fn losses(&self) -> u64 {
        *self.losses.borrow()
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Returns how long a message may be, headers apart.
    fn longest(&self) -> usize {
        self.client.max_payload().min(envelope::MOST_MESSAGE).saturating_sub(HEADERS)
    }

    fn complaint(&self) -> Option<String> {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks JetStream for something.
    async fn api(&self, call: &str, body: &Value) -> Result<(), ApiError> {
        self.api_for(call, body).await.map(|Nothing {}| ())
    }

    /// Refuses a server that keeps no messages. Whoever may not ask for that asks in vain, and
    /// only where this server has no JetStream itself: another one of its cluster may.
    async fn needs_jetstream(&self, url: &str) -> Result<(), TransportError> {
        if self.client.server_info().jetstream {
            return Ok(());
        }
        match at_most(ALL_ANSWER, self.api("INFO", &json!({}))).await {
            Some(Err(ApiError::Line(TransportError::Away(why)))) if why.starts_with("nobody") => {
                Err(no_jetstream(url))
            }
            _ => Ok(()),
        }
    }

    /// As [`Line::api`], for what it answers.
    async fn api_for<A: DeserializeOwned>(&self, call: &str, body: &Value) -> Result<A, ApiError> {
        let request = Request::new().payload(body.to_string().into());
        let answer = self.ask(&format!("$JS.API.{call}"), request).await.map_err(ApiError::Line)?;
        api_result(&answer.payload)
    }

    /// Publishes into a stream; the server has it afterwards.
    async fn keep(&self, subject: &str, id: &str, bytes: Vec<u8>) -> Result<(), ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", id);
        let request = Request::new().payload(bytes.into()).headers(headers);
        let answer = self.ask(subject, request).await.map_err(ApiError::Line)?;
        api_result(&answer.payload).map(|Nothing {}| ())
    }

    /// Takes the next message of a consumer; `None` when there is none.
    async fn pull(
        &self,
        consumer: &str,
        wait: Option<Duration>,
    ) -> Result<Option<Message>, TransportError> {
        let body = match wait {
            Some(wait) => json!({"batch": 1, "expires": nanos(wait)}),
            None => json!({"batch": 1, "no_wait": true}),
        };
        let most = wait.unwrap_or_default() + PATIENCE;
        let request = Request::new().payload(body.to_string().into());
        // A batch comes under its own subject: only a subscription of its own tells whose it is.
        let inbox = Some(self.client.new_inbox());
        let request = Request { timeout: Some(Some(most)), inbox, ..request };
        let answer = self.ask(&format!("$JS.API.CONSUMER.MSG.NEXT.{consumer}"), request).await?;
        Ok(answer.status.is_none().then_some(answer))
    }

    /// Ends or prolongs the right to a message.
    #[boxed]
    async fn acknowledge(&self, reply: &str, word: &'static str) -> Result<(), TransportError> {
        let sent = self.client.publish(reply.to_owned(), word.into()).await;
        sent.map_err(|error| TransportError::Away(error.to_string()))
    }

    /// Asks everybody who listens to `subject` and returns what they answer.
    #[boxed]
    async fn ask_all(&self, subject: &str) -> Result<Vec<Vec<u8>>, TransportError> {
        let away = |error: String| TransportError::Away(error);
        let inbox = self.client.new_inbox();
        let subscribed = self.client.subscribe(inbox.clone()).await;
        let mut answers = subscribed.map_err(|error| away(error.to_string()))?;
        let asked = self.client.publish_with_reply(subject.to_owned(), inbox, "".into()).await;
        asked.map_err(|error| away(error.to_string()))?;
        let end = Instant::now() + ALL_ANSWER;
        let mut all = Vec::new();
        while let Ok(Some(message)) = timeout_at(end, next(&mut answers)).await {
            // Without a listener the server itself answers, with a status.
            if message.status.is_some() {
                break;
            }
            all.push(message.payload.to_vec());
        }
        Ok(all)
    }
}

/// Waits for the next message.
async fn next(subscriber: &mut async_nats::Subscriber) -> Option<Message> {
    futures_util::StreamExt::next(subscriber).await
}

/// Returns the stream that keeps the batches of a class.
fn stream_of(tournament: &str, class: &ClassId) -> String {
    format!("joust_{tournament}_plans_{class}")
}

/// The consumer by which workers take batches of a class.
const WORKERS: &str = "all";

/// Returns under which subject a worker says that it is there.
fn here(worker: &str) -> String {
    format!("joust.here.{worker}")
}

/// Says whether an answer may go there: to an inbox, or to where the server has one of another
/// account. Whoever asks does not choose what those who may speak elsewhere say there.
fn is_inbox(reply: &Subject) -> bool {
    reply.starts_with("_INBOX") || reply.starts_with("_R_.")
}

/// Checks that `url` can be the address of a server.
///
/// # Errors
///
/// What addresses look like.
pub fn check_url(url: &str) -> Result<(), TransportError> {
    let rest = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
    let is_named = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([':', '/']));
    let why = match url.parse::<ServerAddr>() {
        Ok(_) if is_named => return Ok(()),
        Err(error) if is_named => format!(" ({error})"),
        _ => String::new(),
    };
    Err(TransportError::Refused(format!(
        "`{url}` cannot be the address of a NATS server, which is `nats://HOST:{USUAL_PORT}` or \
         `tls://HOST:{USUAL_PORT}`{why}"
    )))
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// What JetStream says when it refuses.
#[derive(Clone, Debug, Deserialize)]
struct Complaint {
    #[serde(default)]
    err_code: u32,
    #[serde(default)]
    description: String,
}

/// Why JetStream does not do what it was asked for.
#[derive(Clone, Debug)]
enum ApiError {
    Line(TransportError),
    Complaint(Complaint),
}

impl ApiError {
    /// The server's number of a complaint; 0 for none.
    fn code(&self) -> u32 {
        match self {
            Self::Line(_) => 0,
            Self::Complaint(complaint) => complaint.err_code,
        }
    }

    /// Returns the error of a message that has to be kept some time: a server without room may
    /// have some later.
    fn until_there_is_room(self) -> TransportError {
        let is_passing = PASSING.contains(&self.code());
        match TransportError::from(self) {
            TransportError::Refused(text) if is_passing => TransportError::Away(text),
            other => other,
        }
    }

    /// Says whether a stream holds as many messages as it was made for.
    fn is_too_many(&self) -> bool {
        matches!(self, Self::Complaint(it) if it.description.contains("maximum messages"))
    }
}

/// A stream of this name has other settings.
const OTHER_SETTINGS: u32 = 10058;
/// A stream does not keep a message: it holds as much as it may, or the disk is full.
const FULL: u32 = 10077;
/// What the server says of itself and not of what it was asked for: it has no room or no time.
const PASSING: [u32; 5] = [10008, 10023, 10047, 10028, FULL];

impl From<ApiError> for TransportError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Line(error) => error,
            ApiError::Complaint(Complaint { err_code, description }) => {
                let is_full = [FULL, 10023, 10047].contains(&err_code)
                    || description.contains("no space left");
                let what_to_do = match is_full {
                    true => ": make room on its disk, or raise its `max_file_store`",
                    false => "",
                };
                Self::Refused(format!("the server says: {description} ({err_code}){what_to_do}"))
            }
        }
    }
}

/// Of an answer nothing is wanted.
#[derive(Deserialize)]
struct Nothing {}

fn api_result<A: DeserializeOwned>(answer: &[u8]) -> Result<A, ApiError> {
    #[derive(Deserialize)]
    struct Shape {
        error: Option<Complaint>,
    }
    let unreadable =
        |error: serde_json::Error| ApiError::Line(TransportError::Away(error.to_string()));
    match serde_json::from_slice(answer).map_err(unreadable)? {
        Shape { error: Some(complaint) } => Err(ApiError::Complaint(complaint)),
        Shape { error: None } => serde_json::from_slice(answer).map_err(unreadable),
    }
}

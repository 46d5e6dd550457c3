//! A worker's side of a NATS server.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use async_recursion::async_recursion as boxed;
use futures_util::StreamExt;
use joust_model::BuildHash;
use joust_play::executor::{Delivery, Failure};
use nkeys::KeyPair;
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::accounts::{self, check_name, worker_of};
use super::names::{Claim, HeldName, claim_name};
use super::objects::StoredParts;
use super::streams::LONGEST_REPORT;
use super::{
    ALL_ANSWER, Address, HEADERS, ServerConnection, WORKERS, batch_stream, context, next_message,
    presence_subject, retryable_error, unavailable,
};
use crate::envelope::{self, DecodeLimits, EnvelopeError, StoredMessage, WireMessage, hash_of};
use crate::message::{Announcement, Batch, ClassId, Report, Stage, WorkerState};
use crate::transport::{LeaseAction, ReceivedBatch, TransportError, WorkerTransport};

/// The most classes of a stage; the worker asks each class for batches.
const MOST_CLASSES: usize = 1024;
/// Number of unreadable messages of one class to skip before other classes have their turn.
const MOST_UNREADABLE: usize = 256;
/// The shortest wait for a message.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);
/// Delay of a batch that is given back because of its version; another worker may read it, or this
/// one after an update. Without the delay, the server would deliver it next, before all others.
const LATER: Duration = Duration::from_secs(1);

/// A message from the object store of builds.
struct CachedMessage {
    hash: BuildHash,
    bytes: Vec<u8>,
}

/// Lease of a batch: its message without the payload.
type Lease = Arc<Message>;

/// A worker's connection to a server.
pub struct NatsWorker {
    connection: ServerConnection,
    name: HeldName,
    /// Consumers of the batches of each class.
    consumers: Mutex<HashMap<ClassId, PullConsumer>>,
    turn: AtomicUsize,
    /// The stored message that was read last. It is cached because the stage is queried again and
    /// again.
    letter: Mutex<Option<Arc<CachedMessage>>>,
    card: Arc<Mutex<Vec<u8>>>,
    worker: String,
    /// Secret part of the ids of its messages. The server keeps one message per id from any sender,
    /// so without the secret another worker's message could suppress a report.
    secret: String,
    /// Parts that are stored of reports whose messages are not. It is locked while a report is
    /// stored: two reports that each lack the space of the other's parts would wait for ever.
    stored_parts: tokio::sync::Mutex<StoredParts>,
    _answering: JoinSet<()>,
}

/// Returns the error for a worker whose name is in use.
fn taken(name: &str) -> String {
    format!("a worker called `{name}` already exists; `--name` names this one")
}

impl NatsWorker {
    /// Releases this worker's name.
    pub async fn leave(&self) {
        self.name.release().await;
    }

    /// Connects the worker that `card` describes.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is no server, it refuses this worker, or another
    /// worker of this name is connected.
    #[boxed]
    pub async fn connect(
        address: &Address<'_>,
        card: &Announcement,
    ) -> Result<Self, TransportError> {
        ServerConnection::start_session(address, |connection| {
            Self::start(connection, address, card)
        })
        .await
    }

    #[boxed]
    async fn start(
        mut connection: ServerConnection,
        address: &Address<'_>,
        card: &Announcement,
    ) -> Result<Self, TransportError> {
        connection.require_jetstream(address.url).await?;
        let name = &card.worker;
        let key_of = worker_of(&connection).await;
        if let Some(key_s) = key_of.as_ref().filter(|key_s| *key_s != name) {
            return Err(TransportError::Refused(format!(
                "this key was made for worker `{key_s}`, and this one is called `{name}`: \
                 `--name {key_s}` names it so"
            )));
        }
        if key_of.is_some() {
            connection.jetstream = context(&connection.client, accounts::API);
        }
        let held = match claim_name(&connection, &format!("worker.{name}"), name, key_of.is_some())
            .await?
        {
            Claim::Own(held) => held,
            Claim::Held(_) => return Err(TransportError::Refused(taken(name))),
        };
        let mut roll = connection.client()?.subscribe("joust.roll").await.map_err(unavailable)?;
        let bytes = Arc::new(Mutex::new(envelope::write(card)?));
        let mut answering = JoinSet::new();
        let (client, said, presence_subject) =
            (connection.client.clone(), Arc::clone(&bytes), presence_subject(name));
        answering.spawn(async move {
            while next_message(&mut roll).await.is_some() {
                let card = said.lock().clone();
                let _ = client.publish(presence_subject.clone(), card.into()).await;
            }
        });
        Ok(Self {
            connection,
            name: held,
            consumers: Mutex::default(),
            turn: AtomicUsize::new(0),
            letter: Mutex::default(),
            secret: KeyPair::new_user().public_key(),
            card: bytes,
            worker: name.clone(),
            stored_parts: tokio::sync::Mutex::new(StoredParts::new()),
            _answering: answering,
        })
    }

    /// Takes a batch of one class.
    async fn take_from_class(
        &self,
        stage: &Stage,
        class: &ClassId,
        patience: Option<Duration>,
    ) -> Result<Option<ReceivedBatch<Lease>>, TransportError> {
        let began = Instant::now();
        for _ in 0..MOST_UNREADABLE {
            let wait = patience.map(|all| all.saturating_sub(began.elapsed()));
            let Some(mut message) = self.pull_message(stage, class, wait).await? else {
                return Ok(None);
            };
            let payload = std::mem::take(&mut message.message.payload);
            match self.read::<Batch>(&payload, &mut DecodeLimits::default()).await {
                Ok(batch) => return Ok(Some(ReceivedBatch { batch, lease: Arc::new(message) })),
                // Without keys, anybody may publish to the stream of batches.
                Err(TransportError::Envelope(error))
                    if !matches!(error, EnvelopeError::OtherVersion { .. }) =>
                {
                    tracing::debug!(%error, "not a batch");
                    message.ack_with(AckKind::Term).await.map_err(unavailable)?;
                }
                Err(error) => {
                    message.ack_with(AckKind::Nak(Some(LATER))).await.map_err(unavailable)?;
                    return Err(error);
                }
            }
            if patience.is_some_and(|all| began.elapsed() >= all) {
                break;
            }
        }
        Ok(None)
    }

    /// Takes the next message of a class; `None` when there is none, or none arrived within `wait`.
    async fn pull_message(
        &self,
        stage: &Stage,
        class: &ClassId,
        wait: Option<Duration>,
    ) -> Result<Option<Message>, TransportError> {
        self.connection.client()?;
        let consumer = self.consumer(stage, class).await?;
        let asked = match wait {
            // A server takes a zero for no limit.
            Some(wait) => {
                let wait = wait.max(SHORTEST_WAIT);
                consumer.batch().max_messages(1).expires(wait).messages().await
            }
            None => consumer.fetch().max_messages(1).messages().await,
        };
        let pulled = match asked {
            Ok(mut batch) => batch.next().await.transpose().map_err(unavailable),
            Err(error) => Err(unavailable(error)),
        };
        if pulled.is_err() {
            self.consumers.lock().remove(class);
        }
        pulled
    }

    /// Returns the consumer of a class's batches.
    async fn consumer(
        &self,
        stage: &Stage,
        class: &ClassId,
    ) -> Result<PullConsumer, TransportError> {
        let stream = batch_stream(&stage.tournament, class);
        let known = self.consumers.lock().get(class).cloned();
        if let Some(known) = known.filter(|it| it.cached_info().stream_name == stream) {
            return Ok(known);
        }
        let found = self.connection.jetstream()?.get_consumer_from_stream(WORKERS, stream).await;
        let found: PullConsumer = found.map_err(unavailable)?;
        self.consumers.lock().insert(class.clone(), found.clone());
        Ok(found)
    }

    /// Publishes an encoded report. A long one is stored in parts, and the message refers to them.
    ///
    /// The ids of the messages contain its hash: a report of the same batch with other results is
    /// another one.
    async fn publish_report(
        &self,
        subject: String,
        id: &str,
        bytes: Vec<u8>,
    ) -> Result<(), TransportError> {
        let (began, hash) = (Instant::now(), hash_of(&bytes));
        let id = format!("{id} {hash}");
        if bytes.len() <= self.connection.longest().min(LONGEST_REPORT - HEADERS) {
            let published = self.connection.publish_durably(subject, &id, bytes).await;
            return published.map(drop).map_err(retryable_error);
        }
        let mut parts = self.stored_parts.lock().await;
        let putting =
            self.connection.put_parts(&self.worker, (&id, hash), &bytes, began, &mut parts);
        let stored = envelope::write(&putting.await?)?;
        self.connection.publish_durably(subject, &id, stored).await.map_err(retryable_error)?;
        parts.forget(&hash);
        Ok(())
    }

    /// Decodes a message, or the stored one that it refers to.
    async fn read<L: WireMessage>(
        &self,
        message: &[u8],
        limits: &mut DecodeLimits,
    ) -> Result<L, TransportError> {
        if !envelope::is::<StoredMessage>(message) {
            return Ok(envelope::read_within(message, limits)?);
        }
        let StoredMessage { hash: letter } = envelope::read_within(message, limits)?;
        let known = self.letter.lock().clone();
        if let Some(known) = known.filter(|known| known.hash == letter) {
            return Ok(envelope::read_within(&known.bytes, limits)?);
        }
        let bytes = self.get_blob(&letter).await?.filter(|bytes| hash_of(bytes) == letter);
        let bytes = bytes.ok_or_else(|| {
            TransportError::Unavailable(format!("the server does not have letter {letter}"))
        })?;
        let read = envelope::read_within(&bytes, limits)?;
        let kept = Some(Arc::new(CachedMessage { hash: letter, bytes }));
        *self.letter.lock() = kept;
        Ok(read)
    }
}

impl WorkerTransport for NatsWorker {
    type Lease = Lease;

    async fn list_stages(&self) -> Result<Vec<Stage>, TransportError> {
        if self.name.is_lost() {
            return Err(TransportError::Unavailable(taken(&self.worker)));
        }
        // A short answer can refer to a long stage that others refer to, too.
        let mut limits = DecodeLimits::default();
        let (mut stages, mut other) = (Vec::new(), None);
        for answer in self.connection.query_all("joust.hello").await? {
            match self.read::<Stage>(&answer, &mut limits).await {
                Ok(stage) if is_addressable(&stage) => stages.push(stage),
                Ok(_) => tracing::warn!("no stage: its names cannot be parts of a subject"),
                Err(error @ TransportError::Envelope(EnvelopeError::OtherVersion { .. })) => {
                    other = Some(error);
                }
                Err(error) => tracing::warn!(%error, "no stage"),
            }
        }
        stages.sort_by(|a, b| a.tournament.cmp(&b.tournament));
        match other {
            Some(error) if stages.is_empty() => Err(error),
            _ => Ok(stages),
        }
    }

    async fn take_batch(
        &self,
        stage: &Stage,
        classes: &[ClassId],
        patience: Duration,
    ) -> Result<Option<ReceivedBatch<Lease>>, TransportError> {
        // The first class differs each time, so that no class has to wait for the others.
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % classes.len().max(1);
        let (later, sooner) = classes.split_at(turn);
        if classes.len() > 1 {
            let mut failed = None;
            for class in sooner.iter().chain(later) {
                match self.take_from_class(stage, class, None).await {
                    Ok(None) => {}
                    Err(error) => failed = Some(error),
                    taken => return taken,
                }
            }
            if let Some(error) = failed {
                return Err(error);
            }
        }
        let Some(class) = sooner.first() else { return Ok(None) };
        // Other classes may have a batch sooner.
        let patience = if classes.len() > 1 { patience / 8 } else { patience };
        self.take_from_class(stage, class, Some(patience)).await
    }

    async fn renew_lease(&self, lease: &Lease) -> Result<(), TransportError> {
        self.connection.client()?;
        lease.ack_with(AckKind::Progress).await.map_err(unavailable)
    }

    async fn end_lease(&self, lease: &Lease, action: LeaseAction) -> Result<(), TransportError> {
        let kind = match action {
            LeaseAction::Done => AckKind::Ack,
            LeaseAction::GivenBack => AckKind::Nak(None),
        };
        self.connection.client()?;
        lease.ack_with(kind).await.map_err(unavailable)
    }

    async fn deliver_report(&self, stage: &Stage, report: &Report) -> Result<(), TransportError> {
        for (part, bytes) in split_report(report)?.into_iter().enumerate() {
            let subject = format!("joust.{}.result.{}", stage.tournament, report.worker);
            let Report { worker, epoch, batch, attempt, .. } = report;
            let id = format!("{worker} {epoch} {batch} {attempt} {part} {}", self.secret);
            self.publish_report(subject, &id, bytes).await?;
        }
        Ok(())
    }

    async fn get_blob(&self, name: &BuildHash) -> Result<Option<Vec<u8>>, TransportError> {
        self.connection.get_object(name).await
    }

    async fn announce(&self, announcement: &Announcement) -> Result<(), TransportError> {
        let bytes = envelope::write(announcement)?;
        // Replies to presence queries leave out positions.
        let card = match announcement.positions.is_empty() {
            true => bytes.clone(),
            false => {
                envelope::write(&Announcement { positions: Vec::new(), ..announcement.clone() })?
            }
        };
        *self.card.lock() = card;
        let sent = self
            .connection
            .client()?
            .publish(presence_subject(&announcement.worker), bytes.into())
            .await;
        sent.map_err(unavailable)?;
        if matches!(announcement.state, WorkerState::Refused(_)) {
            // This may be the worker's last announcement.
            let _ = timeout(ALL_ANSWER, self.connection.client()?.flush()).await;
        }
        Ok(())
    }
}

/// Returns whether each of a stage's names can be one token of a subject.
fn is_addressable(stage: &Stage) -> bool {
    let names = stage.classes.iter().map(|class| &class.id.0).chain([&stage.tournament]);
    stage.classes.len() <= MOST_CLASSES && names.into_iter().all(|name| check_name(name).is_ok())
}

/// Splits a report into messages within the limit. A result that exceeds it alone becomes a failure
/// with that reason.
fn split_report(report: &Report) -> Result<Vec<Vec<u8>>, TransportError> {
    let error = match envelope::write(report) {
        Ok(bytes) => return Ok(vec![bytes]),
        Err(error) => error,
    };
    if let [Delivery { bout, .. }] = &report.deliveries[..] {
        let result = Err(Failure::Infrastructure(format!("its result cannot be sent: {error}")));
        let deliveries = vec![Delivery::new(*bout, result)];
        return Ok(vec![envelope::write(&Report { deliveries, ..report.clone() })?]);
    }
    let (first, second) = report.deliveries.split_at(report.deliveries.len() / 2);
    let half = |deliveries: &[Delivery], returned| Report {
        deliveries: deliveries.to_vec(),
        returned,
        ..report.clone()
    };
    let mut all = split_report(&half(first, report.returned.clone()))?;
    all.extend(split_report(&half(second, Vec::new()))?);
    Ok(all)
}

//! A worker's side of a NATS server.

use async_recursion::async_recursion as boxed;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::Request;
use joust_model::{BuildHash, counted};
use joust_play::executor::{Delivery, Failure};
use nkeys::KeyPair;
use tokio::task::JoinSet;

use super::accounts::worker_of;
use super::empty::Empty;
use super::names::{Claimed, claim};
use super::{ALL_ANSWER, Address, ApiError, Line, WORKERS, here, is_inbox, next, stream_of};
use crate::envelope::{self, EnvelopeError, Letter};
use crate::message::{Announcement, Batch, ClassId, Report, Stage, State};
use crate::pieces::{Laid, cut, hash_of};
use crate::time::{Moment, at_most};
use crate::transport::{Settling, Taken, Transport, TransportError};

/// The largest blob that is fetched, in chunks.
const MOST_CHUNKS: usize = 2048;

/// How many messages that are no batch are looked at before other classes have their turn.
const MOST_NOTHING: usize = 256;
/// Gives a batch back that somebody of another version may read, or this one later. Without the
/// delay it would be the next again, before all others.
const LATER: &str = r#"-NAK {"delay": 1000000000}"#;

/// Says whether no worker of any version reads this.
fn is_nothing(error: &EnvelopeError) -> bool {
    !matches!(error, EnvelopeError::OtherVersion { .. })
}

/// A letter that lay beside the builds.
struct LaidLetter {
    hash: BuildHash,
    bytes: Vec<u8>,
}

/// A worker's connection to a server.
pub struct NatsWorker {
    line: Line,
    turn: AtomicUsize,
    /// The coordinator and number of the batch of each class that was last taken here.
    taken: Mutex<HashMap<ClassId, (u64, u64)>>,
    /// The classes that need not be asked for now.
    empty: Mutex<Empty>,
    /// The letter that was last read beside the builds: what is played is asked for again and
    /// again.
    letter: Mutex<Option<Arc<LaidLetter>>>,
    card: Arc<Mutex<Vec<u8>>>,
    /// What nobody else knows of the ids of its messages: the server keeps one message of an id,
    /// whoever sends it, and somebody else's could take the place of a report.
    secret: String,
    _answering: JoinSet<()>,
}

impl NatsWorker {
    /// Connects the worker `card` says.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is no server, it does not let this worker in,
    /// or another worker of this name is there.
    #[boxed]
    pub async fn connect(
        address: &Address<'_>,
        card: &Announcement,
    ) -> Result<Self, TransportError> {
        Line::started(address, |line| Self::start(line, address, card)).await
    }

    #[boxed]
    async fn start(
        line: Line,
        address: &Address<'_>,
        card: &Announcement,
    ) -> Result<Self, TransportError> {
        line.needs_jetstream(address.url).await?;
        let name = &card.worker;
        if let Some(key_s) = worker_of(&line).await.filter(|key_s| key_s != name) {
            return Err(TransportError::Refused(format!(
                "this key was made for worker `{key_s}`, and this one is called `{name}`: \
                 `--name {key_s}` names it so"
            )));
        }
        let place = format!("joust.name.{name}");
        let mut named = match claim(&line, &place, name).await? {
            Claimed::Own(named) => named,
            Claimed::Taken(_) => {
                return Err(TransportError::Refused(format!(
                    "a worker called `{name}` is there already; `--name` names this one"
                )));
            }
        };
        let away = |error: async_nats::SubscribeError| TransportError::Away(error.to_string());
        let mut roll = line.client.subscribe("joust.roll").await.map_err(away)?;
        let bytes = Arc::new(Mutex::new(envelope::write(card)?));
        let mut answering = JoinSet::new();
        let (client, said, here) = (line.client.clone(), Arc::clone(&bytes), here(name));
        answering.spawn(async move {
            loop {
                let place = tokio::select! {
                    asked = next(&mut named) => match asked {
                        Some(message) => message.reply.filter(is_inbox),
                        None => return,
                    },
                    called = next(&mut roll) => match called {
                        Some(_) => Some(here.clone().into()),
                        None => return,
                    },
                };
                let Some(place) = place else { continue };
                let card = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let _ = client.publish(place, card.into()).await;
            }
        });
        Ok(Self {
            line,
            turn: AtomicUsize::new(0),
            taken: Mutex::default(),
            empty: Mutex::default(),
            letter: Mutex::default(),
            secret: KeyPair::new_user().public_key(),
            card: bytes,
            _answering: answering,
        })
    }

    /// Sorts classes so that what was published first is likely to be taken first: a batch that
    /// waits behind later ones of other classes would be left for the end, and one worker with it.
    fn longest_not_taken_first<'a>(&self, classes: &'a [ClassId]) -> Vec<&'a ClassId> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<&ClassId> = classes.iter().collect();
        sorted.sort_by_key(|class| taken.get(*class));
        sorted
    }

    fn empty(&self) -> MutexGuard<'_, Empty> {
        self.empty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a batch of one class, and learns whether there is none.
    async fn take_soon(
        &self,
        stage: &Stage,
        class: &ClassId,
    ) -> Result<Option<Taken<String>>, TransportError> {
        if self.empty().has(class) {
            return Ok(None);
        }
        let taken = self.take_of(stage, class, None).await?;
        if taken.is_none() {
            self.empty().put(class);
        }
        Ok(taken)
    }

    /// Takes a batch of one class.
    async fn take_of(
        &self,
        stage: &Stage,
        class: &ClassId,
        patience: Option<Duration>,
    ) -> Result<Option<Taken<String>>, TransportError> {
        let stream = stream_of(&stage.tournament, class);
        let consumer = format!("{stream}.{}", WORKERS);
        let began = Moment::now();
        for _ in 0..MOST_NOTHING {
            let wait = patience.map(|all| all.saturating_sub(began.elapsed()));
            let Some(message) = self.line.pull(&consumer, wait).await? else { return Ok(None) };
            let Some(lease) = message.reply.map(|reply| reply.to_string()) else { return Ok(None) };
            match self.read::<Batch>(&message.payload).await {
                Ok(batch) => {
                    self.empty().remove(class);
                    let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
                    taken.insert(class.clone(), (batch.epoch, batch.number));
                    return Ok(Some(Taken { batch, lease }));
                }
                // Without keys anybody may publish among the batches.
                Err(TransportError::Envelope(error)) if is_nothing(&error) => {
                    tracing::debug!(%error, "not a batch");
                    self.line.acknowledge(&lease, "+TERM").await?;
                }
                Err(error) => {
                    self.line.acknowledge(&lease, LATER).await?;
                    return Err(error);
                }
            }
            if patience.is_some_and(|all| began.elapsed() >= all) {
                break;
            }
        }
        Ok(None)
    }

    /// Reads a letter from a message, or from where the message says that it lies.
    async fn read<L: Letter>(&self, message: &[u8]) -> Result<L, TransportError> {
        if !envelope::is::<Laid>(message) {
            return Ok(envelope::read(message)?);
        }
        let Laid { letter } = envelope::read(message)?;
        let known = self.letter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.hash == letter) {
            return Ok(envelope::read(&known.bytes)?);
        }
        let bytes = self.blob(&letter).await?.filter(|bytes| hash_of(bytes) == letter);
        let bytes = bytes.ok_or_else(|| {
            TransportError::Away(format!("the server does not have letter {letter}"))
        })?;
        let read = envelope::read(&bytes)?;
        let kept = Some(Arc::new(LaidLetter { hash: letter, bytes }));
        *self.letter.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(read)
    }
}

impl Transport for NatsWorker {
    type Lease = String;

    async fn stages(&self) -> Result<Vec<Stage>, TransportError> {
        let (mut stages, mut other) = (Vec::new(), None);
        for answer in self.line.ask_all("joust.hello").await? {
            match self.read::<Stage>(&answer).await {
                Ok(stage) => stages.push(stage),
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

    async fn take(
        &self,
        stage: &Stage,
        classes: &[ClassId],
        patience: Duration,
    ) -> Result<Option<Taken<String>>, TransportError> {
        let mut last = None;
        if classes.len() > 1 {
            for class in self.longest_not_taken_first(classes) {
                match self.take_soon(stage, class).await {
                    Ok(Some(taken)) => return Ok(Some(taken)),
                    Ok(None) => {}
                    Err(error) => last = Some(error),
                }
            }
        }
        if let Some(error) = last {
            return Err(error);
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let Some(class) = classes.get(turn % classes.len().max(1)) else { return Ok(None) };
        // Others may have something sooner.
        let patience = if classes.len() > 1 { patience / 8 } else { patience };
        self.take_of(stage, class, Some(patience)).await
    }

    async fn renew(&self, lease: &String) -> Result<(), TransportError> {
        self.line.acknowledge(lease, "+WPI").await
    }

    async fn settle(&self, lease: &String, how: Settling) -> Result<(), TransportError> {
        let word = match how {
            Settling::Done => "+ACK",
            Settling::GivenBack => "-NAK",
        };
        self.line.acknowledge(lease, word).await
    }

    async fn deliver(&self, stage: &Stage, report: &Report) -> Result<(), TransportError> {
        let subject = format!("joust.{}.result.{}", stage.tournament, report.worker);
        for (part, bytes) in messages(report, self.line.longest())?.into_iter().enumerate() {
            let Report { worker, epoch, batch, attempt, .. } = report;
            let id = format!("{worker} {epoch} {batch} {attempt} {part} {}", self.secret);
            let kept = self.line.keep(&subject, &id, bytes).await;
            kept.map_err(ApiError::until_there_is_room)?;
        }
        Ok(())
    }

    async fn blob(&self, name: &BuildHash) -> Result<Option<Vec<u8>>, TransportError> {
        let get = async |part: String| -> Result<Option<Vec<u8>>, TransportError> {
            let subject = format!("$JS.API.DIRECT.GET.joust_blobs.joust.blob.{name}.{part}");
            let answer = self.line.ask(&subject, Request::new()).await?;
            Ok(answer.status.is_none().then(|| answer.payload.to_vec()))
        };
        let Some(count) = get("count".to_owned()).await? else { return Ok(None) };
        let count = String::from_utf8_lossy(&count).parse::<usize>().unwrap_or(usize::MAX);
        if count > MOST_CHUNKS {
            let text = format!("blob {name} has {}", counted(count, "part"));
            return Err(TransportError::Refused(text));
        }
        let mut blob = Vec::new();
        for part in 0..count {
            match get(part.to_string()).await? {
                Some(bytes) => blob.extend(bytes),
                None => return Ok(None),
            }
        }
        Ok(Some(blob))
    }

    async fn announce(&self, announcement: &Announcement) -> Result<(), TransportError> {
        let bytes = envelope::write(announcement)?;
        // Whoever calls the roll asks what there is, and not where bouts have come to.
        let card = match announcement.positions.is_empty() {
            true => bytes.clone(),
            false => {
                envelope::write(&Announcement { positions: Vec::new(), ..announcement.clone() })?
            }
        };
        *self.card.lock().unwrap_or_else(PoisonError::into_inner) = card;
        let sent = self.line.client.publish(here(&announcement.worker), bytes.into()).await;
        sent.map_err(|error| TransportError::Away(error.to_string()))?;
        if matches!(announcement.state, State::Refused(_)) {
            // A worker may end with this word.
            let _ = at_most(ALL_ANSWER, self.line.client.flush()).await;
        }
        Ok(())
    }
}

/// Returns a report in as many messages as it takes for none to be longer than `most`. A
/// result that no pieces can carry is none, and says so.
fn messages(report: &Report, most: usize) -> Result<Vec<Vec<u8>>, TransportError> {
    let written = envelope::write(report);
    if let Ok(bytes) = written.as_ref()
        && bytes.len() <= most
    {
        return Ok(vec![bytes.clone()]);
    }
    if let [Delivery { bout, .. }] = &report.deliveries[..] {
        return written.and_then(|bytes| cut(&bytes, most)).or_else(|error| {
            let result =
                Err(Failure::Infrastructure(format!("its result cannot be sent: {error}")));
            let deliveries = vec![Delivery::new(*bout, result)];
            Ok(vec![envelope::write(&Report { deliveries, ..report.clone() })?])
        });
    }
    let (first, second) = report.deliveries.split_at(report.deliveries.len() / 2);
    let half = |deliveries: &[Delivery], returned| Report {
        deliveries: deliveries.to_vec(),
        returned,
        ..report.clone()
    };
    let mut all = messages(&half(first, report.returned.clone()), most)?;
    all.extend(messages(&half(second, Vec::new()), most)?);
    Ok(all)
}

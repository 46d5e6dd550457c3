//! A coordinator's side of a NATS server.

use async_recursion::async_recursion as boxed;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::{Message, Request};
use joust_model::{BoutId, BuildHash, escaped};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::noise::Noise;
use super::receipts::Receipts;
use super::voices::Voices;
use super::{
    Address, ApiError, CHUNK, Line, NO_MESSAGE, OTHER_SETTINGS, consumer_of, is_forbidden,
    is_inbox, nanos, next, no_jetstream, stream_of,
};
use crate::envelope::{self, Letter, MOST_MESSAGE};
use crate::message::{Announcement, Batch, ClassId, Report, Stage};
use crate::pieces::{Arrived, Laid, Piece, Pile, Piled, Whole, hash_of};
use crate::time::at_most;
use crate::transport::{CoordinatorSide, Fate, Found, Place, Published, TransportError};

/// How many batches may wait at the server.
const MOST_BATCHES: u64 = 4096;
/// How many reports, or pieces of some, may wait there.
const MOST_REPORTS: u64 = 65_536;
/// How many of these may be of one worker: all pieces of a letter, and some more.
const MOST_OF_ONE: u64 = 2304;
/// How many batches are looked for at once.
const MOST_LOOKS: usize = 16;
/// For how long a message of one id is taken once.
const DUPLICATES: Duration = Duration::from_secs(120);
/// For how long builds that nobody laid again stay.
const BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long another coordinator may take to say that it is there.
const ANSWER: Duration = Duration::from_millis(500);
/// How long a report is waited for at once.
const WAIT: Duration = Duration::from_secs(5);

/// The stream of builds.
const BUILDS: &str = "joust_blobs";

/// How the messages of a queue are.
#[derive(Deserialize)]
struct Standing {
    /// Messages that nobody took.
    #[serde(rename = "num_pending")]
    waiting: usize,
    /// Messages that were taken and are neither done nor given up.
    #[serde(rename = "num_ack_pending")]
    held: usize,
    delivered: Delivered,
}

/// What was taken of a queue.
#[derive(Deserialize)]
struct Delivered {
    /// The number of the last message.
    #[serde(rename = "stream_seq")]
    last: u64,
}

/// A stream from which each message is taken once, by one consumer.
struct Queue<'a> {
    stream: &'a str,
    subject: &'a str,
    /// How many messages it keeps, and how many of them under one subject.
    most: u64,
    of_one: u64,
    consumer: &'a str,
    /// How long a message may be held without a word.
    wait: Duration,
}

/// A coordinator's connection to a server.
pub struct NatsCoordinator {
    line: Line,
    tournament: String,
    voices: tokio::sync::Mutex<Voices>,
    /// What is answered to whoever asks what is played; empty when nothing is.
    stage: Arc<Mutex<Vec<u8>>>,
    /// The classes whose streams are there.
    classes: Mutex<BTreeSet<ClassId>>,
    receipts: Mutex<Receipts>,
    /// Reports of which not all pieces came.
    pile: Mutex<Pile>,
    noise: Mutex<Noise>,
    /// Letters that lie beside the builds.
    laid: Mutex<BTreeSet<BuildHash>>,
    _answering: JoinSet<()>,
}

impl NatsCoordinator {
    /// Connects the coordinator of `tournament`.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is no server, it has no JetStream, or another
    /// coordinator of this tournament is there.
    #[boxed]
    pub async fn connect(address: &Address<'_>, tournament: &str) -> Result<Self, TransportError> {
        let line = Line::connect(address).await?;
        match line.api("INFO", &json!({})).await {
            Ok(()) => {}
            Err(ApiError::Line(TransportError::Away(why))) if why.starts_with("nobody") => {
                return Err(no_jetstream(address.url));
            }
            Err(error) => {
                let text = TransportError::from(error).to_string();
                let what_to_do = match is_forbidden(&text) {
                    true => {
                        ": `joust workers invite NAME --coordinator` makes a key that may do that"
                    }
                    false => "",
                };
                return Err(TransportError::Refused(format!("{text}{what_to_do}")));
            }
        }
        let place = format!("joust.office.{tournament}");
        if let Ok(Some(answer)) =
            at_most(ANSWER, line.ask(&place, Request::new())).await.transpose()
        {
            let who = escaped(&String::from_utf8_lossy(&answer.payload));
            let text = format!(
                "another coordinator plays this tournament there, `{who}`: end that run, or wait \
                 until it is over"
            );
            return Err(TransportError::Refused(text));
        }
        let away = |error: String| TransportError::Away(error);
        let voices = line.client.subscribe("joust.here.*").await;
        let voices = voices.map_err(|error| away(error.to_string()))?;
        let asked = line.client.subscribe("joust.hello").await;
        let mut asked = asked.map_err(|error| away(error.to_string()))?;
        let present = line.client.subscribe(place).await;
        let mut present = present.map_err(|error| away(error.to_string()))?;
        let stage = Arc::<Mutex<Vec<u8>>>::default();
        let mut answering = JoinSet::new();
        let (client, name) = (line.client.clone(), address.name.to_owned());
        answering.spawn(async move {
            while let Some(message) = next(&mut present).await {
                let Some(reply) = message.reply.filter(is_inbox) else { continue };
                let _ = client.publish(reply, name.clone().into()).await;
            }
        });
        let (client, said) = (line.client.clone(), Arc::clone(&stage));
        answering.spawn(async move {
            while let Some(message) = next(&mut asked).await {
                let stage = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let reply = message.reply.filter(|reply| !stage.is_empty() && is_inbox(reply));
                let Some(reply) = reply else { continue };
                let _ = client.publish(reply, stage.into()).await;
            }
        });
        Ok(Self {
            line,
            tournament: tournament.to_owned(),
            voices: tokio::sync::Mutex::new(Voices::new(voices)),
            stage,
            classes: Mutex::default(),
            receipts: Mutex::default(),
            pile: Mutex::default(),
            noise: Mutex::default(),
            laid: Mutex::default(),
            _answering: answering,
        })
    }

    fn plans(&self, class: &ClassId) -> String {
        stream_of(&self.tournament, class)
    }

    fn results(&self) -> String {
        format!("joust_{}_results", self.tournament)
    }

    fn noise(&self) -> MutexGuard<'_, Noise> {
        self.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all that a worker has sent: others wait behind it.
    async fn forget(&self, worker: &str) -> Result<(), TransportError> {
        let purge = format!("STREAM.PURGE.{}", self.results());
        let body = json!({"filter": self.subject_of(worker)});
        Ok(self.line.api(&purge, &body).await?)
    }

    /// Returns under which subject a worker reports.
    fn subject_of(&self, worker: &str) -> String {
        format!("joust.{}.result.{worker}", self.tournament)
    }

    fn classes(&self) -> MutexGuard<'_, BTreeSet<ClassId>> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the streams of batches that are there.
    fn all_plans(&self) -> Vec<String> {
        self.classes().iter().map(|class| self.plans(class)).collect()
    }

    fn receipts(&self) -> MutexGuard<'_, Receipts> {
        self.receipts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a stream, or gives one that is there these settings.
    async fn stream(&self, settings: Value) -> Result<(), TransportError> {
        let name = settings["name"].as_str().unwrap_or_default().to_owned();
        match self.line.api(&format!("STREAM.CREATE.{name}"), &settings).await {
            Err(error) if error.code() == OTHER_SETTINGS => {
                Ok(self.line.api(&format!("STREAM.UPDATE.{name}"), &settings).await?)
            }
            made => Ok(made?),
        }
    }

    /// Makes a work queue.
    async fn queue(&self, queue: Queue<'_>) -> Result<(), TransportError> {
        let Queue { stream, subject, most, of_one, consumer, wait } = queue;
        let settings = json!({
            "name": stream,
            "subjects": [subject],
            "retention": "workqueue",
            "storage": "file",
            "discard": "new",
            "max_msgs": most,
            // What one worker sends takes nobody else's room.
            "max_msgs_per_subject": of_one,
            "discard_new_per_subject": true,
            "max_msg_size": MOST_MESSAGE,
            "duplicate_window": nanos(DUPLICATES),
            "num_replicas": 1,
        });
        self.stream(settings).await?;
        let config = json!({
            "durable_name": consumer,
            "filter_subject": subject,
            "ack_policy": "explicit",
            "ack_wait": nanos(wait),
            "max_deliver": -1,
            "max_ack_pending": MOST_BATCHES,
            "deliver_policy": "all",
            "replay_policy": "instant",
        });
        let body = json!({"stream_name": stream, "config": config});
        Ok(self.line.api(&format!("CONSUMER.DURABLE.CREATE.{stream}.{consumer}"), &body).await?)
    }

    /// Makes room for reports.
    async fn room_for_reports(&self) -> Result<(), TransportError> {
        let queue = Queue {
            stream: &self.results(),
            subject: &format!("joust.{}.result.*", self.tournament),
            most: MOST_REPORTS,
            of_one: MOST_OF_ONE,
            consumer: "coordinator",
            wait: Duration::from_secs(30),
        };
        self.queue(queue).await
    }

    /// Makes room for the batches of a stage.
    async fn room_for_batches(&self, stage: &Stage) -> Result<(), TransportError> {
        for class in &stage.classes {
            if self.classes().contains(&class.id) {
                continue;
            }
            let queue = Queue {
                stream: &self.plans(&class.id),
                subject: &format!("joust.{}.plan.{}", self.tournament, class.id),
                most: MOST_BATCHES,
                of_one: MOST_BATCHES,
                consumer: consumer_of(&class.id),
                wait: stage.lease,
            };
            self.queue(queue).await?;
            self.classes().insert(class.id.clone());
        }
        Ok(())
    }

    /// Removes the batches of coordinators before this one.
    async fn clear_batches(&self) -> Result<(), TransportError> {
        for stream in self.streams(&format!("joust.{}.plan.*", self.tournament)).await? {
            self.line.api(&format!("STREAM.DELETE.{stream}"), &json!({})).await?;
        }
        self.classes().clear();
        Ok(())
    }

    /// Returns the names of the streams that keep messages of such subjects.
    async fn streams(&self, subject: &str) -> Result<BTreeSet<String>, TransportError> {
        #[derive(Deserialize)]
        struct Names {
            total: usize,
            streams: Option<Vec<String>>,
        }
        let mut names = BTreeSet::new();
        loop {
            let body = json!({"subject": subject, "offset": names.len()});
            let Names { total, streams } = self.line.api_for("STREAM.NAMES", &body).await?;
            let before = names.len();
            names.extend(streams.unwrap_or_default());
            if names.len() >= total || names.len() == before {
                return Ok(names);
            }
        }
    }

    /// Says what of the streams of batches, of reports and of builds is there.
    async fn found(&self) -> Result<Found, TransportError> {
        let there = self.streams("joust.>").await?;
        let mut queues = self.all_plans().into_iter().chain([self.results()]);
        Ok(match queues.all(|queue| there.contains(&queue)) {
            true if there.contains(BUILDS) => Found::AsItWas,
            true => Found::NoBuilds,
            false => Found::Wiped,
        })
    }

    /// Returns how the batches of a class are.
    async fn standing(&self, class: &ClassId) -> Result<Standing, TransportError> {
        let info = format!("CONSUMER.INFO.{}.{}", self.plans(class), consumer_of(class));
        Ok(self.line.api_for(&info, &json!({})).await?)
    }

    /// Says whether a batch lies at the server.
    async fn is_there(&self, place: &Place) -> Result<bool, TransportError> {
        let get = format!("STREAM.MSG.GET.{}", self.plans(&place.class));
        match self.line.api(&get, &json!({"seq": place.number})).await {
            Ok(()) => Ok(true),
            Err(error) if error.code() == NO_MESSAGE => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn blobs(&self) -> Result<(), TransportError> {
        let settings = json!({
            "name": BUILDS,
            "subjects": ["joust.blob.>"],
            "retention": "limits",
            "storage": "file",
            "max_msgs_per_subject": 1,
            "max_age": nanos(BLOBS),
            "duplicate_window": nanos(Duration::from_secs(1)),
            "allow_direct": true,
            "num_replicas": 1,
        });
        self.stream(settings).await
    }

    async fn tell(&self, stage: Option<&Stage>) -> Result<(), TransportError> {
        let bytes = match stage {
            Some(stage) => self.message(stage).await?,
            None => Vec::new(),
        };
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(())
    }

    fn laid(&self) -> MutexGuard<'_, BTreeSet<BuildHash>> {
        self.laid.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the message that carries a letter. One that is too long for that is laid beside
    /// the builds, and the message says where.
    async fn message<L: Letter + Sync>(&self, letter: &L) -> Result<Vec<u8>, TransportError> {
        let bytes = envelope::write(letter)?;
        if bytes.len() <= self.line.longest() {
            return Ok(bytes);
        }
        let place = Laid { letter: hash_of(&bytes) };
        self.lay(&place.letter, || Ok(bytes)).await?;
        self.laid().insert(place.letter);
        Ok(envelope::write(&place)?)
    }

    /// Removes the letters that lie beside the builds.
    async fn clear_laid(&self) -> Result<(), TransportError> {
        let laid = std::mem::take(&mut *self.laid());
        for letter in laid {
            let body = json!({"filter": format!("joust.blob.{letter}.*")});
            self.line.api(&format!("STREAM.PURGE.{BUILDS}"), &body).await?;
        }
        Ok(())
    }

    async fn acknowledge_all(&self, replies: Vec<String>) -> Result<(), TransportError> {
        for reply in replies {
            self.line.acknowledge(&reply, "+ACK").await?;
        }
        Ok(())
    }

    /// Takes a piece of a report; returns the report that it completes.
    async fn piled(&self, message: &Message) -> Result<Option<Whole>, TransportError> {
        let reply = message.reply.as_ref().map(ToString::to_string).unwrap_or_default();
        let piled = match envelope::read::<Piece>(&message.payload) {
            Ok(piece) => {
                let arrived = Arrived { from: &message.subject, reply: &reply, piece };
                self.pile.lock().unwrap_or_else(PoisonError::into_inner).take(arrived)
            }
            Err(error) => {
                tracing::warn!(%error, "refused");
                let sender = message.subject.rsplit('.').next().unwrap_or_default();
                self.noise().count(sender, &message.payload);
                Piled { dropped: vec![reply], whole: None }
            }
        };
        self.acknowledge_all(piled.dropped).await?;
        Ok(piled.whole)
    }
}

impl CoordinatorSide for NatsCoordinator {
    async fn open(&self, stage: &Stage) -> Result<(), TransportError> {
        // What a killed coordinator had in hand comes at once and not when its time is over.
        let before = format!("CONSUMER.DELETE.{}.coordinator", self.results());
        let _ = self.line.api(&before, &json!({})).await;
        self.clear_batches().await?;
        self.room_for_reports().await?;
        self.room_for_batches(stage).await?;
        self.tell(Some(stage)).await
    }

    async fn keep(&self, stage: &Stage) -> Result<Found, TransportError> {
        let found = self.found().await?;
        if found == Found::Wiped {
            self.classes().clear();
            self.room_for_reports().await?;
        }
        self.room_for_batches(stage).await?;
        self.tell(Some(stage)).await?;
        Ok(found)
    }

    async fn publish(&self, batch: &Batch) -> Result<Published, TransportError> {
        let subject = format!("joust.{}.plan.{}", self.tournament, batch.class);
        let id = format!("{} {} {}", batch.epoch, batch.number, batch.attempt);
        match self.line.keep(&subject, &id, self.message(batch).await?).await {
            Ok(number) => Ok(Published::Waiting(Place { class: batch.class.clone(), number })),
            Err(error) if error.is_too_many() => Ok(Published::Full),
            Err(error) => Err(error.into()),
        }
    }

    async fn fates(
        &self,
        out: &BTreeMap<ClassId, usize>,
        unheard: &[Place],
    ) -> Result<Vec<Fate>, TransportError> {
        let (mut queues, mut fates, mut looks) = (BTreeMap::new(), Vec::new(), 0);
        for Place { class, .. } in unheard {
            if !queues.contains_key(class) {
                queues.insert(class, self.standing(class).await?);
            }
        }
        for place in unheard {
            let (queue, out) = (&queues[&place.class], out.get(&place.class).copied());
            let lacks_some = queue.waiting + queue.held < out.unwrap_or(0);
            let is_looked_for = lacks_some && looks < MOST_LOOKS;
            looks += usize::from(is_looked_for);
            fates.push(match () {
                () if is_looked_for && !self.is_there(place).await? => Fate::Gone,
                () if place.number > queue.delivered.last => Fate::Waits,
                () => Fate::Taken,
            });
        }
        Ok(fates)
    }

    fn settled(&self, bout: BoutId) {
        let replies = self.receipts().settle(bout);
        if replies.is_empty() {
            return;
        }
        let line = self.line.clone();
        tokio::spawn(async move {
            for reply in replies {
                // One that is lost makes the report come again, and nothing else.
                let _ = line.acknowledge(&reply, "+ACK").await;
            }
        });
    }

    fn unreadable(&self) -> Vec<String> {
        self.noise().take_found()
    }

    fn ignore(&self, worker: &str) {
        self.noise().ignore(worker);
    }

    async fn report(&self) -> Result<Report, TransportError> {
        let consumer = format!("{}.coordinator", self.results());
        loop {
            let Some(message) = self.line.pull(&consumer, Some(WAIT)).await? else { continue };
            let sender = message.subject.rsplit('.').next().unwrap_or_default();
            if self.noise().is_ignored(sender) {
                self.forget(sender).await?;
                continue;
            }
            let reply = message.reply.as_ref().map(ToString::to_string).unwrap_or_default();
            let whole = match envelope::is::<Piece>(&message.payload) {
                true => self.piled(&message).await?,
                false => Some(Whole { letter: message.payload.to_vec(), replies: vec![reply] }),
            };
            let Some(Whole { letter, replies }) = whole else { continue };
            match envelope::read::<Report>(&letter) {
                // The server lets a worker speak under its own name only.
                Ok(report) if *message.subject == *self.subject_of(&report.worker) => {
                    let at_once = self.receipts().take(replies, &report);
                    self.acknowledge_all(at_once).await?;
                    return Ok(report);
                }
                Ok(report) => {
                    tracing::warn!(subject = %message.subject, worker = report.worker, "refused");
                }
                Err(error) => tracing::warn!(%error, "refused"),
            }
            self.noise().count(sender, &message.payload);
            self.acknowledge_all(replies).await?;
        }
    }

    async fn heard(&self) -> Result<Announcement, TransportError> {
        let mut voices = self.voices.lock().await;
        loop {
            let Some(message) = next(&mut voices.line).await else {
                return Err(TransportError::Away("the connection is closed".to_owned()));
            };
            if voices.is_noise(&message) {
                continue;
            }
            match envelope::read::<Announcement>(&message.payload) {
                Ok(said) if *message.subject == *format!("joust.here.{}", said.worker) => {
                    return Ok(said);
                }
                Ok(said) => {
                    tracing::warn!(subject = %message.subject, worker = said.worker, "refused");
                }
                Err(error) => tracing::warn!(%error, subject = %message.subject, "refused"),
            }
        }
    }

    async fn lay(
        &self,
        name: &BuildHash,
        blob: impl FnOnce() -> io::Result<Vec<u8>> + Send,
    ) -> Result<(), TransportError> {
        self.blobs().await?;
        let count = format!("joust.blob.{name}.count");
        let there = format!("$JS.API.DIRECT.GET.{BUILDS}.{count}");
        if self.line.ask(&there, Request::new()).await.is_ok_and(|it| it.status.is_none()) {
            return Ok(());
        }
        let blob = blob().map_err(|error| {
            TransportError::Refused(format!("build {name} cannot be sent: {error}"))
        })?;
        let chunks = blob.chunks(CHUNK.min(self.line.longest()));
        let parts = chunks.len();
        for (part, bytes) in chunks.enumerate() {
            let subject = format!("joust.blob.{name}.{part}");
            self.line.keep(&subject, &subject, bytes.to_vec()).await?;
        }
        // Last, so that a blob without it counts as not there.
        self.line.keep(&count, &count, parts.to_string().into_bytes()).await?;
        Ok(())
    }

    async fn recall(&self) -> Result<(), TransportError> {
        self.tell(None).await?;
        self.clear_laid().await?;
        for stream in self.all_plans() {
            self.line.api(&format!("STREAM.PURGE.{stream}"), &json!({})).await?;
        }
        Ok(())
    }

    async fn close(&self) -> Result<(), TransportError> {
        self.tell(None).await?;
        self.clear_laid().await?;
        self.clear_batches().await?;
        Ok(self.line.api(&format!("STREAM.DELETE.{}", self.results()), &json!({})).await?)
    }
}

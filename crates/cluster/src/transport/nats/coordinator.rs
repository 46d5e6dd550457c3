//! A coordinator's side of a NATS server.

use async_recursion::async_recursion as boxed;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::{Message, Request};
use joust_model::{BoutId, BuildHash, escaped};
use serde_json::json;
use tokio::task::JoinSet;

use super::accounts::worker_of;
use super::names::{Claimed, claim};
use super::receipts::Receipts;
use super::streams::BUILDS;
use super::voices::Voices;
use super::{Address, ApiError, CHUNK, Line, is_inbox, next, no_jetstream};
use crate::envelope::{self, Letter};
use crate::message::{Announcement, Batch, ClassId, Report, Stage};
use crate::pieces::{Arrived, Laid, Piece, Pile, Piled, Whole, hash_of};
use crate::time::Moment;
use crate::transport::{CoordinatorSide, Found, Published, TransportError};

/// How long a report is waited for at once.
const WAIT: Duration = Duration::from_secs(5);
/// How often it is looked whether all streams are there while nothing hints that some are not: a
/// look costs the server more than a bout does.
const LOOK: Duration = Duration::from_secs(5);

/// A coordinator's connection to a server.
pub struct NatsCoordinator {
    pub(super) line: Line,
    pub(super) tournament: String,
    voices: tokio::sync::Mutex<Voices>,
    /// What is answered to whoever asks what is played; empty when nothing is.
    stage: Arc<Mutex<Vec<u8>>>,
    /// The classes whose streams are there.
    classes: Mutex<BTreeSet<ClassId>>,
    receipts: Mutex<Receipts>,
    /// Reports of which not all pieces came.
    pile: Mutex<Pile>,
    /// Letters that lie beside the builds.
    laid: Mutex<BTreeSet<BuildHash>>,
    /// When all streams were there, and how often the connection had been lost by then.
    seen: Mutex<Option<(Moment, u64)>>,
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
        Line::started(address, |line| Self::start(line, address, tournament)).await
    }

    #[boxed]
    async fn start(
        line: Line,
        address: &Address<'_>,
        tournament: &str,
    ) -> Result<Self, TransportError> {
        if let Some(worker) = worker_of(&line).await {
            return Err(TransportError::Refused(format!(
                "this is the key of worker `{worker}`, and a run needs one of its own: `joust \
                 workers invite NAME --coordinator` makes it"
            )));
        }
        match line.api("INFO", &json!({})).await {
            Ok(()) => {}
            Err(ApiError::Line(TransportError::Away(why))) if why.starts_with("nobody") => {
                return Err(no_jetstream(address.url));
            }
            Err(error) => return Err(error.into()),
        }
        let place = format!("joust.office.{tournament}");
        let mut present = match claim(&line, &place, address.name).await? {
            Claimed::Own(present) => present,
            Claimed::Taken(who) => {
                let who = escaped(&String::from_utf8_lossy(&who));
                let text = format!(
                    "another coordinator plays this tournament there, `{who}`: end that run, or \
                     wait until it is over"
                );
                return Err(TransportError::Refused(text));
            }
        };
        let away = |error: String| TransportError::Away(error);
        let voices = Voices::of(&line).await?;
        let asked = line.client.subscribe("joust.hello").await;
        let mut asked = asked.map_err(|error| away(error.to_string()))?;
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
            voices: tokio::sync::Mutex::new(voices),
            stage,
            classes: Mutex::default(),
            receipts: Mutex::default(),
            pile: Mutex::default(),
            laid: Mutex::default(),
            seen: Mutex::default(),
            _answering: answering,
        })
    }

    pub(super) fn classes(&self) -> MutexGuard<'_, BTreeSet<ClassId>> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Option<(Moment, u64)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is there of the streams, and looks for them when it is time or the server may be
    /// another one by now.
    async fn looked_for(&self) -> Result<Found, TransportError> {
        let losses = self.line.losses();
        let is_sure = self.seen().is_some_and(|(at, before)| {
            self.line.is_connected() && before == losses && at.elapsed() < LOOK
        });
        if is_sure {
            return Ok(Found::AsItWas);
        }
        let found = self.found().await?;
        *self.seen() = (found == Found::AsItWas).then(|| (Moment::now(), losses));
        Ok(found)
    }

    fn receipts(&self) -> MutexGuard<'_, Receipts> {
        self.receipts.lock().unwrap_or_else(PoisonError::into_inner)
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
        let found = self.looked_for().await?;
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
            Ok(()) => Ok(Published::Waiting),
            Err(error) if error.is_too_many() => Ok(Published::Full),
            Err(error) => {
                // Its stream may be gone.
                *self.seen() = None;
                Err(error.into())
            }
        }
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

    async fn report(&self) -> Result<Report, TransportError> {
        let consumer = format!("{}.coordinator", self.results());
        loop {
            let Some(message) = self.line.pull(&consumer, Some(WAIT)).await? else { continue };
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
            self.acknowledge_all(replies).await?;
        }
    }

    async fn heard(&self) -> Result<Announcement, TransportError> {
        let said = self.voices.lock().await.next().await;
        said.ok_or_else(|| TransportError::Away("the connection is closed".to_owned()))
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
            let kept = self.line.keep(&subject, &subject, bytes.to_vec()).await;
            kept.map_err(ApiError::until_there_is_room)?;
        }
        // Last, so that a blob without it counts as not there.
        let kept = self.line.keep(&count, &count, parts.to_string().into_bytes()).await;
        kept.map_err(ApiError::until_there_is_room)
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

//! A coordinator's side of a NATS server.
//!
//! A report is acknowledged once all its results are stored. Until then the server delivers it
//! again, also to the next coordinator after one that was killed.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use async_recursion::async_recursion as boxed;
use futures_util::StreamExt;
use joust_model::{BoutId, BuildHash, escaped};
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::accounts::worker_of;
use super::announcements::AnnouncementStream;
use super::names::{Claim, HeldName, claim_name};
use super::objects::object_info;
use super::{
    Address, ServerConnection, is_full_of_messages, is_inbox, next_message, server_error,
    unavailable,
};
use crate::envelope::{self, EnvelopeError, StoredMessage, StoredReport, WireMessage, hash_of};
use crate::message::{Announcement, Batch, ClassId, Report, Stage};
use crate::transport::{CoordinatorTransport, PublishOutcome, TransportError, TransportState};

/// Longest single wait for a report, and longest time for the removal of those that are not read.
const WAIT: Duration = Duration::from_secs(5);
/// The most unread reports whose parts are removed at the end.
const MOST_CLEARED: usize = 4096;
/// Interval between checks that all streams exist, while nothing suggests a loss. A check costs the
/// server more than a bout does.
const LOOK: Duration = Duration::from_secs(5);

/// A report that is not acknowledged, with the reference to its stored parts if it is long.
#[derive(Debug)]
pub(super) struct PendingReport {
    message: Message,
    stored: Option<StoredReport>,
}

/// A coordinator's connection to a server.
pub struct NatsCoordinator {
    pub(super) connection: ServerConnection,
    pub(super) tournament: String,
    name: HeldName,
    announcements: tokio::sync::Mutex<AnnouncementStream>,
    /// Reply to a query for the current stage; empty when nothing is played.
    stage: Arc<Mutex<Vec<u8>>>,
    /// The classes whose streams exist.
    pub(super) classes: Mutex<BTreeSet<ClassId>>,
    /// The consumer for reports.
    pub(super) reports: Mutex<Option<PullConsumer>>,
    receipts: Mutex<Receipts<PendingReport>>,
    /// Long messages in the object store of builds.
    stored: Mutex<BTreeSet<BuildHash>>,
    /// Time of the last check of the streams, and the number of lost connections at that time.
    seen: Mutex<Option<(Instant, u64)>>,
    _answering: JoinSet<()>,
}

impl NatsCoordinator {
    /// Connects the coordinator of `tournament`.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is no server, the server has no JetStream, or another
    /// coordinator of this tournament is connected.
    #[boxed]
    pub async fn connect(address: &Address<'_>, tournament: &str) -> Result<Self, TransportError> {
        ServerConnection::start_session(address, |connection| {
            Self::start(connection, address, tournament)
        })
        .await
    }

    #[boxed]
    async fn start(
        connection: ServerConnection,
        address: &Address<'_>,
        tournament: &str,
    ) -> Result<Self, TransportError> {
        if let Some(worker) = worker_of(&connection).await {
            return Err(TransportError::Refused(format!(
                "this is the key of worker `{worker}`, and a run needs one of its own: `joust \
                 workers invite NAME --coordinator` makes it"
            )));
        }
        connection.require_jetstream(address.url).await?;
        let key = format!("run.{tournament}");
        let name = match claim_name(&connection, &key, address.name, false).await? {
            Claim::Own(name) => name,
            Claim::Held(who) => {
                let text = format!(
                    "another coordinator plays this tournament there, `{}`: end that run, or wait \
                     until it is over",
                    escaped(&who)
                );
                return Err(TransportError::Refused(text));
            }
        };
        let announcements = AnnouncementStream::subscribe(&connection).await?;
        let mut asked = connection.client()?.subscribe("joust.hello").await.map_err(unavailable)?;
        let stage = Arc::<Mutex<Vec<u8>>>::default();
        let mut answering = JoinSet::new();
        let (client, said) = (connection.client.clone(), Arc::clone(&stage));
        answering.spawn(async move {
            while let Some(message) = next_message(&mut asked).await {
                let stage = said.lock().clone();
                let reply = message.reply.filter(|reply| !stage.is_empty() && is_inbox(reply));
                let Some(reply) = reply else { continue };
                let _ = client.publish(reply, stage.into()).await;
            }
        });
        Ok(Self {
            connection,
            tournament: tournament.to_owned(),
            name,
            announcements: tokio::sync::Mutex::new(announcements),
            stage,
            classes: Mutex::default(),
            reports: Mutex::default(),
            receipts: Mutex::default(),
            stored: Mutex::default(),
            seen: Mutex::default(),
            _answering: answering,
        })
    }

    /// Returns the state of the streams. Checks them when the interval has passed, or when the
    /// connection was lost, because the server may be another one.
    async fn check_streams_if_due(&self) -> Result<TransportState, TransportError> {
        let losses = self.connection.losses();
        let is_sure = self.seen.lock().is_some_and(|(at, before)| {
            self.connection.is_connected() && before == losses && at.elapsed() < LOOK
        });
        if is_sure {
            return Ok(TransportState::Intact);
        }
        let found = self.check_streams().await?;
        *self.seen.lock() = (found == TransportState::Intact).then(|| (Instant::now(), losses));
        Ok(found)
    }

    async fn set_stage_answer(&self, stage: Option<&Stage>) -> Result<(), TransportError> {
        let bytes = match stage {
            Some(stage) => self.message(stage).await?,
            None => Vec::new(),
        };
        *self.stage.lock() = bytes;
        Ok(())
    }

    /// Returns the bytes of a message. If they exceed the server's limit, stores them beside the
    /// builds and returns a reference to them.
    async fn message<L: WireMessage + Sync>(&self, letter: &L) -> Result<Vec<u8>, TransportError> {
        let bytes = envelope::write(letter)?;
        if bytes.len() <= self.connection.longest() {
            return Ok(bytes);
        }
        let stored = StoredMessage { hash: hash_of(&bytes) };
        self.put_blob(&stored.hash, || Ok(bytes)).await?;
        self.stored.lock().insert(stored.hash);
        Ok(envelope::write(&stored)?)
    }

    /// Removes the messages that are stored beside the builds.
    async fn clear_stored(&self) -> Result<(), TransportError> {
        let stored = std::mem::take(&mut *self.stored.lock());
        if stored.is_empty() {
            return Ok(());
        }
        let builds = self.connection.open_builds().await?;
        for letter in stored {
            builds.delete(letter.to_string()).await.map_err(unavailable)?;
        }
        Ok(())
    }

    /// Waits for the next message in the stream of reports.
    async fn next_message(&self) -> Result<Option<Message>, TransportError> {
        let Some(consumer) = self.reports.lock().clone() else {
            return Err(TransportError::Unavailable(
                "there is no stream of reports yet".to_owned(),
            ));
        };
        self.connection.client()?;
        let mut batch =
            consumer.batch().max_messages(1).expires(WAIT).messages().await.map_err(unavailable)?;
        batch.next().await.transpose().map_err(unavailable)
    }

    /// Reads a report from its message, or from the parts that the message refers to. Returns the
    /// reference to them, if all are there and the worker's own.
    async fn read(
        &self,
        message: &Message,
    ) -> Result<(Result<Report, EnvelopeError>, Option<StoredReport>), TransportError> {
        if !envelope::is::<StoredReport>(&message.payload) {
            return Ok((envelope::read(&message.payload), None));
        }
        let stored: StoredReport = match envelope::read(&message.payload) {
            Ok(stored) => stored,
            Err(error) => return Ok((Err(error), None)),
        };
        let worker = message.subject.rsplit('.').next().unwrap_or_default();
        let bytes = self.connection.get_parts(worker, &stored).await?;
        let own = bytes.is_some().then_some(stored);
        let is_whole = |bytes: &Vec<u8>| own.as_ref().is_some_and(|it| hash_of(bytes) == it.hash);
        let bytes = bytes.filter(is_whole).unwrap_or_default();
        Ok((envelope::read(&bytes), own))
    }

    /// Removes the parts of reports that are not read any more.
    async fn clear_parts(&self) -> Result<(), TransportError> {
        let Some(consumer) = self.reports.lock().clone() else { return Ok(()) };
        let mut unread =
            consumer.fetch().max_messages(MOST_CLEARED).messages().await.map_err(unavailable)?;
        while let Some(message) = unread.next().await.transpose().map_err(unavailable)? {
            if let (_, Some(stored)) = self.read(&message).await? {
                self.connection.remove_parts(&stored).await;
            }
        }
        Ok(())
    }
}

/// Acknowledges a report. If the acknowledgement is lost, the report is delivered again, without
/// further consequences.
async fn acknowledge(
    connection: ServerConnection,
    PendingReport { message, stored }: PendingReport,
) {
    let _ = message.ack_with(AckKind::Ack).await;
    if let Some(stored) = stored {
        connection.remove_parts(&stored).await;
    }
}

impl CoordinatorTransport for NatsCoordinator {
    async fn open_stage(&self, stage: &Stage) -> Result<(), TransportError> {
        self.forget_deliveries().await;
        self.clear_batches().await?;
        self.ensure_report_queue().await?;
        self.ensure_batch_queues(stage).await?;
        self.set_stage_answer(Some(stage)).await
    }

    async fn refresh_stage(&self, stage: &Stage) -> Result<TransportState, TransportError> {
        if self.name.is_lost() {
            let text = "another coordinator plays this tournament there by now".to_owned();
            return Err(TransportError::Refused(text));
        }
        let found = self.check_streams_if_due().await?;
        if found == TransportState::Wiped {
            self.classes.lock().clear();
            self.ensure_report_queue().await?;
        }
        self.ensure_batch_queues(stage).await?;
        self.set_stage_answer(Some(stage)).await?;
        Ok(found)
    }

    async fn publish_batch(&self, batch: &Batch) -> Result<PublishOutcome, TransportError> {
        let subject = format!("joust.{}.plan.{}", self.tournament, batch.class);
        let id = format!("{} {} {}", batch.epoch, batch.number, batch.attempt);
        match self.connection.publish_durably(subject, &id, self.message(batch).await?).await {
            Ok(_) => Ok(PublishOutcome::Queued),
            Err(error) if is_full_of_messages(&error) => Ok(PublishOutcome::Full),
            Err(error) => {
                // The stream may have been lost.
                *self.seen.lock() = None;
                Err(server_error(error))
            }
        }
    }

    fn mark_settled(&self, bout: BoutId) {
        for pending in self.receipts.lock().settle(bout) {
            tokio::spawn(acknowledge(self.connection.clone(), pending));
        }
    }

    async fn next_report(&self) -> Result<Report, TransportError> {
        loop {
            let Some(mut message) = self.next_message().await? else { continue };
            let (report, stored) = self.read(&message).await?;
            // The message may be long, and is kept until its results are stored.
            message.message.payload = Default::default();
            let pending = PendingReport { message, stored };
            let report = match report {
                Ok(report) => report,
                Err(error) => {
                    let subject = &pending.message.subject;
                    tracing::warn!(%error, %subject, "refused");
                    acknowledge(self.connection.clone(), pending).await;
                    continue;
                }
            };
            // The server allows a worker only subjects with its own name.
            if *pending.message.subject != *self.subject_of(&report.worker) {
                let subject = &pending.message.subject;
                tracing::warn!(%subject, worker = report.worker, "refused");
                acknowledge(self.connection.clone(), pending).await;
                continue;
            }
            let at_once = self.receipts.lock().take(pending, &report);
            if let Some(pending) = at_once {
                acknowledge(self.connection.clone(), pending).await;
            }
            return Ok(report);
        }
    }

    async fn next_announcement(&self) -> Result<Announcement, TransportError> {
        let said = self.announcements.lock().await.next_announcement().await;
        said.ok_or_else(|| TransportError::Unavailable("the connection is closed".to_owned()))
    }

    async fn put_blob(
        &self,
        name: &BuildHash,
        blob: impl FnOnce() -> io::Result<Vec<u8>> + Send,
    ) -> Result<(), TransportError> {
        let builds = self.connection.open_builds().await?;
        if object_info(&builds, name).await?.is_some() {
            return Ok(());
        }
        let blob = blob().map_err(|error| {
            TransportError::Refused(format!("build {name} cannot be sent: {error}"))
        })?;
        self.connection.put_object(name, &blob).await
    }

    async fn recall_batches(&self) -> Result<(), TransportError> {
        self.set_stage_answer(None).await?;
        self.clear_stored().await?;
        for stream in self.all_plans() {
            let stream = self
                .connection
                .jetstream()?
                .get_stream_no_info(stream)
                .await
                .map_err(unavailable)?;
            stream.purge().await.map_err(unavailable)?;
        }
        self.name.release().await;
        Ok(())
    }

    async fn close_tournament(&self) -> Result<(), TransportError> {
        self.set_stage_answer(None).await?;
        self.clear_stored().await?;
        self.clear_batches().await?;
        // What is left expires.
        let _ = timeout(WAIT, self.clear_parts()).await;
        self.connection.jetstream()?.delete_stream(self.results()).await.map_err(unavailable)?;
        self.name.release().await;
        Ok(())
    }
}

/// Received reports that are not acknowledged, with the messages that acknowledge them.
#[derive(Debug)]
pub(super) struct Receipts<P>(Vec<Receipt<P>>);

#[derive(Debug)]
struct Receipt<P> {
    /// Worker that reported.
    worker: String,
    pending: P,
    /// Bouts whose results are not settled.
    open: HashSet<BoutId>,
}

impl<P> Default for Receipts<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> Receipts<P> {
    /// Adds a report; returns its message if it can be acknowledged at once.
    pub(super) fn take(&mut self, pending: P, report: &Report) -> Option<P> {
        let results = report.deliveries.iter().filter(|it| it.result.is_ok());
        let open: HashSet<BoutId> = results.map(|it| it.bout).collect();
        // The server limits the number of unacknowledged messages, so a report that a worker has
        // sent twice is acknowledged at once: its results are kept already.
        let mut said = self.0.iter().filter(|it| it.worker == report.worker);
        if open.is_empty() || said.any(|it| open.is_subset(&it.open)) {
            return Some(pending);
        }
        self.0.push(Receipt { worker: report.worker.clone(), pending, open });
        None
    }

    /// Settles a bout; returns the messages of the reports that are settled now.
    fn settle(&mut self, bout: BoutId) -> Vec<P> {
        self.0.iter_mut().for_each(|it| _ = it.open.remove(&bout));
        self.0.extract_if(.., |it| it.open.is_empty()).map(|it| it.pending).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_play::executor::{Delivery, Failure};

    fn bout(number: u64) -> BoutId {
        BoutId(number.to_be_bytes())
    }

    #[test]
    fn a_report_without_results_is_acknowledged_at_once() {
        let failed = Delivery::new(bout(1), Err(Failure::Cancelled));
        let report = Report {
            worker: "one".to_owned(),
            epoch: 1,
            batch: 1,
            attempt: 0,
            deliveries: vec![failed],
            returned: vec![bout(2)],
        };
        assert_eq!(Receipts::default().take("reply", &report), Some("reply"));
    }

    #[test]
    fn what_a_worker_says_once_more_is_acknowledged_at_once() {
        let (_, result) = joust_testkit::fixtures::bout("league", ["anna", "bert"], 1);
        let report = |worker: &str, bouts: &[u64]| Report {
            worker: worker.to_owned(),
            epoch: 1,
            batch: 1,
            attempt: 0,
            deliveries: bouts
                .iter()
                .map(|it| Delivery::new(bout(*it), Ok(result.clone())))
                .collect(),
            returned: Vec::new(),
        };
        let mut receipts = Receipts::default();
        let mut take = |worker, bouts| receipts.take("reply", &report(worker, bouts));
        assert_eq!(take("one", &[1, 2]), None);
        for _ in 0..1000 {
            assert_eq!(take("one", &[1]), Some("reply"));
        }
        assert_eq!(take("one", &[2, 3]), None, "one of them is new");
        assert_eq!(take("two", &[1]), None, "it may be what counts");
        assert_eq!(receipts.0.len(), 3);
    }

    #[test]
    fn a_report_is_acknowledged_when_its_last_bout_is_settled() {
        let receipt = |pending: &'static str, bouts: &[u64]| Receipt {
            worker: "one".to_owned(),
            pending,
            open: bouts.iter().copied().map(bout).collect(),
        };
        let mut receipts = Receipts(vec![receipt("a", &[1, 2]), receipt("b", &[2])]);
        assert_eq!(receipts.settle(bout(2)), ["b"]);
        assert_eq!(receipts.settle(bout(2)), [""; 0]);
        assert_eq!(receipts.settle(bout(1)), ["a"]);
        assert!(receipts.0.is_empty());
    }
}

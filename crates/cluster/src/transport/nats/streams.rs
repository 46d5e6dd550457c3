//! Streams of a coordinator at a server: batches of each class, and reports.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use futures_util::TryStreamExt;

use super::coordinator::NatsCoordinator;
use super::objects::{BUILDS_STREAM, PARTS};
use super::{DUPLICATES, WORKERS, batch_stream, retryable_error, unavailable};
use crate::envelope::MOST_MESSAGE;
use crate::message::{ClassId, Stage};
use crate::transport::{TransportError, TransportState};

/// The most batches that may wait at the server.
const MOST_BATCHES: i64 = 4096;
/// The most reports that may wait at the server.
const MOST_REPORTS: i64 = 65_536;
/// The most reports of one worker that may wait at the server.
const MOST_OF_ONE: i64 = 2304;
/// The longest report that waits there itself, bytes. Those of one worker fill 144 MiB at most; a
/// longer one lies in parts, which have a bound of their own.
pub(super) const LONGEST_REPORT: usize = 64 << 10;
/// The consumer through which the coordinator takes reports.
const COORDINATOR: &str = "coordinator";

/// A stream whose messages are taken once each, by one consumer.
struct WorkQueue {
    stream: String,
    subject: String,
    /// The most messages that it keeps, in total and per subject.
    most: i64,
    of_one: i64,
    /// The longest message, headers included, bytes.
    longest: usize,
    consumer: &'static str,
    /// Time after which a message without a sign of progress is delivered again.
    wait: Duration,
}

impl NatsCoordinator {
    /// Returns the name of the stream of a class's batches.
    fn plans(&self, class: &ClassId) -> String {
        batch_stream(&self.tournament, class)
    }

    /// Returns the name of the stream of reports.
    pub(super) fn results(&self) -> String {
        format!("joust_{}_results", self.tournament)
    }

    /// Returns the subject of a worker's reports.
    pub(super) fn subject_of(&self, worker: &str) -> String {
        format!("joust.{}.result.{worker}", self.tournament)
    }

    /// Returns the names of the existing streams of batches.
    pub(super) fn all_plans(&self) -> Vec<String> {
        self.classes.lock().iter().map(|class| self.plans(class)).collect()
    }

    /// Makes or updates a work queue.
    async fn ensure_queue(&self, queue: WorkQueue) -> Result<PullConsumer, TransportError> {
        let WorkQueue { stream, subject, most, of_one, longest, consumer, wait } = queue;
        let config = Config {
            name: stream.clone(),
            subjects: vec![subject.clone()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages: most,
            // One worker's messages cannot use up the space of others.
            max_messages_per_subject: of_one,
            discard_new_per_subject: true,
            max_message_size: i32::try_from(longest).unwrap_or(i32::MAX),
            duplicate_window: DUPLICATES,
            num_replicas: 1,
            ..Config::default()
        };
        let jetstream = self.connection.jetstream()?;
        jetstream.create_or_update_stream(config).await.map_err(retryable_error)?;
        let config = pull::Config {
            durable_name: Some(consumer.to_owned()),
            filter_subject: subject,
            ack_wait: wait,
            max_deliver: -1,
            max_ack_pending: most,
            ..pull::Config::default()
        };
        jetstream.create_consumer_on_stream(config, stream).await.map_err(retryable_error)
    }

    /// Deletes the consumer of reports, so that reports which the previous coordinator did not
    /// acknowledge are delivered at once and not after a timeout.
    pub(super) async fn forget_deliveries(&self) {
        if let Ok(jetstream) = self.connection.jetstream() {
            let _ = jetstream.delete_consumer_from_stream(COORDINATOR, self.results()).await;
        }
    }

    /// Makes the stream of reports.
    pub(super) async fn ensure_report_queue(&self) -> Result<(), TransportError> {
        self.connection.open_parts().await?;
        let queue = WorkQueue {
            stream: self.results(),
            subject: self.subject_of("*"),
            most: MOST_REPORTS,
            of_one: MOST_OF_ONE,
            longest: LONGEST_REPORT,
            consumer: COORDINATOR,
            wait: Duration::from_secs(30),
        };
        let consumer = self.ensure_queue(queue).await?;
        *self.reports.lock() = Some(consumer);
        Ok(())
    }

    /// Makes the streams of a stage's batches.
    pub(super) async fn ensure_batch_queues(&self, stage: &Stage) -> Result<(), TransportError> {
        for class in &stage.classes {
            if self.classes.lock().contains(&class.id) {
                continue;
            }
            let queue = WorkQueue {
                stream: self.plans(&class.id),
                subject: format!("joust.{}.plan.{}", self.tournament, class.id),
                most: MOST_BATCHES,
                of_one: MOST_BATCHES,
                longest: MOST_MESSAGE,
                consumer: WORKERS,
                wait: stage.lease,
            };
            self.ensure_queue(queue).await?;
            self.classes.lock().insert(class.id.clone());
        }
        Ok(())
    }

    /// Removes the batches of earlier coordinators.
    pub(super) async fn clear_batches(&self) -> Result<(), TransportError> {
        let own = format!("joust_{}_plans_", self.tournament);
        for stream in self.streams().await?.iter().filter(|name| name.starts_with(&own)) {
            self.connection.jetstream()?.delete_stream(stream).await.map_err(unavailable)?;
        }
        self.classes.lock().clear();
        Ok(())
    }

    /// Returns the names of the server's streams.
    async fn streams(&self) -> Result<BTreeSet<String>, TransportError> {
        self.connection.jetstream()?.stream_names().try_collect().await.map_err(unavailable)
    }

    /// Checks whether the streams of batches, reports and builds exist.
    pub(super) async fn check_streams(&self) -> Result<TransportState, TransportError> {
        let there = self.streams().await?;
        let mut queues = self.all_plans().into_iter().chain([self.results()]);
        let are_there = [BUILDS_STREAM, PARTS].map(|it| there.contains(it));
        Ok(match queues.all(|queue| there.contains(&queue)) && are_there[1] {
            true if are_there[0] => TransportState::Intact,
            true => TransportState::BuildsLost,
            false => TransportState::Wiped,
        })
    }
}

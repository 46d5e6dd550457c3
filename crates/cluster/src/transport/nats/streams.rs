//! Streams that a coordinator keeps at a server: batches of each class, reports, and builds.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::coordinator::NatsCoordinator;
use super::{ApiError, OTHER_SETTINGS, WORKERS, nanos, stream_of};
use crate::envelope::MOST_MESSAGE;
use crate::message::{ClassId, Stage};
use crate::transport::{Found, TransportError};

/// How many batches may wait at the server.
const MOST_BATCHES: u64 = 4096;
/// How many reports, or pieces of some, may wait there.
const MOST_REPORTS: u64 = 65_536;
/// How many of these may be of one worker: all pieces of a letter, and some more.
const MOST_OF_ONE: u64 = 2304;
/// For how long a message of one id is taken once.
const DUPLICATES: Duration = Duration::from_secs(120);
/// For how long builds that nobody laid again stay.
const BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);
/// The stream of builds.
pub(super) const BUILDS: &str = "joust_blobs";

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

impl NatsCoordinator {
    /// Returns the stream of the batches of a class.
    pub(super) fn plans(&self, class: &ClassId) -> String {
        stream_of(&self.tournament, class)
    }

    /// Returns the stream of reports.
    pub(super) fn results(&self) -> String {
        format!("joust_{}_results", self.tournament)
    }

    /// Returns under which subject a worker reports.
    pub(super) fn subject_of(&self, worker: &str) -> String {
        format!("joust.{}.result.{worker}", self.tournament)
    }

    /// Returns the streams of batches that are there.
    pub(super) fn all_plans(&self) -> Vec<String> {
        self.classes().iter().map(|class| self.plans(class)).collect()
    }

    /// Makes a stream, or gives one that is there these settings.
    async fn stream(&self, settings: Value) -> Result<(), TransportError> {
        let name = settings["name"].as_str().unwrap_or_default().to_owned();
        match self.line.api(&format!("STREAM.CREATE.{name}"), &settings).await {
            Err(error) if error.code() == OTHER_SETTINGS => {
                self.line.api(&format!("STREAM.UPDATE.{name}"), &settings).await
            }
            made => made,
        }
        .map_err(ApiError::until_there_is_room)
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
            "max_ack_pending": most,
            "deliver_policy": "all",
            "replay_policy": "instant",
        });
        let body = json!({"stream_name": stream, "config": config});
        let make = format!("CONSUMER.DURABLE.CREATE.{stream}.{consumer}");
        self.line.api(&make, &body).await.map_err(ApiError::until_there_is_room)
    }

    /// Makes room for reports.
    pub(super) async fn room_for_reports(&self) -> Result<(), TransportError> {
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
    pub(super) async fn room_for_batches(&self, stage: &Stage) -> Result<(), TransportError> {
        for class in &stage.classes {
            if self.classes().contains(&class.id) {
                continue;
            }
            let queue = Queue {
                stream: &self.plans(&class.id),
                subject: &format!("joust.{}.plan.{}", self.tournament, class.id),
                most: MOST_BATCHES,
                of_one: MOST_BATCHES,
                consumer: WORKERS,
                wait: stage.lease,
            };
            self.queue(queue).await?;
            self.classes().insert(class.id.clone());
        }
        Ok(())
    }

    /// Removes the batches of coordinators before this one.
    pub(super) async fn clear_batches(&self) -> Result<(), TransportError> {
        for stream in self.streams(&format!("joust.{}.plan.*", self.tournament)).await? {
            self.line.api(&format!("STREAM.DELETE.{stream}"), &json!({})).await?;
        }
        self.classes().clear();
        Ok(())
    }

    /// Returns the names of the streams that keep messages of such subjects.
    pub(super) async fn streams(&self, subject: &str) -> Result<BTreeSet<String>, TransportError> {
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
    pub(super) async fn found(&self) -> Result<Found, TransportError> {
        let there = self.streams("joust.>").await?;
        let mut queues = self.all_plans().into_iter().chain([self.results()]);
        Ok(match queues.all(|queue| there.contains(&queue)) {
            true if there.contains(BUILDS) => Found::AsItWas,
            true => Found::NoBuilds,
            false => Found::Wiped,
        })
    }

    /// Makes room for builds, and for letters that are too long for a message.
    pub(super) async fn blobs(&self) -> Result<(), TransportError> {
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
}

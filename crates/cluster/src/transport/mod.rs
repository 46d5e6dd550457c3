//! Transports: how batches and reports travel.
//!
//! A transport has two sides. It may lose, repeat, delay and reorder all that it carries,
//! and be wiped at any time; neither side relies on more than that it mostly does not.

pub mod nats;

use std::time::Duration;

use crate::envelope::EnvelopeError;
use crate::message::{Announcement, Batch, ClassId, Report, Stage};
use joust_model::{BoutId, BuildHash};

/// Why a transport does not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nobody answers, for now.
    #[error("{0}")]
    Unavailable(String),
    /// It will not do, however often it is asked.
    #[error("{0}")]
    Refused(String),
    /// The message, received or to be sent, is not valid.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

/// Outcome of publishing a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// It waits for a worker.
    Queued,
    /// Too many wait already; later.
    Full,
}

/// State of the transport, as a coordinator's check finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportState {
    /// All is as it was.
    Intact,
    /// The queued messages are gone; there is room for them again.
    Wiped,
    /// The builds are gone.
    BuildsLost,
}

/// Outcome of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAction {
    /// The batch is done.
    Done,
    /// Somebody else may have it at once.
    GivenBack,
}

/// The coordinator's side.
pub trait CoordinatorTransport: Send + Sync + 'static {
    /// Makes room for a tournament and forgets the batches of earlier coordinators; reports
    /// stay.
    fn open_stage(&self, stage: &Stage) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Publishes the stage, and ensures that its classes have streams.
    fn refresh_stage(
        &self,
        stage: &Stage,
    ) -> impl Future<Output = Result<TransportState, TransportError>> + Send;

    /// Hands a batch to the first worker of its class that takes one.
    fn publish_batch(
        &self,
        batch: &Batch,
    ) -> impl Future<Output = Result<PublishOutcome, TransportError>> + Send;

    /// Records that a result is stored or not needed: a report whose results are all settled need
    /// not be delivered again, to any coordinator.
    fn mark_settled(&self, _bout: BoutId) {}

    /// Waits for the next report. It may come again until all its results are
    /// [settled](Self::settled).
    fn next_report(&self) -> impl Future<Output = Result<Report, TransportError>> + Send;

    /// Waits for the next announcement.
    fn next_announcement(
        &self,
    ) -> impl Future<Output = Result<Announcement, TransportError>> + Send;

    /// Lays a blob where workers find it, unless it is there.
    fn put_blob(
        &self,
        name: &BuildHash,
        blob: impl FnOnce() -> std::io::Result<Vec<u8>> + Send,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Takes back what no worker has taken.
    fn recall_batches(&self) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Closes the tournament, and clears its room.
    fn close_tournament(&self) -> impl Future<Output = Result<(), TransportError>> + Send;
}

/// A worker's side: take, renew, deliver, blob, announce.
pub trait WorkerTransport: Send + Sync + 'static {
    /// A worker's right to a batch for a while.
    type Lease: Clone + Send + Sync + 'static;

    /// Returns what is played now. Where that is only said in a form of another version the
    /// error is that of the envelope.
    fn list_stages(&self) -> impl Future<Output = Result<Vec<Stage>, TransportError>> + Send;

    /// Takes a batch of one of `classes`, or waits for one for at most `patience`.
    fn take_batch(
        &self,
        stage: &Stage,
        classes: &[ClassId],
        patience: Duration,
    ) -> impl Future<Output = Result<Option<ReceivedBatch<Self::Lease>>, TransportError>> + Send;

    /// Prolongs a lease. Whether that arrived is not known.
    fn renew_lease(
        &self,
        lease: &Self::Lease,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Ends a lease. Whether that arrived is not known.
    fn end_lease(
        &self,
        lease: &Self::Lease,
        action: LeaseAction,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Sends a report; the transport has it afterwards.
    fn deliver_report(
        &self,
        stage: &Stage,
        report: &Report,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Fetches a blob; `None` when it is not there.
    fn get_blob(
        &self,
        name: &BuildHash,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, TransportError>> + Send;

    /// Publishes this worker's announcement.
    fn announce(
        &self,
        announcement: &Announcement,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;
}

/// A batch that was taken.
#[derive(Clone, Debug)]
pub struct ReceivedBatch<L> {
    /// The batch.
    pub batch: Batch,
    /// The right to it.
    pub lease: L,
}

//! Transports of batches and reports.
//!
//! A transport has a side for coordinators and a side for workers. It may lose, repeat, delay and
//! reorder messages, and be wiped at any time. Both sides only assume that this is rare.

pub mod nats;

use std::time::Duration;

use crate::envelope::EnvelopeError;
use crate::message::{Announcement, Batch, ClassId, Report, Stage};
use joust_model::{BoutId, BuildHash};

/// A reason why a call of a transport failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No answer came; a later call may succeed.
    #[error("{0}")]
    Unavailable(String),
    /// The request was refused for good.
    #[error("{0}")]
    Refused(String),
    /// A received or outgoing message is not valid.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

/// Outcome of publishing a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// The batch waits for a worker.
    Queued,
    /// Too many batches wait already; try again later.
    Full,
}

/// State of the transport, as found by a coordinator's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportState {
    /// Nothing was lost.
    Intact,
    /// The queued messages were lost; the streams exist again.
    Wiped,
    /// The builds were lost.
    BuildsLost,
}

/// Reason for the end of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAction {
    /// The batch is done.
    Done,
    /// Other workers may take it at once.
    GivenBack,
}

/// The coordinator's side of a transport.
pub trait CoordinatorTransport: Send + Sync + 'static {
    /// Makes the streams of a tournament and removes the batches of earlier coordinators. Reports
    /// are kept.
    fn open_stage(&self, stage: &Stage) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Publishes the stage, and ensures that its classes have streams.
    fn refresh_stage(
        &self,
        stage: &Stage,
    ) -> impl Future<Output = Result<TransportState, TransportError>> + Send;

    /// Publishes a batch, which the first worker of its class takes that asks.
    fn publish_batch(
        &self,
        batch: &Batch,
    ) -> impl Future<Output = Result<PublishOutcome, TransportError>> + Send;

    /// Records that a result is stored or not needed. A report whose results are all settled need
    /// not be delivered again to any coordinator.
    fn mark_settled(&self, _bout: BoutId) {}

    /// Waits for the next report. A report may be returned again until all its results are
    /// [settled](Self::mark_settled).
    fn next_report(&self) -> impl Future<Output = Result<Report, TransportError>> + Send;

    /// Waits for the next announcement.
    fn next_announcement(
        &self,
    ) -> impl Future<Output = Result<Announcement, TransportError>> + Send;

    /// Stores a blob for workers, unless it is stored already.
    fn put_blob(
        &self,
        name: &BuildHash,
        blob: impl FnOnce() -> std::io::Result<Vec<u8>> + Send,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Removes batches that no worker has taken.
    fn recall_batches(&self) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Closes the tournament, and removes its streams.
    fn close_tournament(&self) -> impl Future<Output = Result<(), TransportError>> + Send;
}

/// A worker's side of a transport.
pub trait WorkerTransport: Send + Sync + 'static {
    /// A worker's temporary right to a batch.
    type Lease: Clone + Send + Sync + 'static;

    /// Returns the stages that are being played. If all of them have a message format of another
    /// version, returns the error of the envelope.
    fn list_stages(&self) -> impl Future<Output = Result<Vec<Stage>, TransportError>> + Send;

    /// Takes a batch of one of `classes`, or waits for one for at most `patience`.
    fn take_batch(
        &self,
        stage: &Stage,
        classes: &[ClassId],
        patience: Duration,
    ) -> impl Future<Output = Result<Option<ReceivedBatch<Self::Lease>>, TransportError>> + Send;

    /// Renews a lease, without confirmation from the server.
    fn renew_lease(
        &self,
        lease: &Self::Lease,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Ends a lease, without confirmation from the server.
    fn end_lease(
        &self,
        lease: &Self::Lease,
        action: LeaseAction,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Sends a report; returns when the transport has stored it.
    fn deliver_report(
        &self,
        stage: &Stage,
        report: &Report,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;

    /// Fetches a blob; `None` when it is not stored.
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
    /// The lease of the batch.
    pub lease: L,
}

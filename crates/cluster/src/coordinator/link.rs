//! Link of a coordinator to its transport: opens it, checks it, publishes batches, and
//! requests messages in a loop.

use std::sync::Arc;
use std::time::Duration;

use joust_play::executor::ExecutorLost;
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{LONELY, ResultValidator, TICK};
use crate::ledger::Ledger;
use crate::message::{Announcement, Batch, Stage};
use crate::notice::CoordinatorNotice;
use crate::transport::{CoordinatorTransport, PublishOutcome, TransportError, TransportState};

/// Interval at which the transport is checked and the stage is published again.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// State of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkState {
    /// The stage has no streams yet.
    Unopened,
    /// Batches can be published.
    Open,
    /// The transport has not answered since this time.
    Unreachable(Duration),
}

/// Link to the transport.
pub(super) struct Link<T, I> {
    pub(super) transport: Arc<T>,
    validator: Arc<I>,
    pub(super) stage: Stage,
    pub(super) state: LinkState,
    /// True once the stage has streams; it stays true while the transport is unreachable.
    has_streams: bool,
    /// True when the transport lost some of the builds.
    lacks_builds: bool,
    /// True when the transport refuses batches, and a notice was sent.
    is_refused: bool,
    /// Time of the last check.
    checked: Option<Duration>,
}

impl<T: CoordinatorTransport, I: ResultValidator> Link<T, I> {
    pub(super) fn new(transport: Arc<T>, validator: Arc<I>, stage: Stage) -> Self {
        Self {
            transport,
            validator,
            stage,
            state: LinkState::Unopened,
            has_streams: false,
            lacks_builds: false,
            is_refused: false,
            checked: None,
        }
    }

    /// Returns whether an announcement is of a worker that plays this stage.
    pub(super) fn is_of_stage(&self, announcement: &Announcement) -> bool {
        announcement.epoch == self.stage.epoch
            && announcement.tournament.as_ref() == Some(&self.stage.tournament)
    }

    /// Returns whether it is time to check the transport.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.checked.is_none_or(|checked| now >= checked + CHECK_INTERVAL)
    }

    /// Checks the transport and publishes the stage again. Opens the stage's streams first if there
    /// are none.
    ///
    /// # Errors
    ///
    /// [`ExecutorLost`] when the transport refuses the stage for good.
    pub(super) async fn refresh(
        &mut self,
        ledger: &mut Ledger,
        now: Duration,
    ) -> Result<(), ExecutorLost> {
        self.checked = Some(now);
        self.stage.classes = ledger.classes(now);
        self.stage.is_watched = self.validator.is_watched();
        match self.open_and_refresh().await {
            Ok(found) => {
                self.note_answer(now);
                if found == TransportState::Wiped {
                    self.validator.notify(CoordinatorNotice::ServerWiped);
                    ledger.requeue_after_wipe(now);
                }
                self.lacks_builds |= found != TransportState::Intact;
                self.restore_builds().await;
                Ok(())
            }
            Err(TransportError::Refused(why)) => Err(ExecutorLost(why)),
            Err(error) => {
                self.note_silence(&error, now);
                Ok(())
            }
        }
    }

    fn note_answer(&mut self, now: Duration) {
        if let LinkState::Unreachable(since) = self.state
            && now > since + LONELY
        {
            self.validator.notify(CoordinatorNotice::ServerAvailable);
        }
        self.state = LinkState::Open;
    }

    fn note_silence(&mut self, error: &TransportError, now: Duration) {
        if !matches!(self.state, LinkState::Unreachable(_)) {
            self.validator.notify(CoordinatorNotice::ServerUnavailable(error.to_string()));
            self.state = LinkState::Unreachable(now);
        }
    }

    async fn open_and_refresh(&mut self) -> Result<TransportState, TransportError> {
        if !self.has_streams {
            self.put_builds().await?;
            self.transport.open_stage(&self.stage).await?;
            self.has_streams = true;
        }
        self.transport.refresh_stage(&self.stage).await
    }

    /// Stores the builds of the stage in the transport, for workers.
    async fn put_builds(&self) -> Result<(), TransportError> {
        for needed in self.stage.work.needed() {
            let packed = || self.validator.pack_build(&needed.build);
            self.transport.put_blob(&needed.build, packed).await?;
        }
        Ok(())
    }

    /// Stores again the builds that the transport lost.
    async fn restore_builds(&mut self) {
        if !self.lacks_builds {
            return;
        }
        match self.put_builds().await {
            Ok(()) => self.lacks_builds = false,
            Err(error) => tracing::warn!(%error, "the builds are not restored yet"),
        }
    }

    /// Publishes a batch; returns false when it has to be tried again later.
    pub(super) async fn publish(
        &mut self,
        batch: &Batch,
        ledger: &mut Ledger,
        now: Duration,
    ) -> bool {
        let is_known = self.stage.classes.iter().any(|class| class.id == batch.class);
        if !is_known && self.refresh(ledger, now).await.is_err() {
            return false;
        }
        match self.transport.publish_batch(batch).await {
            Ok(PublishOutcome::Queued) => {
                self.is_refused = false;
                true
            }
            Ok(PublishOutcome::Full) => false,
            Err(error) => {
                tracing::warn!(%error, number = batch.number, "a batch is not handed out");
                if matches!(error, TransportError::Refused(_))
                    && !std::mem::replace(&mut self.is_refused, true)
                {
                    self.validator.notify(CoordinatorNotice::ServerRefuses(error.to_string()));
                }
                false
            }
        }
    }
}

/// Messages that a background task receives; dropping this ends the task.
pub(super) struct Poller<M> {
    pub(super) messages: Receiver<M>,
    _task: JoinSet<()>,
}

/// Calls `next` in a loop, with pauses while it fails; at most `ahead` messages are queued.
pub(super) fn poll<M, F>(ahead: usize, next: impl Fn() -> F + Send + 'static) -> Poller<M>
where
    M: Send + 'static,
    F: Future<Output = Result<M, TransportError>> + Send,
{
    let (sender, messages) = mpsc::channel(ahead);
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            match next().await {
                Ok(message) => {
                    if sender.send(message).await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "no message comes");
                    sleep(TICK).await;
                }
            }
        }
    });
    Poller { messages, _task: task }
}

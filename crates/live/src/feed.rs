//! Feed of news: state that the server, the watcher, the renderer and a run share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use joust_model::BoutId;
use joust_model::clock;
use joust_store::Store;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::cache::PageCache;
use crate::run_state::{RunPhase, RunState};
use crate::settings::{RunSource, Settings};

/// The shortest time between two positions of a bout, and between two states that are held back.
const BETWEEN: Duration = Duration::from_millis(900);

/// Most states of a run that are held back.
const HELD_BACK: u32 = 500;

/// Stage of serving; each is after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Pages are made of the database.
    Serving,
    /// The database is closed; pages stay as they are.
    Closing,
    /// Nothing is served any more.
    Stopped,
}

/// State that all parts share.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) pages: PageCache,
    /// Distinguishes this process's stamps from those of an earlier process.
    pub(crate) epoch: u64,
    /// Newest message of the stream of events.
    pub(crate) message: watch::Sender<Arc<str>>,
    /// Newest message of the stream of boards, for each theme.
    pub(crate) boards: [watch::Sender<Arc<str>>; 2],
    stage: watch::Sender<Stage>,
    pub(crate) run: Mutex<RunState>,
    pub(crate) store: Mutex<Option<Store>>,
    /// Moment from which the first result that is held back may be shown, milliseconds since 1970.
    due_at: AtomicI64,
    pub(crate) between: Duration,
}

impl Feed {
    pub(crate) fn new(settings: &Settings, source: RunSource) -> Self {
        let phase = match source {
            RunSource::ThisProcess => RunPhase::Beginning,
            RunSource::Database => RunPhase::Unknown,
        };
        Self {
            pages: PageCache::new(settings.caps.cached),
            epoch: clock::now().unsigned_abs(),
            message: watch::Sender::new(Arc::from("{}")),
            boards: [(); 2].map(|()| watch::Sender::new(Arc::from("[]"))),
            stage: watch::Sender::new(Stage::Serving),
            run: Mutex::new(RunState::new(phase)),
            store: Mutex::default(),
            due_at: AtomicI64::new(i64::MAX),
            between: BETWEEN.max(settings.delay / HELD_BACK),
        }
    }

    /// Returns the number of followers of the stream of events.
    pub(crate) fn followers(&self) -> usize {
        self.message.receiver_count()
    }

    /// Returns whether the stream of boards has followers.
    pub(crate) fn are_boards_watched(&self) -> bool {
        self.boards.iter().any(|boards| boards.receiver_count() > 0)
    }

    /// Sets the moment when the first result that is held back may be shown.
    pub(crate) fn set_due(&self, due_at: Option<i64>) {
        self.due_at.store(due_at.unwrap_or(i64::MAX), Ordering::Release);
    }

    /// Returns whether a result that was held back may be shown by now.
    pub(crate) fn is_due(&self) -> bool {
        self.due_at.load(Ordering::Acquire) <= clock::now()
    }

    /// Enters a later stage.
    pub(crate) fn enter(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let is_later = stage > *now;
            *now = stage.max(*now);
            is_later
        });
    }

    /// Returns whether a stage was reached.
    pub(crate) fn has_reached(&self, stage: Stage) -> bool {
        *self.stage.borrow() >= stage
    }

    /// Waits until a stage is reached.
    pub(crate) async fn reached(&self, stage: Stage) {
        // The sender lives as long as this.
        drop(self.stage.subscribe().wait_for(|now| *now >= stage).await);
    }

    /// Returns whether the newest position of a bout is wanted now.
    pub(crate) fn wants_position(&self, bout: BoutId) -> bool {
        // A thread that plays never waits for another.
        self.run.try_lock().is_some_and(|mut run| run.wants_position(bout, self.between))
    }
}

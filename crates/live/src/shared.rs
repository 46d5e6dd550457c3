//! Shared state of the server, the maker and the listener.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use joust_model::clock::{Clock, SystemClock};
use tokio::sync::watch;

use crate::cache::Cache;
use crate::model::{Event, is_of_all};
use crate::run_state::RunEvent;
use crate::sampling::{self, Sampling};

/// The most events that wait for the maker, or for the delay; more are lost to spectators.
const MOST_HEARD: usize = 500_000;

/// Event of a run, with its moment.
#[derive(Debug)]
pub(crate) struct Occurrence {
    pub(crate) at: Instant,
    pub(crate) event: RunEvent,
}

/// State that the threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    cache: Mutex<Cache>,
    /// The events whose pages there are, as the maker knew them last.
    events: Mutex<Arc<[Event]>>,
    heard: Mutex<VecDeque<Occurrence>>,
    /// Tells this process's stamps from those of one before it.
    pub(crate) epoch: u64,
    /// Stamp of pages that are made now, raised when the database has changed.
    pages: AtomicU64,
    /// Choice of the positions that are taken.
    pub(crate) sampling: Sampling,
    /// Newest message of the stream of events.
    pub(crate) message: watch::Sender<Arc<str>>,
    /// Newest message of the stream of boards, for each theme.
    pub(crate) boards: [watch::Sender<Arc<str>>; 2],
}

impl Shared {
    pub(crate) fn new(cached: usize, delay: Duration) -> Self {
        Self {
            cache: Mutex::new(Cache::new(cached)),
            events: Mutex::new(Arc::new([])),
            heard: Mutex::default(),
            epoch: SystemClock.now().unsigned_abs(),
            pages: AtomicU64::new(0),
            sampling: Sampling::new(delay),
            message: watch::Sender::new(Arc::from("{}")),
            boards: [(); 2].map(|()| watch::Sender::new(Arc::from("[]"))),
        }
    }

    /// Returns how many follow the stream of events.
    pub(crate) fn followers(&self) -> usize {
        self.message.receiver_count()
    }

    /// Returns whether somebody watches boards.
    pub(crate) fn are_boards_watched(&self) -> bool {
        self.boards.iter().any(|boards| boards.receiver_count() > 0)
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there was a page at a path when the database was last read.
    pub(crate) fn has(&self, path: &str) -> bool {
        let events = Arc::clone(&self.events.lock().unwrap_or_else(PoisonError::into_inner));
        is_of_all(path) || events.iter().any(|event| event.has(path))
    }

    /// Notes the events whose pages there are.
    pub(crate) fn set_events(&self, events: Arc<[Event]>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = events;
    }

    /// Notes what happened.
    pub(crate) fn hear(&self, event: RunEvent) {
        let heard = Occurrence { at: Instant::now(), event };
        let mut all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let most = match heard.event {
            RunEvent::Position { .. } => sampling::MOST_WAITING,
            _ => MOST_HEARD,
        };
        if all.len() < most {
            all.push_back(heard);
        }
    }

    /// Takes what happened until `moment`.
    pub(crate) fn take_heard(&self, moment: Instant) -> Vec<Occurrence> {
        let mut all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let due = all.iter().take_while(|heard| heard.at <= moment).count();
        all.drain(..due).collect()
    }

    /// Returns the stamp that the newest form of a page has.
    pub(crate) fn stamp(&self) -> u64 {
        self.pages.load(Ordering::Acquire)
    }

    /// Marks all pages made from the database as out of date.
    pub(crate) fn renew_pages(&self) {
        self.pages.fetch_add(1, Ordering::AcqRel);
    }
}

/// Waits until it is time to end.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // Who has gone without a word has stopped, too.
    drop(stop.wait_for(|stop| *stop).await);
}

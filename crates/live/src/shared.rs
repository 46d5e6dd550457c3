//! Shared state of the server, the maker and the listener.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use joust_model::clock::{Clock, SystemClock};
use joust_report::site::{Board, Now};
use tokio::sync::watch;

use crate::cache::Cache;
use crate::happening::Happening;
use crate::model::{Event, is_of_all};
use crate::sampling::{self, Sampling};

/// The most happenings that wait for the maker, or for the delay; more are lost to spectators.
const MOST_HEARD: usize = 500_000;

/// What happened, and when.
#[derive(Debug)]
pub(crate) struct Occurrence {
    pub(crate) at: Instant,
    pub(crate) happening: Happening,
}

/// What the threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    cache: Mutex<Cache>,
    /// The events whose pages there are, as the maker knew them last.
    events: Mutex<Arc<[Event]>>,
    heard: Mutex<VecDeque<Occurrence>>,
    /// Tells this process's stamps from those of one before it.
    pub(crate) epoch: u64,
    pages: AtomicU64,
    now: AtomicU64,
    boards: AtomicU64,
    /// Says which positions are taken.
    pub(crate) sampling: Sampling,
    /// How many follow the stream.
    pub(crate) followers: AtomicUsize,
    /// What the stream says; it has the newest alone.
    pub(crate) message: watch::Sender<Arc<str>>,
}

impl Shared {
    pub(crate) fn new(cached: usize, delay: Duration) -> Self {
        Self {
            cache: Mutex::new(Cache::new(cached)),
            events: Mutex::new(Arc::new([])),
            heard: Mutex::default(),
            epoch: SystemClock.now().unsigned_abs(),
            pages: AtomicU64::new(0),
            now: AtomicU64::new(0),
            boards: AtomicU64::new(0),
            sampling: Sampling::new(delay),
            followers: AtomicUsize::new(0),
            message: watch::Sender::new(Arc::from("{}")),
        }
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether there was a page at a path when the database was last read.
    pub(crate) fn has(&self, path: &str) -> bool {
        let events = Arc::clone(&self.events.lock().unwrap_or_else(PoisonError::into_inner));
        is_of_all(path) || events.iter().any(|event| event.has(path))
    }

    /// Notes the events whose pages there are.
    pub(crate) fn set_events(&self, events: Arc<[Event]>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = events;
    }

    /// Notes what happened.
    pub(crate) fn hear(&self, happening: Happening) {
        let heard = Occurrence { at: Instant::now(), happening };
        let mut all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let most = match heard.happening {
            Happening::Position { .. } => sampling::MOST_WAITING,
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
    pub(crate) fn stamp(&self, path: &str) -> u64 {
        match path {
            Now::PAGE => self.now.load(Ordering::Acquire),
            Board::PAGE | Board::DARK_PAGE => self.boards.load(Ordering::Acquire),
            _ => self.pages.load(Ordering::Acquire),
        }
    }

    /// Says that all pages made from the database are out of date.
    pub(crate) fn renew_pages(&self) {
        self.pages.fetch_add(1, Ordering::AcqRel);
    }

    /// Says of which state the boards are.
    pub(crate) fn renew_boards(&self, stamp: u64) {
        self.boards.store(stamp, Ordering::Release);
    }

    /// Says that the page of what is being played is out of date.
    pub(crate) fn renew_now(&self) {
        self.now.fetch_add(1, Ordering::AcqRel);
    }
}

/// Waits until it is time to end.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // Who has gone without a word has stopped, too.
    drop(stop.wait_for(|stop| *stop).await);
}

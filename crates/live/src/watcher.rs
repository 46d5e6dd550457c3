//! Watcher of the database and of the run: once a second it checks for changes and informs the
//! followers.

use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use joust_model::PublicPart;
use joust_report::site::TournamentInput;
use joust_store::{Access, Changes, Store, StoreError};
use serde::Serialize;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

use crate::feed::{Feed, Stage};
use crate::renderer::Renderer;
use crate::run_state::{RunPhase, Snapshot};
use crate::settings::Settings;
use crate::site_input::SiteReader;

/// Interval at which the database is asked for news.
const LOOK: Duration = Duration::from_secs(1);

/// The shortest time over which pages spread their requests for changes.
const LEAST_SPREAD_MS: usize = 500;

/// Milliseconds that each follower adds to it: two hundred ask in a second.
const SPREAD_MS: usize = 5;

/// Message of the stream of events. Its fields are read by `assets/live.js`.
#[derive(Debug, Serialize)]
struct StreamMessage {
    /// State of the database that the newest pages show.
    pages: String,
    /// Milliseconds over which pages spread their questions.
    spread: usize,
    /// State of the run, in a few words.
    said: String,
    /// True once nothing more will be played.
    over: bool,
    /// True while bouts are being played that can be watched.
    boards: bool,
}

/// Watcher of the database and of the run.
#[derive(Debug)]
pub(crate) struct DatabaseWatcher {
    settings: Arc<Settings>,
    feed: Arc<Feed>,
    renderer: Arc<tokio::sync::Mutex<Renderer>>,
    open: Option<OpenDatabase>,
    /// Titles of the events; `None` until they could be read.
    tournament: Option<Arc<TournamentInput>>,
    /// States of the run that are not to be shown yet.
    held_back: VecDeque<(Instant, Snapshot)>,
    /// State of the run that is shown, and its moment.
    shown: (Instant, Snapshot),
}

/// A database and its file, which another may replace.
#[derive(Debug)]
struct OpenDatabase {
    /// Device and number of the file.
    file: (u64, u64),
    store: Store,
    changes: Changes,
}

impl DatabaseWatcher {
    pub(crate) fn new(
        settings: Arc<Settings>,
        feed: Arc<Feed>,
        renderer: Arc<tokio::sync::Mutex<Renderer>>,
    ) -> Self {
        let shown = (Instant::now(), feed.run.lock().snapshot.clone());
        let (open, tournament, held_back) = Default::default();
        Self { settings, feed, renderer, open, tournament, held_back, shown }
    }

    /// Repeats [`Self::check`] until it is to stop; `closing` are runs that wait until the database
    /// is no longer read.
    pub(crate) async fn run(mut self, mut closing: UnboundedReceiver<Sender<()>>) {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let feed = Arc::clone(&self.feed);
        loop {
            tokio::select! {
                biased;
                () = feed.reached(Stage::Stopped) => break,
                Some(waiting) = closing.recv() => {
                    self.close().await;
                    // A run that no longer waits has dropped its receiver.
                    _ = waiting.send(());
                }
                _ = looks.tick() => self.check().await,
            }
        }
        // The page that is being made has the database and the runtime to its end.
        let renderer = Arc::clone(&self.renderer);
        let _last = renderer.lock().await;
        self.close_database().await;
    }

    /// Processes all changes. A panic in it loses them only until the next check.
    pub(crate) async fn check(&mut self) {
        if AssertUnwindSafe(self.publish_changes()).catch_unwind().await.is_err() {
            tracing::error!("live pages may be out of date");
        }
    }

    async fn publish_changes(&mut self) {
        self.advance();
        let is_due = self.feed.is_due();
        if self.has_changed().await || is_due {
            self.feed.pages.renew();
            self.tournament = None;
        }
        let message = self.message().await;
        self.feed.message.send_if_modified(|before| {
            let is_new = *before != message;
            *before = message;
            is_new
        });
        self.draw_boards();
    }

    /// Advances to the newest state of the run that may be shown.
    fn advance(&mut self) {
        let (now, delay) = (Instant::now(), self.settings.delay);
        let is_next = |(last, _): &(Instant, Snapshot)| now >= *last + self.feed.between;
        if self.held_back.back().is_none_or(is_next) {
            self.held_back.push_back((now, self.feed.run.lock().snapshot.clone()));
        }
        while let Some(due) = self.held_back.pop_front_if(|(at, _)| *at + delay <= now) {
            self.shown = due;
        }
    }

    /// Returns the message of the stream of events.
    async fn message(&mut self) -> Arc<str> {
        if let (None, Some(open)) = (&self.tournament, &self.open) {
            self.tournament = tournament(&open.store, &self.settings).await.ok().map(Arc::new);
        }
        let titled = |event: &str| match &self.tournament {
            Some(tournament) => tournament.title_of(event),
            None => TournamentInput::default().title_of(event),
        };
        let (at, Snapshot { phase, .. }) = &self.shown;
        let message = StreamMessage {
            pages: format!("{}-{}", self.feed.epoch, self.feed.pages.stamp()),
            spread: LEAST_SPREAD_MS.max(self.feed.followers() * SPREAD_MS),
            said: self.shown.1.line(*at, titled),
            over: *phase == RunPhase::Over,
            boards: *phase == RunPhase::Playing
                && self.settings.site.publication.shows(PublicPart::Replays),
        };
        serde_json::to_string(&message).expect("plain data is JSON").into()
    }

    /// Starts drawing the boards of bouts in progress, unless pages are being made.
    fn draw_boards(&self) {
        let boards = &self.shown.1.boards;
        if (self.feed.are_boards_watched() || !boards.is_empty())
            && let Ok(mut renderer) = Arc::clone(&self.renderer).try_lock_owned()
            && renderer.is_rested()
        {
            let (tournament, boards) =
                (self.tournament.clone().unwrap_or_default(), boards.clone());
            tokio::task::spawn_blocking(move || renderer.draw_boards(&tournament, &boards));
        }
    }

    /// Informs the followers that the run is over, makes the last pages and closes the database.
    async fn close(&mut self) {
        self.feed.enter(Stage::Closing);
        let renderer = Arc::clone(&self.renderer);
        let mut renderer = renderer.lock().await;
        self.check().await;
        if self.feed.followers() > 0 {
            renderer.render_last_pages().await;
        }
        self.close_database().await;
    }

    /// Returns whether anything was committed since this was last asked.
    async fn has_changed(&mut self) -> bool {
        let found = self.check_database().await;
        if let Err(error) = &found {
            // It may be being created; the next check will show.
            tracing::debug!(%error, "the database cannot be read");
            self.close_database().await;
        }
        found.unwrap_or(false)
    }

    async fn check_database(&mut self) -> Result<bool, StoreError> {
        let path = &self.settings.database;
        let found = std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let file = found.filter(|_| self.open.is_some() || !self.feed.has_reached(Stage::Closing));
        let is_it = |open: &OpenDatabase| Some(open.file) == file && !open.store.is_outdated();
        if !self.open.as_ref().is_some_and(is_it) {
            self.close_database().await;
        }
        let Some(file) = file else { return Ok(false) };
        if self.open.is_none() {
            let store = Store::open(&self.settings.database, Access::ReadOnly).await?;
            let changes = store.changes().await?;
            *self.feed.store.lock() = Some(store.clone());
            self.open = Some(OpenDatabase { file, store, changes });
        }
        match &mut self.open {
            Some(open) => open.changes.has_news().await,
            None => Ok(false),
        }
    }

    async fn close_database(&mut self) {
        *self.feed.store.lock() = None;
        if let Some(OpenDatabase { store, changes, .. }) = self.open.take() {
            drop(changes);
            store.close().await;
        }
    }
}

/// Reads the names of the tournament and its events.
async fn tournament(store: &Store, settings: &Settings) -> Result<TournamentInput, StoreError> {
    let reader = SiteReader { store, options: &settings.site };
    let events = reader.events().await?;
    reader.tournament(&settings.name, &events).await
}

//! Renderer of pages: one at a time, from the newest state of the database.

use std::sync::Arc;
use std::time::Duration;

use joust_model::{BoutId, Round};
use joust_report::paint::Theme;
use joust_report::site::{Board, TournamentInput, draw_boards};
use tokio::time::{Instant, sleep_until};

use crate::cache::File;
use crate::feed::{Feed, Stage};
use crate::model::{Files, Model, RenderError};
use crate::settings::Settings;

/// The longest rest after a page.
const LONGEST_REST: Duration = Duration::from_secs(10);

/// Rest after a panic in rendering, which may repeat at once.
const REST_AFTER_PANIC: Duration = Duration::from_secs(1);

/// Longest time for making pages in their last form before the database is closed.
const LAST_PAGES: Duration = Duration::from_secs(2);

/// Answer to a request for a page.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The page.
    Found(Arc<File>),
    /// An older form of the page: the newest could not be made in time.
    Older(Arc<File>),
    /// There is no page at that path.
    Missing,
    /// It cannot be made now; perhaps later.
    Unavailable,
}

/// Renderer of pages.
#[derive(Debug)]
pub(crate) struct Renderer {
    settings: Arc<Settings>,
    feed: Arc<Feed>,
    model: Model,
    /// State of the database from which the model was read.
    stamp: Option<u64>,
    /// Moment from which the next page may be made.
    rested_at: Instant,
    /// Positions that were drawn last: bouts, rounds, and whether they are over.
    drawn: Vec<(BoutId, Round, bool)>,
}

impl Renderer {
    pub(crate) fn new(settings: Arc<Settings>, feed: Arc<Feed>) -> Self {
        let (model, rested_at) = (Model::empty(&settings), Instant::now());
        Self { settings, feed, model, stamp: None, rested_at, drawn: Vec::new() }
    }

    /// Returns whether the next page may be made.
    pub(crate) fn is_rested(&self) -> bool {
        self.rested_at <= Instant::now()
    }

    /// Makes a page once the rest after the page before is over.
    pub(crate) async fn render(&mut self, path: &str) -> Answer {
        tokio::select! {
            () = sleep_until(self.rested_at) => {}
            () = self.feed.reached(Stage::Closing) => {}
        }
        let began = Instant::now();
        self.rested_at = began + REST_AFTER_PANIC;
        let answer = self.make(path).await;
        self.rest(began);
        answer.unwrap_or_else(|error| {
            tracing::warn!(%error, path, "a live page cannot be made");
            Answer::Unavailable
        })
    }

    /// Makes the main pages, then those that were requested before, until the time is over.
    pub(crate) async fn render_last_pages(&mut self) {
        let until = Instant::now() + LAST_PAGES;
        self.render("index.html").await;
        let wanted = self.model.leaderboards().into_iter().chain(self.feed.pages.paths());
        for path in wanted.collect::<Vec<_>>() {
            if Instant::now() < until {
                self.render(&path).await;
            }
        }
    }

    async fn make(&mut self, path: &str) -> Result<Answer, RenderError> {
        let (stamp, store) = (self.feed.pages.stamp(), self.feed.store.lock().clone());
        if let Some(store) = store.as_ref().filter(|_| self.stamp != Some(stamp)) {
            self.model = Model::read(store, &self.settings).await?;
            self.stamp = Some(stamp);
            self.feed.set_due(self.model.due_at);
            self.feed.pages.keep_events(stamp, self.model.events());
        }
        if self.feed.pages.is_missing(path) {
            return Ok(Answer::Missing);
        }
        let mut answer = Answer::Missing;
        let files = Files::default();
        self.model.make(store.as_ref(), path, &files).await?;
        for (at, bytes) in files.into_inner() {
            let file = Arc::new(File::new(&at, bytes));
            if at == path {
                answer = Answer::Found(Arc::clone(&file));
            }
            self.feed.pages.keep(&at, stamp, file);
        }
        Ok(answer)
    }

    /// Draws the boards of bouts in progress, for their spectators.
    pub(crate) fn draw_boards(&mut self, tournament: &TournamentInput, boards: &[Board]) {
        let now: Vec<_> = boards.iter().map(|one| (one.bout, one.round, one.is_over)).collect();
        if self.drawn == now {
            return;
        }
        let began = Instant::now();
        for (theme, channel) in [Theme::Light, Theme::Dark].into_iter().zip(&self.feed.boards) {
            let is_watched = channel.receiver_count() > 0;
            let drawn = draw_boards(tournament, if is_watched { boards } else { &[] }, theme);
            let message = serde_json::to_string(&drawn).expect("plain data is JSON");
            channel.send_replace(message.into());
        }
        self.drawn = now;
        self.rest(began);
    }

    /// Sets a rest long enough that all pages take no more of a core than their share.
    fn rest(&mut self, began: Instant) {
        let share = self.settings.share.clamp(1, 100);
        let rest = began.elapsed() * (100 - share) / share;
        self.rested_at = Instant::now() + rest.min(LONGEST_REST);
    }
}

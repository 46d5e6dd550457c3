//! Maker of pages: the only reader of the database, one page at a time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use joust_model::Public;
use joust_report::paint::Theme;
use joust_report::site::{Site, TournamentInput};
use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval_at, sleep_until};

use crate::cache::{Answer, File};
use crate::model::{Files, Made, MakeError, Model};
use crate::run_state::{RunPhase, RunState};
use crate::settings::Settings;
use crate::shared::{Shared, stopped};
use crate::source::Source;

/// Path that stands for the list of all pages: a request for a page that is
/// not known waits for the newest list, and all who do so wait for the same.
pub(crate) const CONTENTS: &str = "";

/// Interval at which the database is asked for news.
const LOOK: Duration = Duration::from_secs(1);

/// The longest rest after a page.
const LONGEST_REST: Duration = Duration::from_secs(10);

/// Longest time for making pages in their last form before the database is closed.
const LAST_PAGES: Duration = Duration::from_secs(2);

/// The shortest time over which pages spread their questions for what has changed.
const LEAST_SPREAD_MS: usize = 500;

/// Milliseconds that each follower adds to it: two hundred ask in a second.
const SPREAD_MS: usize = 5;

/// Message of the stream of events. Its fields are read by `assets/live.js`.
#[derive(Debug, Serialize)]
struct Message {
    /// Stamp of the pages.
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

/// Orders for the maker.
#[derive(Debug)]
pub(crate) struct Orders {
    /// Paths of pages that somebody waits for.
    pub(crate) pages: mpsc::Receiver<String>,
    /// Runs that wait until the database is closed.
    pub(crate) close: mpsc::UnboundedReceiver<Sender<()>>,
    /// True once it is time to end.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Makes pages.
#[derive(Debug)]
pub(crate) struct Maker {
    settings: Arc<Settings>,
    shared: Arc<Shared>,
    source: Source,
    model: Option<Newest>,
    /// Frame of all pages, until there is a model.
    frame: Site,
    /// True once the titles of events are in it.
    is_framed: bool,
    run: RunState,
    /// State of the boards that were drawn last.
    drawn: u64,
    /// The page that is being made.
    making: Option<String>,
}

#[derive(Debug)]
struct Newest {
    stamp: u64,
    /// `None` when the database has no event yet.
    model: Option<Model>,
}

impl Maker {
    pub(crate) fn new(settings: Arc<Settings>, shared: Arc<Shared>, run: RunState) -> Self {
        let source = Source::new(settings.database.clone());
        let frame = empty_site(&settings);
        let (model, is_framed, drawn, making) = (None, false, 0, None);
        let maker = Self { settings, shared, source, model, frame, is_framed, run, drawn, making };
        maker.shared.message.send_replace(maker.message());
        maker
    }

    /// Makes pages until it is to stop. A mistake of ours costs the page that is being made.
    pub(crate) async fn run(mut self, mut orders: Orders) {
        while AssertUnwindSafe(self.work(&mut orders)).catch_unwind().await.is_err() {
            self.model = None;
            if let Some(path) = self.making.take() {
                self.shared.cache().answer(&path, &Answer::Unavailable);
            }
            // What is wrong once may be so at once again.
            tokio::time::sleep(LOOK).await;
        }
        self.source.close().await;
    }

    async fn work(&mut self, orders: &mut Orders) {
        // Before anybody is answered: who asks at once would hear that there is no page.
        self.look().await;
        let mut looks = interval_at(tokio::time::Instant::now() + LOOK, LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut rested = tokio::time::Instant::now();
        loop {
            let is_rested = rested <= tokio::time::Instant::now();
            tokio::select! {
                biased;
                () = stopped(&mut orders.stop) => break,
                Some(waiting) = orders.close.recv() => self.close(&waiting).await,
                _ = looks.tick() => {
                    self.look().await;
                    if is_rested {
                        let began = tokio::time::Instant::now();
                        self.draw_boards();
                        rested = tokio::time::Instant::now() + self.rest_after(began.elapsed());
                    }
                }
                () = sleep_until(rested), if !is_rested => {}
                Some(path) = orders.pages.recv(), if is_rested => {
                    let began = tokio::time::Instant::now();
                    self.answer(&path).await;
                    rested = tokio::time::Instant::now() + self.rest_after(began.elapsed());
                }
            }
        }
    }

    /// Makes the pages that were looked at in their last form, tells of them and closes the
    /// database.
    async fn close(&mut self, waiting: &Sender<()>) {
        self.look().await;
        if self.shared.followers() > 0 {
            self.make_last_pages().await;
        }
        self.source.close().await;
        // Who does not wait any more needs no answer.
        _ = waiting.send(());
    }

    /// Makes the pages that everybody comes to, then those that somebody came to, as long as
    /// there is time.
    async fn make_last_pages(&mut self) {
        let until = Instant::now() + LAST_PAGES;
        self.answer("index.html").await;
        let model = self.model.as_ref().and_then(|newest| newest.model.as_ref());
        let mut wanted = model.map(Model::leaderboards).unwrap_or_default();
        wanted.extend(self.shared.cache().paths());
        for path in wanted.iter().take_while(|_| Instant::now() < until) {
            self.answer(path).await;
        }
    }

    /// Takes in what is new, and sends it to the streams.
    async fn look(&mut self) {
        let until = Instant::now().checked_sub(self.settings.delay);
        for heard in until.map(|until| self.shared.take_heard(until)).unwrap_or_default() {
            self.run.apply(heard.event, heard.at + self.settings.delay);
        }
        let is_due = self.model.as_ref().and_then(|newest| newest.model.as_ref());
        let is_due = is_due.is_some_and(|model| model.is_due(&self.settings));
        let has_news = self.source.has_news().await || is_due;
        if has_news {
            self.shared.renew_pages();
        }
        if has_news || !self.is_framed {
            self.renew_frame().await;
        }
        let message = self.message();
        self.shared.message.send_if_modified(|before| {
            let is_new = *before != message;
            *before = message;
            is_new
        });
    }

    /// Returns the message of the stream of events.
    fn message(&self) -> Arc<str> {
        let title = |event: &str| self.site().title_of(event);
        let message = Message {
            pages: format!("{}-{}", self.shared.epoch, self.shared.stamp()),
            spread: LEAST_SPREAD_MS.max(self.shared.followers() * SPREAD_MS),
            said: self.run.line(Instant::now(), &title),
            over: self.run.phase == RunPhase::Over,
            boards: self.run.phase == RunPhase::Playing && self.shows_boards(),
        };
        serde_json::to_string(&message).expect("plain data is JSON").into()
    }

    fn shows_boards(&self) -> bool {
        self.settings.site.publication.shows(Public::Replays)
    }

    /// Draws the boards of bouts that are being played, for those who watch them.
    fn draw_boards(&mut self) {
        let screens = &self.run.screens;
        if self.drawn == screens.stamp {
            return;
        }
        for (theme, channel) in [Theme::Light, Theme::Dark].into_iter().zip(&self.shared.boards) {
            if channel.receiver_count() > 0 {
                let boards = self.site().draw_boards(screens.boards(), theme);
                let message = serde_json::to_string(&boards).expect("plain data is JSON");
                channel.send_replace(message.into());
            } else {
                channel.send_replace("[]".into());
            }
        }
        self.drawn = screens.stamp;
    }

    /// Answers who waits for a page.
    async fn answer(&mut self, path: &str) {
        let stamp = self.shared.stamp();
        self.making = Some(path.to_owned());
        let answer = match self.make(path).await {
            Ok(made) => self.keep(path, stamp, &made),
            Err(error) => {
                tracing::warn!(%error, path, "a live page cannot be made");
                Answer::Unavailable
            }
        };
        self.making = None;
        self.shared.cache().answer(path, &answer);
    }

    /// Keeps what was made, and picks what was asked for.
    fn keep(&self, path: &str, stamp: u64, made: &[Made]) -> Answer {
        let mut answer = Answer::Missing;
        for made in made {
            let file = Arc::new(File::new(&made.path, &made.bytes));
            self.shared.cache().keep(&made.path, stamp, Arc::clone(&file));
            if made.path == path {
                answer = Answer::Found(file);
            }
        }
        answer
    }

    async fn make(&mut self, path: &str) -> Result<Vec<Made>, MakeError> {
        if self.source.is_closed() && path != CONTENTS {
            return Err(MakeError::Closed);
        }
        self.renew().await?;
        if path == CONTENTS {
            return Ok(vec![Made { path: path.to_owned(), bytes: Vec::new() }]);
        }
        let model = self.model.as_ref().and_then(|newest| newest.model.as_ref());
        match (model, self.source.store()) {
            (Some(model), Some(store)) => model.make(store, path).await,
            (Some(_), None) => Err(MakeError::Away),
            (None, _) if path == "index.html" => {
                let files = Files::default();
                self.site().overview(Vec::new(), &files)?;
                Ok(files.into_inner())
            }
            (None, _) => Ok(Vec::new()),
        }
    }

    /// Returns what all pages have in common.
    fn site(&self) -> &Site {
        let model = self.model.as_ref().and_then(|newest| newest.model.as_ref());
        model.map_or(&self.frame, Model::site)
    }

    /// Reads the titles of events, which a model has as well: nobody waits for one to see them.
    async fn renew_frame(&mut self) {
        if self.model.as_ref().is_some_and(|newest| newest.model.is_some()) {
            return;
        }
        let Some(store) = self.source.store() else { return };
        match Model::frame(store, &self.settings).await {
            Ok(frame) => (self.frame, self.is_framed) = (frame, true),
            // The next look tells.
            Err(error) => tracing::debug!(%error, "the titles of events cannot be read"),
        }
    }

    /// Reads the database again, if it has changed.
    async fn renew(&mut self) -> Result<(), MakeError> {
        let stamp = self.shared.stamp();
        if self.model.as_ref().is_some_and(|newest| newest.stamp == stamp) {
            return Ok(());
        }
        if let Some(store) = self.source.store() {
            let model = Model::read(store, &self.settings).await?;
            self.shared.set_events(model.as_ref().map(Model::events).unwrap_or_default());
            self.model = Some(Newest { stamp, model });
        }
        Ok(())
    }

    /// Returns how long to rest after a page that took so much of a core, so that all of them
    /// take no more than their share.
    fn rest_after(&self, took: Duration) -> Duration {
        let share = self.settings.share.clamp(1, 100);
        (took * (100 - share) / share).min(LONGEST_REST)
    }
}

/// Returns the frame of a tournament of which nothing is known yet.
pub(crate) fn empty_site(settings: &Settings) -> Site {
    let tournament = TournamentInput {
        name: settings.name.clone(),
        words: settings.site.words.clone(),
        logo: settings.site.logo.clone(),
        ..TournamentInput::default()
    };
    Site::new(tournament, &[], settings.site.publication.clone()).live()
}

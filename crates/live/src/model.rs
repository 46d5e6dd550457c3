//! Model of the pages: the events of a database made ready, and the page at each path.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use joust_model::clock::{Clock, SystemClock};
use joust_model::{BoutId, BoutSummary, EventSettings};
use joust_report::site::{
    EventInput, EventSite, Notes, Page, ShownBout, Sink, Site, SiteError, replay_file,
};
use joust_store::{HistoryRow, Store, StoreError};

use crate::settings::Settings;
use crate::site_input;

/// Newest bouts of a bot whose turns its page describes: each is read whole.
const TOLD: usize = 100;

/// Most bouts of an event that pages list. Of more, each bot's newest are; the page of another is
/// made when somebody asks for it by its id.
const LISTED: usize = 50_000;

/// Files made of the whole tournament, at once.
const OVERVIEW: [&str; 3] = ["index.html", "verify.html", "badge.svg"];

/// Returns whether there is a page at a path whatever the events are.
pub(crate) fn is_of_all(path: &str) -> bool {
    OVERVIEW.contains(&path) || path == Site::PREVIEW
}

/// A tournament made ready for its pages.
#[derive(Debug)]
pub(crate) struct Model {
    site: Site,
    events: Arc<[Event]>,
    /// Moment from which the first result that is held back may be shown, milliseconds since 1970.
    pub(crate) due_at: Option<i64>,
    until: Option<i64>,
}

/// An event made ready, with the paths of its pages.
#[derive(Debug)]
pub(crate) struct Event {
    site: EventSite,
    pages: HashMap<String, Page>,
    /// The bouts that pages list.
    bouts: HashSet<BoutId>,
    /// Bouts that ended too late to be shown yet.
    held_back: Arc<HashSet<BoutId>>,
}

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    #[error("the database is closed")]
    Closed,
    #[error("the database cannot be read for the moment")]
    Away,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Site(#[from] SiteError),
}

/// A file of the site.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Takes files into memory.
#[derive(Debug, Default)]
pub(crate) struct Files(Mutex<Vec<Made>>);

impl Sink for Files {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let made = Made { path: path.to_owned(), bytes: bytes.to_vec() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(made);
        Ok(())
    }
}

impl Files {
    pub(crate) fn into_inner(self) -> Vec<Made> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model {
    /// Reads what pages are made of; `None` when there is no event yet.
    pub(crate) async fn read(
        store: &Store,
        settings: &Settings,
    ) -> Result<Option<Self>, StoreError> {
        let moment = store.at_one_moment().await?;
        let read = Self::read_at(&moment, settings).await;
        moment.close().await;
        read
    }

    /// Reads what all pages have in common.
    pub(crate) async fn frame(store: &Store, settings: &Settings) -> Result<Site, StoreError> {
        let events = shown(store, settings).await?;
        let tournament =
            site_input::tournament(store, &settings.name, &settings.site, &events).await?;
        Ok(Site::new(tournament, &events, settings.site.publication.clone()).live())
    }

    async fn read_at(store: &Store, settings: &Settings) -> Result<Option<Self>, StoreError> {
        let events = shown(store, settings).await?;
        if events.is_empty() {
            return Ok(None);
        }
        let tournament =
            site_input::tournament(store, &settings.name, &settings.site, &events).await?;
        let titles = tournament.titles.clone();
        let site = Site::new(tournament, &events, settings.site.publication.clone());
        let until = (!settings.delay.is_zero()).then(|| {
            let delay = i64::try_from(settings.delay.as_millis()).unwrap_or(i64::MAX);
            now_ms().saturating_sub(delay)
        });
        let mut model = Self { site: site.live(), events: Arc::new([]), due_at: None, until };
        let mut ready = Vec::new();
        for event in &events {
            let title = titles.get(&event.id).unwrap_or(&event.id);
            ready.extend(model.event(store, settings, title, &event.id).await?);
        }
        model.events = ready.into();
        Ok(Some(model))
    }

    async fn event(
        &mut self,
        store: &Store,
        settings: &Settings,
        title: &str,
        id: &str,
    ) -> Result<Option<Event>, StoreError> {
        let Some(mut info) = store.event(id).await? else { return Ok(None) };
        let (mut versions, mut held_back) = (store.versions(id).await?, HashSet::new());
        if let Some(until) = self.until {
            let ended = store.ended_after(id, until).await?;
            held_back = ended.iter().map(|ended| ended.bout).collect();
            info.decisions.retain(|decision| decision.at <= until);
            if let Some(first) = ended.iter().map(|ended| ended.at).min() {
                self.due_at = Some(self.due_at.unwrap_or(first).min(first));
                // They count the bouts that are held back.
                versions.clear();
            }
        }
        let held_back = Arc::new(held_back);
        let survey = site_input::survey(store, &info, &held_back).await?;
        let (mut newest, held) = (survey.newest(LISTED), Arc::clone(&held_back));
        let is_listed = move |bout: &BoutSummary| !held.contains(&bout.bout) && newest.has(bout);
        let bouts = store.results_that(id, is_listed).await?;
        let input = EventInput {
            survey,
            games: settings.site.games.clone(),
            info,
            title: title.to_owned(),
            bouts,
            versions,
        };
        let site = EventSite::new(input);
        let numbers = site_input::numbers(store, id, site.begin_numbers(), &held_back).await?;
        Ok(Some(Event::new(site.with_numbers(numbers), held_back)))
    }

    /// Returns whether a result that was held back may be shown by now.
    pub(crate) fn is_due(&self, settings: &Settings) -> bool {
        let delay = i64::try_from(settings.delay.as_millis()).unwrap_or(i64::MAX);
        self.due_at.is_some_and(|due| due.saturating_add(delay) <= now_ms())
    }

    /// Names the leaderboards of the events.
    pub(crate) fn leaderboards(&self) -> Vec<String> {
        self.events.iter().map(|event| event.site.path_of(Page::Leaderboard)).collect()
    }

    /// Returns the events, whose pages the server looks up.
    pub(crate) fn events(&self) -> Arc<[Event]> {
        Arc::clone(&self.events)
    }

    /// Returns the frame of all pages.
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Makes the page at a path, and what comes with it; nothing when there is none.
    pub(crate) async fn make(&self, store: &Store, path: &str) -> Result<Vec<Made>, MakeError> {
        let files = Files::default();
        if OVERVIEW.contains(&path) {
            let card = |event: &Event| event.site.card(&self.site, &Notes::default());
            let cards = self.events.iter().map(card).collect();
            self.site.overview(cards, &files)?;
            return Ok(files.into_inner());
        }
        if path == Site::PREVIEW {
            let mut cards = Vec::new();
            for event in &*self.events {
                let notes = self.best(store, event, &files).await?;
                cards.push(event.site.card(&self.site, &notes));
            }
            self.site.preview(&cards, &files)?;
            return Ok(files.into_inner());
        }
        for event in &*self.events {
            if let Some(page) = event.pages.get(path) {
                let notes = match page {
                    Page::Preview => self.best(store, event, &files).await?,
                    page => self.notes(store, event, *page).await?,
                };
                event.site.page(&self.site, *page, &notes, &files)?;
            } else if let Some(bout) = event.bout_at(path)
                && event.shows(store, bout).await?
                && let Some(shown) = self.shown(store, bout).await?
            {
                event.site.bout(&self.site, &shown, &mut Notes::default(), &files)?;
            }
        }
        Ok(files.into_inner())
    }

    /// Takes notes of the bouts that a page tells of.
    async fn notes(&self, store: &Store, event: &Event, page: Page) -> Result<Notes, StoreError> {
        let mut notes = Notes::default();
        for bout in event.site.told_on(page).into_iter().rev().take(TOLD) {
            if let Some(stored) = store.bout(&bout.to_string()).await? {
                event.site.note(&self.site, &stored, &mut notes);
            }
        }
        Ok(notes)
    }

    /// Takes notes of the bout whose board is on an event's picture; its page comes with it.
    async fn best(&self, store: &Store, event: &Event, files: &Files) -> Result<Notes, MakeError> {
        let mut notes = Notes::default();
        if let Some(best) = event.site.best()
            && let Some(shown) = self.shown(store, best).await?
        {
            event.site.bout(&self.site, &shown, &mut notes, files)?;
        }
        Ok(notes)
    }

    async fn shown(&self, store: &Store, bout: BoutId) -> Result<Option<ShownBout>, StoreError> {
        let Some(stored) = store.bout(&bout.to_string()).await? else { return Ok(None) };
        let history = store.history(bout).await?.into_iter();
        let is_told = |row: &HistoryRow| self.until.is_none_or(|until| row.at <= until);
        Ok(Some(ShownBout {
            stored,
            past: history.filter(is_told).map(site_input::past).collect(),
        }))
    }
}

impl Event {
    fn new(site: EventSite, held_back: Arc<HashSet<BoutId>>) -> Self {
        let pages = site.pages().into_iter().map(|page| (site.path_of(page), page)).collect();
        let bouts = site.bouts().collect();
        Self { site, pages, bouts, held_back }
    }

    /// Returns whether it has a page or another file at a path; where not all bouts are listed,
    /// whether it may have one.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.pages.contains_key(path) || self.bout_at(path).is_some()
    }

    /// Returns whether a bout is one of the event that may be shown.
    async fn shows(&self, store: &Store, bout: BoutId) -> Result<bool, StoreError> {
        if self.bouts.contains(&bout) {
            return Ok(true);
        }
        let has_result = store.has_result(self.site.id(), bout).await?;
        Ok(has_result && !self.held_back.contains(&bout))
    }

    /// Returns the bout whose page, or whose replay, is at a path, as far as the
    /// path and the list tell.
    fn bout_at(&self, path: &str) -> Option<BoutId> {
        let (_, name) = path.rsplit_once('/')?;
        let bout: BoutId = name.split_once('.')?.0.parse().ok()?;
        let is_its = path == self.site.path_of_bout(bout) || path == replay_file(bout);
        let may_be = self.bouts.contains(&bout) || self.site.unshown() > 0;
        (is_its && may_be).then_some(bout)
    }
}

/// Returns the events that have pages.
async fn shown(store: &Store, settings: &Settings) -> Result<Vec<EventSettings>, StoreError> {
    let mut events = store.events().await?;
    events.retain(|event| {
        settings.site.events.is_empty() || settings.site.events.contains(&event.id)
    });
    Ok(events)
}

fn now_ms() -> i64 {
    SystemClock.now()
}

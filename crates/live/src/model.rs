//! Model of the pages: the events of a database made ready, and the page at each path.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use joust_model::clock;
use joust_model::{BoutId, EventSettings};
use joust_report::site::{
    BoutSurvey, EventSite, Notes, Page, ShownBout, Site, SiteError, TournamentInput, replay_file,
};
use joust_store::{HistoryRow, Store, StoreError};
use parking_lot::Mutex;

use crate::settings::Settings;
use crate::site_input::{self, HeldBack, SiteReader};

/// Newest bouts of a bot whose turns its page describes: each is read whole.
const TOLD: usize = 100;

/// Most bouts of an event that pages list. Of more, the newest of each bot are listed; the page of
/// any other bout is made when it is requested by id.
const LISTED: usize = 50_000;

/// Files made of the whole tournament, at once.
const OVERVIEW: [&str; 3] = ["index.html", "verify.html", "badge.svg"];

/// Files of the site, by their paths.
pub(crate) type Files = Mutex<BTreeMap<String, Vec<u8>>>;

/// Returns whether a path is one of a page that exists for any set of events.
pub(crate) fn is_of_all(path: &str) -> bool {
    OVERVIEW.contains(&path) || path == Site::PREVIEW
}

/// A tournament made ready for its pages.
#[derive(Debug)]
pub(crate) struct Model {
    site: Site,
    events: Arc<[EventPages]>,
    /// Moment from which the first result that is held back may be shown, milliseconds since 1970.
    pub(crate) due_at: Option<i64>,
    /// Moment up to which results are shown.
    until: Option<i64>,
}

/// An event made ready, with the paths of its pages.
#[derive(Debug)]
pub(crate) struct EventPages {
    site: EventSite,
    pages: HashMap<String, Page>,
    /// The bouts that pages list.
    bouts: HashSet<BoutId>,
    /// Bouts that ended too late to be shown yet.
    held_back: HeldBack,
}

/// Reason why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    #[error("the database cannot be read for the moment")]
    Away,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Site(#[from] SiteError),
}

impl Model {
    /// Makes the model of a tournament before its database is read.
    pub(crate) fn empty(settings: &Settings) -> Self {
        let tournament = TournamentInput {
            name: settings.name.clone(),
            words: settings.site.words.clone(),
            logo: settings.site.logo.clone(),
            ..TournamentInput::default()
        };
        let site = Site::new(tournament, &[], settings.site.publication.clone()).live();
        Self { site, events: Arc::new([]), due_at: None, until: None }
    }

    /// Reads the data of the pages.
    pub(crate) async fn read(store: &Store, settings: &Settings) -> Result<Self, StoreError> {
        let moment = store.at_one_moment().await?;
        let read = Self::read_at(&moment, settings).await;
        moment.close().await;
        read
    }

    async fn read_at(store: &Store, settings: &Settings) -> Result<Self, StoreError> {
        let reader = SiteReader { store, options: &settings.site };
        let events = reader.events().await?;
        let tournament = reader.tournament(&settings.name, &events).await?;
        let site = Site::new(tournament, &events, settings.site.publication.clone()).live();
        let delay = i64::try_from(settings.delay.as_millis()).unwrap_or(i64::MAX);
        let until = (delay > 0).then(|| clock::now().saturating_sub(delay));
        let (mut pages, mut due_at) = (Vec::new(), None::<i64>);
        for EventSettings { id, .. } in &events {
            let Some(mut info) = store.event(id).await? else { continue };
            let mut held_back = HashSet::new();
            if let Some(until) = until {
                info.decisions.retain(|decision| decision.at <= until);
                for ended in store.ended_after(id, until).await? {
                    held_back.insert(ended.bout);
                    let due = ended.at.saturating_add(delay);
                    due_at = Some(due_at.map_or(due, |first| first.min(due)));
                }
            }
            let held_back = Arc::new(held_back);
            let newest = |survey: &BoutSurvey| survey.newest(LISTED);
            let event = EventSite::new(reader.event(&site, info, &held_back, newest).await?);
            let numbers = reader.numbers(id, event.begin_numbers(), &held_back).await?;
            pages.push(EventPages::new(event.with_numbers(numbers), held_back));
        }
        Ok(Self { site, events: pages.into(), due_at, until })
    }

    /// Returns the paths of the leaderboards of the events.
    pub(crate) fn leaderboards(&self) -> Vec<String> {
        self.events.iter().map(|event| event.site.path_of(Page::Leaderboard)).collect()
    }

    /// Returns the events, whose pages the server looks up.
    pub(crate) fn events(&self) -> Arc<[EventPages]> {
        Arc::clone(&self.events)
    }

    /// Makes the page at a path, and the files that belong to it; nothing when there is no such
    /// page.
    pub(crate) async fn make(
        &self,
        store: Option<&Store>,
        path: &str,
        files: &Files,
    ) -> Result<(), RenderError> {
        let store = match store {
            _ if self.events.is_empty() => {
                return match is_of_all(path) {
                    true => Ok(self.site.overview(Vec::new(), files)?),
                    false => Ok(()),
                };
            }
            None => return Err(RenderError::Away),
            Some(store) => store,
        };
        if is_of_all(path) {
            return self.make_overview(store, path, files).await;
        }
        for event in &*self.events {
            if let Some(page) = event.pages.get(path) {
                let notes = match page {
                    Page::Preview => self.best(store, event, files).await?,
                    page => self.notes(store, event, *page).await?,
                };
                event.site.page(&self.site, *page, &notes, files)?;
            } else if let Some(bout) = event.bout_at(path)
                && event.shows(store, bout).await?
                && let Some(shown) = self.shown(store, bout).await?
            {
                event.site.bout(&self.site, &shown, &mut Notes::default(), files)?;
            }
        }
        Ok(())
    }

    /// Makes the pages of the whole tournament, or its picture.
    async fn make_overview(
        &self,
        store: &Store,
        path: &str,
        files: &Files,
    ) -> Result<(), RenderError> {
        let is_picture = path == Site::PREVIEW;
        let mut cards = Vec::new();
        for event in &*self.events {
            let notes = match is_picture {
                true => self.best(store, event, files).await?,
                false => Notes::default(),
            };
            cards.push(event.site.card(&self.site, &notes));
        }
        match is_picture {
            true => self.site.preview(&cards, files)?,
            false => self.site.overview(cards, files)?,
        }
        Ok(())
    }

    /// Reads the notes of the bouts that a page describes.
    async fn notes(
        &self,
        store: &Store,
        event: &EventPages,
        page: Page,
    ) -> Result<Notes, StoreError> {
        let mut notes = Notes::default();
        for bout in event.site.bouts_noted_on(page).into_iter().rev().take(TOLD) {
            if let Some(stored) = store.bout(&bout.to_string()).await? {
                event.site.note(&self.site, &stored, &mut notes);
            }
        }
        Ok(notes)
    }

    /// Reads the notes of the bout whose board is on an event's picture, and makes the bout's page.
    async fn best(
        &self,
        store: &Store,
        event: &EventPages,
        files: &Files,
    ) -> Result<Notes, RenderError> {
        let mut notes = Notes::default();
        if let Some(best) = event.site.best()
            && let Some(shown) = self.shown(store, best).await?
        {
            event.site.bout(&self.site, &shown, &mut notes, files)?;
        }
        Ok(notes)
    }

    async fn shown(&self, store: &Store, bout: BoutId) -> Result<Option<ShownBout>, StoreError> {
        let is_told = |row: &HistoryRow| self.until.is_none_or(|until| row.at <= until);
        site_input::bout(store, bout, is_told).await
    }
}

impl EventPages {
    fn new(site: EventSite, held_back: HeldBack) -> Self {
        let pages = site.pages().into_iter().map(|page| (site.path_of(page), page)).collect();
        let bouts = site.bouts().collect();
        Self { site, pages, bouts, held_back }
    }

    /// Returns whether there is a page or another file at a path, or, where not all bouts are
    /// listed, may be one.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.pages.contains_key(path) || self.bout_at(path).is_some()
    }

    /// Returns whether a bout belongs to the event and may be shown.
    async fn shows(&self, store: &Store, bout: BoutId) -> Result<bool, StoreError> {
        if self.bouts.contains(&bout) {
            return Ok(true);
        }
        let has_result = store.has_result(self.site.id(), bout).await?;
        Ok(has_result && !self.held_back.contains(&bout))
    }

    /// Returns the bout whose page, or whose replay, is at a path, if the path and the list
    /// identify one.
    fn bout_at(&self, path: &str) -> Option<BoutId> {
        let (_, name) = path.rsplit_once('/')?;
        let bout: BoutId = name.split_once('.')?.0.parse().ok()?;
        let is_its = path == self.site.path_of_bout(bout) || path == replay_file(bout);
        let may_be = self.bouts.contains(&bout) || self.site.unshown() > 0;
        (is_its && may_be).then_some(bout)
    }
}

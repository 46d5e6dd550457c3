//! Input of a site, read from a database: for pages that are served and for those that are written.

use std::collections::HashSet;
use std::sync::Arc;

use joust_model::{BoutId, BoutSummary, EventInfo, EventSettings};
use joust_report::site::{
    BoutSelection, BoutSurvey, EventInput, Numbers, ShownBout, Site, SiteOptions, TournamentInput,
    event_titles,
};
use joust_store::{CountedSeat, HistoryRow, Store, StoreError};

/// Bouts that are left out of pages.
pub type HeldBack = Arc<HashSet<BoutId>>;

/// Reader of the site's data.
#[derive(Clone, Copy, Debug)]
pub struct SiteReader<'a> {
    /// The database.
    pub store: &'a Store,
    /// Contents of the site beside it.
    pub options: &'a SiteOptions,
}

impl SiteReader<'_> {
    /// Reads the settings of the events that have pages.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn events(&self) -> Result<Vec<EventSettings>, StoreError> {
        let (mut events, wanted) = (self.store.events().await?, &self.options.events);
        events.retain(|event| wanted.is_empty() || wanted.contains(&event.id));
        Ok(events)
    }

    /// Reads what all pages of a site share; `name` is the tournament's, until the database has
    /// one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn tournament(
        &self,
        name: &str,
        events: &[EventSettings],
    ) -> Result<TournamentInput, StoreError> {
        let (store, options) = (self.store, self.options);
        let row = store.tournament().await?;
        let database = store.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let named = events.iter().map(|event| (event.id.as_str(), event.game.as_str()));
        let named: Vec<_> = named.collect();
        Ok(TournamentInput {
            name: row.as_ref().map_or_else(|| name.to_owned(), |row| row.name.clone()),
            seed: row.and_then(|row| row.public_seed()),
            database,
            head: store.head().await?.map(|head| head.hash.to_string()).unwrap_or_default(),
            words: options.words.clone(),
            logo: options.logo.clone(),
            titles: event_titles(&options.games, &named, &options.words),
        })
    }

    /// Reads what an event's pages are made of; `choose` selects the bouts that have one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn event(
        &self,
        site: &Site,
        mut info: EventInfo,
        held_back: &HeldBack,
        choose: impl FnOnce(&BoutSurvey) -> BoutSelection,
    ) -> Result<EventInput, StoreError> {
        let id = info.settings.id.clone();
        if let Some(ranking) = self.options.rankings.get(&id) {
            info.settings.tie_breaks.clone_from(ranking);
        }
        let mut versions = self.store.versions(&id).await?;
        if !held_back.is_empty() {
            // They count the bouts that are held back.
            versions.clear();
        }
        let survey = self.survey(&info, held_back).await?;
        let (mut chosen, held) = (choose(&survey), Arc::clone(held_back));
        let is_listed = move |bout: &BoutSummary| !held.contains(&bout.bout) && chosen.has(bout);
        let bouts = self.store.results_that(&id, is_listed).await?;
        let (games, title) = (self.options.games.clone(), site.title_of(&id));
        Ok(EventInput { games, info, title, survey, bouts, versions })
    }

    /// Surveys the bouts of an event, without keeping them.
    async fn survey(
        &self,
        info: &EventInfo,
        held_back: &HeldBack,
    ) -> Result<BoutSurvey, StoreError> {
        let (survey, id, held) = (BoutSurvey::of(info), &info.settings.id, Arc::clone(held_back));
        let add = move |survey: &mut BoutSurvey, bout: BoutSummary| {
            if !held.contains(&bout.bout) {
                survey.add(&bout);
            }
        };
        match survey.needs_order() {
            true => self.store.fold_in_order(id, survey, add).await,
            false => self.store.fold_results(id, survey, add).await,
        }
    }

    /// Reads the numbers of the bots of an event.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn numbers(
        &self,
        id: &str,
        numbers: Numbers,
        held_back: &HashSet<BoutId>,
    ) -> Result<Numbers, StoreError> {
        let notice = |numbers: &mut Numbers, seat: CountedSeat| {
            if !held_back.contains(&seat.bout) {
                numbers.notice(&seat.bot, &seat.numbers);
            }
        };
        let mut numbers = self.store.fold_seat_numbers(id, numbers, notice).await?;
        if numbers.is_empty() {
            return Ok(numbers);
        }
        numbers.choose();
        let take = |numbers: &mut Numbers, seat: CountedSeat| {
            if !held_back.contains(&seat.bout) {
                numbers.take(&seat.bot, &seat.numbers);
            }
        };
        self.store.fold_seat_numbers(id, numbers, take).await
    }
}

/// Reads a bout with the part of its audit trail that `is_told`.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
pub async fn bout(
    store: &Store,
    bout: BoutId,
    is_told: impl Fn(&HistoryRow) -> bool,
) -> Result<Option<ShownBout>, StoreError> {
    let Some(stored) = store.bout(&bout.to_string()).await? else { return Ok(None) };
    let history = store.history(bout).await?.into_iter();
    Ok(Some(ShownBout { stored, history: history.filter(is_told).collect() }))
}

//! Input of a site, read from a database: for pages that are served and for those that are written.

use std::collections::HashSet;
use std::sync::Arc;

use joust_model::{BoutId, BoutSummary, EventInfo, EventSettings};
use joust_report::site::{Numbers, Past, SiteOptions, Survey, TournamentInput, event_titles};
use joust_store::{CountedSeat, HistoryRow, Store, StoreError};

/// Bouts that are left out of pages.
pub type HeldBack = Arc<HashSet<BoutId>>;

/// Reads what all pages of a site share; `name` is the tournament's, until the database has one.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
pub async fn tournament(
    store: &Store,
    name: &str,
    options: &SiteOptions,
    events: &[EventSettings],
) -> Result<TournamentInput, StoreError> {
    let row = store.tournament().await?;
    let database = store.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(TournamentInput {
        name: row.as_ref().map_or_else(|| name.to_owned(), |row| row.name.clone()),
        seed: row.and_then(|row| row.public_seed()),
        database,
        head: store.head().await?.map(|head| head.hash.to_string()).unwrap_or_default(),
        words: options.words.clone(),
        logo: options.logo.clone(),
        titles: event_titles(&options.games, events, &options.words),
    })
}

/// Surveys the bouts of an event, without keeping them.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
pub async fn survey(
    store: &Store,
    info: &EventInfo,
    held_back: &HeldBack,
) -> Result<Survey, StoreError> {
    let (mut survey, id, held) = (Survey::of(info), &info.settings.id, Arc::clone(held_back));
    if held_back.is_empty()
        && survey.follows_from_totals(info)
        && let Some(totals) = store.totals(&info.settings).await?
    {
        survey = survey.with_totals(totals);
    }
    let add = move |survey: &mut Survey, bout: BoutSummary| {
        if !held.contains(&bout.bout) {
            survey.add(&bout);
        }
    };
    match survey.needs_order() {
        true => store.fold_in_order(id, survey, add).await,
        false => store.fold_results(id, survey, add).await,
    }
}

/// Reads what was counted for the bots of an event.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
pub async fn numbers(
    store: &Store,
    id: &str,
    numbers: Numbers,
    held_back: &HashSet<BoutId>,
) -> Result<Numbers, StoreError> {
    let notice = |numbers: &mut Numbers, seat: CountedSeat| {
        if !held_back.contains(&seat.bout) {
            numbers.notice(&seat.bot, &seat.numbers);
        }
    };
    let mut numbers = store.fold_seat_numbers(id, numbers, notice).await?;
    if numbers.is_empty() {
        return Ok(numbers);
    }
    numbers.choose();
    let take = |numbers: &mut Numbers, seat: CountedSeat| {
        if !held_back.contains(&seat.bout) {
            numbers.take(&seat.bot, &seat.numbers);
        }
    };
    store.fold_seat_numbers(id, numbers, take).await
}

/// Returns a line of a bout's history as the site takes it.
#[must_use]
pub fn past(row: HistoryRow) -> Past {
    Past { change: row.change, reason: row.reason, at: row.at, before: row.before }
}

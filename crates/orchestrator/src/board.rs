//! Leaderboards of events, read from the database piece by piece: nothing holds all bouts of a
//! large league.

use async_recursion::async_recursion as boxed;
use joust_model::{BoutSummary, EventInfo};
use joust_report::PairBouts;
use joust_standings::event_results::EventResults;
use joust_standings::ratings::event::{EventRatings, Model};
use joust_standings::standings::{Count, Standings};
use joust_store::{Store, StoreError};

/// Standings and ratings of an event's bots.
#[derive(Clone, Debug)]
pub struct Board {
    /// Points and ranks.
    pub standings: Standings,
    /// Ratings of the bots that play, in the order of the standings' rows.
    pub ratings: EventRatings,
}

/// Reads the leaderboard of an event; `None` for its usual model of ratings.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
#[boxed]
pub async fn read(
    store: &Store,
    event: &EventInfo,
    model: Option<Model>,
) -> Result<Board, StoreError> {
    let (standings, ratings) = gather(store, event, model).await?.into_board(event);
    Ok(Board { standings, ratings })
}

/// Reads everything of an event that its leaderboard is made of.
async fn gather(
    store: &Store,
    event: &EventInfo,
    model: Option<Model>,
) -> Result<EventResults, StoreError> {
    let gathered = EventResults::of(event, model);
    let add = |gathered: &mut EventResults, bout: BoutSummary| gathered.add(&bout);
    match gathered.needs_order() {
        true => store.fold_in_order(&event.settings.id, gathered, add).await,
        false => store.fold_results(&event.settings.id, gathered, add).await,
    }
}

/// Reads and adds up the results for the standings of an event.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
#[boxed]
pub async fn count(store: &Store, event: &EventInfo) -> Result<Count, StoreError> {
    let add = |count: &mut Count, bout: BoutSummary| count.add(&bout);
    store.fold_results(&event.settings.id, Count::of(event), add).await
}

/// Reads the first bouts of each pair of a leaderboard that formats show.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read.
#[boxed]
pub async fn pair_bouts(store: &Store, standings: &Standings) -> Result<PairBouts, StoreError> {
    let add = |bouts: &mut PairBouts, bout: BoutSummary| bouts.add(&bout);
    store.fold_results(&standings.event, PairBouts::of(standings), add).await
}

//! The tables before the change, and the difference of each bot's rating since.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::TempDir;

use super::base::{BaseError, copy};
use super::change::HeadBot;
use super::report::{EventTable, RatingInterval, RatingMoved, RebuiltBot};
use super::request::{CheckRequest, CiError};
use crate::board::{self, Board};
use crate::machine::Machine;
use joust_config::{Event, Tournament};
use joust_standings::standings::TableChanges;
use joust_store::{Store, StoreError};

/// The results before the change.
pub(super) struct EarlierResults {
    /// A copy of the base's database; `None` when there is none.
    pub(super) store: Option<Store>,
    /// True when it has another seed: its bouts differ, so comparing results is meaningless.
    is_of_another_seed: bool,
    _folder: Option<TempDir>,
}

impl EarlierResults {
    /// Copies the database with the results before the change, or else the tournament's own
    /// database before this run.
    pub(super) async fn open(
        tournament: &Tournament,
        request: &CheckRequest,
    ) -> Result<Self, CiError> {
        let named = request.base_database.as_deref();
        let own = Some(tournament.database.as_path()).filter(|path| path.exists());
        let Some(path) = named.or(own) else {
            return Ok(Self { store: None, is_of_another_seed: false, _folder: None });
        };
        let folder = joust_sandbox::temporary_folder().map_err(BaseError::Folder)?;
        let store = copy(path, &folder.path().join("base.db")).await?;
        let played = store.tournament().await?;
        let is_of_another_seed = played.is_some_and(|row| row.seed != tournament.seed);
        Ok(Self { store: Some(store), is_of_another_seed, _folder: Some(folder) })
    }

    /// Returns the bots of `now` whose source is unchanged since they played, but whose build
    /// differs, because tools or the recipe of their language have changed.
    pub(super) async fn rebuilt(
        &self,
        now: &[HeadBot],
        machine: &Machine,
        event: &Event,
    ) -> Result<Vec<RebuiltBot>, StoreError> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let (sources, rows) = (store.source_hashes().await?, store.bots(&event.id).await?);
        let mut rebuilt = Vec::new();
        for row in rows {
            let Some(was) = row.build else { continue };
            let Some(bot) = now.iter().find(|bot| bot.source.name() == row.name) else { continue };
            let is_same = sources.get(&was) == Some(&bot.hashes.whole);
            if is_same && bot.key.is_some_and(|key| key != was) {
                let before = store.build(&was).await?.map(|build| build.toolchain);
                let after = machine.builder(event).toolchain(&bot.source).ok();
                rebuilt.push(RebuiltBot { bot: row.name, before, after });
            }
        }
        Ok(rebuilt)
    }

    /// Returns an event's table before the change, if there is one to compare with.
    pub(super) async fn table(&self, event: &str) -> Result<Option<EventTable>, StoreError> {
        match self.store.as_ref().filter(|_| !self.is_of_another_seed) {
            Some(store) => table_of(store, event).await,
            None => Ok(None),
        }
    }
}

/// Refuses to write the bouts of a change into the database that was named as the base.
pub(super) fn insist_on_another_database(
    tournament: &Tournament,
    request: &CheckRequest,
) -> Result<(), CiError> {
    match &request.base_database {
        Some(base) if is_one_file(base, &tournament.database) => {
            Err(CiError::BaseIsDatabase(base.clone()))
        }
        _ => Ok(()),
    }
}

/// Returns true when two paths lead to one file.
fn is_one_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    place(one).is_some_and(|one| Some(one) == place(other))
}

/// Returns an event's table; `None` when the database does not know the event.
pub(super) async fn table_of(store: &Store, event: &str) -> Result<Option<EventTable>, StoreError> {
    let Some(info) = store.event(event).await? else { return Ok(None) };
    let Board { mut standings, ratings } = board::read(store, &info, None).await?;
    standings.head = store.head().await?;
    let bouts = board::pair_bouts(store, &standings).await?;
    Ok(Some(EventTable { standings, ratings, bouts }))
}

/// Returns each bot's rating under its earlier name, and its rating now.
pub(super) fn ratings(
    before: Option<&EventTable>,
    after: &EventTable,
    movement: &TableChanges,
    renamed: &BTreeMap<String, String>,
) -> Vec<RatingMoved> {
    let rating = |table: Option<&EventTable>, bot: &str| {
        let row = table?.ratings.of(bot)?;
        Some(RatingInterval { rating: row.rating?, low: row.low, high: row.high })
    };
    let moved = |bot: &String| RatingMoved {
        bot: bot.clone(),
        before: rating(before, renamed.get(bot).unwrap_or(bot)),
        after: rating(Some(after), bot),
    };
    movement.bots.iter().map(|one| moved(&one.bot)).collect()
}

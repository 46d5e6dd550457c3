//! Joining of databases, for a tournament whose parts were played separately.
//!
//! Databases are joined when they agree on the tournament, or when one continues another, which its
//! chain shows; then the newer one is used. Nothing is written before all checks have passed, and
//! everything is written in one change, so that a killed join has no effect.

mod compatibility;
mod conflict;
mod join;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use joust_model::{BoutId, BuildHash, counted};
pub use joust_model::{ParseShardError, Shard};
use sqlx::sqlite::SqliteRow;

use crate::bots::{self, RegisteredBot};
use crate::row::Reader;
use crate::{
    Access, DecisionRow, EventSettings, HistoryRow, Ledger, Store, StoreError, TournamentRow,
    database_path, history,
};

/// A reason why databases were not joined. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A database is to be joined with itself.
    #[error("`{}` is named as the result and as a part", .0.display())]
    OutIsIn(PathBuf),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They do not belong together.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// They have different results for the same bouts.
    #[error("{} have different results:\n{}", counted(*.all, "bout"), list(.first, *.all))]
    Conflicts {
        /// The first of these bouts, in the order of their ids.
        first: Vec<Conflict>,
        /// The number of such bouts.
        all: u64,
    },
}

/// A bout with different results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bout {bout} of {event}, {bots}: `{}` and `{}` {what}", one.display(), other.display())]
pub struct Conflict {
    /// The bout.
    pub bout: BoutId,
    /// Its event.
    pub event: String,
    /// Its bots.
    pub bots: String,
    /// One of the databases.
    pub one: PathBuf,
    /// The other database.
    pub other: PathBuf,
    /// The difference.
    pub what: &'static str,
}

/// The maximum number of conflicts that are listed.
const MOST_LISTED: usize = 20;

fn list(conflicts: &[Conflict], all: u64) -> String {
    let mut lines: Vec<_> =
        conflicts.iter().take(MOST_LISTED).map(|conflict| format!("  {conflict}")).collect();
    let more = all.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines.join("\n")
}

/// Counts of a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    /// Bouts in the joined database.
    pub bouts: u64,
    /// Bouts that were added to it.
    pub added: u64,
    /// Bouts whose result was replaced by a newer one of a part.
    pub replaced: u64,
    /// Bouts with the same result in several databases.
    pub shared: u64,
}

/// One of the databases.
struct MergePart {
    path: PathBuf,
    store: Store,
    summary: DatabaseSummary,
    ledger: Ledger,
    /// True when another database continues it.
    is_continued: bool,
}

impl MergePart {
    async fn open(path: &Path, store: Store) -> Result<Self, StoreError> {
        let (summary, ledger) = (store.summary().await?, Ledger::default());
        Ok(Self { path: path.to_owned(), store, summary, ledger, is_continued: false })
    }
}

/// Joins the databases `inputs` into the one at `out`. That one is made when it does not exist, and
/// its own contents are kept.
///
/// # Errors
///
/// [`MergeError`]; then nothing was written.
pub async fn merge(out: &Path, inputs: &[PathBuf]) -> Result<MergeCounts, MergeError> {
    let mut parts = Vec::new();
    for path in inputs {
        if is_same_file(out, path) {
            return Err(MergeError::OutIsIn(path.clone()));
        }
        let store = Store::open(path, Access::ReadOnly).await?;
        store.refuse_growth().await?;
        parts.push(MergePart::open(path, store).await?);
    }
    let target = if out.exists() {
        // A join that was killed may have left an empty file.
        let store = Store::open(out, Access::CreateOrOpen).await?;
        let lock = store.lock()?;
        parts.insert(0, MergePart::open(out, store).await?);
        Some(lock)
    } else {
        None
    };
    let out_part = target.is_some().then_some(0);
    mark_continued(&mut parts, out_part).await?;
    compatibility::agree_on_tables(&parts).map(drop).map_err(MergeError::Refused)?;
    let mut candidates = Vec::new();
    for (index, part) in parts.iter_mut().enumerate() {
        // The database that continues it has all of its bouts.
        if !part.is_continued || Some(index) == out_part {
            part.ledger = conflict::read_candidates(index, &part.store, &mut candidates).await?;
        }
    }
    let agreed = compatibility::agree_on_tables(&parts).map_err(MergeError::Refused)?;
    let (merged, decisions) = conflict::resolve_conflicts(candidates, &parts, out_part).await?;
    let (store, lock) = match target {
        Some(lock) => (parts[0].store.clone(), lock),
        None => {
            let store = Store::open(out, Access::CreateOrOpen).await?;
            let lock = store.lock()?;
            (store, lock)
        }
    };
    let written = join::write(&store, &parts, &agreed, &decisions).await;
    // A file that was made here is empty, unless another process has written to it first.
    let is_left_empty = written.is_err()
        && out_part.is_none()
        && store.all_bouts().await.is_ok_and(|bouts| bouts == 0);
    store.close().await;
    if is_left_empty {
        database_path::remove(store.path());
    }
    drop(lock);
    written.map(|()| merged).map_err(MergeError::from)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Finds databases that others continue: their heads are in the others' chains. Of equal databases,
/// the result counts as continued by the parts, and every part but the last as continued.
async fn mark_continued(parts: &mut [MergePart], out: Option<usize>) -> Result<(), StoreError> {
    for one in 0..parts.len() {
        let Some(head) = parts[one].store.head().await? else { continue };
        for other in (0..parts.len()).filter(|other| *other != one) {
            let theirs = parts[other].store.head().await?;
            let is_equal = theirs == Some(head);
            let is_later = other > one && Some(other) != out;
            if (!is_equal || is_later) && parts[other].store.link_of(head.hash).await?.is_some() {
                parts[one].is_continued = true;
            }
        }
    }
    Ok(())
}

/// Contents of a database except results.
#[derive(Clone, Debug, Default)]
pub struct DatabaseSummary {
    /// The tournament; `None` when nothing was run yet.
    pub tournament: Option<TournamentRow>,
    /// The events, in their order.
    pub events: Vec<EventSettings>,
    /// Each event's bots.
    pub fields: BTreeMap<String, Vec<RegisteredBot>>,
    /// Each event's decisions, oldest first.
    pub decisions: BTreeMap<String, Vec<DecisionRow>>,
    /// Accounts of game servers.
    pub accounts: u64,
}

impl Store {
    /// Returns the contents of the database except results.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn summary(&self) -> Result<DatabaseSummary, StoreError> {
        let (tournament, events) = (self.tournament().await?, self.events().await?);
        let mut summary = DatabaseSummary { tournament, events, ..DatabaseSummary::default() };
        for event in &summary.events {
            let id = event.id.clone();
            summary.decisions.insert(id.clone(), self.decisions(&id).await?);
            summary.fields.insert(id.clone(), self.all_bots(&id).await?);
        }
        let accounts: i64 =
            self.scalar(sqlx::query_scalar("SELECT count(*) FROM accounts")).await?;
        summary.accounts = accounts.unsigned_abs();
        Ok(summary)
    }

    async fn all_bots(&self, event: &str) -> Result<Vec<RegisteredBot>, StoreError> {
        let query = sqlx::query("SELECT * FROM bots WHERE event = ? ORDER BY registration, name");
        self.all_rows(query.bind(event), |row| {
            let is_entered = Reader::new("bots", "name", row).get("entered")?;
            Ok(RegisteredBot { bot: bots::read(row)?, is_entered })
        })
        .await
    }

    /// Passes every line of every bout's history to a function, oldest first, with its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub(crate) async fn each_history_row(
        &self,
        mut take: impl FnMut(i64, HistoryRow) + Send,
    ) -> Result<(), StoreError> {
        self.each_row(sqlx::query("SELECT * FROM history ORDER BY number"), |row| {
            take(Reader::new("history", "number", row).get("number")?, history::read(row)?);
            Ok(())
        })
        .await
    }

    /// Returns a line of the history by its number; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub(crate) async fn history_row(&self, number: i64) -> Result<Option<HistoryRow>, StoreError> {
        let query = sqlx::query("SELECT * FROM history WHERE number = ?").bind(number);
        self.one_row(query, history::read).await
    }

    /// Returns the hashes of all builds that were used in bouts, without duplicates.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn builds_played(&self) -> Result<Vec<BuildHash>, StoreError> {
        let query = sqlx::query("SELECT DISTINCT build, 0 AS bout FROM seats ORDER BY build");
        let build =
            |row: &SqliteRow| Ok(BuildHash(Reader::new("seats", "bout", row).hash("build")?));
        self.all_rows(query, build).await
    }
}

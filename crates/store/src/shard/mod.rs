//! Parts of a tournament played apart, and their databases joined.
//!
//! Databases are joined when they say the same of the tournament, or when one
//! is a continuation of another, which its chain tells: then the newer one is
//! right. Nothing is written before everything was found to fit, and all is
//! written in one change, so that a join that is killed has done nothing.

mod agree;
mod choose;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

pub use joust_model::{NotAShard, Shard};

use crate::{Absorb, Access, HistoryRow, Ledger, Standing, Store, StoreError, Summary};
use choose::Chosen;
use joust_model::{BoutId, counted};

/// Why databases were not joined. Nothing was written.
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
    #[error("{} have different results:\n{}", counted(.0.len(), "bout"), list(.0))]
    Conflicts(Vec<Conflict>),
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
    /// The one database.
    pub one: PathBuf,
    /// The other.
    pub other: PathBuf,
    /// What is different.
    pub what: &'static str,
}

/// The most conflicts that are listed.
const MOST_LISTED: usize = 20;

fn list(conflicts: &[Conflict]) -> String {
    let mut lines: Vec<_> =
        conflicts.iter().take(MOST_LISTED).map(|conflict| format!("  {conflict}")).collect();
    if let Some(more) = conflicts.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more"));
    }
    lines.join("\n")
}

/// What was joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Bouts that are in the result now.
    pub bouts: u64,
    /// Bouts that were not in it before.
    pub added: u64,
    /// Bouts of it whose newer result came from a part.
    pub replaced: u64,
    /// Bouts that several databases have, with one result.
    pub shared: u64,
}

/// One of the databases.
struct Part {
    path: PathBuf,
    store: Store,
    summary: Summary,
    ledger: Ledger,
    /// Whether another one is a continuation of it.
    is_continued: bool,
}

impl Part {
    async fn open(path: &Path, store: Store) -> Result<Self, StoreError> {
        let (summary, ledger) = (store.summary().await?, store.ledger().await?);
        Ok(Self { path: path.to_owned(), store, summary, ledger, is_continued: false })
    }
}

/// Joins the databases `inputs` into the one at `out`, which is made when it is
/// not there and keeps what it has otherwise.
///
/// # Errors
///
/// [`MergeError`]; then nothing was written.
pub async fn merge(out: &Path, inputs: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut parts = Vec::new();
    for path in inputs {
        if is_same_file(out, path) {
            return Err(MergeError::OutIsIn(path.clone()));
        }
        let store = Store::open(path, Access::ReadOnly).await?;
        parts.push(Part::open(path, store).await?);
    }
    let target = if out.exists() {
        // A join that was killed may have left an empty file.
        let store = Store::open(out, Access::CreateOrOpen).await?;
        let lock = store.lock_for_run()?;
        parts.insert(0, Part::open(out, store).await?);
        Some(lock)
    } else {
        None
    };
    let out_part = target.is_some().then_some(0);
    mark_continued(&mut parts, out_part).await?;
    let agreed = agree::agreed(&parts).map_err(MergeError::Refused)?;
    let chosen = choose::choose(&parts, out_part).await?;
    let (store, lock) = match target {
        Some(lock) => (parts[0].store.clone(), lock),
        None => {
            let store = Store::open(out, Access::CreateOrOpen).await?;
            let lock = store.lock_for_run()?;
            (store, lock)
        }
    };
    let merged = write(&store, &parts, &agreed, &chosen).await?;
    store.close().await;
    drop(lock);
    Ok(merged)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Finds out which databases are continued by others: their heads are in the
/// others' chains. The result is continued by an equal one, and of equal parts
/// the last counts.
async fn mark_continued(parts: &mut [Part], out: Option<usize>) -> Result<(), StoreError> {
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

async fn write(
    store: &Store,
    parts: &[Part],
    agreed: &agree::Agreed<'_>,
    chosen: &Chosen,
) -> Result<Merged, StoreError> {
    let mut absorb = store.absorb().await?;
    if let Some(tournament) = agreed.tournament {
        absorb.tournament(tournament).await?;
    }
    for (event, field) in &agreed.events {
        absorb.event(event, field).await?;
    }
    let there = store.summary().await?;
    for (event, decisions) in &agreed.decisions {
        let known = there.decisions.get(*event).map_or(0, Vec::len);
        for decision in decisions.iter().skip(known) {
            absorb.decision(event, decision).await?;
        }
    }
    write_history(&mut absorb, store, parts).await?;
    for (index, part) in parts.iter().enumerate() {
        if part.store.path() != store.path() {
            absorb.builds_of(&part.store).await?;
            write_bouts(&mut absorb, part, chosen, index).await?;
        }
    }
    absorb.commit().await?;
    Ok(chosen.merged)
}

/// Takes every line of every history once; the same line may be in several.
async fn write_history(
    absorb: &mut Absorb,
    store: &Store,
    parts: &[Part],
) -> Result<(), StoreError> {
    let mut known: HashSet<String> = store.whole_history().await?.iter().map(identity).collect();
    let mut rows = BTreeMap::new();
    let others = parts.iter().filter(|part| part.store.path() != store.path());
    for (index, part) in others.enumerate() {
        for (place, row) in part.store.whole_history().await?.into_iter().enumerate() {
            if known.insert(identity(&row)) {
                rows.insert((row.at, index, place), row);
            }
        }
    }
    for row in rows.values() {
        absorb.history(row).await?;
    }
    Ok(())
}

/// What makes a line of the history that line.
fn identity(row: &HistoryRow) -> String {
    let before = row.before.as_ref().map(|bout| {
        let result = &bout.result;
        (&result.state_hash, result.started_at, &result.machine, result.key)
    });
    format!("{} {} {} {:?} {:?}", row.bout, row.change.name(), row.at, row.reason, before)
}

/// Takes the results that were chosen from one database.
async fn write_bouts(
    absorb: &mut Absorb,
    part: &Part,
    chosen: &Chosen,
    index: usize,
) -> Result<(), StoreError> {
    let wanted = chosen.rows_of(index);
    let (Some(first), Some(last)) = (wanted.keys().next(), wanted.keys().next_back()) else {
        return Ok(());
    };
    let mut after = first - 1;
    while after < *last {
        let page = part.store.bouts_after(after).await?;
        let Some(newest) = page.last() else { break };
        after = newest.number;
        let mut results = Vec::with_capacity(page.len());
        for recorded in page {
            let Some(take) = wanted.get(&recorded.number) else { continue };
            let bout = recorded.bout();
            if !recorded.is_as_recorded(&part.ledger) {
                return Err(StoreError::Changed { path: part.path.clone(), bout });
            }
            let stored = recorded.stored?;
            match take {
                choose::Take::Result { counts } => {
                    results.push(Standing { stored, counts: *counts })
                }
                choose::Take::History => {
                    let reason = "joined: another result is part of the event as it is now";
                    let at = stored.result.started_at;
                    absorb.superseded(stored, reason, at).await?;
                }
            }
        }
        absorb.bouts(&results).await?;
    }
    Ok(())
}

//! Writing the joined database: rows of the others, in one change.

use std::collections::HashSet;

use super::MergePart;
use super::compatibility::AgreedTables;
use super::conflict::{Candidate, MergeAction, MergeDecision};
use crate::bouts::id_number;
use crate::history::{Cause, history_row};
use crate::result_hash::{HashedResult, ResultHash};
use crate::rows::CountState;
use crate::writing::Writing;
use crate::{HistoryRow, Store, StoreError};
use joust_model::{BuildHash, Change, StoredBout};

/// Writes the combined contents of the databases, all or nothing.
pub(super) async fn write(
    store: &Store,
    parts: &[MergePart],
    agreed: &AgreedTables<'_>,
    decisions: &[MergeDecision],
) -> Result<(), StoreError> {
    let mut writing = store.write().await?;
    if let Some(tournament) = agreed.tournament {
        writing.put_tournament(tournament).await?;
    }
    for (event, field) in &agreed.events {
        writing.put_event(event).await?;
        writing.put_bots(&event.id, field).await?;
    }
    let there = store.summary().await?;
    for (event, decisions) in &agreed.decisions {
        let known = there.decisions.get(*event).map_or(0, Vec::len);
        for decision in decisions.iter().skip(known) {
            writing.insert_decision(event, decision).await?;
        }
    }
    write_history(&mut writing, parts).await?;
    for (index, part) in parts.iter().enumerate() {
        if part.store.path() != store.path() {
            copy_builds(&mut writing, &part.store).await?;
            let first = decisions.partition_point(|(one, _)| one.part < index);
            let end = decisions.partition_point(|(one, _)| one.part <= index);
            write_bouts(&mut writing, part, &decisions[first..end]).await?;
        }
    }
    writing.finish().await
}

/// Copies all builds, their sources and the calibrations of another database.
async fn copy_builds(writing: &mut Writing, other: &Store) -> Result<(), StoreError> {
    for build in other.builds().await? {
        let source = other.source(&build.hash).await?;
        writing.put_build(&build).await?;
        if let Some(source) = source {
            writing.put_source(&source).await?;
        }
    }
    for calibration in other.all_calibrations().await? {
        writing.put_calibration(&calibration, "excluded.measured_at > measured_at").await?;
    }
    Ok(())
}

/// Copies every line of every history once; several databases may have the same line.
async fn write_history(writing: &mut Writing, parts: &[MergePart]) -> Result<(), StoreError> {
    let mut known = HashSet::new();
    writing.store.each_history_row(|_, row| _ = known.insert(identity(&row))).await?;
    let mut rows = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if part.store.path() != writing.store.path() {
            let take = |number, row: HistoryRow| {
                if known.insert(identity(&row)) {
                    rows.push((row.at, index, number));
                }
            };
            part.store.each_history_row(take).await?;
        }
    }
    rows.sort_unstable();
    for (_, index, number) in rows {
        if let Some(row) = parts[index].store.history_row(number).await? {
            put_history(writing, &row).await?;
        }
    }
    Ok(())
}

/// Returns the identity of a line of the history.
fn identity(row: &HistoryRow) -> BuildHash {
    let before = row.before.as_ref().map(|bout| {
        let result = &bout.result;
        (&result.state_hash, result.started_at, &result.machine, result.key)
    });
    let name = row.change.name();
    let text = format!("{} {name} {} {:?} {before:?}", row.bout, row.at, row.reason);
    BuildHash::of("joust-history-line-1", &[text.as_bytes()])
}

/// Writes a line of a bout's history. If the line's result is the bout's current result, removes it
/// from the bouts.
async fn put_history(writing: &mut Writing, row: &HistoryRow) -> Result<(), StoreError> {
    let mut link = 0;
    let present = writing.stored_row(row.bout).await?;
    if let (Some((number, _)), Some(before)) = (present, &row.before) {
        let found = writing.store.recorded(&mut writing.change, number).await?;
        // The place in the schedule is not compared.
        if found.stored.as_ref().is_ok_and(|stored| stored.result == before.result) {
            link = found.mark.link;
            writing.remove(number).await?;
        }
    }
    writing.insert_history(row, link).await
}

/// Writes the results that were chosen from one database, in the order of their rows.
async fn write_bouts(
    writing: &mut Writing,
    part: &MergePart,
    mut decisions: &[MergeDecision],
) -> Result<(), StoreError> {
    while let Some((first, _)) = decisions.first() {
        let page = part.store.bouts_after(first.number.saturating_sub(1)).await?;
        let Some(newest) = page.last() else { break };
        let end = decisions.partition_point(|(one, _)| one.number <= newest.number);
        let (wanted, rest) = decisions.split_at(end);
        decisions = rest;
        let mut results = Vec::with_capacity(wanted.len());
        for recorded in page {
            let place = wanted.binary_search_by_key(&recorded.number, |(one, _)| one.number);
            let Ok(place) = place else { continue };
            let (Candidate { digest: known, counts, .. }, action) = wanted[place];
            let bout = recorded.bout();
            if !matches!(&recorded.mark.digest, Ok(digest) if known == Some(*digest)) {
                return Err(StoreError::Changed { path: part.path.clone(), bout });
            }
            let stored = recorded.stored?;
            match action {
                MergeAction::Result => results.push((stored, counts)),
                MergeAction::History => {
                    let reason =
                        "joined: another result is part of the event as it is now".to_owned();
                    let at = stored.result.started_at;
                    let cause = Cause { change: Change::Replaced, reason, at };
                    let row = history_row(bout, cause, Some(stored));
                    writing.insert_history(&row, 0).await?;
                }
            }
        }
        put_bouts(writing, &results).await?;
    }
    Ok(())
}

/// Writes results of different bouts, each with whether it counts in the event now. A current
/// result that is replaced goes to the history.
async fn put_bouts(writing: &mut Writing, bouts: &[(StoredBout, bool)]) -> Result<(), StoreError> {
    archive_replaced(writing, bouts).await?;
    for (counting, counts) in [(CountState::Counts, true), (CountState::Stale, false)] {
        let chosen = bouts.iter().filter(|(_, it)| *it == counts).map(|(stored, _)| stored);
        let hashes: Vec<_> = chosen
            .clone()
            .map(|stored| ResultHash::of_unchecked(&stored.plan, &stored.result))
            .collect();
        let hashed: Vec<_> = chosen
            .zip(&hashes)
            .map(|(StoredBout { plan, result }, hash)| HashedResult { plan, result, hash })
            .collect();
        writing.insert(&hashed, counting).await?;
    }
    writing.write_links().await
}

/// Moves the results that are about to be replaced to the history.
async fn archive_replaced(
    writing: &mut Writing,
    bouts: &[(StoredBout, bool)],
) -> Result<(), StoreError> {
    let ids: Vec<_> = bouts.iter().map(|(stored, _)| id_number(stored.plan.bout)).collect();
    let present = writing.stored_rows(&ids).await?;
    for (StoredBout { plan, result }, _) in bouts {
        let Some((number, _)) = present.get(&plan.bout) else { continue };
        let reason = "joined with a database that has another result".to_owned();
        let cause = Cause { change: Change::Replaced, reason, at: result.started_at };
        writing.archive(*number, |_| cause).await?;
    }
    Ok(())
}

//! History of a bout beside its current result: superseded results, voided tries, reruns, decisions
//! on its bots.

use std::time::Duration;

use serde::Serialize;

use super::{EventSite, Site};
use joust_model::{BoutResult, Change, DecisionRow, HistoryRow, PublicPart, StoredBout};

/// A bout for its page.
#[derive(Clone, Debug)]
pub struct ShownBout {
    /// The current result.
    pub stored: StoredBout,
    /// Its history, the oldest first.
    pub history: Vec<HistoryRow>,
}

impl From<StoredBout> for ShownBout {
    fn from(stored: StoredBout) -> Self {
        Self { stored, history: Vec::new() }
    }
}

/// An entry of the trail as a page shows it.
#[derive(Debug, Serialize)]
pub(super) struct TrailEntry {
    /// The moment, milliseconds since 1970.
    at: i64,
    what: String,
    /// Why, in lines.
    reason: String,
    /// A result of the bout, now or once, without its logs.
    result: Option<BoutResult>,
    stands: bool,
}

/// Returns the trail, the oldest entry first; empty when the bout was played once and never
/// amended.
pub(super) fn trail(event: &EventSite, site: &Site, bout: &ShownBout) -> Vec<TrailEntry> {
    let sits = |row: &&DecisionRow| bout.stored.plan.seats.iter().any(|seat| seat.bot == row.bot);
    let decisions: Vec<_> = event.info.decisions.iter().filter(sits).collect();
    if bout.history.is_empty() && decisions.is_empty() {
        return Vec::new();
    }
    let mut entries = Vec::new();
    for history in &bout.history {
        entries.extend(history.before.as_ref().map(|before| result(before, false)));
        entries.push(change(history, site));
    }
    entries.push(result(&bout.stored, true));
    entries.extend(decisions.into_iter().map(decision));
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn result(stored: &StoredBout, stands: bool) -> TrailEntry {
    let what = if stands { "Result, which stands" } else { "Result, superseded since" };
    let result = Some(stored.result.clone().without_logs());
    TrailEntry { result, stands, ..entry(finished_at(stored), what.to_owned(), String::new()) }
}

fn entry(at: i64, what: String, reason: String) -> TrailEntry {
    TrailEntry { at, what, reason, result: None, stands: false }
}

fn change(history: &HistoryRow, site: &Site) -> TrailEntry {
    let what = match history.change {
        Change::Amended => "Amended: another result took its place",
        Change::Replaced => "Replaced: it was played again",
        Change::Voided => "A try was voided",
        Change::Rerun => "Rerun",
    };
    // The reason of a voided try is part of the machine's own log.
    let reason = match history.change {
        Change::Voided if !site.publication.shows(PublicPart::Logs) => {
            "An error of the machine, of no bot; the organisers have its log."
        }
        _ => history.reason.trim_end(),
    };
    entry(history.at, what.to_owned(), reason.to_owned())
}

fn decision(row: &DecisionRow) -> TrailEntry {
    entry(row.at, format!("{} {}", row.bot, row.decision.name()), row.reason.clone())
}

fn finished_at(stored: &StoredBout) -> i64 {
    let took = |took: Duration| i64::try_from(took.as_millis()).unwrap_or(0);
    stored.result.started_at.saturating_add(took(stored.result.took))
}

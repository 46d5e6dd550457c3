//! History of a bout beside the result that stands: results that were
//! superseded, tries that were voided, reruns, decisions on its bots.

use std::time::Duration;

use serde::Serialize;

use super::leaderboard::Moment;
use super::{EventSite, Site, shown, text};
use joust_model::{Change, DecisionRow, Public, SeatResult, StoredBout, Tier};

/// A bout for its page.
#[derive(Clone, Debug)]
pub struct ShownBout {
    /// The result that stands.
    pub stored: StoredBout,
    /// Its history, the oldest first.
    pub past: Vec<Past>,
}

/// One line of a bout's audit trail.
#[derive(Clone, Debug)]
pub struct Past {
    /// Kind of the change.
    pub change: Change,
    /// Why; of a rerun, what came of it.
    pub reason: String,
    /// Moment of the change, milliseconds since 1970.
    pub at: i64,
    /// The result that stood until then.
    pub before: Option<StoredBout>,
}

impl From<StoredBout> for ShownBout {
    fn from(stored: StoredBout) -> Self {
        Self { stored, past: Vec::new() }
    }
}

/// An entry of the trail as a page shows it.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    #[serde(skip)]
    at: i64,
    moment: Moment,
    what: String,
    /// Why, in lines.
    reason: String,
    result: Option<Outcome>,
    stands: bool,
}

/// A result of the bout, now or once.
#[derive(Debug, Serialize)]
struct Outcome {
    ended: String,
    rounds: u32,
    took: String,
    seats: Vec<Seat>,
    machine: String,
    tier: Tier,
    version: String,
    state: String,
}

#[derive(Debug, Serialize)]
struct Seat {
    name: String,
    rank: u8,
    score: String,
    faults: Option<u32>,
    build: String,
    short: String,
}

/// Returns the trail, the oldest entry first; nothing when the bout was played
/// once and nobody touched it.
pub(super) fn trail(event: &EventSite, site: &Site, bout: &ShownBout) -> Vec<Entry> {
    let sits = |row: &&DecisionRow| bout.stored.plan.seats.iter().any(|seat| seat.bot == row.bot);
    let decisions: Vec<_> = event.info.decisions.iter().filter(sits).collect();
    if bout.past.is_empty() && decisions.is_empty() {
        return Vec::new();
    }
    let mut entries = Vec::new();
    for past in &bout.past {
        entries.extend(past.before.as_ref().map(|before| result(before, site, false)));
        entries.push(change(past, site));
    }
    entries.push(result(&bout.stored, site, true));
    entries.extend(decisions.into_iter().map(decision));
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn result(stored: &StoredBout, site: &Site, stands: bool) -> Entry {
    let at = finished_at(stored);
    let what = if stands { "Result, which stands" } else { "Result, superseded since" };
    Entry {
        at,
        moment: Moment::of(at),
        what: what.to_owned(),
        reason: String::new(),
        result: Some(outcome(stored, site)),
        stands,
    }
}

fn outcome(stored: &StoredBout, site: &Site) -> Outcome {
    let result = &stored.result;
    Outcome {
        ended: text::public(&result.ended),
        rounds: result.rounds,
        took: shown::time(result.took),
        seats: result.seats.iter().map(|one| seat(one, site)).collect(),
        machine: text::public(&result.machine),
        tier: result.tier,
        version: text::public(&result.joust_version),
        state: text::public(&result.state_hash),
    }
}

fn seat(seat: &SeatResult, site: &Site) -> Seat {
    let build = seat.occupant.identity().to_string();
    Seat {
        name: text::public(&seat.bot),
        rank: seat.rank,
        score: shown::score(seat.score),
        faults: site.publication.shows(Public::Verdicts).then(|| seat.verdicts.faults()),
        short: build[..12].to_owned(),
        build,
    }
}

fn change(past: &Past, site: &Site) -> Entry {
    let what = match past.change {
        Change::Amended => "Amended: another result took its place",
        Change::Replaced => "Replaced: it was played again",
        Change::Voided => "A try was voided",
        Change::Rerun => "Rerun",
    };
    Entry {
        at: past.at,
        moment: Moment::of(past.at),
        what: what.to_owned(),
        reason: reason(past, site),
        result: None,
        stands: false,
    }
}

/// Why a try was voided is the machine's own log.
fn reason(past: &Past, site: &Site) -> String {
    match past.change {
        Change::Voided if !site.publication.shows(Public::Logs) => {
            "An error of the machine, of no bot; the organisers have its log.".to_owned()
        }
        _ => text::public_lines(past.reason.trim_end().as_bytes()),
    }
}

fn decision(row: &DecisionRow) -> Entry {
    Entry {
        at: row.at,
        moment: Moment::of(row.at),
        what: format!("{} {}", text::public(&row.bot), row.decision.name()),
        reason: text::public_lines(row.reason.as_bytes()),
        result: None,
        stands: false,
    }
}

fn finished_at(stored: &StoredBout) -> i64 {
    let took = |took: Duration| i64::try_from(took.as_millis()).unwrap_or(0);
    stored.result.started_at.saturating_add(took(stored.result.took))
}

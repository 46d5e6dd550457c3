//! Which of several results of a bout stands.

use std::collections::{BTreeMap, HashMap};

use super::{Conflict, MergeError, Merged, Part};
use crate::{MergedPlace, StoreError};
use joust_model::{BoutId, StoredBout, decompress};

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// It is the bout's result.
    Result { counts: bool },
    /// It goes to the history.
    History,
}

/// Which rows are taken from which database.
pub(super) struct Chosen {
    rows: Vec<BTreeMap<i64, Take>>,
    pub(super) merged: Merged,
}

impl Chosen {
    /// Returns what is taken from the database number `part`, by row number.
    pub(super) fn rows_of(&self, part: usize) -> &BTreeMap<i64, Take> {
        &self.rows[part]
    }
}

/// A row that may stand for its bout.
#[derive(Clone, Copy)]
struct Candidate {
    part: usize,
    place: MergedPlace,
    digest: Option<[u8; 32]>,
}

/// Which of two candidates stands.
enum Stands {
    /// They are the same result.
    Same,
    /// The first; the other is known to be older.
    First,
    /// The second; the first is known to be older.
    Second,
    /// The first; the other is not part of the event any more.
    FirstCounts,
    /// The second; the first is not part of the event any more.
    SecondCounts,
    /// Nobody can tell.
    Conflict(&'static str),
}

/// Chooses a result for every bout.
pub(super) async fn choose(parts: &[Part], out: Option<usize>) -> Result<Chosen, MergeError> {
    let mut rows = vec![BTreeMap::new(); parts.len()];
    let mut merged = Merged::default();
    let mut standing: HashMap<BoutId, Candidate> = HashMap::new();
    let mut conflicts = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        // What continues it has all of its bouts.
        if part.is_continued && Some(index) != out {
            continue;
        }
        for (bout, place) in &part.summary.bouts {
            let digest = part.ledger.digest(*bout);
            let new = Candidate { part: index, place: *place, digest };
            let Some(old) = standing.get(bout).copied() else {
                standing.insert(*bout, new);
                continue;
            };
            match settle(parts, *bout, (old, new)).await? {
                Stands::Same => merged.shared += 1,
                Stands::First => {}
                Stands::Second => {
                    standing.insert(*bout, new);
                }
                Stands::FirstCounts => {
                    rows[new.part].insert(new.place.number, Take::History);
                }
                Stands::SecondCounts => {
                    rows[old.part].insert(old.place.number, Take::History);
                    standing.insert(*bout, new);
                }
                Stands::Conflict(what) => {
                    conflicts.push(conflict(parts, *bout, (old.part, index), what).await?);
                }
            }
        }
    }
    if !conflicts.is_empty() {
        conflicts.sort_by_key(|conflict| conflict.bout);
        return Err(MergeError::Conflicts(conflicts));
    }
    for (bout, stands) in &standing {
        merged.bouts += 1;
        if Some(stands.part) != out {
            let known = out.is_some_and(|out| parts[out].summary.bouts.contains_key(bout));
            if known { merged.replaced += 1 } else { merged.added += 1 }
        }
        rows[stands.part].insert(stands.place.number, Take::Result { counts: stands.place.counts });
    }
    Ok(Chosen { rows, merged })
}

async fn settle(
    parts: &[Part],
    bout: BoutId,
    (old, new): (Candidate, Candidate),
) -> Result<Stands, StoreError> {
    if old.digest.is_some() && old.digest == new.digest {
        return Ok(Stands::Same);
    }
    let knows = |one: &Candidate, other: &Candidate| {
        let digest = other.digest.as_ref();
        digest.is_some_and(|digest| parts[one.part].ledger.is_superseded(bout, digest))
    };
    Ok(match (old.place.counts, new.place.counts) {
        _ if knows(&new, &old) => Stands::Second,
        _ if knows(&old, &new) => Stands::First,
        (true, false) => Stands::FirstCounts,
        (false, true) => Stands::SecondCounts,
        (false, false) if old.place.key != new.place.key => Stands::FirstCounts,
        (true, true) if old.place.key != new.place.key => {
            Stands::Conflict("played it under different settings or builds")
        }
        _ => {
            let (one, other) =
                (load(parts, bout, old.part).await?, load(parts, bout, new.part).await?);
            let same = one.zip(other).is_some_and(|(one, other)| is_one_result(&one, &other));
            if same { Stands::Same } else { Stands::Conflict("saw it go differently") }
        }
    })
}

async fn load(parts: &[Part], bout: BoutId, part: usize) -> Result<Option<StoredBout>, StoreError> {
    parts[part].store.bout(&bout.to_string()).await
}

/// Says whether two plays of a bout went the same way; times play no part.
fn is_one_result(one: &StoredBout, other: &StoredBout) -> bool {
    let outcome = |bout: &StoredBout| {
        let seats = bout.result.seats.iter();
        let seats: Vec<_> = seats.map(|seat| (seat.rank, seat.score, seat.verdicts)).collect();
        (bout.result.ended.clone(), bout.result.state_hash.clone(), seats)
    };
    let (first, second) = (&one.result.action_log, &other.result.action_log);
    let same_log = || match (decompress(first), decompress(second)) {
        (Ok(first), Ok(second)) => first == second,
        _ => false,
    };
    outcome(one) == outcome(other) && (first == second || same_log())
}

async fn conflict(
    parts: &[Part],
    bout: BoutId,
    (one, other): (usize, usize),
    what: &'static str,
) -> Result<Conflict, StoreError> {
    let stored = load(parts, bout, one).await?;
    let plan = stored.map(|stored| stored.plan);
    let bots = plan.as_ref().map(|plan| {
        let bots: Vec<_> = plan.seats.iter().map(|seat| joust_model::escaped(&seat.bot)).collect();
        bots.join(" vs ")
    });
    Ok(Conflict {
        bout,
        event: plan.as_ref().map(|plan| plan.event.clone()).unwrap_or_default(),
        bots: bots.unwrap_or_default(),
        one: parts[one].path.clone(),
        other: parts[other].path.clone(),
        what,
    })
}

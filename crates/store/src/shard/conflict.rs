//! Choice of one result per bout, where databases have several.

use super::{Conflict, MergeCounts, MergeError, MergePart};
use crate::bouts::bout_id;
use crate::hasher::Digest;
use crate::{Ledger, Store, StoreError};
use joust_model::{BoutId, PlanKey, StoredBout, decompress};

/// The maximum number of conflicts held in memory.
const MOST_CONFLICTS: usize = 1000;

/// Places of all bouts of all events.
const PLACES: &str = "SELECT json_group_array(number) AS number, json_group_array(id) AS id, \
    json_group_array(hex(key)) AS key, json_group_array(counts) AS counts \
    FROM bouts WHERE number BETWEEN ?1 AND ?2 AND ?3 IS NOT NULL";

/// Use of a row in the joined database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeAction {
    /// It is the bout's result.
    Result,
    /// It goes to the history.
    History,
}

/// Row of a database that is used, and how.
pub(super) type MergeDecision = (Candidate, MergeAction);

/// A row that may become the bout's result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) bout: BoutId,
    pub(super) part: usize,
    pub(super) number: i64,
    pub(super) key: PlanKey,
    pub(super) counts: bool,
    /// The digest in the chain.
    pub(super) digest: Option<Digest>,
}

/// Outcome of the comparison of two candidates.
enum Winner {
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
    /// The newer result is unknown.
    Conflict(&'static str),
}

/// Adds the bouts of a database, each with its digest in the database's chain; returns the rest of
/// the chain's ledger.
pub(super) async fn read_candidates(
    part: usize,
    store: &Store,
    candidates: &mut Vec<Candidate>,
) -> Result<Ledger, StoreError> {
    let mut ledger = store.ledger().await?;
    let mut scan = store.scan_bouts().await?;
    while let Some(rows) = scan.next().await? {
        let bouts = scan.read("bouts", PLACES, (rows, "")).await?;
        let numbers: Vec<i64> = bouts.list("number")?;
        let ids: Vec<i64> = bouts.list("id")?;
        let keys: Vec<PlanKey> = bouts.hashes("key", &numbers)?;
        let counts: Vec<i64> = bouts.list("counts")?;
        for (row, number) in numbers.into_iter().enumerate() {
            let bout = bout_id(ids[row]);
            let (key, counts) = (keys[row], counts[row] != 0);
            let digest = ledger.take_digest(bout);
            candidates.push(Candidate { bout, part, number, key, counts, digest });
        }
    }
    ledger.forget_results();
    Ok(ledger)
}

/// Chooses a result for every bout; returns the rows that are used, by database and row number.
pub(super) async fn resolve_conflicts(
    mut candidates: Vec<Candidate>,
    parts: &[MergePart],
    out: Option<usize>,
) -> Result<(MergeCounts, Vec<MergeDecision>), MergeError> {
    candidates.sort_unstable_by_key(|one| (one.bout, one.part));
    let mut resolver = ConflictResolver::of(parts, out);
    for bout in candidates.chunk_by(|one, other| one.bout == other.bout) {
        resolver.resolve(bout).await?;
    }
    if resolver.conflicting > 0 {
        return Err(MergeError::Conflicts { first: resolver.conflicts, all: resolver.conflicting });
    }
    resolver.decisions.sort_unstable_by_key(|(one, _)| (one.part, one.number));
    Ok((resolver.merged, resolver.decisions))
}

/// Choices made so far, bout after bout.
struct ConflictResolver<'a> {
    parts: &'a [MergePart],
    out: Option<usize>,
    merged: MergeCounts,
    decisions: Vec<MergeDecision>,
    conflicts: Vec<Conflict>,
    conflicting: u64,
}

impl<'a> ConflictResolver<'a> {
    fn of(parts: &'a [MergePart], out: Option<usize>) -> Self {
        let (decisions, conflicts) = (Vec::new(), Vec::new());
        Self { parts, out, merged: MergeCounts::default(), decisions, conflicts, conflicting: 0 }
    }

    /// Chooses among the rows of a bout, in the order of the databases.
    async fn resolve(&mut self, candidates: &[Candidate]) -> Result<(), StoreError> {
        let Some((first, others)) = candidates.split_first() else { return Ok(()) };
        let mut standing = *first;
        for new in others {
            match compare_results(self.parts, standing, *new).await? {
                Winner::Same => self.merged.shared += 1,
                Winner::First => {}
                Winner::Second => standing = *new,
                Winner::FirstCounts => self.decisions.push((*new, MergeAction::History)),
                Winner::SecondCounts => {
                    self.decisions.push((standing, MergeAction::History));
                    standing = *new;
                }
                Winner::Conflict(what) => self.add_conflict(&standing, new, what).await?,
            }
        }
        self.merged.bouts += 1;
        if Some(standing.part) != self.out {
            let is_known = candidates.iter().any(|one| Some(one.part) == self.out);
            let kind = if is_known { &mut self.merged.replaced } else { &mut self.merged.added };
            *kind += 1;
        }
        self.decisions.push((standing, MergeAction::Result));
        Ok(())
    }

    async fn add_conflict(
        &mut self,
        one: &Candidate,
        other: &Candidate,
        what: &'static str,
    ) -> Result<(), StoreError> {
        self.conflicting += 1;
        if self.conflicts.len() < MOST_CONFLICTS {
            let places = (one.part, other.part);
            self.conflicts.push(describe_conflict(self.parts, one.bout, places, what).await?);
        }
        Ok(())
    }
}

async fn compare_results(
    parts: &[MergePart],
    old: Candidate,
    new: Candidate,
) -> Result<Winner, StoreError> {
    let bout = old.bout;
    if old.digest.is_some() && old.digest == new.digest {
        return Ok(Winner::Same);
    }
    let knows = |one: &Candidate, other: &Candidate| {
        let digest = other.digest.as_ref();
        digest.is_some_and(|digest| parts[one.part].ledger.is_superseded(bout, digest))
    };
    Ok(match (old.counts, new.counts) {
        _ if knows(&new, &old) => Winner::Second,
        _ if knows(&old, &new) => Winner::First,
        (true, false) => Winner::FirstCounts,
        (false, true) => Winner::SecondCounts,
        (false, false) if old.key != new.key => Winner::FirstCounts,
        (true, true) if old.key != new.key => {
            Winner::Conflict("played it under different settings or builds")
        }
        _ => {
            let (one, other) =
                (load_bout(parts, bout, old.part).await?, load_bout(parts, bout, new.part).await?);
            let same = one.zip(other).is_some_and(|(one, other)| is_one_result(&one, &other));
            if same { Winner::Same } else { Winner::Conflict("saw it go differently") }
        }
    })
}

async fn load_bout(
    parts: &[MergePart],
    bout: BoutId,
    part: usize,
) -> Result<Option<StoredBout>, StoreError> {
    parts[part].store.bout(&bout.to_string()).await
}

/// Returns whether two plays of a bout had the same course and result, except for times.
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

async fn describe_conflict(
    parts: &[MergePart],
    bout: BoutId,
    (one, other): (usize, usize),
    what: &'static str,
) -> Result<Conflict, StoreError> {
    let stored = load_bout(parts, bout, one).await?;
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

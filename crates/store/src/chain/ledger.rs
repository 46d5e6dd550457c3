//! Ledger: reads the chain again and finds where the other tables differ from it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use sqlx::sqlite::SqliteRow;

use super::super::hasher::Digest;
use super::super::pages::{ChainMark, RecordedBout};
use super::super::row::Reader;
use super::super::{Store, StoreError};
use super::states::{ChainedState, decision_digest, history_digest};
use super::{LinkKind, NewLink, first_hash, link_hash};
use crate::rows::BoutPlacing;
use joust_model::{BoutId, ChainHash};

/// A row that differs from the chain, or a link that does not follow from the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inconsistency {
    /// The row: `bout 3f2a…`, `link 7 of the chain`.
    pub row: String,
    /// The problem with it.
    pub problem: String,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.row, self.problem)
    }
}

/// Subject of a link, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSummary {
    /// The link's number.
    pub number: u64,
    /// The kind of what was recorded.
    pub kind: LinkKind,
    /// The bout's id or the event's; empty for the tournament.
    pub subject: String,
}

/// Extent of a comparison of a database with its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckScope {
    /// Every bout was shown to the ledger: those it still expects are missing.
    Everything,
    /// Only some bouts were.
    Some,
}

/// The newest result of a bout, as the chain has it.
#[derive(Clone, Copy, Debug)]
struct Current {
    link: i64,
    digest: Digest,
    match_number: i64,
    counts: i64,
}

/// Contents of the tables as the chain records them.
#[derive(Debug, Default)]
pub struct Ledger {
    results: HashMap<BoutId, Current>,
    superseded: HashSet<(BoutId, Digest)>,
    history: BTreeMap<i64, (String, Digest)>,
    decisions: BTreeMap<i64, (String, Digest)>,
    states: BTreeMap<(LinkKind, String), Digest>,
    problems: Vec<Inconsistency>,
    last: Option<(i64, ChainHash)>,
}

impl Store {
    /// Reads the chain, to its end.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn ledger(&self) -> Result<Ledger, StoreError> {
        let mut ledger = Ledger::default();
        self.each_row(sqlx::query(CHAIN), |row| ledger.add(row)).await?;
        Ok(ledger)
    }

    /// Returns the links after number `number`, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn links_after(&self, number: u64) -> Result<Vec<LinkSummary>, StoreError> {
        let query = "SELECT number, kind, subject FROM chain WHERE number > ? ORDER BY number";
        self.all_rows(sqlx::query(query).bind(number.cast_signed()), |row| {
            let reader = Reader::new("chain", "number", row);
            Ok(LinkSummary {
                number: reader.number("number")?,
                kind: reader.named("kind")?,
                subject: reader.get("subject")?,
            })
        })
        .await
    }

    /// Compares everything but bouts with the chain. If every bout was shown to the ledger, also
    /// reports the bouts that are missing.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn close_ledger(
        &self,
        mut ledger: Ledger,
        check: CheckScope,
    ) -> Result<Vec<Inconsistency>, StoreError> {
        self.check_states(&mut ledger).await?;
        let query = sqlx::query("SELECT * FROM history ORDER BY number");
        let mut expected = std::mem::take(&mut ledger.history);
        self.each_row(query, |row| ledger.check_row(row, "history", &mut expected, history_digest))
            .await?;
        ledger.missing("history", expected);
        let query = sqlx::query("SELECT * FROM decisions ORDER BY number");
        let mut expected = std::mem::take(&mut ledger.decisions);
        self.each_row(query, |row| {
            ledger.check_row(row, "decisions", &mut expected, decision_digest)
        })
        .await?;
        ledger.missing("decisions", expected);
        if check == CheckScope::Everything {
            ledger.problems.extend(self.structure_problem().await?);
            let mut bouts: Vec<_> = ledger.results.keys().copied().collect();
            bouts.sort_unstable();
            for bout in bouts {
                ledger.find(format!("bout {bout}"), "its row is gone");
            }
        }
        Ok(ledger.problems)
    }

    async fn check_states(&self, ledger: &mut Ledger) -> Result<(), StoreError> {
        let mut reader = self.readers.acquire().await.map_err(|error| self.error(error))?;
        let events: Vec<String> =
            sqlx::query_scalar("SELECT id FROM events UNION SELECT event FROM bots ORDER BY 1")
                .fetch_all(&mut *reader)
                .await
                .map_err(|error| self.error(error))?;
        let mut states = vec![(ChainedState::Tournament, "the tournament's row".to_owned())];
        for id in &events {
            states.push((ChainedState::Event(id), format!("event `{id}`")));
            states.push((ChainedState::Field(id), format!("the bots of event `{id}`")));
        }
        let builds: Vec<String> = sqlx::query_scalar(
            "SELECT hex(hash) FROM builds UNION SELECT hex(build) FROM sources ORDER BY 1",
        )
        .fetch_all(&mut *reader)
        .await
        .map_err(|error| self.error(error))?;
        for hash in &builds {
            states.push((ChainedState::Build(hash), format!("build `{hash}`")));
            states.push((ChainedState::Source(hash), format!("the source of build `{hash}`")));
        }
        for (state, name) in states {
            let found = state.digest(&mut reader).await.map_err(|error| self.error(error))?;
            let expected = ledger.states.remove(&state.key());
            match (expected, found) {
                (Some(_), None) => ledger.find(name, "gone"),
                (None, Some(_)) => ledger.find(name, NOT_RECORDED),
                (one, other) if one != other => ledger.find(name, CHANGED),
                _ => {}
            }
        }
        for (kind, subject) in std::mem::take(&mut ledger.states).into_keys() {
            ledger.find(format!("{} `{subject}`", kind.name()), "gone");
        }
        Ok(())
    }
}

const CHAIN: &str = "SELECT number, kind, subject, digest, detail, hash FROM chain ORDER BY number";

const CHANGED: &str = "changed after it was recorded";
const NOT_RECORDED: &str = "there, but never recorded";

impl Ledger {
    /// Returns whether another result took the place of the one with `digest`.
    pub fn is_superseded(&self, bout: BoutId, digest: &[u8; 32]) -> bool {
        self.superseded.contains(&(bout, *digest))
    }

    /// Returns the hash of what was recorded as a bout's newest result.
    pub fn digest(&self, bout: BoutId) -> Option<[u8; 32]> {
        self.results.get(&bout).map(|current| current.digest)
    }

    /// Takes the hash of what was recorded as a bout's newest result; each bout may be shown once.
    pub(crate) fn take_digest(&mut self, bout: BoutId) -> Option<Digest> {
        self.results.remove(&bout).map(|current| current.digest)
    }

    /// Drops the expected results of bouts that were not shown.
    pub(crate) fn forget_results(&mut self) {
        self.results = HashMap::new();
    }

    /// Compares a bout's rows with the chain; each bout may be shown once.
    pub fn check(&mut self, recorded: &RecordedBout) -> Vec<Inconsistency> {
        self.check_mark(&recorded.mark)
    }

    /// Compares a bout's rows with the chain by their mark; each bout may be shown once.
    pub fn check_mark(&mut self, mark: &ChainMark) -> Vec<Inconsistency> {
        let bout = mark.placing.bout;
        let Some(expected) = self.results.remove(&bout) else {
            let row = format!("bout {bout}");
            return vec![Inconsistency { row, problem: NOT_RECORDED.to_owned() }];
        };
        let mut problems = Vec::new();
        match &mark.digest {
            Ok(digest) if *digest == expected.digest => {}
            Ok(_) => problems.push(format!("its bout, seats or logs were {CHANGED}")),
            Err(error) => problems.push(format!("{CHANGED}: {error}")),
        }
        if mark.link != expected.link {
            problems.push(format!("names link {} instead of {}", mark.link, expected.link));
        }
        let (counts, placing) = (expected.counts, mark.placing);
        if placing.counts != counts {
            let said = if counts == 1 { "counts" } else { "does not count" };
            problems.push(format!("`counts` was changed: by the chain it {said}"));
        }
        if placing.match_number != expected.match_number {
            let (now, then) = (placing.match_number, expected.match_number);
            problems.push(format!("`match_number` was changed from {then} to {now}"));
        }
        let named = |problem| Inconsistency { row: format!("bout {bout}"), problem };
        problems.into_iter().map(named).collect()
    }

    fn find(&mut self, row: String, problem: impl Into<String>) {
        self.problems.push(Inconsistency { row, problem: problem.into() });
    }

    fn check_row(
        &mut self,
        row: &SqliteRow,
        table: &'static str,
        expected: &mut BTreeMap<i64, (String, Digest)>,
        hash: fn(&SqliteRow) -> Result<Digest, StoreError>,
    ) -> Result<(), StoreError> {
        let number: i64 = Reader::new(table, "number", row).get("number")?;
        let named = |about: &str| format!("row {number} of `{table}`, about {about}");
        match (expected.remove(&number), hash(row)) {
            (None, _) => self.find(format!("row {number} of `{table}`"), NOT_RECORDED),
            (Some((_, digest)), Ok(found)) if digest == found => {}
            (Some((about, _)), Ok(_)) => self.find(named(&about), CHANGED),
            (Some((about, _)), Err(error)) => self.find(named(&about), error.to_string()),
        }
        Ok(())
    }

    fn missing(&mut self, table: &str, expected: BTreeMap<i64, (String, Digest)>) {
        for (number, (about, _)) in expected {
            self.find(format!("row {number} of `{table}`, about {about}"), "gone");
        }
    }

    fn add(&mut self, row: &SqliteRow) -> Result<(), StoreError> {
        let number = Reader::new("chain", "number", row).get("number")?;
        if let Err(problem) = self.follow(number, row) {
            self.find(format!("link {number} of the chain"), problem);
        }
        Ok(())
    }

    /// Checks the next link.
    fn follow(&mut self, number: i64, row: &SqliteRow) -> Result<(), String> {
        let reader = Reader::new("chain", "number", row);
        let read = |error: StoreError| error.to_string();
        let hash = ChainHash(reader.hash("hash").map_err(read)?);
        let link = NewLink {
            kind: reader.named("kind").map_err(read)?,
            subject: reader.get("subject").map_err(read)?,
            digest: reader.hash("digest").map_err(read)?,
            detail: reader.get("detail").map_err(read)?,
        };
        let expected = match self.last {
            None => (0, first_hash()),
            Some((last, before)) => {
                let next = last.saturating_add(1);
                (next, link_hash(before, next, &link))
            }
        };
        self.last = Some((number, hash));
        self.take(number, link).ok_or_else(|| "its detail is not one of its kind".to_owned())?;
        match number.cmp(&expected.0) {
            Ordering::Less => return Err("is not in order".to_owned()),
            Ordering::Equal => {}
            Ordering::Greater => {
                return Err(format!("links {} to {} are gone", expected.0, number - 1));
            }
        }
        let follows = hash == expected.1;
        if follows { Ok(()) } else { Err("does not follow from the link before".to_owned()) }
    }

    /// Updates the expected contents of the tables after a link.
    fn take(&mut self, number: i64, link: NewLink) -> Option<()> {
        let NewLink { kind, subject, digest, detail } = link;
        match kind {
            LinkKind::Begin => {}
            LinkKind::Tournament
            | LinkKind::Event
            | LinkKind::Field
            | LinkKind::Build
            | LinkKind::Source => {
                self.states.insert((kind, subject), digest);
            }
            LinkKind::Result => {
                let placing = BoutPlacing::from_bytes(&detail)?;
                let BoutPlacing { bout, match_number, counts } = placing;
                self.results.insert(bout, Current { link: number, digest, match_number, counts });
            }
            LinkKind::Places => {
                let placings = detail.chunks(BoutPlacing::BYTES).map(BoutPlacing::from_bytes);
                for placing in placings {
                    let placing = placing?;
                    let current = self.results.get_mut(&placing.bout)?;
                    (current.match_number, current.counts) = (placing.match_number, placing.counts);
                }
            }
            LinkKind::History => self.take_history(subject, digest, &detail)?,
            LinkKind::Decision => {
                let row = i64::from_le_bytes(detail.try_into().ok()?);
                self.decisions.insert(row, (format!("event `{subject}`"), digest));
            }
        }
        Some(())
    }

    fn take_history(&mut self, subject: String, digest: Digest, detail: &[u8]) -> Option<()> {
        let (row, before) = detail.split_first_chunk::<8>()?;
        let before = i64::from_le_bytes(before.try_into().ok()?);
        let bout: BoutId = subject.parse().ok()?;
        self.history.insert(i64::from_le_bytes(*row), (format!("bout {subject}"), digest));
        if before > 0 && self.results.get(&bout).is_some_and(|current| current.link == before) {
            let current = self.results.remove(&bout)?;
            self.superseded.insert((bout, current.digest));
        }
        Some(())
    }
}

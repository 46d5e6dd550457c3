//! Scratch of a join: where every bout of every database is, and what is taken, in files that
//! SQLite makes in its folder for such and removes; memory holds a page of them.
//!
//! Rows come in the order of the databases and are needed in that of the bouts' ids; then
//! the other way round. Both times SQLite sorts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions as _, Row as _, SqliteConnection};

use super::conflict::{Candidate, MergeAction};
use crate::chain::Ledger;
use crate::hasher::Digest;
use crate::insert::{Insert, execute};
use crate::{Store, StoreError};
use joust_model::{BoutId, PlanKey};

const BEGIN: [&str; 5] = [
    "PRAGMA temp_store = FILE",
    "PRAGMA cache_size = -16384",
    "PRAGMA temp.cache_size = -16384",
    "CREATE TEMP TABLE found (bout BLOB, part INTEGER, number INTEGER, key BLOB, counts INTEGER, \
     digest BLOB)",
    "CREATE TEMP TABLE taken (part INTEGER, number INTEGER, take INTEGER, digest BLOB)",
];
const SORT: [&str; 2] =
    ["CREATE TEMP TABLE sorted AS SELECT * FROM found ORDER BY bout, part", "DROP TABLE found"];
const INDEX: &str = "CREATE INDEX temp.taken_rows ON taken (part, number)";

static FOUND: Insert = Insert::of("found (bout, part, number, key, counts, digest)");
static TAKEN: Insert = Insert::of("taken (part, number, take, digest)");

/// Places of all bouts, whatever their event.
const PLACES: &str = "SELECT json_group_array(number) AS number, json_group_array(id) AS id, \
    json_group_array(hex(key)) AS key, json_group_array(counts) AS counts \
    FROM bouts WHERE number BETWEEN ?1 AND ?2 AND ?3 IS NOT NULL";

/// Candidates that are read at once.
const AT_ONCE: i64 = if cfg!(test) { 7 } else { 4096 };

/// A row that is taken, or goes to the history.
pub(super) struct MergeDecision {
    pub(super) part: usize,
    pub(super) number: i64,
    pub(super) take: MergeAction,
    pub(super) digest: Option<Digest>,
}

pub(super) struct Scratch {
    /// The database that errors name: the result.
    path: PathBuf,
    file: SqliteConnection,
    /// The last row that was read of those that are sorted.
    last: i64,
    /// Candidates of a bout of which there may be more.
    open: Vec<Candidate>,
}

impl Scratch {
    pub(super) async fn open(out: &Path) -> Result<Self, StoreError> {
        let path = out.to_owned();
        let opened = SqliteConnectOptions::new().in_memory(true).connect().await;
        let file = opened.map_err(|error| StoreError::from_sqlx(out, error))?;
        let mut scratch = Self { path, file, last: 0, open: Vec::new() };
        scratch.execute(&BEGIN).await?;
        Ok(scratch)
    }

    /// Notes where the bouts of a database are, each with the hash of what its chain has of it;
    /// returns what the chain says beside.
    pub(super) async fn add_part(
        &mut self,
        part: usize,
        store: &Store,
    ) -> Result<Ledger, StoreError> {
        let mut ledger = store.ledger().await?;
        let mut sweep = store.scan_bouts().await?;
        while let Some(rows) = sweep.next().await? {
            let bouts = sweep.read("bouts", PLACES, (rows, "")).await?;
            let numbers: Vec<i64> = bouts.list("number")?;
            let ids: Vec<i64> = bouts.list("id")?;
            let keys: Vec<PlanKey> = bouts.hashes("key", &numbers)?;
            let counts: Vec<i64> = bouts.list("counts")?;
            let found = numbers.into_iter().enumerate().map(|(row, number)| {
                let bout = crate::bouts::bout_id(ids[row]);
                let (key, counts) = (keys[row], counts[row] != 0);
                Candidate { bout, part, number, key, counts, digest: ledger.take_digest(bout) }
            });
            self.add(&found.collect::<Vec<_>>()).await?;
        }
        ledger.forget_results();
        Ok(ledger)
    }

    async fn add(&mut self, found: &[Candidate]) -> Result<(), StoreError> {
        let statements = FOUND.rows(found, |values, one| {
            values
                .bytes(&one.bout.0)
                .number(i64::try_from(one.part).unwrap_or(i64::MAX))
                .number(one.number)
                .bytes(&one.key.0)
                .number(i64::from(one.counts))
                .bytes(one.digest.as_ref().map_or(&[][..], |digest| digest));
        });
        let added = execute(&mut self.file, statements).await;
        added.map_err(|error| StoreError::from_sqlx(&self.path, error))
    }

    /// Begins to read what was noted, when all was.
    pub(super) async fn sort_candidates(&mut self) -> Result<(), StoreError> {
        self.execute(&SORT).await
    }

    /// Returns all rows of each of the next bouts, in the order of their ids and of the
    /// databases; none when there are no more.
    pub(super) async fn next_bouts(&mut self) -> Result<Vec<Vec<Candidate>>, StoreError> {
        let mut whole = Vec::new();
        while whole.is_empty() {
            let rows = sqlx::query(
                "SELECT rowid AS row, bout, part, number, key, counts, digest FROM sorted \
                 WHERE rowid > ? ORDER BY rowid LIMIT ?",
            )
            .bind(self.last)
            .bind(AT_ONCE);
            let rows = rows.fetch_all(&mut self.file).await;
            let read = rows.and_then(|rows| {
                let last = rows.last().map(|row| row.try_get("row")).transpose()?;
                Ok((last, rows.iter().map(candidate).collect::<Result<Vec<_>, _>>()?))
            });
            let (last, rows) = read.map_err(|error| StoreError::from_sqlx(&self.path, error))?;
            let Some(last) = last else {
                whole.extend(Some(std::mem::take(&mut self.open)).filter(|open| !open.is_empty()));
                return Ok(whole);
            };
            self.last = last;
            for one in rows {
                if self.open.first().is_some_and(|first| first.bout != one.bout) {
                    whole.push(std::mem::take(&mut self.open));
                }
                self.open.push(one);
            }
        }
        Ok(whole)
    }

    /// Notes what is taken.
    pub(super) async fn add_decisions(
        &mut self,
        taken: &[MergeDecision],
    ) -> Result<(), StoreError> {
        let statements = TAKEN.rows(taken, |values, one| {
            values
                .number(i64::try_from(one.part).unwrap_or(i64::MAX))
                .number(one.number)
                .number(one.take.code())
                .bytes(one.digest.as_ref().map_or(&[][..], |digest| digest));
        });
        let added = execute(&mut self.file, statements).await;
        added.map_err(|error| StoreError::from_sqlx(&self.path, error))
    }

    /// Begins to tell what is taken, when all of it was noted.
    pub(super) async fn index_decisions(&mut self) -> Result<(), StoreError> {
        self.execute(&[INDEX]).await
    }

    /// Returns the first row after one that is taken of a database; `None` when there is none.
    pub(super) async fn first_after(
        &mut self,
        part: usize,
        number: i64,
    ) -> Result<Option<i64>, StoreError> {
        sqlx::query_scalar("SELECT min(number) FROM taken WHERE part = ? AND number > ?")
            .bind(i64::try_from(part).unwrap_or(i64::MAX))
            .bind(number)
            .fetch_one(&mut self.file)
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))
    }

    /// Returns what is taken of some rows of a database, the first and the last.
    pub(super) async fn decisions_in(
        &mut self,
        part: usize,
        (first, last): (i64, i64),
    ) -> Result<BTreeMap<i64, MergeDecision>, StoreError> {
        let query = "SELECT number, take, digest FROM taken \
                     WHERE part = ? AND number BETWEEN ? AND ?";
        let rows = sqlx::query(query)
            .bind(i64::try_from(part).unwrap_or(i64::MAX))
            .bind(first)
            .bind(last)
            .fetch_all(&mut self.file)
            .await;
        let taken = |row: &SqliteRow| {
            let (number, take) = (row.try_get("number")?, MergeAction::of(row.try_get("take")?));
            Ok((number, MergeDecision { part, number, take, digest: digest(row)? }))
        };
        let taken = rows.and_then(|rows| rows.iter().map(taken).collect());
        taken.map_err(|error| StoreError::from_sqlx(&self.path, error))
    }

    async fn execute(&mut self, queries: &[&'static str]) -> Result<(), StoreError> {
        for query in queries {
            let executed = sqlx::query(*query).execute(&mut self.file).await;
            executed.map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        }
        Ok(())
    }
}

fn candidate(row: &SqliteRow) -> Result<Candidate, sqlx::Error> {
    let (bout, key): (&[u8], &[u8]) = (row.try_get("bout")?, row.try_get("key")?);
    let (part, counts): (i64, i64) = (row.try_get("part")?, row.try_get("counts")?);
    Ok(Candidate {
        bout: BoutId(bout.try_into().unwrap_or_default()),
        part: usize::try_from(part).unwrap_or(usize::MAX),
        number: row.try_get("number")?,
        key: PlanKey(key.try_into().unwrap_or_default()),
        counts: counts != 0,
        digest: digest(row)?,
    })
}

fn digest(row: &SqliteRow) -> Result<Option<Digest>, sqlx::Error> {
    let bytes: &[u8] = row.try_get("digest")?;
    Ok(bytes.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(number: u8, part: usize) -> Candidate {
        Candidate {
            bout: BoutId([number; 8]),
            part,
            number: i64::from(number) * 10,
            key: PlanKey([number; 32]),
            counts: part == 1,
            digest: (part > 0).then_some([number; 32]),
        }
    }

    #[tokio::test]
    async fn what_was_noted_comes_bout_by_bout_however_pages_fall() {
        let mut scratch = Scratch::open(Path::new("out.db")).await.expect("it is made");
        for part in (0..3).rev() {
            let all = (0..=255_u8).rev().filter(|bout| usize::from(*bout) % 4 >= part);
            scratch
                .add(&all.map(|bout| found(bout, part)).collect::<Vec<_>>())
                .await
                .expect("noted");
        }
        scratch.sort_candidates().await.expect("sorted");
        let (mut bouts, mut next) = (0..=255_u8, scratch.next_bouts().await.expect("read"));
        while !next.is_empty() {
            for candidates in next {
                let bout = bouts.next().expect("there is one more");
                let parts: Vec<usize> = candidates.iter().map(|one| one.part).collect();
                assert_eq!(parts, (0..=usize::from(bout % 4).min(2)).collect::<Vec<_>>());
                for one in candidates {
                    let expected = found(bout, one.part);
                    assert_eq!((one.bout, one.number), (expected.bout, expected.number));
                    assert_eq!((one.key, one.counts), (expected.key, expected.counts));
                    assert_eq!(one.digest, expected.digest);
                }
            }
            next = scratch.next_bouts().await.expect("read");
        }
        assert_eq!(bouts.next(), None);
    }

    #[tokio::test]
    async fn what_is_taken_is_told_by_database_and_row() {
        let mut scratch = Scratch::open(Path::new("out.db")).await.expect("it is made");
        let takes = [
            MergeAction::History,
            MergeAction::Result { counts: true },
            MergeAction::Result { counts: false },
        ];
        let rows = (0..30).rev().map(|number| MergeDecision {
            part: usize::from(number % 2 == 0),
            number,
            take: takes[(number % 3) as usize],
            digest: Some([1; 32]),
        });
        scratch.add_decisions(&rows.collect::<Vec<_>>()).await.expect("noted");
        scratch.index_decisions().await.expect("sorted");
        assert_eq!(scratch.first_after(0, i64::MIN).await.expect("read"), Some(1));
        assert_eq!(scratch.first_after(1, 4).await.expect("read"), Some(6));
        assert_eq!(scratch.first_after(1, 28).await.expect("read"), None);
        let taken = scratch.decisions_in(1, (6, 10)).await.expect("read");
        let takes: Vec<_> = taken.values().map(|one| (one.number, one.take)).collect();
        let counted = |counts| MergeAction::Result { counts };
        assert_eq!(takes, [(6, MergeAction::History), (8, counted(false)), (10, counted(true))]);
    }
}

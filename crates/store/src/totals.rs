//! The table `totals`: what each pair of bots did in a closed partition, added up.
//!
//! A partition never changes, so its totals are made once, when it is closed, and stand in the
//! head: standings read them and the bouts of the head, not the partitions. When bouts of a
//! partition were lifted since, its totals are outdated, which their number of lifted bouts
//! tells, and those of a partition may not be there yet: then its bouts are read, until
//! [`Store::renew_totals`] has added them up. Only events of two seats have totals.

use async_recursion::async_recursion as boxed;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

use super::added_up::AddedUp;
use super::chain::Inconsistency;
use super::partitions::Closed;
use super::results::fold_sweep;
use super::{EventSettings, Snapshot, Store, StoreError};
use joust_model::{BoutSummary, Mirror, Pair, PairTotals, Totals};

/// How well totals are compressed: not too well, because bouts are stored meanwhile.
const LEVEL: i32 = 3;

/// The longest totals that are read, bytes: those of a million pairs have a tenth of it.
const LONGEST: u64 = 1 << 30;

/// A pair by the places of its bots in the list of names.
#[derive(Serialize, Deserialize)]
struct WrittenPair<'a> {
    bots: [u32; 2],
    totals: Cow<'a, PairTotals>,
}

/// What precedes the pairs.
#[derive(Serialize, Deserialize)]
struct Heading {
    bots: Vec<String>,
    pairs: u64,
}

impl Store {
    /// Returns the totals of an event's bouts that count; `None` where more than two bots meet at
    /// a time. Reads the bouts of the head, and of partitions only those whose totals are
    /// outdated.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn totals(&self, event: &EventSettings) -> Result<Option<Totals>, StoreError> {
        self.snapshot().await?.totals(event).await
    }

    /// Adds the bouts of partitions up whose totals are not there or are outdated. Bouts can be
    /// stored meanwhile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read or written.
    #[boxed]
    pub async fn renew_totals(&self) -> Result<(), StoreError> {
        let _alone = self.begin_adding_up().await;
        for (closed, event) in self.without_totals().await? {
            self.write_totals(&closed, &event).await?;
        }
        Ok(())
    }

    /// Writes the totals of the newest partition, if they are those of all of its bouts, and adds
    /// up what else is missing.
    pub(super) async fn put_totals(&self, added: AddedUp) -> Result<(), StoreError> {
        let newest = sqlx::query_scalar("SELECT max(number) FROM partitions");
        let newest: Option<i64> =
            newest.fetch_one(self.readers()).await.map_err(|error| self.error(error))?;
        for (closed, event) in self.without_totals().await? {
            let is_all =
                newest == Some(closed.number) && added.is_all_of(self.path(), &closed).await?;
            match added.of(&event).filter(|_| is_all) {
                Some(totals) => self.put_totals_of(&closed, &event, totals).await?,
                None => self.write_totals(&closed, &event).await?,
            }
        }
        Ok(())
    }

    /// Returns the partitions, and the events in each, of which there are no totals that are up
    /// to date.
    async fn without_totals(&self) -> Result<Vec<(Closed, EventSettings)>, StoreError> {
        let mut head = self.readers().begin().await.map_err(|error| self.error(error))?;
        let (closed, mut found) = (self.closed(&mut head).await?, Vec::new());
        if closed.is_empty() {
            return Ok(found);
        }
        for event in self.events().await?.into_iter().filter(EventSettings::is_of_pairs) {
            let current: BTreeSet<i64> =
                self.current_totals(&mut head, &event).await?.into_iter().collect();
            let missing = closed.iter().filter(|closed| !current.contains(&closed.number));
            found.extend(missing.map(|closed| (closed.clone(), event.clone())));
        }
        Ok(found)
    }

    /// Renews totals, without which everything works and some of it takes longer.
    pub(super) async fn renew_totals_if_possible(&self) {
        if let Err(error) = self.renew_totals().await {
            tracing::debug!(%error, "totals stay outdated");
        }
    }

    async fn write_totals(&self, closed: &Closed, event: &EventSettings) -> Result<(), StoreError> {
        self.put_totals_of(closed, event, &self.add_up(closed, event).await?).await
    }

    async fn put_totals_of(
        &self,
        closed: &Closed,
        event: &EventSettings,
        totals: &Totals,
    ) -> Result<(), StoreError> {
        let pairs = written(totals)
            .map_err(|error| StoreError::from_sqlx(self.path(), sqlx::Error::Io(error)))?;
        let mut change = self.begin().await?;
        sqlx::query(
            "INSERT OR REPLACE INTO totals (partition, event, is_mirrored, lifted, pairs) \
             VALUES (?, ?, ?, ?, ?)",
        )
        .bind(closed.number)
        .bind(&event.id)
        .bind(event.mirror == Mirror::Pairs)
        .bind(i64::try_from(closed.lifted.len()).unwrap_or(i64::MAX))
        .bind(pairs)
        .execute(&mut *change)
        .await
        .map_err(|error| self.error(error))?;
        self.commit(change).await
    }

    /// Adds up what the bouts of a partition say.
    async fn add_up(&self, closed: &Closed, event: &EventSettings) -> Result<Totals, StoreError> {
        let mut sweep = self.sweep().await?;
        sweep.read_only(closed.clone());
        fold_sweep(sweep, &event.id, Totals::new(event.mirror), add).await
    }

    /// Returns which totals are not those of the bouts that they are of.
    pub(super) async fn totals_problems(&self) -> Result<Vec<Inconsistency>, StoreError> {
        let mut head = self.readers().begin().await.map_err(|error| self.error(error))?;
        let (closed, mut problems) = (self.closed(&mut head).await?, Vec::new());
        // Settings that cannot be read are named as what they are.
        let events = self.events().await.unwrap_or_default();
        for event in events.iter().filter(|event| event.is_of_pairs()) {
            for partition in self.current_totals(&mut head, event).await? {
                let mut written = Totals::new(event.mirror);
                let of = closed.iter().find(|closed| closed.number == partition);
                let read = self.read_totals(&mut head, event, partition, &mut written).await;
                let is_right = match (of, read) {
                    (_, Err(error)) if !matches!(error, StoreError::ImpossibleRow { .. }) => {
                        return Err(error);
                    }
                    (Some(closed), Ok(())) => self.add_up(closed, event).await? == written,
                    _ => false,
                };
                if !is_right {
                    let id = &event.id;
                    let row = format!("totals of partition {partition}, event `{id}`");
                    let problem = "not those of its bouts".to_owned();
                    problems.push(Inconsistency { row, problem });
                }
            }
        }
        Ok(problems)
    }

    /// Returns the partitions whose totals of an event are up to date.
    async fn current_totals(
        &self,
        head: &mut SqliteConnection,
        event: &EventSettings,
    ) -> Result<Vec<i64>, StoreError> {
        let partitions = sqlx::query_scalar(
            "SELECT partition FROM totals JOIN partitions ON partitions.number = partition \
             WHERE event = ? AND is_mirrored = ? AND totals.lifted = (SELECT count(*) FROM lifted \
             WHERE lifted.number BETWEEN first_row AND last_row) ORDER BY partition",
        )
        .bind(&event.id)
        .bind(event.mirror == Mirror::Pairs)
        .fetch_all(head)
        .await;
        partitions.map_err(|error| self.error(error))
    }

    /// Adds the totals of an event in a partition to `totals`.
    async fn read_totals(
        &self,
        head: &mut SqliteConnection,
        event: &EventSettings,
        partition: i64,
        totals: &mut Totals,
    ) -> Result<(), StoreError> {
        let pairs: Vec<u8> =
            sqlx::query_scalar("SELECT pairs FROM totals WHERE partition = ? AND event = ?")
                .bind(partition)
                .bind(&event.id)
                .fetch_one(head)
                .await
                .map_err(|error| self.error(error))?;
        read(&pairs, totals).map_err(|error| StoreError::ImpossibleRow {
            table: "totals",
            column: "pairs",
            row: partition.to_string(),
            problem: error.to_string(),
        })
    }
}

impl Snapshot {
    /// Returns the totals of an event's bouts, as [`Store::totals`] does.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn totals(mut self, event: &EventSettings) -> Result<Option<Totals>, StoreError> {
        if !event.is_of_pairs() {
            return Ok(None);
        }
        let (store, mut totals) = (self.0.store(), Totals::new(event.mirror));
        for partition in store.current_totals(self.0.head(), event).await? {
            self.0.leave_out(partition)?;
            store.read_totals(self.0.head(), event, partition, &mut totals).await?;
        }
        self.fold_results(&event.id, totals, add).await.map(Some)
    }
}

fn add(totals: &mut Totals, bout: BoutSummary) {
    totals.add(&bout);
}

fn written(totals: &Totals) -> io::Result<Vec<u8>> {
    let bytes = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    // A pair is many short numbers, each of which is written by itself.
    let mut bytes = io::BufWriter::with_capacity(1 << 16, bytes);
    let bots: Vec<String> = totals.bots().map(str::to_owned).collect();
    let heading = Heading { bots, pairs: totals.len() as u64 };
    put(&mut bytes, &heading)?;
    for pair in totals.placed_pairs() {
        put(&mut bytes, &WrittenPair { bots: pair.bots, totals: Cow::Borrowed(pair.totals) })?;
    }
    bytes.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

fn put(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    rmp_serde::encode::write(to, value).map_err(io::Error::other)
}

fn read(bytes: &[u8], totals: &mut Totals) -> io::Result<()> {
    let bytes = zstd::stream::read::Decoder::new(bytes)?.take(LONGEST);
    let mut bytes = io::BufReader::new(bytes);
    let heading: Heading = rmp_serde::from_read(&mut bytes).map_err(io::Error::other)?;
    for _ in 0..heading.pairs {
        let pair: WrittenPair<'_> = rmp_serde::from_read(&mut bytes).map_err(io::Error::other)?;
        let name = |place: u32| heading.bots.get(place as usize).map(String::as_str);
        let [Some(one), Some(other)] = pair.bots.map(name) else {
            return Err(io::Error::other("a pair of a bot without a name"));
        };
        totals.join(Pair { bots: [one, other], totals: &pair.totals });
    }
    Ok(())
}

//! Lifting: a bout of a closed partition comes back to the head, where it can be changed.

use std::path::Path;
use std::sync::Arc;

use sqlx::{Sqlite, SqliteConnection, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::super::bouts::{bout_id, id_number};
use super::super::documents::Documents;
use super::super::pages::of_row;
use super::super::row::Reader;
use super::super::rows::{self, Row};
use super::super::seal::Sealer;
use super::{Closed, Filter, Store, StoreError};
use joust_model::BoutId;

/// A partition's filter.
#[derive(Clone, Debug)]
pub(in super::super) struct Filtered {
    partition: i64,
    filter: Arc<Filter>,
    /// Its file: of thousands of bouts the filter takes some for the partition's.
    file: Arc<Mutex<Option<Opened>>>,
}

/// A partition's file that stays open to look bouts up in it.
#[derive(Debug)]
struct Opened {
    connection: SqliteConnection,
    /// The rows that were lifted when it was opened: it hides them.
    lifted: Vec<i64>,
}

/// A bout of a partition: its row there.
struct Sought {
    bout: BoutId,
    number: i64,
}

/// What was looked up in a partition's file.
struct LookedUp {
    found: Vec<Sought>,
    opened: Opened,
    place: OwnedMutexGuard<Option<Opened>>,
}

impl Store {
    /// Lifts those of `bouts` that a partition has, and returns how many; `change` is of the head.
    pub(in super::super) async fn lift(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        bouts: &[BoutId],
    ) -> Result<usize, StoreError> {
        self.read_filters(change).await?;
        if !self.may_be_closed(bouts) {
            return Ok(0);
        }
        let mut lifted = 0;
        for closed in self.closed(change).await? {
            let Some(mut looked) = self.look_up(&closed, bouts).await? else { continue };
            lifted += looked.found.len();
            for one in std::mem::take(&mut looked.found) {
                self.lift_row(change, &closed, &mut looked.opened.connection, one).await?;
            }
            looked.keep();
        }
        Ok(lifted)
    }

    /// Says whether a partition has one of `bouts`; `newest` is the number of the newest one.
    pub(in super::super) async fn are_closed(
        &self,
        bouts: &[BoutId],
        newest: Option<i64>,
    ) -> Result<bool, StoreError> {
        let are_read = newest <= self.filters_read().last().map(|one| one.partition);
        // Nearly always nothing has to be read.
        if are_read && !self.may_be_closed(bouts) {
            return Ok(false);
        }
        let mut head = self.readers().acquire().await.map_err(|error| self.error(error))?;
        self.read_filters(&mut head).await?;
        if !self.may_be_closed(bouts) {
            return Ok(false);
        }
        for closed in self.closed(&mut head).await? {
            let Some(looked) = self.look_up(&closed, bouts).await? else { continue };
            let is_found = !looked.found.is_empty();
            looked.keep();
            if is_found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Says whether a partition whose filter was read may have one of `bouts`; `false` is certain.
    fn may_be_closed(&self, bouts: &[BoutId]) -> bool {
        let filters = self.filters_read();
        filters.iter().any(|one| bouts.iter().any(|bout| one.filter.may_have(*bout)))
    }

    /// Looks those of `bouts` up in a partition that it may have; `None` when that is none.
    async fn look_up(
        &self,
        closed: &Closed,
        bouts: &[BoutId],
    ) -> Result<Option<LookedUp>, StoreError> {
        let filter = self.filters_read().iter().find(|one| one.partition == closed.number).cloned();
        let may_be = |bout: &&BoutId| filter.as_ref().is_none_or(|one| one.filter.may_have(**bout));
        let sought: Vec<BoutId> = bouts.iter().filter(may_be).copied().collect();
        if sought.is_empty() {
            return Ok(None);
        }
        let file = filter.map(|one| one.file).unwrap_or_default();
        let mut place = file.lock_owned().await;
        // It is opened anew after whatever goes wrong.
        let mut opened = closed.opened(place.take(), self.path()).await?;
        let found = find(closed, &mut opened.connection, &sought).await?;
        Ok(Some(LookedUp { found, opened, place }))
    }

    async fn lift_row(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        closed: &Closed,
        connection: &mut SqliteConnection,
        Sought { bout, number }: Sought,
    ) -> Result<(), StoreError> {
        let recorded = of_row(closed.path(), connection, number).await?;
        let recorded = recorded.filter(|recorded| recorded.bout() == bout);
        let changed = || StoreError::Changed { path: closed.path().to_owned(), bout };
        let recorded = recorded.ok_or_else(changed)?;
        let stored = recorded.stored?;
        let seal = Sealer::default().seal_unchecked(&stored.plan, &stored.result);
        if recorded.mark.digest? != seal.digest {
            return Err(changed());
        }
        let mut documents = Documents::default();
        let of_bout = documents.put_all(change, &seal.documents).await;
        let calibrations = documents.put_all(change, &seal.calibrations).await;
        let row = Row {
            plan: &stored.plan,
            result: &stored.result,
            placing: recorded.mark.placing,
            link: recorded.mark.link,
            documents: of_bout.map_err(|error| self.error(error))?,
            calibrations: calibrations.map_err(|error| self.error(error))?,
        };
        let written = rows::write_at(change, number, &row).await;
        written.map_err(|error| self.error(error))?;
        sqlx::query("INSERT INTO lifted (number) VALUES (?)")
            .bind(number)
            .execute(&mut **change)
            .await
            .map_err(|error| self.error(error))?;
        Ok(())
    }

    /// Reads the filters of all partitions, each once.
    async fn read_filters(&self, head: &mut SqliteConnection) -> Result<(), StoreError> {
        let last = self.filters_read().last().map_or(0, |one| one.partition);
        let rows =
            sqlx::query("SELECT number, ids FROM partitions WHERE number > ? ORDER BY number")
                .bind(last)
                .fetch_all(head)
                .await
                .map_err(|error| self.error(error))?;
        let read = |row| {
            let reader = Reader::new("partitions", "number", row);
            let filter = Arc::new(Filter::from_bytes(reader.get("ids")?));
            let file = Arc::default();
            Ok(Filtered { partition: reader.get("number")?, filter, file })
        };
        let new: Vec<Filtered> = rows.iter().map(read).collect::<Result<_, StoreError>>()?;
        let mut filters = self.filters_read();
        let last = filters.last().map_or(0, |one| one.partition);
        filters.extend(new.into_iter().filter(|one| one.partition > last));
        Ok(())
    }
}

impl LookedUp {
    /// Keeps the file open for the next who looks bouts up.
    fn keep(mut self) {
        *self.place = Some(self.opened);
    }
}

impl Closed {
    /// Opens the partition to look bouts up, unless that was done when as many were lifted.
    async fn opened(&self, before: Option<Opened>, head: &Path) -> Result<Opened, StoreError> {
        if let Some(before) = before.filter(|before| before.lifted == self.lifted) {
            self.refuse_changed(head)?;
            return Ok(before);
        }
        let mut connection = self.open(head).await?;
        sqlx::query("PRAGMA cache_size = -64")
            .execute(&mut connection)
            .await
            .map_err(|error| StoreError::from_sqlx(self.path(), error))?;
        Ok(Opened { connection, lifted: self.lifted.clone() })
    }
}

/// Returns where those of `sought` are that a partition has.
async fn find(
    closed: &Closed,
    connection: &mut SqliteConnection,
    sought: &[BoutId],
) -> Result<Vec<Sought>, StoreError> {
    let ids: Vec<i64> = sought.iter().map(|bout| id_number(*bout)).collect();
    let list = serde_json::to_string(&ids).expect("numbers are JSON");
    let rows = sqlx::query(
        "SELECT number, bouts.id FROM json_each(?) AS wanted \
         CROSS JOIN bouts ON bouts.id = wanted.value",
    )
    .bind(list)
    .fetch_all(connection)
    .await
    .map_err(|error| StoreError::from_sqlx(closed.path(), error))?;
    let found = |row| {
        let reader = Reader::new("bouts", "number", row);
        Ok(Sought { bout: bout_id(reader.get("id")?), number: reader.get("number")? })
    };
    rows.iter().map(found).collect()
}

//! Lifting: a bout of a closed partition comes back to the head, where it can be changed.

use std::path::Path;
use std::sync::Arc;

use sqlx::{Sqlite, SqliteConnection, Transaction};
use tokio::sync::Mutex;

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

impl Store {
    /// Lifts those of `bouts` that a partition has, and returns how many; `change` is of the head.
    pub(in super::super) async fn lift(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        bouts: &[BoutId],
    ) -> Result<usize, StoreError> {
        let (filters, mut lifted) = (self.filters(change).await?, 0);
        let may_have = |one: &Filtered| bouts.iter().any(|bout| one.filter.may_have(*bout));
        if !filters.iter().any(may_have) {
            return Ok(0);
        }
        for closed in self.closed(change).await? {
            let filter = filters.iter().find(|one| one.partition == closed.number);
            let may_be = |bout: &&BoutId| filter.is_none_or(|one| one.filter.may_have(**bout));
            let sought: Vec<BoutId> = bouts.iter().filter(may_be).copied().collect();
            if sought.is_empty() {
                continue;
            }
            let file = filter.map(|one| Arc::clone(&one.file)).unwrap_or_default();
            let mut file = file.lock().await;
            // It is opened anew after whatever goes wrong.
            let mut opened = closed.opened(file.take(), self.path()).await?;
            let found = find(&closed, &mut opened.connection, &sought).await?;
            lifted += found.len();
            for one in found {
                self.lift_row(change, &closed, &mut opened.connection, one).await?;
            }
            *file = Some(opened);
        }
        Ok(lifted)
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

    /// Returns the filters of all partitions by their numbers; each is read once.
    async fn filters(&self, head: &mut SqliteConnection) -> Result<Vec<Filtered>, StoreError> {
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
        let mut read = self.filters_read();
        read.extend(new);
        Ok(read.clone())
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

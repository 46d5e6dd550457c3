//! Lifting: a bout of a closed partition comes back to the head, where it can be changed.

use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::super::direct::refused;
use super::super::documents::Documents;
use super::super::pages::of_row;
use super::super::row::Reader;
use super::super::rows::{self, Row};
use super::super::seal::Sealer;
use super::filter::Filter;
use super::filters::Filters;
use super::lookups::{Lookups, Sought};
use super::{Closed, Store, StoreError, each_row};
use joust_model::BoutId;

/// What is held of the partitions to find bouts in them.
#[derive(Debug, Default)]
pub(in super::super) struct Searched {
    filters: Filters,
    files: Lookups,
}

impl Store {
    /// Lifts those of `bouts` that a partition has, and returns how many; `change` is of the head.
    pub(in super::super) async fn lift(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        bouts: &[BoutId],
    ) -> Result<usize, StoreError> {
        let mut lifted = 0;
        for (closed, sought) in self.may_be_closed(change, bouts).await? {
            let found = self.look_up(&closed, &sought)?;
            if found.is_empty() {
                continue;
            }
            let mut file = closed.open(self.path()).await?;
            lifted += found.len();
            for one in found {
                self.lift_row(change, &closed, &mut file, one).await?;
            }
        }
        Ok(lifted)
    }

    /// Says whether a partition has one of `bouts`; `newest` is the number of the newest one.
    pub(in super::super) async fn are_closed(
        &self,
        bouts: &[BoutId],
        newest: Option<i64>,
    ) -> Result<bool, StoreError> {
        let is_none = {
            let filters = &self.searched().filters;
            newest <= filters.newest() && filters.may_have(bouts).is_empty()
        };
        // Nearly always nothing has to be read.
        if is_none {
            return Ok(false);
        }
        let mut head = self.readers().acquire().await.map_err(|error| self.error(error))?;
        for (closed, sought) in self.may_be_closed(&mut head, bouts).await? {
            if !self.look_up(&closed, &sought)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the partitions that may have some of `bouts`, each with those; all others have none.
    async fn may_be_closed(
        &self,
        head: &mut SqliteConnection,
        bouts: &[BoutId],
    ) -> Result<Vec<(Closed, Vec<BoutId>)>, StoreError> {
        self.read_filters(head).await?;
        let mut sought = self.searched().filters.may_have(bouts);
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<i64> = sought.keys().copied().collect();
        let closed = self.closed_of(head, Some(&numbers)).await?;
        let with_sought = |one: Closed| sought.remove(&one.number).map(|bouts| (one, bouts));
        Ok(closed.into_iter().filter_map(with_sought).collect())
    }

    /// Looks bouts up in a partition that may have them.
    fn look_up(&self, closed: &Closed, sought: &[BoutId]) -> Result<Vec<Sought>, StoreError> {
        closed.refuse_changed(self.path())?;
        let found = self.searched().files.find(closed, sought);
        match found.map_err(|error| StoreError::from_sqlx(closed.path(), refused(error)))? {
            Some(found) => Ok(found),
            None => Err(closed.changed(self.path())),
        }
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
        let newest = self.searched().filters.newest();
        let newer = "SELECT number, ids FROM partitions WHERE number > ? ORDER BY number";
        let newer = sqlx::query(newer).bind(newest.unwrap_or_default());
        let read = |row: &SqliteRow| -> Result<(), StoreError> {
            let reader = Reader::new("partitions", "number", row);
            let (partition, ids) = (reader.get("number")?, reader.get("ids")?);
            let filters = &mut self.searched().filters;
            // Somebody else may have read it meanwhile.
            if filters.newest().is_none_or(|newest| newest < partition) {
                filters.push(partition, &Filter::from_bytes(ids));
            }
            Ok(())
        };
        each_row(newer, head, &mut { read }).await.map_err(|error| self.error(error))?
    }
}

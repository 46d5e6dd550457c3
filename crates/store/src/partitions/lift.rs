//! Lifting: a bout of a closed partition comes back to the head, where it can be changed.

use std::sync::Arc;

use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::super::direct::refused;
use super::super::documents::Documents;
use super::super::pages::of_row;
use super::super::row::Reader;
use super::super::rows::{self, Row};
use super::super::seal::Sealer;
use super::lookups::{Lookups, Sought};
use super::{Closed, Filter, Store, StoreError};
use joust_model::BoutId;

/// A partition's filter, and its file: of thousands of bouts the filter takes some for the
/// partition's.
#[derive(Clone, Debug)]
pub(in super::super) struct Filtered {
    partition: i64,
    filter: Arc<Filter>,
    file: Arc<Lookups>,
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
            let found = self.look_up(&closed, bouts)?;
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
            if !self.look_up(&closed, bouts)?.is_empty() {
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

    /// Looks those of `bouts` up in a partition that it may have.
    fn look_up(&self, closed: &Closed, bouts: &[BoutId]) -> Result<Vec<Sought>, StoreError> {
        let filter = self.filters_read().iter().find(|one| one.partition == closed.number).cloned();
        let may_be = |bout: &&BoutId| filter.as_ref().is_none_or(|one| one.filter.may_have(**bout));
        let sought: Vec<BoutId> = bouts.iter().filter(may_be).copied().collect();
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        closed.refuse_changed(self.path())?;
        let found = filter.map(|one| one.file).unwrap_or_default().find(closed, &sought);
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

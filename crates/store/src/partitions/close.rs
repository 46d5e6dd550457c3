//! Closing: the bouts of the head become a partition.
//!
//! In this order, so that whoever is killed at any moment loses nothing: the file is made whole
//! under another name and reaches the disk; it is given its own name; one change of the head
//! lists it and deletes what it has. Before that change the file is not part of the database,
//! and the next who closes writes it anew. When the chain has grown meanwhile nothing is closed.

use async_recursion::async_recursion as boxed;
use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};

use super::super::bouts::bout_id;
use super::super::making;
use super::super::migrations::MIGRATIONS;
use super::super::open::{connect, for_much, options};
use super::super::place::with_suffix;
use super::super::row::Reader;
use super::{CLOSED, Filter, HEADER, Store, StoreError, file_of, header_of};

/// How many bouts a database has before they are moved to a partition, unless somebody says
/// another number.
pub(in super::super) const BOUTS: u64 = 1_000_000;

/// What of the head goes into a partition.
#[derive(Clone, Debug)]
struct Span {
    number: i64,
    rows: RangeInclusive<i64>,
    links: RangeInclusive<i64>,
    /// The newest link of the chain, which stays: the next one follows from it.
    newest: i64,
}

/// Tables whose rows go, the column that numbers them, and which span that is of.
const MOVED: [&str; 3] = [
    "INSERT INTO main.bouts SELECT * FROM head.bouts WHERE number BETWEEN ? AND ? ORDER BY number",
    "INSERT INTO main.seats SELECT * FROM head.seats WHERE bout BETWEEN ? AND ? ORDER BY bout, seat",
    "INSERT INTO main.logs SELECT * FROM head.logs WHERE bout BETWEEN ? AND ? ORDER BY bout",
];

/// The same where all rows go: SQLite copies rows and indexes as they lie, without looking into
/// them, as long as a query says nothing more than this.
const MOVED_WHOLE: [&str; 3] = [
    "INSERT INTO main.bouts SELECT * FROM head.bouts",
    "INSERT INTO main.seats SELECT * FROM head.seats",
    "INSERT INTO main.logs SELECT * FROM head.logs",
];

/// How many ids are read at once.
const IDS: i64 = 1 << 16;

/// What goes from the head where other bouts stay in it; a row before that which it refers to.
const DELETED: [&str; 3] = [
    "DELETE FROM logs WHERE bout BETWEEN ? AND ?",
    "DELETE FROM seats WHERE bout BETWEEN ? AND ?",
    "DELETE FROM bouts WHERE number BETWEEN ? AND ?",
];

/// What goes where none stay: tables that SQLite drops at once.
const EMPTIED: [&str; 3] = ["DELETE FROM logs", "DELETE FROM seats", "DELETE FROM bouts"];

/// What stays of the chain then: the newest link.
const CHAIN_KEPT: &str =
    "CREATE TEMP TABLE kept AS SELECT * FROM chain WHERE number NOT BETWEEN ? AND ?";

/// What goes of it.
const CHAIN_EMPTIED: [&str; 3] =
    ["DELETE FROM chain", "INSERT INTO chain SELECT * FROM kept", "DROP TABLE kept"];

impl Store {
    /// Moves the bouts of the head to a partition of their own; says whether there were any,
    /// and nobody else wrote meanwhile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a file cannot be written; then everything is as before.
    #[boxed]
    pub async fn close_partition(&self) -> Result<bool, StoreError> {
        let is_closed = self.close_partition_without_totals().await?;
        if is_closed {
            self.renew_totals_if_possible().await;
        }
        Ok(is_closed)
    }

    /// Moves the bouts of the head as [`Store::close_partition`] does. Their totals are for
    /// whoever has time.
    pub(in super::super) async fn close_partition_without_totals(
        &self,
    ) -> Result<bool, StoreError> {
        match self.span().await? {
            Some(span) => self.close_span(&span).await,
            None => Ok(false),
        }
    }

    /// Moves the bouts of a head that has many times as many as a partition, as after joining
    /// databases, to partitions of [`Store::with_partitions_of`] bouts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a file cannot be written; then the bouts that are left stay.
    #[boxed]
    pub async fn close_full_partitions(&self) -> Result<(), StoreError> {
        while self.bouts_in_head().await? >= self.most_in_head() {
            let Some(span) = self.span().await? else { return Ok(()) };
            let span = self.cut(span).await?;
            if !self.close_span(&span).await? {
                return Ok(());
            }
            self.renew_totals_if_possible().await;
        }
        Ok(())
    }

    /// Returns the part of a span that has as many bouts as a partition.
    async fn cut(&self, whole: Span) -> Result<Span, StoreError> {
        let row: (Option<i64>, Option<i64>) = sqlx::query_as(
            "SELECT max(number), max(link) FROM \
             (SELECT number, link FROM bouts WHERE number >= ? ORDER BY number LIMIT ?)",
        )
        .bind(whole.rows.start())
        .bind(i64::try_from(self.most_in_head()).unwrap_or(i64::MAX))
        .fetch_one(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        let (Some(last_row), Some(last_link)) = row else { return Ok(whole) };
        let links = *whole.links.start()..=last_link.min(*whole.links.end());
        Ok(Span { rows: *whole.rows.start()..=last_row, links, ..whole })
    }

    async fn close_span(&self, span: &Span) -> Result<bool, StoreError> {
        let path = file_of(self.path(), span.number);
        self.refuse_strange_partition().await?;
        let begun = with_suffix(&path, ".making");
        making::sweep(&begun);
        let made = self.fill(&begun, span).await;
        let placed = made.and_then(|filter| {
            put_in_place(&begun, &path).map_err(|error| failed(&path, error))?;
            Ok(filter)
        });
        making::sweep(&begun);
        let filter = placed?;
        let is_closed = self.list(span, &path, &filter).await?;
        if !is_closed {
            _ = fs::remove_file(&path);
        }
        Ok(is_closed)
    }

    /// Returns what of the head would go into the next partition.
    async fn span(&self) -> Result<Option<Span>, StoreError> {
        let row = sqlx::query(
            "SELECT p.number AS number, p.first_row AS first_row, p.first_link AS first_link, \
             (SELECT max(number) FROM bouts) AS last_row, (SELECT max(number) FROM chain) AS last_link \
             FROM (SELECT coalesce(max(number), 0) + 1 AS number, \
             coalesce(max(last_row), 0) + 1 AS first_row, coalesce(max(last_link), -1) + 1 AS first_link \
             FROM partitions) AS p",
        )
        .fetch_one(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        let reader = Reader::new("partitions", "number", &row);
        let first: i64 = reader.get("first_row")?;
        let last: Option<i64> = reader.get("last_row")?;
        let Some(last) = last.filter(|last| *last >= first) else { return Ok(None) };
        let newest: i64 = reader.get("last_link")?;
        let links = reader.get("first_link")?..=newest - 1;
        Ok(Some(Span { number: reader.get("number")?, rows: first..=last, links, newest }))
    }

    /// Makes the file of a partition, and the filter of its ids.
    async fn fill(&self, begun: &Path, span: &Span) -> Result<Filter, StoreError> {
        let options = for_much(options(begun)).create_if_missing(true).foreign_keys(false);
        let options =
            options.journal_mode(SqliteJournalMode::Memory).synchronous(SqliteSynchronous::Off);
        let pool = connect(begun, options, 1).await?;
        let filled = self.fill_from_head(&pool, span).await;
        pool.close().await;
        filled.map_err(|error| StoreError::from_sqlx(begun, error))
    }

    async fn fill_from_head(&self, pool: &SqlitePool, span: &Span) -> Result<Filter, sqlx::Error> {
        MIGRATIONS.run(pool).await.map_err(|error| sqlx::Error::Migrate(Box::new(error)))?;
        let mut file = pool.acquire().await?;
        sqlx::query("ATTACH DATABASE ? AS head")
            .bind(self.path().to_string_lossy().into_owned())
            .execute(&mut *file)
            .await?;
        sqlx::query("BEGIN").execute(&mut *file).await?;
        for whole in [
            "INSERT INTO main.documents SELECT * FROM head.documents",
            "INSERT INTO main.events SELECT * FROM head.events",
            "DELETE FROM main.chain",
        ] {
            sqlx::query(whole).execute(&mut *file).await?;
        }
        let is_whole = !has_others(&mut file, "head.bouts", span).await?;
        for place in 0..MOVED.len() {
            let query = match is_whole {
                true => sqlx::query(MOVED_WHOLE[place]),
                false => sqlx::query(MOVED[place]).bind(span.rows.start()).bind(span.rows.end()),
            };
            query.execute(&mut *file).await?;
        }
        sqlx::query("INSERT INTO main.chain SELECT * FROM head.chain").execute(&mut *file).await?;
        sqlx::query("DELETE FROM main.chain WHERE number NOT BETWEEN ? AND ?")
            .bind(span.links.start())
            .bind(span.links.end())
            .execute(&mut *file)
            .await?;
        let mark = format!("PRAGMA main.user_version = {CLOSED}");
        sqlx::query(sqlx::AssertSqlSafe(mark)).execute(&mut *file).await?;
        sqlx::query("COMMIT").execute(&mut *file).await?;
        sqlx::query("DETACH DATABASE head").execute(&mut *file).await?;
        ids_of(&mut file).await
    }

    /// Lists a partition that is in its place, and deletes from the head what it has; not when
    /// somebody else has written since.
    async fn list(&self, span: &Span, path: &Path, filter: &Filter) -> Result<bool, StoreError> {
        let header = header_of(path).map_err(|error| failed(path, error))?;
        let bytes = fs::metadata(path).map_err(|error| failed(path, error))?.len();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        debug_assert_eq!(header.len(), HEADER);
        let mut head = self.open_without_lookups().await?;
        let change = head.begin_with("BEGIN IMMEDIATE").await;
        let mut change = change.map_err(|error| self.error(error))?;
        let newest: i64 = sqlx::query_scalar("SELECT max(number) FROM chain")
            .fetch_one(&mut *change)
            .await
            .map_err(|error| self.error(error))?;
        if newest != span.newest {
            return Ok(false);
        }
        let listed = sqlx::query(
            "INSERT INTO partitions (number, file, first_row, last_row, first_link, last_link, head, \
             bytes, header, ids) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
             coalesce((SELECT hash FROM chain WHERE number = ?6), x''), ?7, ?8, ?9)",
        )
        .bind(span.number)
        .bind(file)
        .bind(span.rows.start())
        .bind(span.rows.end())
        .bind(span.links.start())
        .bind(span.links.end())
        .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
        .bind(header)
        .bind(filter.bytes())
        .execute(&mut *change)
        .await;
        listed.map_err(|error| self.error(error))?;
        let deleted = delete(&mut change, span).await;
        deleted.map_err(|error| self.error(error))?;
        self.commit(change).await?;
        // Whoever waits for this one no more is not held up.
        drop(head.close().await);
        Ok(true)
    }

    /// Opens the head to delete much: SQLite would look for what refers to each row, which
    /// took as long as storing it.
    async fn open_without_lookups(&self) -> Result<SqliteConnection, StoreError> {
        let options = for_much(options(self.path())).foreign_keys(false);
        let options = options.create_if_missing(false).journal_mode(SqliteJournalMode::Wal);
        let head = options.synchronous(SqliteSynchronous::Full).connect().await;
        head.map_err(|error| self.error(error))
    }

    /// Returns how many bouts of the head are in no partition.
    pub(in super::super) async fn bouts_in_head(&self) -> Result<u64, StoreError> {
        let span = self.span().await?;
        Ok(span.map_or(0, |span| span.rows.end().abs_diff(*span.rows.start()) + 1))
    }
}

/// Returns the filter of the ids of a partition.
async fn ids_of(file: &mut SqliteConnection) -> Result<Filter, sqlx::Error> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM bouts").fetch_one(&mut *file).await?;
    let mut filter = Filter::for_ids(usize::try_from(count).unwrap_or(usize::MAX));
    let mut last = i64::MIN;
    loop {
        let ids: String = sqlx::query_scalar(
            "SELECT json_group_array(json_array(number, id)) FROM \
             (SELECT number, id FROM bouts WHERE number > ? ORDER BY number LIMIT ?)",
        )
        .bind(last)
        .bind(IDS)
        .fetch_one(&mut *file)
        .await?;
        let ids: Vec<[i64; 2]> = serde_json::from_str(&ids).expect("SQLite writes numbers as JSON");
        let Some([newest, _]) = ids.last() else { return Ok(filter) };
        last = *newest;
        ids.into_iter().for_each(|[_, id]| filter.insert(bout_id(id)));
    }
}

/// Says whether a table of bouts has some that are not of a span.
async fn has_others(
    file: &mut SqliteConnection,
    table: &'static str,
    span: &Span,
) -> Result<bool, sqlx::Error> {
    // Two ends of the table are looked at, and none of its rows.
    let ends =
        format!("SELECT (SELECT min(number) FROM {table}), (SELECT max(number) FROM {table})");
    let ends = sqlx::query_as(sqlx::AssertSqlSafe(ends)).fetch_one(file).await?;
    let (first, last): (Option<i64>, Option<i64>) = ends;
    Ok([first, last].into_iter().flatten().any(|number| !span.rows.contains(&number)))
}

/// Deletes what a partition has.
async fn delete(head: &mut SqliteConnection, span: &Span) -> Result<(), sqlx::Error> {
    let has_others = has_others(head, "bouts", span).await?;
    for place in 0..DELETED.len() {
        let query = match has_others {
            true => sqlx::query(DELETED[place]).bind(span.rows.start()).bind(span.rows.end()),
            false => sqlx::query(EMPTIED[place]),
        };
        query.execute(&mut *head).await?;
    }
    let (first, rest) = match has_others {
        true => ("DELETE FROM chain WHERE number BETWEEN ? AND ?", [].as_slice()),
        false => (CHAIN_KEPT, CHAIN_EMPTIED.as_slice()),
    };
    let of_span = sqlx::query(first).bind(span.links.start()).bind(span.links.end());
    of_span.execute(&mut *head).await?;
    for query in rest {
        sqlx::query(*query).execute(&mut *head).await?;
    }
    Ok(())
}

/// Gives a whole file its name, in place of one that a killed run may have left.
fn put_in_place(begun: &Path, path: &Path) -> std::io::Result<()> {
    File::open(begun)?.sync_all()?;
    fs::rename(begun, path)?;
    let folder: PathBuf = path.parent().map(Path::to_owned).unwrap_or_default();
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    File::open(folder)?.sync_all()
}

fn failed(path: &Path, error: std::io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source: Arc::new(error) }
}

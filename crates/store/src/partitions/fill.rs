//! Filling: the file of a partition is made of what the head has.
//!
//! Where all bouts of the head go, its pages are copied as they lie, and what belongs to the head
//! alone is deleted from the copy. Where some stay, as after joining databases, rows are copied.

use std::ops::RangeInclusive;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, ffi};

use super::super::bouts::bout_id;
use super::super::open::{CACHE_KIB, PATIENCE};
use super::{CLOSED, Filter};

/// Tables of a partition that have something; the others are the head's.
const KEPT: [&str; 7] =
    ["bouts", "seats", "logs", "chain", "events", "documents", "_sqlx_migrations"];

/// Tables of which some rows go, and the column that numbers them.
const MOVED: [(&str, &str); 3] = [("bouts", "number"), ("seats", "bout"), ("logs", "bout")];

/// How much of the files is held in memory while pages are copied; negative numbers are KiB.
const FEW_KIB: i64 = -256;

/// Makes the file of the partition with these rows of bouts and links of the chain, and returns the
/// filter of its ids.
pub(super) fn fill(
    head: &Path,
    begun: &Path,
    rows: &RangeInclusive<i64>,
    links: &RangeInclusive<i64>,
) -> rusqlite::Result<Filter> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let head = Connection::open_with_flags(head, flags)?;
    head.busy_timeout(PATIENCE)?;
    let mut file = Connection::open(begun)?;
    // All pages are gone through once, whatever is held of them.
    for connection in [&head, &file] {
        connection.pragma_update(None, "cache_size", FEW_KIB)?;
    }
    // What is made is thrown away where that fails.
    file.pragma_update(None, "journal_mode", "OFF")?;
    file.pragma_update(None, "synchronous", "OFF")?;
    file.pragma_update(None, "foreign_keys", false)?;
    // All is seen as it is at one moment.
    head.execute_batch("BEGIN")?;
    match is_all(&head, rows)? && is_mostly_full(&head)? {
        true => copy_pages(&head, &mut file)?,
        false => copy_rows(&head, &mut file, rows)?,
    }
    head.execute_batch("ROLLBACK")?;
    file.execute(
        "DELETE FROM chain WHERE number NOT BETWEEN ? AND ?",
        (links.start(), links.end()),
    )?;
    file.pragma_update(None, "user_version", CLOSED)?;
    filter_of(&file)
}

/// Returns the filter of the ids of a partition.
fn filter_of(file: &Connection) -> rusqlite::Result<Filter> {
    let count: i64 = file.query_row("SELECT count(*) FROM bouts", (), |row| row.get(0))?;
    let mut filter = Filter::for_ids(usize::try_from(count).unwrap_or(usize::MAX));
    let mut ids = file.prepare("SELECT id FROM bouts")?;
    let mut ids = ids.query(())?;
    while let Some(id) = ids.next()? {
        filter.insert(bout_id(id.get(0)?));
    }
    Ok(filter)
}

/// Says whether the head has no bouts but these: two ends of the table are looked at, and none of
/// its rows.
pub(super) fn is_all(head: &Connection, rows: &RangeInclusive<i64>) -> rusqlite::Result<bool> {
    let first: Option<i64> = one(head, "SELECT min(number) FROM bouts")?;
    let last: Option<i64> = one(head, "SELECT max(number) FROM bouts")?;
    Ok([first, last].into_iter().flatten().all(|number| rows.contains(&number)))
}

/// Says whether most pages of the head have something: the others would be copied, too.
fn is_mostly_full(head: &Connection) -> rusqlite::Result<bool> {
    let (pages, free): (i64, i64) =
        (one(head, "PRAGMA page_count")?, one(head, "PRAGMA freelist_count")?);
    Ok(free < pages / 4)
}

fn copy_pages(head: &Connection, file: &mut Connection) -> rusqlite::Result<()> {
    match Backup::new(head, file)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)),
    }
    // The head's way to keep a journal came with its pages: a partition has none.
    file.pragma_update(None, "journal_mode", "OFF")?;
    // Passwords and the like are not left where rows were.
    file.pragma_update(None, "secure_delete", true)?;
    for table in names(file)?.iter().filter(|table| !KEPT.contains(&table.as_str())) {
        file.execute(&format!("DELETE FROM \"{table}\""), ())?;
    }
    Ok(())
}

fn copy_rows(
    head: &Connection,
    file: &mut Connection,
    rows: &RangeInclusive<i64>,
) -> rusqlite::Result<()> {
    file.pragma_update(None, "cache_size", CACHE_KIB)?;
    file.pragma_update(None, "page_size", one::<i64>(head, "PRAGMA page_size")?)?;
    file.pragma_update(None, "application_id", one::<i64>(head, "PRAGMA application_id")?)?;
    let mut made = head.prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )?;
    for sql in made.query_map((), |row| row.get::<_, String>(0))? {
        file.execute_batch(&sql?)?;
    }
    let path = head.path().unwrap_or_default();
    file.execute("ATTACH DATABASE ? AS head", [path])?;
    file.execute_batch("BEGIN")?;
    for table in KEPT.iter().filter(|table| MOVED.iter().all(|(moved, _)| moved != *table)) {
        file.execute(&format!("INSERT INTO main.{table} SELECT * FROM head.{table}"), ())?;
    }
    for (table, number) in MOVED {
        let moved = format!(
            "INSERT INTO main.{table} SELECT * FROM head.{table} WHERE {number} BETWEEN ? AND ?"
        );
        file.execute(&moved, (rows.start(), rows.end()))?;
    }
    file.execute_batch("COMMIT; DETACH DATABASE head")
}

/// Returns the names of all tables.
fn names(file: &Connection) -> rusqlite::Result<Vec<String>> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    file.prepare(tables)?.query_map((), |row| row.get(0))?.collect()
}

fn one<T: FromSql>(file: &Connection, query: &str) -> rusqlite::Result<T> {
    file.query_row(query, (), |row| row.get(0))
}

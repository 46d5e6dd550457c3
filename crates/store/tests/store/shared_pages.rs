//! Databases whose rows share overflow pages: a small file stands for far more bytes.
//!
//! A row that does not fit into its page keeps the rest of it in a list of further pages. The
//! format of such lists is that of SQLite's "Database File Format", sections 1.6 and 1.7.

use std::fs;
use std::path::{Path, PathBuf};

use joust_store::shard::merge;
use joust_store::{Access, Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::fixtures::{Fresh, played};

/// The size of a page that Joust's databases have, bytes.
const PAGE: usize = 8192;
/// Bytes of a row on each of its further pages; the number of the next page precedes them.
const ON_A_PAGE: usize = PAGE - 4;
/// The fewest bytes of a long row in its own page.
const LEAST_HERE: usize = (PAGE - 12) * 32 / 255 - 23;
/// The length of a value as it is inserted: its row has hardly more than the fewest bytes in its
/// own page. Numbers of its magnitude have four bytes in the format.
const SHORT: usize = LEAST_HERE + 269 * ON_A_PAGE;
/// The length that is claimed later. Rows of both lengths have as many bytes in their own page.
const LONG: usize = SHORT + 1800 * ON_A_PAGE;
/// Rows of each table, as many as fit into its first page.
const ROWS: usize = 6;

/// A table, and the statement that inserts row `?1` with a value of `?2` bytes.
const LOGS: (&str, &str) = ("logs", "INSERT INTO logs VALUES (?1, zeroblob(?2), x'')");
const CHAIN: (&str, &str) =
    ("chain", "INSERT INTO chain VALUES (?1, 'begin', '', x'', zeroblob(?2), x'')");
const HISTORY: (&str, &str) =
    ("history", "INSERT INTO history VALUES (?1, 1, 'replaced', '', 0, NULL, zeroblob(?2), NULL)");
const SOURCES: (&str, &str) = (
    "sources",
    "INSERT INTO sources VALUES (CAST(?1 AS BLOB), x'', 'a', NULL, NULL, zeroblob(?2))",
);
const BUILDS: (&str, &str) = (
    "builds",
    "INSERT INTO builds VALUES (CAST(?1 AS BLOB), '', '', CAST(zeroblob(?2) AS TEXT), '', 0, x'')",
);

/// As many bouts, whose logs are those of [`LOGS`].
const BOUTS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6) \
    INSERT INTO bouts SELECT i, i, '', 0, 0, 0, x'', '', 0, '', 0, 0, 0, '', 0, '', '', '', '', 0, \
    0, 0, 0, NULL, 0, NULL, 0 FROM n";

/// Makes a database in which the rows of all these tables have the pages of the first row.
async fn sharing(tables: &[(&str, &'static str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    Store::open(&path, Access::CreateOrOpen).await.expect("a database").close().await;
    let options = SqliteConnectOptions::new().filename(&path).foreign_keys(false);
    let options = options.pragma("journal_mode", "OFF").pragma("synchronous", "OFF");
    let mut connection = options.connect().await.expect("a connection");
    sqlx::raw_sql(BOUTS).execute(&mut connection).await.expect("bouts");
    let mut pages = None;
    let mut roots = Vec::new();
    for (table, insert) in tables {
        for row in 1..=ROWS {
            let bytes = if pages.is_none() { LONG } else { SHORT };
            let row = i64::try_from(row).expect("it is small");
            let bytes = i64::try_from(bytes).expect("it is small");
            let inserted =
                sqlx::query(*insert).bind(row).bind(bytes).execute(&mut connection).await;
            inserted.expect(table);
            if pages.is_none() {
                pages = Some(count(&mut connection, "PRAGMA page_count").await);
            }
        }
        let root = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'");
        roots.push(count(&mut connection, &root).await);
    }
    connection.close().await.expect("closed");
    share_pages(&path, &roots, pages.expect("there is a first row"));
    (folder, path)
}

async fn count(connection: &mut sqlx::SqliteConnection, query: &str) -> usize {
    let row = sqlx::query(AssertSqlSafe(query)).fetch_one(connection).await.expect("read");
    usize::try_from(row.get::<i64, _>(0)).expect("it is small")
}

/// Lets every long row of the tables with these root pages have the pages of the first one, and
/// removes all pages after the first `pages`.
fn share_pages(path: &Path, roots: &[usize], pages: usize) {
    let mut file = fs::read(path).expect("it is there");
    assert_eq!(file[16..18], u16::try_from(PAGE).expect("it fits").to_be_bytes());
    let mut shared = None;
    for root in roots {
        let page = &mut file[(root - 1) * PAGE..root * PAGE];
        let has_numbers = match page[0] {
            0x0d => true,
            0x0a => false,
            other => panic!("page {root} is no leaf: {other}"),
        };
        let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
        for cell in 0..cells {
            let at = 8 + 2 * cell;
            let cell = usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
            shared = share_cell(&mut page[cell..], has_numbers, shared);
        }
    }
    file.truncate(pages * PAGE);
    file[28..32].copy_from_slice(&u32::try_from(pages).expect("it fits").to_be_bytes());
    fs::write(path, file).expect("written");
}

/// Points a cell to the list of pages `shared`, and returns this list; the first long cell has it.
fn share_cell(cell: &mut [u8], has_number: bool, shared: Option<[u8; 4]>) -> Option<[u8; 4]> {
    let (bytes, length) = variable(cell);
    if bytes < SHORT {
        return shared;
    }
    let number = if has_number { variable(&cell[length..]).1 } else { 0 };
    let most = if has_number { PAGE - 35 } else { (PAGE - 12) * 64 / 255 - 23 };
    let here = LEAST_HERE + (bytes - LEAST_HERE) % ON_A_PAGE;
    let here = if here <= most { here } else { LEAST_HERE };
    let list = length + number + here;
    let own = cell[list..list + 4].try_into().expect("four bytes");
    let Some(shared) = shared else { return Some(own) };
    cell[list..list + 4].copy_from_slice(&shared);
    cell[..length].copy_from_slice(&four_bytes(bytes + LONG - SHORT));
    for kind in [12, 13] {
        let (from, to) = (four_bytes(2 * SHORT + kind), four_bytes(2 * LONG + kind));
        if let Some(at) = cell[..list].windows(4).position(|bytes| bytes == from) {
            cell[at..at + 4].copy_from_slice(&to);
            return Some(shared);
        }
    }
    panic!("a cell has no value of {SHORT} bytes");
}

/// Lets the tree of a table stand for any number of its rows: its first page leads to another one
/// again and again, which leads to a third one again and again.
async fn share_tree(path: &Path, table: &str) {
    let mut connection = SqliteConnectOptions::new().filename(path).connect().await.expect("open");
    let root = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'");
    let root = count(&mut connection, &root).await;
    connection.close().await.expect("closed");
    let mut file = fs::read(path).expect("it is there");
    let mut page = file[(root - 1) * PAGE..root * PAGE].to_vec();
    let has_numbers = page[0] == 0x0d;
    let first = usize::from(u16::from_be_bytes([page[8], page[9]]));
    let (bytes, length) = variable(&page[first..]);
    // A cell of an inner page has its child before a row number, or before a row.
    let cell = if has_numbers { vec![1] } else { page[first..first + length + bytes].to_vec() };
    let cells = 4000 / (cell.len() + 6);
    for _ in 0..6 {
        file.extend(&page);
        let child = u32::try_from(file.len() / PAGE).expect("it is small").to_be_bytes();
        let content = PAGE - cells * (cell.len() + 4);
        let short = |number: usize| u16::try_from(number).expect("it is small").to_be_bytes();
        page = vec![if has_numbers { 0x05 } else { 0x02 }, 0, 0];
        page.extend([short(cells), short(content)].concat());
        page.extend([&[0], &child[..]].concat());
        page.extend((0..cells).flat_map(|one| short(content + one * (cell.len() + 4))));
        page.resize(content, 0);
        (0..cells).for_each(|_| page.extend([&child[..], &cell].concat()));
    }
    file[(root - 1) * PAGE..root * PAGE].copy_from_slice(&page);
    let pages = u32::try_from(file.len() / PAGE).expect("it is small");
    file[28..32].copy_from_slice(&pages.to_be_bytes());
    fs::write(path, file).expect("written");
}

/// Reads a number of variable length, and returns it with its length.
fn variable(bytes: &[u8]) -> (usize, usize) {
    let (mut number, mut length) = (0, 0);
    loop {
        number = number << 7 | usize::from(bytes[length] & 0x7f);
        length += 1;
        if bytes[length - 1] & 0x80 == 0 {
            return (number, length);
        }
    }
}

/// Writes a number as one of variable length, which has four bytes.
fn four_bytes(number: usize) -> [u8; 4] {
    let part = |shift: u32| u8::try_from(number >> shift & 0x7f).expect("seven bits");
    [part(21) | 0x80, part(14) | 0x80, part(7) | 0x80, part(0)]
}

/// Returns the most memory that this process had, bytes.
fn peak_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("read");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    let number = line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number");
    number << 10
}

#[tokio::test]
async fn tables_that_share_pages_are_refused_in_little_memory() {
    let tables = [HISTORY, SOURCES, BUILDS];
    let (folder, path) = sharing(&tables).await;
    let size = fs::metadata(&path).expect("there").len();
    assert!(size < 2 * LONG as u64, "{size} bytes for {} rows", tables.len() * ROWS);
    let before = peak_memory();
    for access in [Access::ReadOnly, Access::MustExist, Access::CreateOrOpen] {
        let told = Store::open(&path, access).await.expect_err("refused").to_string();
        assert!(told.ends_with("is damaged: its rows have more bytes than its file"), "{told}");
    }
    let copy = folder.path().join("copy.db");
    assert!(Store::copy(&path, &copy).await.is_err() && !copy.exists());
    assert!(peak_memory() - before < 128 << 20, "{} bytes", peak_memory() - before);
}

#[tokio::test]
async fn bouts_that_share_pages_are_not_copied_and_are_read_a_few_at_once() {
    let (folder, path) = sharing(&[LOGS, CHAIN]).await;
    let before = peak_memory();
    let store = Store::open(&path, Access::ReadOnly).await.expect("it is one");
    let (mut last, mut rows) = (i64::MIN, Vec::new());
    while let Some(newest) = store.page_after(last).await.expect("read").newest {
        rows.push(newest - last.max(0));
        last = newest;
    }
    assert_eq!(rows, [3, 3], "bouts of 64 MiB at most are read at once");
    store.close().await;
    let copy = folder.path().join("copy.db");
    let told = Store::copy(&path, &copy).await.expect_err("refused").to_string();
    assert!(told.ends_with("is damaged: its rows have more bytes than its file"), "{told}");
    let merged = merge(&copy, &[path]).await.expect_err("refused").to_string();
    assert!(merged.contains("its rows have more bytes than its file"), "{merged}");
    assert!(!copy.exists());
    assert!(peak_memory() - before < 128 << 20, "{} bytes", peak_memory() - before);
}

/// Returns why a database whose `table` is a tree of shared pages is given up.
async fn refusal_of_tree(table: &str) -> String {
    let fresh = Fresh::new().await;
    for number in 0..2 {
        let (plan, result) = played(["anna", "bert"], 0, number);
        fresh.store.put_bouts(&[(plan, result)]).await.expect("stored");
    }
    fresh.store.close().await;
    share_tree(&fresh.path(), table).await;
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("it is one");
    let read = async || {
        store.ledger().await?;
        let mut last = i64::MIN;
        while let Some(newest) = store.page_after(last).await?.newest {
            last = newest;
        }
        Ok::<_, StoreError>(())
    };
    read().await.expect_err(table).to_string()
}

#[tokio::test]
async fn trees_that_share_pages_are_given_up_in_little_memory() {
    let before = peak_memory();
    for (table, reason) in [
        ("chain", "it has more rows than bytes"),
        ("seats", "the rows of bout row `1` are not in order"),
        ("logs", "the rows of bout row `1` are not in order"),
    ] {
        let told = refusal_of_tree(table).await;
        assert!(told.ends_with(&format!("is damaged: {reason}")), "{table}: {told}");
    }
    assert!(peak_memory() - before < 128 << 20, "{} bytes", peak_memory() - before);
}

//! Storing into a large database: made-up bouts are submitted in groups, as in a run.
//!
//! The database is first filled with `--filled` bouts, then the rate of the next ones is measured.
//! Bars: 10,000 bouts a second, and 300 MiB of memory.
//!
//! `scripts/bench league-scale [--filled N] [--bouts N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use joust_model::{BotRow, BoutPlan, BoutResult};
use joust_store::{Access, GroupCommitter, Store};
use joust_testkit::figures::{Bar, Rows, number, peak_memory_mib, record};
use joust_testkit::fixtures::{self, noise};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error>>;

const EVENT: &str = "league";
/// Number of bouts that are submitted at once.
const TOGETHER: u64 = 256;
/// Number of such batches that may wait to be stored.
const WAITING: usize = 32;
/// Bytes of the logs of a bout.
const ACTIONS: usize = 200;
const TURNS: usize = 365;
const BOUTS_PER_SECOND: f64 = 10_000.0;
const MEMORY_MIB: f64 = 300.0;

fn main() -> Outcome<ExitCode> {
    let filled = number("--filled", 2_000_000)?;
    let bouts = number("--bouts", 200_000)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let met = runtime.block_on(measure(filled, bouts))?;
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(filled: u64, bouts: u64) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("results.db");
    let store = Store::open(&path, Access::CreateOrOpen).await?;
    store.put_event(&fixtures::event(EVENT)).await?;
    let bot = BotRow { name: "bot-0".to_owned(), ..BotRow::default() };
    store.put_bots(EVENT, &[bot]).await?;
    let first = rate(&store, 0..filled).await?;
    println!("{filled} bouts at {first:.0} bouts/s, {:.0} MiB", peak_memory_mib()?);
    let rate = rate(&store, filled..filled + bouts).await?;
    let found = store.all_bouts().await?;
    assert_eq!(found, filled + bouts, "every bout is there");
    store.close().await;
    println!("{} bytes a bout", std::fs::metadata(&path)?.len() / found);
    let mut rows = Rows::default();
    rows.judge("bouts stored in a second", rate, "", Bar::AtLeast(BOUTS_PER_SECOND));
    rows.judge("MiB at most", peak_memory_mib()?, "", Bar::AtMost(MEMORY_MIB));
    let bare = bare_rate(&folder.path().join("bare.db"), bouts).await?;
    println!("rows of two blobs in bare SQLite, a second: {bare:.0}");
    record("a bout stored, row of bare SQLite", bare / rate);
    Ok(rows.missed() == 0)
}

/// Returns the rate of rows with the logs of a bout that SQLite alone stores, as many at once.
async fn bare_rate(path: &Path, rows: u64) -> Outcome<f64> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    let mut bare = options.connect().await?;
    sqlx::query("CREATE TABLE rows (number INTEGER PRIMARY KEY, actions BLOB, turns BLOB)")
        .execute(&mut bare)
        .await?;
    let start = Instant::now();
    for first in (0..rows).step_by(usize::try_from(TOGETHER)?) {
        let mut group = bare.begin().await?;
        for number in first..rows.min(first + TOGETHER) {
            sqlx::query("INSERT INTO rows VALUES (?, ?, ?)")
                .bind(number.cast_signed())
                .bind(noise(number, ACTIONS))
                .bind(noise(number, TURNS))
                .execute(&mut *group)
                .await?;
        }
        group.commit().await?;
    }
    Ok(rows as f64 / start.elapsed().as_secs_f64())
}

/// Stores bouts and returns the rate per second.
async fn rate(store: &Store, numbers: std::ops::Range<u64>) -> Outcome<f64> {
    let (group, start) = (GroupCommitter::start(store), Instant::now());
    let mut waiting = JoinSet::new();
    for first in numbers.clone().step_by(usize::try_from(TOGETHER)?) {
        let some: Vec<_> = (first..numbers.end.min(first + TOGETHER)).map(bout).collect();
        if waiting.len() >= WAITING
            && let Some(stored) = waiting.join_next().await
        {
            stored??;
        }
        let committer = group.committer();
        waiting.spawn(async move { committer.submit_all(some).await.map(drop) });
    }
    while let Some(stored) = waiting.join_next().await {
        stored??;
    }
    group.finish().await;
    Ok((numbers.end - numbers.start) as f64 / start.elapsed().as_secs_f64())
}

fn bout(number: u64) -> (BoutPlan, BoutResult) {
    let names = [format!("ann-{:05}", number % 9_973), format!("bob-{:05}", number / 9_973)];
    let (plan, mut result) = fixtures::bout(EVENT, names.each_ref().map(String::as_str), number);
    (result.action_log, result.turn_log) = (noise(number, ACTIONS), noise(number, TURNS));
    (plan, result)
}

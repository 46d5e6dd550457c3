//! Storing of a big league beside bare SQLite, which inserts the same rows in the same run.
//!
//! By turns, in pieces: made-up bouts are handed to the store as a run does, in groups and with
//! a partition closed on the way; then SQLite alone inserts the rows of that partition, which it
//! reads with `SELECT`, into a new file with the same tables, indexes, foreign keys and settings,
//! as many bouts in a change. Bars: the store reaches 0.6 of that rate, and the memory of the
//! last piece is not above 300 MiB.
//!
//! A second figure, without a bar, is of rows of as many bytes in a table of one column of bytes
//! without an index or a key: what the disk and the journal alone allow.
//!
//! `scripts/bench league-scale [--pieces N] [--bouts-of-a-piece N]`; partitions are of one piece.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use joust_model::{BotRow, BoutPlan, BoutResult};
use joust_store::{Access, GroupCommitter, Store};
use joust_testkit::made_up;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _};

type Outcome<T> = Result<T, Box<dyn Error>>;

const EVENT: &str = "league";
/// Bouts in a change, and handed over at once.
const TOGETHER: u64 = 4096;
const SHARE: f64 = 0.6;
const MEMORY_MIB: f64 = 300.0;

fn main() -> Outcome<ExitCode> {
    let pieces = number_after("--pieces", 4)?;
    let bouts = number_after("--bouts-of-a-piece", 50_000)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let met = runtime.block_on(measure(pieces, bouts))?;
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn number_after(name: &str, usual: u64) -> Outcome<u64> {
    let word = std::env::args().skip_while(|word| word != name).nth(1);
    Ok(word.map_or(Ok(usual), |word| word.parse())?)
}

async fn measure(pieces: u64, bouts: u64) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(&folder.path().join("results.db"), Access::CreateOrOpen).await?;
    let store = store.with_partitions_of(bouts);
    begin(&store).await?;
    let (mut ours, mut same, mut blobs) = (Spent::default(), Spent::default(), Spent::default());
    for piece in 0..pieces {
        let numbers = piece * bouts..(piece + 1) * bouts;
        let start = Start::now()?;
        put(&store, numbers).await?;
        // What is still added up counts.
        store.renew_totals().await?;
        let stored = start.spent()?;
        let closed = store.partition_files().await?.pop().ok_or("no partition was closed")?;
        let bytes = std::fs::metadata(&closed)?.len() / bouts;
        let bare = folder.path().join("bare.db");
        make_tables(&bare).await?;
        let start = Start::now()?;
        insert_rows_of(&closed, &bare).await?;
        let inserted = start.spent()?;
        remove(&bare)?;
        let start = Start::now()?;
        insert_bytes(&bare, bouts, bytes).await?;
        let of_bytes = start.spent()?;
        remove(&bare)?;
        ours.add(stored);
        same.add(inserted);
        blobs.add(of_bytes);
        println!(
            "piece {}: {:7.0} bouts/s stored, {:7.0} inserted as rows, {:7.0} as {bytes} bytes, {:4.0} MiB",
            piece + 1,
            rate(bouts, stored.wall),
            rate(bouts, inserted.wall),
            rate(bouts, of_bytes.wall),
            memory_mib()?,
        );
    }
    let files = store.partition_files().await?.len();
    let found = store.fold_results(EVENT, 0_u64, |count, _| *count += 1).await?;
    assert_eq!(found, pieces * bouts, "every bout is there");
    println!("{found} bouts in {files} partitions and the head");
    for (name, spent) in [("store", ours), ("same rows", same), ("same bytes", blobs)] {
        let cpu = spent.cpu.as_secs_f64() * 1e6 / found as f64;
        println!("{name:<10} {cpu:6.1} microseconds of processor a bout");
    }
    let share = |of: Spent| of.wall.as_secs_f64() / ours.wall.as_secs_f64();
    let of_cpu = |of: Spent| of.cpu.as_secs_f64() / ours.cpu.as_secs_f64();
    println!(
        "{:.2} of the rate of the same bytes, {:.2} by processor; {:.2} of the same rows by processor",
        share(blobs),
        of_cpu(blobs),
        of_cpu(same),
    );
    let (share, memory) = (share(same), memory_mib()?);
    let share = bar("of the rate of the same rows", share, SHARE, share >= SHARE);
    Ok(bar("MiB at most", memory, MEMORY_MIB, memory <= MEMORY_MIB) && share)
}

fn bar(name: &str, value: f64, bar: f64, met: bool) -> bool {
    println!("{name:<30} {value:>12.2}  bar {bar:>8.1}  {}", if met { "met" } else { "MISSED" });
    met
}

/// What something took.
#[derive(Clone, Copy, Default)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl Spent {
    fn add(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// When something began.
struct Start {
    at: Instant,
    cpu: Duration,
}

impl Start {
    fn now() -> Outcome<Self> {
        Ok(Self { at: Instant::now(), cpu: processor_time()? })
    }

    fn spent(&self) -> Outcome<Spent> {
        Ok(Spent { wall: self.at.elapsed(), cpu: processor_time()? - self.cpu })
    }
}

/// Returns the processor time of this process, in hundredths of a second.
fn processor_time() -> Outcome<Duration> {
    let line = std::fs::read_to_string("/proc/self/stat")?;
    let after = line.rsplit_once(')').ok_or("no name")?.1;
    let ticks: Result<Vec<u64>, _> =
        after.split_whitespace().skip(11).take(2).map(str::parse).collect();
    Ok(Duration::from_millis(10 * ticks?.iter().sum::<u64>()))
}

fn rate(bouts: u64, time: Duration) -> f64 {
    bouts as f64 / time.as_secs_f64()
}

async fn begin(store: &Store) -> Outcome<()> {
    let settings = made_up::event(EVENT);
    store.put_event(&settings).await?;
    let bot = BotRow { name: "bot-0".to_owned(), ..BotRow::default() };
    store.put_bots(EVENT, &[bot]).await?;
    Ok(())
}

async fn put(store: &Store, numbers: std::ops::Range<u64>) -> Outcome<()> {
    let group = GroupCommitter::start(store);
    let mut waiting = tokio::task::JoinSet::new();
    for first in numbers.clone().step_by(256) {
        let some: Vec<_> = (first..numbers.end.min(first + 256)).map(bout).collect();
        let committer = group.committer();
        if waiting.len() as u64 >= 2 * TOGETHER / 256
            && let Some(stored) = waiting.join_next().await
        {
            stored??;
        }
        waiting.spawn(async move { committer.submit_all(some).await.map(drop) });
    }
    while let Some(stored) = waiting.join_next().await {
        stored??;
    }
    group.finish().await;
    Ok(())
}

fn bout(number: u64) -> (BoutPlan, BoutResult) {
    let names = [format!("ann-{:05}", number % 9_973), format!("bob-{:05}", number / 9_973)];
    let (plan, mut result) = made_up::bout(EVENT, names.each_ref().map(String::as_str), number);
    (result.action_log, result.turn_log) = (log(number, 200), log(number, 365));
    (plan, result)
}

/// Bytes as hard to compress as a compressed log.
fn log(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes = Vec::with_capacity(length.next_multiple_of(8));
    while bytes.len() < length {
        bytes.extend_from_slice(&next());
    }
    bytes.truncate(length);
    bytes
}

fn bare(path: &Path) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    options.pragma("cache_size", "-32768").pragma("wal_autocheckpoint", "8192").foreign_keys(true)
}

/// Makes the tables and indexes of a store.
async fn make_tables(path: &Path) -> Outcome<()> {
    Store::open(path, Access::CreateOrOpen).await?.close().await;
    Ok(())
}

/// Has SQLite insert the rows of one file into another.
async fn insert_rows_of(closed: &Path, path: &Path) -> Outcome<()> {
    let mut bare = bare(path).connect().await?;
    let file = closed.to_string_lossy().into_owned();
    sqlx::query("ATTACH DATABASE ? AS source").bind(file).execute(&mut bare).await?;
    for whole in [
        "DELETE FROM main.chain",
        "INSERT INTO main.events SELECT * FROM source.events",
        "INSERT INTO main.documents SELECT * FROM source.documents",
    ] {
        sqlx::query(whole).execute(&mut bare).await?;
    }
    let ends = "SELECT min(number), max(number), (SELECT min(number) FROM source.chain) \
                FROM source.bouts";
    let (first, last, link): (i64, i64, i64) = sqlx::query_as(ends).fetch_one(&mut bare).await?;
    let together = TOGETHER.cast_signed();
    let groups = (last - first) / together + 1;
    for group in 0..groups {
        let rows = first + group * together;
        let links = link + group * together;
        let last_link = if group + 1 == groups { i64::MAX } else { links + together - 1 };
        let mut change = bare.begin().await?;
        for (query, first, last) in [
            (
                "INSERT INTO main.bouts SELECT * FROM source.bouts WHERE number BETWEEN ? AND ?",
                rows,
                rows + together - 1,
            ),
            (
                "INSERT INTO main.seats SELECT * FROM source.seats WHERE bout BETWEEN ? AND ?",
                rows,
                rows + together - 1,
            ),
            (
                "INSERT INTO main.logs SELECT * FROM source.logs WHERE bout BETWEEN ? AND ?",
                rows,
                rows + together - 1,
            ),
            (
                "INSERT INTO main.chain SELECT * FROM source.chain WHERE number BETWEEN ? AND ?",
                links,
                last_link,
            ),
        ] {
            sqlx::query(query).bind(first).bind(last).execute(&mut *change).await?;
        }
        change.commit().await?;
    }
    let counts = "SELECT (SELECT count(*) FROM main.bouts) = (SELECT count(*) FROM source.bouts) \
                  AND (SELECT count(*) FROM main.chain) = (SELECT count(*) FROM source.chain)";
    let is_same: bool = sqlx::query_scalar(counts).fetch_one(&mut bare).await?;
    assert!(is_same, "every row is there");
    bare.close().await?;
    Ok(())
}

/// Inserts rows of so many bytes.
async fn insert_bytes(path: &Path, rows: u64, bytes: u64) -> Outcome<()> {
    let mut bare = bare(path).connect().await?;
    sqlx::query("CREATE TABLE bare (number INTEGER PRIMARY KEY, bytes BLOB)")
        .execute(&mut bare)
        .await?;
    let many = format!("INSERT INTO bare (bytes) VALUES (?){}", ",(?)".repeat(63));
    let size = usize::try_from(bytes)?;
    let mut left = rows;
    while left > 0 {
        let mut change = bare.begin().await?;
        for _ in 0..left.min(TOGETHER).div_ceil(64) {
            let mut query = sqlx::query(sqlx::AssertSqlSafe(many.clone()));
            for row in 0..64 {
                query = query.bind(log(left + row, size));
            }
            query.execute(&mut *change).await?;
        }
        change.commit().await?;
        left -= left.min(TOGETHER);
    }
    bare.close().await?;
    Ok(())
}

/// Removes a database with what lies beside it.
fn remove(path: &Path) -> Outcome<()> {
    for suffix in ["", "-wal", "-shm"] {
        let file = path.with_file_name(format!("bare.db{suffix}"));
        if file.exists() {
            std::fs::remove_file(file)?;
        }
    }
    Ok(())
}

/// Returns the most memory this process has had.
fn memory_mib() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib / 1024.0)
}

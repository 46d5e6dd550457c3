//! Storing into a large database: made-up bouts are submitted in groups, as in a run.
//!
//! The database is first filled with `--filled` bouts, then the rate of the next ones is measured.
//! Bars: 10,000 bouts a second, and 300 MiB of memory.
//!
//! `scripts/bench league-scale [--filled N] [--bouts N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use joust_model::{BotRow, BoutPlan, BoutResult};
use joust_store::{Access, GroupCommitter, Store};
use joust_testkit::fixtures;
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error>>;

const EVENT: &str = "league";
/// Number of bouts that are submitted at once.
const TOGETHER: u64 = 256;
/// Number of such batches that may wait to be stored.
const WAITING: usize = 32;
const BOUTS_PER_SECOND: f64 = 10_000.0;
const MEMORY_MIB: f64 = 300.0;

fn main() -> Outcome<ExitCode> {
    let filled = number_after("--filled", 2_000_000)?;
    let bouts = number_after("--bouts", 200_000)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let met = runtime.block_on(measure(filled, bouts))?;
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn number_after(name: &str, usual: u64) -> Outcome<u64> {
    let word = std::env::args().skip_while(|word| word != name).nth(1);
    Ok(word.map_or(Ok(usual), |word| word.parse())?)
}

async fn measure(filled: u64, bouts: u64) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("results.db");
    let store = Store::open(&path, Access::CreateOrOpen).await?;
    store.put_event(&fixtures::event(EVENT)).await?;
    let bot = BotRow { name: "bot-0".to_owned(), ..BotRow::default() };
    store.put_bots(EVENT, &[bot]).await?;
    let first = rate(&store, 0..filled).await?;
    println!("{filled} bouts at {first:.0} bouts/s, {:.0} MiB", memory_mib()?);
    let rate = rate(&store, filled..filled + bouts).await?;
    let found = store.all_bouts().await?;
    assert_eq!(found, filled + bouts, "every bout is there");
    store.close().await;
    println!("{} bytes a bout", std::fs::metadata(&path)?.len() / found);
    let is_fast = bar("bouts stored in a second", rate, BOUTS_PER_SECOND, rate >= BOUTS_PER_SECOND);
    let memory = memory_mib()?;
    Ok(bar("MiB at most", memory, MEMORY_MIB, memory <= MEMORY_MIB) && is_fast)
}

fn bar(name: &str, value: f64, bar: f64, met: bool) -> bool {
    println!("{name:<30} {value:>12.0}  bar {bar:>8.0}  {}", if met { "met" } else { "MISSED" });
    met
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
    (result.action_log, result.turn_log) = (log(number, 200), log(number, 365));
    (plan, result)
}

/// Returns bytes that are as hard to compress as a compressed log.
fn log(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(length);
    bytes
}

/// Returns the peak memory of this process.
fn memory_mib() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib / 1024.0)
}

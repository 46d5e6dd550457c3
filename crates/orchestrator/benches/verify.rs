//! Speed of judging recorded bouts again: `joust verify` of a database of bouts of BattleBots, 200
//! rounds each, with all its comparisons: each judgement, the result, every row with the chain.
//!
//! Measured in separate processes, which do nothing but verify: first one judge for everything on
//! one processor, then a judge for each processor. The start of a process and the reading of the
//! chain are part of the time.
//!
//! Bar: 150,000 bouts in a minute and core. Ends with status 1 when it is missed.
//!
//! `scripts/bench verify [--bouts N] [--database FILE]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod recorded;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use joust_model::cancel::Cancel;
use joust_orchestrator::dispute::{Audit, Auditor, BoutAudit};
use joust_play::channel::affinity;
use joust_store::{Access, Store};
use joust_testkit::figures::{million_steps, number, peak_memory_mib, record, word};

type Done<T> = Result<T, Box<dyn Error>>;

/// Bouts in a minute and core.
const BAR: f64 = 150_000.0;

const BOUTS: u64 = 6_000;
const BOTS: u64 = 100;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("verify: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Done<bool> {
    if let [_, word, database, cores] = &env::args().collect::<Vec<_>>()[..]
        && word == "--measure"
    {
        return measure(Path::new(database), cores.parse()?);
    }
    let folder = tempfile::tempdir()?;
    let database = word("--database").map(PathBuf::from);
    let database = database.unwrap_or_else(|| folder.path().join("results.db"));
    if !database.exists() {
        let bouts = number("--bouts", BOUTS)?;
        let start = Instant::now();
        runtime(1)?.block_on(recorded::fill(&database, BOTS, bouts))?;
        println!("{bouts} bouts of {} rounds: {:.1?}", recorded::ROUNDS, start.elapsed());
    }
    let mut met = true;
    for cores in [1, affinity::processors().len().max(1)] {
        let measuring = Command::new(env::current_exe()?)
            .arg("--measure")
            .arg(&database)
            .arg(cores.to_string())
            .status()?;
        met &= measuring.success();
    }
    Ok(met)
}

fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

/// Verifies the whole database on the first `cores` processors.
fn measure(database: &Path, cores: usize) -> Done<bool> {
    let processors = affinity::processors();
    affinity::pin_this_thread(&processors[..cores.min(processors.len())])?;
    let start = Instant::now();
    let (bouts, audit) = runtime(cores)?.block_on(verify(database, cores))?;
    let seconds = start.elapsed().as_secs_f64();
    let sound = audit.sound == bouts && audit.unsound == 0 && audit.others.is_empty();
    if !sound {
        return Err(format!("the database is not in order: {audit:?}").into());
    }
    let a_minute = bouts as f64 * 60.0 / seconds / cores as f64;
    let rounds = bouts as f64 * f64::from(recorded::ROUNDS) / seconds;
    let met = a_minute >= BAR;
    println!(
        "{cores} core{}: {bouts} bouts in {seconds:.2} s, {a_minute:.0} a minute and core, \
         {rounds:.0} rounds a second, {:.0} MiB at most  bar {BAR}, {}",
        if cores == 1 { "" } else { "s" },
        peak_memory_mib()?,
        if met { "met" } else { "MISSED" },
    );
    if cores == 1 {
        record(
            "verify: a bout of 200 rounds",
            seconds / bouts as f64 / million_steps().as_secs_f64(),
        );
    }
    Ok(met)
}

/// Verifies the bouts of a database as `joust verify` does.
async fn verify(database: &Path, jobs: usize) -> Done<(u64, Audit)> {
    let store = Store::open(database, Access::ReadOnly).await?;
    let bouts = store.all_bouts().await?;
    let mut listen = |bout: &BoutAudit| {
        for problem in &bout.problems {
            println!("bout {}: {problem}", bout.bout);
        }
    };
    let games = joust_referee::Catalogue::built_in();
    let mut auditor =
        Auditor { games: &games, jobs, cancel: Cancel::default(), listen: &mut listen };
    let audit = auditor.audit(&store).await?;
    store.head().await?.ok_or("the chain has no head")?;
    Ok((bouts, audit))
}

//! A league of a thousand bots: schedule, store, standings and ratings, without running a bot.
//!
//! A synthetic executor makes up the result of each plan: it takes no time and fills every column
//! that a real one fills, with logs of a short bout. Everything else is the same as in a run: the
//! schedule, the league that hands out plans and hands results to the store, the groups and
//! commits. Then the standings are made from the database, with ratings and intervals, as `joust
//! standings` makes them.
//!
//! Bars: 10,000 bouts stored in a second in 300 MiB of memory, standings with ratings in 5 s and
//! 400 MiB. It ends with status 1 below one of them.
//!
//! With `--stub`, or `--pieces N`, only pieces of the league are stored, of `--bouts-of-a-piece`
//! each, from as many places of the schedule, one after the other in one run. Rate and memory of
//! every piece are printed when its last bout is on the disk, with the time that the whole league
//! would take at the last one's rate. Bars: the most memory of the last piece is at most 300 MiB
//! and 16 MiB above that of the second one, and 400 MiB with standings and ratings of the pieces.
//!
//! With `--sizes` Swiss leagues of 100, 1,000 and 10,000 bots are stored, with logs of real bouts,
//! and their standings and sites made: a table with the exponents by which each cost grows.
//!
//! `scripts/bench league-scale [--sizes] [--bots N] [--stub] [--pieces N] [--bouts-of-a-piece N]
//! [--database FILE]`, for example `scripts/bench league-scale --bots 10000 --stub --pieces 4`;
//! `--standings FILE` makes only the standings of a database that such a run has left.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[expect(dead_code, reason = "others fill a whole database with them")]
mod recorded;
mod synthetic;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice, NullListener};
use joust_orchestrator::board::{self, Board};
use joust_orchestrator::pipeline::{EventPlans, RunOutcome, play_on};
use joust_play::executor::{Assignment, Needs};
use joust_report::{self as report, Leaderboard, Superiority, TextStyle};
use joust_store::{Access, Scheduled as _, Store};
use joust_testkit::figures::{Bar, Rows, number, peak_memory_mib, word};

use synthetic::{EVENT, Outcome, Synthetic, begin, players, sizes, tournament};

const BOUTS_PER_SECOND: f64 = 10_000.0;
const MEMORY_MIB: f64 = 300.0;
const STANDINGS_MIB: f64 = 400.0;
/// Growth of memory allowed from the second piece to the last.
const GROWTH_MIB: f64 = 16.0;
const STANDINGS: Duration = Duration::from_secs(5);

fn main() -> Outcome<ExitCode> {
    // As the program begins.
    joust_sandbox::return_large_blocks();
    let folder = tempfile::tempdir()?;
    let database = word("--database").map_or(folder.path().join("results.db"), PathBuf::from);
    let bots = number("--bots", 1000)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let is_asked = |name: &str| std::env::args().any(|word| word == name);
    if is_asked("--sizes") {
        let logs = (0..64).map(|number| recorded::played(&recorded::plan(number, 100)?));
        let executor = Synthetic { recorded: Arc::new(logs.collect::<Outcome<_>>()?) };
        let met = runtime.block_on(sizes::measure(folder.path(), &executor))?;
        return Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let is_stub = is_asked("--stub");
    let pieces = word("--pieces").or_else(|| is_stub.then(|| "4".to_owned()));
    let met = match (word("--standings"), pieces) {
        (Some(file), _) => runtime.block_on(measure_standings(Path::new(&file)))?,
        (None, Some(pieces)) => {
            let pieces =
                Pieces { count: pieces.parse()?, bouts: number("--bouts-of-a-piece", 50_000)? };
            runtime.block_on(measure_pieces(&database, bots, pieces))?
        }
        (None, None) => runtime.block_on(measure(&database, bots))?,
    };
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(database: &Path, bots: usize) -> Outcome<bool> {
    let (tournament, players) = (tournament("    bouts: 1\n")?, players(bots));
    let store = Store::open(database, Access::CreateOrOpen).await?;
    let plans = EventPlans::new(&tournament, &tournament.events[0], &players);
    let expected = bots as u64 * (bots as u64 - 1) / 2;
    println!("{bots} bots, {expected} bouts");
    begin(&store, &tournament, &players).await?;

    let start = Instant::now();
    let found = store.reconcile(EVENT, &plans).await?;
    let schedule = start.elapsed();
    assert_eq!((found.scheduled, found.finished()), (expected, 0));
    println!("schedule, every key                {:8.2} s", schedule.as_secs_f64());

    let start = Instant::now();
    let bouts = plans.all().map(|plan| Assignment::new(plan, Needs::default()));
    let ended =
        play_on(&Synthetic::default(), &store, bouts, Arc::new(NullListener), &Cancel::default())
            .await?;
    let stored = start.elapsed();
    assert_eq!(ended, RunOutcome::Complete);
    let rate_of_bouts = expected as f64 / stored.as_secs_f64();
    let memory_storing = peak_memory_mib()?;
    println!("stored                             {:8.2} s", stored.as_secs_f64());
    store.close().await;
    drop(plans);

    let mut rows = Rows::default();
    rows.judge("bouts stored in a second", rate_of_bouts, "", Bar::AtLeast(BOUTS_PER_SECOND));
    rows.judge("MiB at most while storing", memory_storing, "", Bar::AtMost(MEMORY_MIB));
    Ok(measure_standings(database).await? && rows.missed() == 0)
}

/// Parts of a league.
#[derive(Clone, Copy)]
struct Pieces {
    count: u64,
    bouts: u64,
}

async fn measure_pieces(database: &Path, bots: usize, pieces: Pieces) -> Outcome<bool> {
    let (tournament, players) = (tournament("    bouts: 1\n")?, players(bots));
    let store = Store::open(database, Access::CreateOrOpen).await?;
    let plans = EventPlans::new(&tournament, &tournament.events[0], &players);
    let all = plans.count();
    println!("{bots} bots, {all} bouts, {} of them in pieces", pieces.count * pieces.bouts);
    begin(&store, &tournament, &players).await?;
    let places = (0..pieces.count).flat_map(|piece| {
        let first = all / pieces.count * piece;
        first..all.min(first.saturating_add(pieces.bouts))
    });
    let planned = places.filter_map(|number| plans.plan_at(number, 0));
    let planned = planned.map(|plan| Assignment::new(plan, Needs::default()));
    let stored = Arc::new(StoredPieces::new(all, pieces.bouts));
    let heard = Arc::clone(&stored);
    let ended = play_on(&Synthetic::default(), &store, planned, heard, &Cancel::default()).await?;
    assert_eq!(ended, RunOutcome::Complete);
    let after_second = stored.memory()?.get(1).copied();
    let start = Instant::now();
    let done = store.done(EVENT, &plans).await?;
    println!("found again {} bouts       {:8.2} s", done.len(), start.elapsed().as_secs_f64());
    let bytes = tokio::fs::metadata(database).await?.len();
    let of_all = bytes as f64 / done.len() as f64 * all as f64 / 1e9;
    println!("{} bytes a bout, so {of_all:.1} GB in all", bytes / done.len().max(1));
    store.close().await;
    let last = peak_memory_mib()?;
    let growth = last - after_second.unwrap_or(last);
    let mut rows = Rows::default();
    rows.judge("MiB more than in piece 2", growth, "", Bar::AtMost(GROWTH_MIB));
    rows.judge("MiB at most", last, "", Bar::AtMost(MEMORY_MIB));
    let (standings, parts) = read_standings(database).await?;
    println!("standings with ratings             {:8.2} s  ({parts})", standings.as_secs_f64());
    let last = peak_memory_mib()?;
    rows.judge("MiB with standings", last, "", Bar::AtMost(STANDINGS_MIB));
    Ok(rows.missed() == 0)
}

/// Listener that counts stored bouts, and prints rate and memory after each piece.
struct StoredPieces {
    /// Bouts of the whole league,
    all: u64,
    /// and of a piece.
    of_one: u64,
    count: Mutex<Count>,
}

/// Count of the bouts that are stored so far.
struct Count {
    bouts: u64,
    /// Time at which the piece began.
    start: Instant,
    /// The most memory after each piece.
    memory: Vec<f64>,
}

impl StoredPieces {
    fn new(all: u64, of_one: u64) -> Self {
        let count = Count { bouts: 0, start: Instant::now(), memory: Vec::new() };
        Self { all, of_one, count: Mutex::new(count) }
    }

    /// Returns the most memory after each piece, in MiB.
    fn memory(&self) -> Outcome<Vec<f64>> {
        Ok(self.count.lock().map_err(|_| "a listener panicked")?.memory.clone())
    }
}

impl Listener for StoredPieces {
    fn notice(&self, notice: &Notice) {
        let Notice::BoutFinished(_) = notice else { return };
        let mut count = self.count.lock().expect("nothing panics here");
        count.bouts += 1;
        if !count.bouts.is_multiple_of(self.of_one) && count.bouts < self.all {
            return;
        }
        let rate = self.of_one as f64 / count.start.elapsed().as_secs_f64();
        let (hours, most) = (self.all as f64 / rate / 3600.0, peak_memory_mib().unwrap_or(0.0));
        let piece = count.bouts.div_ceil(self.of_one);
        println!("piece {piece}: {rate:8.0} bouts/s, so {hours:6.2} h in all; {most:5.0} MiB");
        count.start = Instant::now();
        count.memory.push(most);
    }
}

async fn measure_standings(database: &Path) -> Outcome<bool> {
    let (standings, parts) = read_standings(database).await?;
    let memory = peak_memory_mib()?;
    println!("standings with ratings             {:8.2} s  ({parts})", standings.as_secs_f64());
    let mut rows = Rows::default();
    rows.judge("MiB at most with standings", memory, "", Bar::AtMost(STANDINGS_MIB));
    let most = STANDINGS.as_secs_f64();
    rows.judge("seconds for standings", standings.as_secs_f64(), "s", Bar::AtMost(most));
    Ok(rows.missed() == 0)
}

/// Makes the standings as `joust standings` does, from opening the database on.
async fn read_standings(database: &Path) -> Outcome<(Duration, String)> {
    let start = Instant::now();
    let store = Store::open(database, Access::ReadOnly).await?;
    let event = store.event(EVENT).await?.ok_or("the event is not there")?;
    let Board { standings, ratings } = board::read(&store, &event, None).await?;
    let rated = start.elapsed();
    let board = Leaderboard {
        game: None,
        standings: &standings,
        ratings: Some(&ratings),
        superiority: Superiority::Hidden,
        bouts: None,
    };
    let text = report::find("text", TextStyle::default()).ok_or("no table")?.leaderboard(&board);
    let all = start.elapsed();
    assert!(text.lines().count() > standings.playing().len());
    assert!(
        ratings.rows.iter().all(|row| row.bouts == 0 || row.rating.is_some_and(f64::is_finite))
    );
    let seconds = |time: Duration| time.as_secs_f64();
    let parts =
        format!("read and rated {:.2}, written {:.2}", seconds(rated), seconds(all - rated));
    Ok((all, parts))
}

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
//! would take at the last one's rate. Bars: the most memory of the last piece is at most 300 MiB and
//! 16 MiB above that of the second one, and 400 MiB with standings and ratings of the pieces.
//!
//! `scripts/bench league-scale [--bots N] [--stub] [--pieces N] [--bouts-of-a-piece N]
//! [--database FILE]`, for example `scripts/bench league-scale --bots 10000 --stub --pieces 4`; `--standings FILE` makes
//! only the standings of a database that such a run has left.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_config::{self as config, Tournament};
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice, NullListener};
use joust_model::{BotRow, BoutPlan, BoutResult, BuildHash, EventSettings, SeatPlan, Tier};
use joust_orchestrator::board::{self, Board};
use joust_orchestrator::pipeline::{EventPlans, Player, RunOutcome, play_on};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, ExecutorLost, Needs,
};
use joust_report::{self as report, Leaderboard, Superiority, TextStyle};
use joust_store::{Access, Scheduled as _, Store, TournamentRow};
use joust_testkit::fixtures;
use tokio::sync::mpsc::{Receiver, Sender};

type Outcome<T> = Result<T, Box<dyn Error>>;

const EVENT: &str = "league";
const BOUTS_PER_SECOND: f64 = 10_000.0;
const MEMORY_MIB: f64 = 300.0;
const STANDINGS_MIB: f64 = 400.0;
/// Number of plans that the executor takes at once.
const TAKEN_AT_ONCE: usize = 256;
/// Growth of memory allowed from the second piece to the last.
const GROWTH_MIB: f64 = 16.0;
const STANDINGS: Duration = Duration::from_secs(5);

fn main() -> Outcome<ExitCode> {
    // As the program begins.
    joust_sandbox::return_large_blocks();
    let folder = tempfile::tempdir()?;
    let database = word_after("--database").map_or(folder.path().join("results.db"), PathBuf::from);
    let bots = word_after("--bots").map_or(Ok(1000), |word| word.parse())?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let is_stub = std::env::args().any(|word| word == "--stub");
    let pieces = word_after("--pieces").or_else(|| is_stub.then(|| "4".to_owned()));
    let met = match (word_after("--standings"), pieces) {
        (Some(file), _) => runtime.block_on(measure_standings(Path::new(&file)))?,
        (None, Some(pieces)) => {
            let bouts = word_after("--bouts-of-a-piece").map_or(Ok(50_000), |word| word.parse())?;
            let pieces = Pieces { count: pieces.parse()?, bouts };
            runtime.block_on(measure_pieces(&database, bots, pieces))?
        }
        (None, None) => runtime.block_on(measure(&database, bots))?,
    };
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn word_after(name: &str) -> Option<String> {
    std::env::args().skip_while(|word| word != name).nth(1)
}

async fn measure(database: &Path, bots: usize) -> Outcome<bool> {
    let tournament = tournament(bots)?;
    let players: Vec<_> = (0..bots).map(player).collect();
    let store = Store::open(database, Access::CreateOrOpen).await?;
    let plans = EventPlans::new(&tournament, &tournament.events[0], &players, &[]);
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
        play_on(&Synthetic, &store, bouts, Arc::new(NullListener), &Cancel::default()).await?;
    let stored = start.elapsed();
    assert_eq!(ended, RunOutcome::Complete);
    let rate_of_bouts = expected as f64 / stored.as_secs_f64();
    let memory_storing = peak_memory_mib()?;
    println!("stored                             {:8.2} s", stored.as_secs_f64());
    store.close().await;
    drop(plans);

    let stored = [
        bar(
            "bouts stored in a second",
            rate_of_bouts,
            BOUTS_PER_SECOND,
            rate_of_bouts >= BOUTS_PER_SECOND,
        ),
        bar("MiB at most while storing", memory_storing, MEMORY_MIB, memory_storing <= MEMORY_MIB),
    ];
    let read = measure_standings(database).await?;
    Ok(read && stored.into_iter().all(|met| met))
}

/// Parts of a league.
#[derive(Clone, Copy)]
struct Pieces {
    count: u64,
    bouts: u64,
}

async fn measure_pieces(database: &Path, bots: usize, pieces: Pieces) -> Outcome<bool> {
    let tournament = tournament(bots)?;
    let players: Vec<_> = (0..bots).map(player).collect();
    let store = Store::open(database, Access::CreateOrOpen).await?;
    let plans = EventPlans::new(&tournament, &tournament.events[0], &players, &[]);
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
    let ended = play_on(&Synthetic, &store, planned, heard, &Cancel::default()).await?;
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
    let flat = bar("MiB more than in piece 2", growth, GROWTH_MIB, growth <= GROWTH_MIB);
    let is_small = bar("MiB at most", last, MEMORY_MIB, last <= MEMORY_MIB);
    let (standings, parts) = read_standings(database).await?;
    println!("standings with ratings             {:8.2} s  ({parts})", standings.as_secs_f64());
    let last = peak_memory_mib()?;
    let with_standings = bar("MiB with standings", last, STANDINGS_MIB, last <= STANDINGS_MIB);
    Ok(is_small && flat && with_standings)
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
    let (seconds, most) = (standings.as_secs_f64(), STANDINGS.as_secs_f64());
    let met = [
        bar("MiB at most with standings", memory, STANDINGS_MIB, memory <= STANDINGS_MIB),
        bar("seconds for standings", seconds, most, seconds <= most),
    ];
    Ok(met.into_iter().all(|met| met))
}

fn bar(name: &str, value: f64, bar: f64, met: bool) -> bool {
    println!("{name:<30} {value:>12.2}  bar {bar:>8.0}  {}", if met { "met" } else { "MISSED" });
    met
}

fn tournament(bots: usize) -> Outcome<Tournament> {
    let text = format!(
        "name: Scale\nseed: 1\nevents:\n  - id: {EVENT}\n    game: battlebots\n    bots: [bots/*]\n    bouts: 1\n# {bots} bots\n"
    );
    config::parse(&text, Path::new("scale.yaml"), &joust_referee::Catalogue::built_in())
        .map_err(|errors| errors.to_string().into())
}

fn player(number: usize) -> Player {
    Player {
        name: format!("bot-{number:04}"),
        build: BuildHash::of("scale", &[&number.to_le_bytes()]),
        listed: u32::try_from(number).unwrap_or(u32::MAX),
    }
}

async fn begin(store: &Store, tournament: &Tournament, players: &[Player]) -> Outcome<()> {
    let event = &tournament.events[0];
    store
        .put_tournament(&TournamentRow {
            name: tournament.name.clone(),
            seed: tournament.seed,
            seed_is_drawn: false,
        })
        .await?;
    store
        .put_event(&EventSettings {
            game: event.game.id().to_owned(),
            revision: event.game.spec().revision,
            rules: event.rules.clone(),
            options: event.options.clone(),
            ..fixtures::event(&event.id)
        })
        .await?;
    let row = |(player, registration): (&Player, u32)| BotRow {
        name: player.name.clone(),
        language: "python3".to_owned(),
        build: Some(player.build),
        registration,
        ..BotRow::default()
    };
    let rows: Vec<_> = players.iter().zip(0..).map(row).collect();
    store.put_bots(EVENT, &rows).await?;
    Ok(())
}

/// Makes up results: the stronger bot, by its number, wins more often; no turn takes time.
struct Synthetic;

impl Executor for Synthetic {
    fn execute(
        &self,
        mut assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let work = move || {
            let mut taken = Vec::new();
            while assignments.blocking_recv_many(&mut taken, TAKEN_AT_ONCE) > 0 {
                let results: Vec<_> = taken.drain(..).map(|it| result(&it.plan)).collect();
                for result in results {
                    let delivery = Delivery::new(result.bout, Ok(result));
                    if events.blocking_send(delivery.into()).is_err() {
                        return;
                    }
                }
            }
        };
        Box::pin(async {
            let ended = tokio::task::spawn_blocking(work).await;
            ended.map_err(|panic| ExecutorLost(panic.to_string()))
        })
    }

    fn parallel(&self) -> usize {
        256
    }
}

fn result(plan: &BoutPlan) -> BoutResult {
    let lot = plan.seed.0 % 1000;
    let strength = |seat: &SeatPlan| seat.bot[4..].parse::<u64>().unwrap_or(0);
    let lead = strength(&plan.seats[1]).wrapping_sub(strength(&plan.seats[0])).cast_signed() / 4;
    let ranks = match 500 + lead - lot.cast_signed() {
        -50..=50 => [1, 1],
        51.. => [1, 2],
        _ => [2, 1],
    };
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "knock-out".to_owned(),
        rounds: 40,
        state_hash: "5e".repeat(32),
        seats: plan
            .seats
            .iter()
            .zip(ranks)
            .map(|(seat, rank)| fixtures::seat(seat, rank, 40))
            .collect(),
        tier: Tier::A,
        machine: "synthetic".to_owned(),
        joust_version: env!("CARGO_PKG_VERSION").to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 1_790_000_000_000,
        took: Duration::from_millis(40),
        action_log: log(plan.seed.0, 300),
        turn_log: log(plan.seed.0, 500),
        ticks_late: 0,
    }
}

/// Bytes as hard to compress as a compressed log.
fn log(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
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

/// Returns the most memory this process has had.
fn peak_memory_mib() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib / 1024.0)
}

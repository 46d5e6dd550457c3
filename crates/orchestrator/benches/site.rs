//! A site of 1,000 bots and 10,000 bouts with their replays.
//!
//! The bouts are of BattleBots, 200 rounds each, their actions drawn from a generator and judged by
//! the referee, so that every replay is a real one. The site is made by another process, whose
//! memory is measured alone.
//!
//! Bars: 60 s; no page of the tournament, the event or a bot above 300 kB, except for the
//! leaderboard of all bots. Ends with status 1 when one is missed. Figures are meaningful only on
//! an otherwise idle machine.
//!
//! With `--bouts 499500` every pair of bots has met: the first 10,000 bouts are judged, the others
//! reuse their recordings under other names; pages and replays are made for 10,000 of them all the
//! same.
//!
//! `scripts/bench site [--bots N] [--bouts N] [--keep FOLDER]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use joust_model::cancel::Cancel;
use joust_model::{
    BotRow, BoutPlan, BoutResult, BuildHash, Calibration, EventSettings, Exit, GameOptions,
    LimitSet, Limits, Mirror, Occupant, SeatPlan, SeatResult, Setting, Tier, TurnLog, TurnRecord,
    VerdictCounts,
};
use joust_orchestrator::pipeline::site;
use joust_referee::log::LogWriter;
use joust_referee::{Catalogue, Input, Output, Outputs, Parts, Seat, Seed, Setup, Verdict};
use joust_report::site::{Sink, SiteOptions};
use joust_store::{Access, Store, TournamentRow};
use joust_testkit::fixtures;

/// The longest a site may take.
const LONGEST: Duration = Duration::from_secs(60);

/// The largest page, bytes.
const LARGEST_PAGE: u64 = 300_000;

/// So many bouts are judged; those after them are like them.
const JUDGED: u64 = 10_000;

const ROUNDS: i64 = 200;
const EVENT: &str = "battlebots";
const ACTIONS: [&str; 12] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW", "B NE", "M S", "P", "NO"];

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("site: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Done<bool> {
    if let [_, word, database, out] = &env::args().collect::<Vec<_>>()[..]
        && word == "--measure"
    {
        return measure(Path::new(database), Path::new(out));
    }
    let (bots, bouts) = (number("--bots", 1_000)?, number("--bouts", 10_000)?);
    let scratch = tempfile::tempdir()?;
    let folder = word("--keep").map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let (database, out) = (folder.join("results.db"), folder.join("site"));
    let start = Instant::now();
    runtime()?.block_on(fill(&database, bots, bouts))?;
    println!("database of {bots} bots and {bouts} bouts: {:.1?}", start.elapsed());
    let measured =
        Command::new(env::current_exe()?).arg("--measure").args([&database, &out]).status()?;
    Ok(measured.success())
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

/// The word after `name`.
fn word(name: &str) -> Option<String> {
    let mut words = env::args().skip_while(|word| word != name);
    words.nth(1)
}

fn number(name: &str, usual: u64) -> Done<u64> {
    Ok(word(name).map_or(Ok(usual), |word| word.parse())?)
}

// ---- the site ---------------------------------------------------------------

/// Writes to a folder and counts.
struct Folder {
    top: PathBuf,
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Sink for Folder {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))?;
        fs::write(path, bytes)
    }
}

fn measure(database: &Path, out: &Path) -> Done<bool> {
    let folder = Arc::new(Folder {
        top: out.to_owned(),
        files: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    });
    let start = Instant::now();
    let report = runtime()?.block_on(async {
        let store = Store::open(database, Access::ReadOnly).await?;
        let options = SiteOptions::new(Catalogue::built_in());
        let cancel = Cancel::default();
        let report = site(&store, &options, folder.clone(), &|_| (), &cancel).await?;
        Ok::<_, Box<dyn Error>>(report)
    })?;
    let took = start.elapsed();
    let (files, bytes) =
        (folder.files.load(Ordering::Relaxed), folder.bytes.load(Ordering::Relaxed));
    println!(
        "{} bots, {} bouts: {files} files, {:.1} MB, {took:.1?}",
        report.bots,
        report.bouts,
        mega(bytes)
    );
    println!("largest memory: {} MiB", largest_memory()? >> 10);
    let (first, bots) =
        (["index.html", "cross.html"].map(|page| in_event(out, page)), in_event(out, "bots"));
    let largest = [out.join("index.html")].into_iter().chain(first).chain([largest_of(&bots)?]);
    let mut pages_fit = true;
    for page in largest {
        let size = said(out, &page);
        pages_fit &= size < LARGEST_PAGE;
    }
    said(out, &in_event(out, "all.html"));
    said(out, &in_event(out, "cross.png"));
    Ok(took < LONGEST && pages_fit)
}

fn in_event(out: &Path, file: &str) -> PathBuf {
    out.join(EVENT).join(file)
}

/// Prints and returns how large a file is.
fn said(out: &Path, file: &Path) -> u64 {
    let size = fs::metadata(file).map(|data| data.len()).unwrap_or(0);
    println!("{}: {size} bytes", file.strip_prefix(out).unwrap_or(file).display());
    size
}

/// The largest file of a folder.
fn largest_of(folder: &Path) -> Done<PathBuf> {
    let files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    let size = |file: &fs::DirEntry| file.metadata().map(|data| data.len()).unwrap_or(0);
    Ok(files.iter().max_by_key(|file| size(file)).ok_or("no file")?.path())
}

#[expect(clippy::cast_precision_loss, reason = "no site has 2^53 bytes")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The largest resident memory of this process so far, KiB.
fn largest_memory() -> Done<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = line.unwrap_or_default().trim().trim_end_matches(" kB");
    Ok(digits.parse()?)
}

// ---- the database -----------------------------------------------------------

async fn fill(path: &Path, bots: u64, bouts: u64) -> Done<()> {
    let store = Store::open(path, Access::CreateOrOpen).await?;
    store
        .put_tournament(&TournamentRow {
            name: "Bench".to_owned(),
            seed: Seed(7),
            seed_is_drawn: false,
        })
        .await?;
    store.put_event(&settings()).await?;
    let field: Vec<_> = (0..bots).map(bot).collect();
    store.put_bots(EVENT, &field).await?;
    let mut group = Vec::new();
    let mut judged = Vec::new();
    for number in 0..bouts {
        let plan = plan(number, bots);
        let result = match judged.get(usize::try_from(number % JUDGED)?) {
            Some(result) if number >= JUDGED => again(&plan, result),
            _ => played(&plan),
        };
        if number < JUDGED && bouts > JUDGED {
            judged.push(result.clone());
        }
        group.push((plan, result));
        if group.len() == 256 || number + 1 == bouts {
            store.put_bouts(&group).await?;
            group.clear();
        }
    }
    Ok(())
}

fn settings() -> EventSettings {
    EventSettings {
        game: EVENT.to_owned(),
        options: options(),
        mirror: Mirror::Off,
        ..fixtures::event(EVENT)
    }
}

fn options() -> GameOptions {
    GameOptions([("max_rounds".to_owned(), Setting::Int(ROUNDS))].into())
}

fn name(number: u64) -> String {
    format!("bot number {number}")
}

fn build(number: u64) -> BuildHash {
    BuildHash::of("bench", &[&number.to_le_bytes()])
}

fn bot(number: u64) -> BotRow {
    BotRow {
        name: name(number),
        author: format!("author {}", number % 97),
        language: "python".to_owned(),
        build: Some(build(number)),
        registration: u32::try_from(number).unwrap_or(u32::MAX),
        ..BotRow::default()
    }
}

/// The result of a bout like one that was judged.
fn again(plan: &BoutPlan, like: &BoutResult) -> BoutResult {
    let mut result = BoutResult { bout: plan.bout, key: plan.key(), ..like.clone() };
    for (seat, planned) in result.seats.iter_mut().zip(&plan.seats) {
        (seat.bot, seat.occupant) = (planned.bot.clone(), planned.occupant);
    }
    result
}

/// Returns the plan of bout `number`: each bot meets the next one, then the one after it, and so
/// on.
fn plan(number: u64, bots: u64) -> BoutPlan {
    let (one, other) = (number % bots, (number + 1 + number / bots) % bots);
    let seats =
        [one, other].map(|bot| SeatPlan { bot: name(bot), occupant: Occupant::Build(build(bot)) });
    BoutPlan {
        bout: BoutPlan::id("bench", EVENT, &[&seats[0].bot, &seats[1].bot], 0),
        event: EVENT.to_owned(),
        game: EVENT.to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: options().into(),
        seed: Seed((number % JUDGED).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        match_number: number,
        number: 0,
        seats: seats.to_vec(),
        limits: Limits::default().into(),
        clock: None,
    }
}

/// Plays a bout of actions drawn from its seed.
fn played(plan: &BoutPlan) -> BoutResult {
    let names: Vec<_> = plan.seats.iter().map(|seat| seat.bot.clone()).collect();
    let options = plan.options.to_referee();
    let setup =
        Setup { rules: &plan.rules, options: &options, seed: plan.seed, seats: 2, names: &names };
    let mut out = Outputs::default();
    let games = Catalogue::built_in();
    let kind = games.find(EVENT).expect("the game is there");
    let mut game = kind.start(&setup, &mut out).expect("the setup is right");
    let (mut log, mut turns) = (LogWriter::new(), TurnLog::default());
    let mut verdicts = [VerdictCounts::default(); 2];
    let mut luck = plan.seed.0 | 1;
    while game.outcome().is_none() {
        let asked: Vec<_> = out.drain().collect();
        let mut answers = 0;
        for output in asked {
            let Output::Ask { seat, request, .. } = output else { continue };
            luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let action = ACTIONS[usize::try_from(luck >> 33).unwrap_or(0) % ACTIONS.len()];
            turns.push(&turn(game.rounds(), seat.0, action, luck));
            verdicts[seat.index()].add(Verdict::Ok);
            let parts = Parts::single(action.as_bytes());
            let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
            log.push(&input);
            answers += 1;
            game.next(&input, &mut out).expect("the referee cannot fail");
        }
        assert!(answers > 0, "nobody was asked");
    }
    let outcome = game.outcome().expect("it is over").clone();
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: outcome.ended.to_string(),
        rounds: game.rounds(),
        state_hash: game.state_hash().expect("the referee cannot fail").to_string(),
        seats: (0..2).map(|seat| seat_result(plan, &outcome, seat, verdicts[seat])).collect(),
        tier: Tier::A,
        machine: "bench".to_owned(),
        joust_version: "0.1.0".to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 1_790_000_000_000,
        took: Duration::from_secs(3),
        action_log: zstd::bulk::compress(&log.to_bytes(), 3).expect("memory"),
        turn_log: turns.compress(),
        ticks_late: 0,
    }
}

fn turn(round: u32, seat: u8, action: &str, luck: u64) -> TurnRecord {
    TurnRecord {
        round,
        seat,
        verdict: Verdict::Ok.code(),
        limits_hit: LimitSet::default(),
        wall_us: 15_000 + luck % 9_000,
        cpu_us: 9_000 + luck % 3_000,
        cpu_partial: false,
        stall_us: 0,
        peak_memory_bytes: (8 << 20) + luck % 99_999,
        exit: Exit::Status(0),
        action: action.to_owned(),
        output: Vec::new(),
        stderr: Vec::new(),
        reason: String::new(),
    }
}

fn seat_result(
    plan: &BoutPlan,
    outcome: &joust_referee::Outcome,
    seat: usize,
    verdicts: VerdictCounts,
) -> SeatResult {
    SeatResult {
        bot: plan.seats[seat].bot.clone(),
        occupant: plan.seats[seat].occupant,
        rank: outcome.seats[Seat(u8::try_from(seat).expect("two seats"))].rank,
        score: outcome.seats[Seat(u8::try_from(seat).expect("two seats"))].score,
        verdicts,
        limits_hit: LimitSet::default(),
        cpu: Duration::from_secs(2),
        wall: Duration::from_secs(3),
        stall: Duration::ZERO,
        peak_memory_bytes: 8 << 20,
        calibration: Calibration::default(),
        ticks_idle: 0,
        answers_late: 0,
        cold_starts: 0,
        numbers: joust_model::SeatNumbers::default(),
    }
}

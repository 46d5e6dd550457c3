//! Cost of a short bout beside its bots: two static C bots, one round of a game that starts
//! a process a turn, through the executor, as a tournament has it played.
//!
//! One kind of bout is between the same two bots every time, whose seats are kept from bout to
//! bout. The other kind is between bots of a field that is larger than the number of kept seats, so
//! that both seats are made for each bout. All figures are processor time; the bots' share is taken
//! from their results. Batches of both kinds alternate.
//!
//! A missed bar gives status 1.
//!
//! `scripts/bench short-bout [kept] [made] [--bouts N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[expect(dead_code, reason = "others count more of it")]
#[path = "asks/cpu.rs"]
mod cpu;
mod executed;
#[expect(dead_code, reason = "others look at single turns")]
mod table;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_build::PlacedBuild;
use joust_model::{BoutPlan, BuildHash, Limits};
use joust_play::executor::{Local, Sharing};
use joust_testkit::figures::{Bar, Rows, micros, number, record};

use table::{Bot, Result, plan, seated};

/// Bouts of each kind.
const BOUTS: u32 = 1_000;
/// Batches of those. Each has what a machine takes that begins and ends, some fifty milliseconds.
const BATCHES: u32 = 2;
/// Bots of the field whose seats are not kept: more than seats are kept of 16 a processor.
const FIELD_OF_A_CORE: usize = 18;
/// Time that Joust may use beside the bots, in microseconds.
const BAR: f64 = 2_000.0;

const SOURCE: &str = "#include <stdio.h>\nint main(void) { puts(\"NO\"); return 0; }\n";

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} bars missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("short-bout: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let field = (0..cores * FIELD_OF_A_CORE).map(|place| build(folder.path(), place));
    let field = field.collect::<Result<Vec<PlacedBuild>>>()?;
    let load = std::fs::read_to_string("/proc/loadavg")?;
    println!("processors {cores}, load {}", load.trim());
    let bouts = number("--bouts", BOUTS)?.div_ceil(BATCHES);
    let (mut kept, mut made) = (Spent::default(), Spent::default());
    for _ in 0..BATCHES {
        if is_wanted("kept") {
            kept.add(play(&field[..2], bouts)?);
        }
        if is_wanted("made") {
            made.add(play(&field, bouts)?);
        }
    }
    let mut rows = Rows::default();
    let start = start(&field[0])?;
    rows.note("bare start of a static C bot", micros(start), "µs");
    for (spent, name) in [(kept, "seats kept"), (made, "seats made")] {
        if spent.bouts == 0 {
            continue;
        }
        let each = |time: Duration| micros(time / spent.bouts);
        rows.note(&format!("a short bout, {name}: its bots"), each(spent.bots), "µs");
        let own = spent.all.saturating_sub(spent.bots);
        record(
            &format!("short bout, {name}: start of its bot"),
            (own / spent.bouts).div_duration_f64(start),
        );
        let (own, what) = (each(own), "  Joust's own");
        match name {
            "seats kept" => rows.judge(what, own, "µs", Bar::AtMost(BAR)),
            _ => rows.note(what, own, "µs"),
        }
        let rate = f64::from(spent.bouts) / spent.wall.as_secs_f64();
        rows.note("  bouts a second by the clock, one job", rate, "");
    }
    Ok(rows.missed())
}

/// Returns whether a part of the benchmark is asked for; without a word all of it is.
fn is_wanted(part: &str) -> bool {
    let words: Vec<String> = std::env::args().collect();
    let is_asked = |part: &str| words.iter().any(|word| word == part);
    is_asked(part) || !(is_asked("kept") || is_asked("made"))
}

/// Makes a bot in a folder of its own.
fn build(folder: &Path, place: usize) -> Result<PlacedBuild> {
    let folder = folder.join(format!("bot-{place}"));
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("bot.c"), SOURCE)?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-static", "-s", "-o", "bot", "bot.c"]).current_dir(&folder);
    if !compiler.status()?.success() {
        return Err("gcc refused the bot".into());
    }
    let hash = BuildHash::of("joust-bench-short", &[place.to_string().as_bytes()]);
    Ok(PlacedBuild { hash, ..seated::build(&folder, vec!["/bot/bot".into()]) })
}

/// Cost of all bouts together.
#[derive(Clone, Copy, Default)]
struct Spent {
    bouts: u32,
    wall: Duration,
    /// Everything: this process, its launchers and the bots.
    all: Duration,
    /// The bots, as their results say.
    bots: Duration,
}

impl Spent {
    fn add(&mut self, more: Self) {
        self.bouts += more.bouts;
        self.wall += more.wall;
        self.all += more.all;
        self.bots += more.bots;
    }
}

/// Plays so many bouts, each between the next two of the field.
fn play(field: &[PlacedBuild], bouts: u32) -> Result<Spent> {
    // A machine of its own: seats that it keeps end with it, and are counted.
    let equipment = Arc::new(seated::equipment(field.iter().cloned())?);
    let bots = field.iter().map(|build| Bot {
        name: build.hash.to_string(),
        command: build.command.clone(),
        hash: build.hash,
    });
    let bots: Vec<Bot> = bots.collect();
    let limits = Limits::default();
    let mut next = bots.iter().cycle();
    let mut pair = || [next.next(), next.next()].map(|bot| bot.expect("a field has bots"));
    let plans: Vec<BoutPlan> = (0..bouts).map(|number| plan(pair(), number, 1, &limits)).collect();
    let before = cpu::with_children()?;
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let executor = Local::new(Arc::clone(&equipment), Some(1), Sharing::OneBotACore);
    let deliveries = runtime.block_on(executed::run(&executor, plans));
    let wall = began.elapsed();
    drop((executor, runtime, equipment));
    let all = cpu::with_children()? - before;
    let mut spent = Spent { bouts, wall, all, bots: Duration::ZERO };
    for delivery in deliveries {
        for seat in delivery.result.map_err(|failure| format!("{failure:?}"))?.seats {
            if seat.verdicts.faults() > 0 || seat.verdicts.0.iter().sum::<u32>() != 1 {
                return Err("a bout is not one round in order".into());
            }
            spent.bots += seat.cpu;
        }
    }
    Ok(spent)
}

/// Returns the cost of one start of a bot and its end, bare.
fn start(build: &PlacedBuild) -> Result<Duration> {
    const STARTS: u32 = 500;
    let before = cpu::with_children()?;
    for _ in 0..STARTS {
        let mut bot = Command::new(build.folder.join("bot"));
        if !bot.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).status()?.success() {
            return Err("the bot failed".into());
        }
    }
    Ok((cpu::with_children()? - before) / STARTS)
}

//! Shared parts of the benchmarks that play bouts of their own programs.

#[path = "../seated/mod.rs"]
pub(crate) mod seated;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use joust_build::PlacedBuild;
use joust_model::{
    BoutId, BoutPlan, BuildHash, GameOptions, Limits, Occupant, SeatPlan, Seed, Setting, TurnRecord,
};
use joust_play::executor::Equipment;
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::{BoutEvent, BoutObserver};

/// Result of a step of a benchmark, with any error.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The most rounds a bout of the game has.
pub(crate) const MOST_ROUNDS: u32 = 1000;

/// Beginning of every program of the benchmarks: no C library, which alone
/// would spend more before `main` than what is measured.
const PRELUDE: &str = r#"
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}
static long now_ns(long clock) {
    long time[2];
    call(228, clock, (long)time, 0);
    return time[0] * 1000000000L + time[1];
}
static void say(long number) {
    char text[24];
    int at = 24;
    do { text[--at] = '0' + number % 10; number /= 10; } while (number);
    call(1, 2, (long)(text + at), 24 - at);
}
static void nap_ns(long length) {
    long time[2] = {0, length};
    call(35, (long)time, 0, 0);
}
static void act(void) { call(1, 1, (long)"NO\n", 3); }
static void leave(void) { call(231, 0, 0, 0); }
"#;

/// Compiles a program that has `source` after the prelude, and returns its bot.
pub(crate) fn compile(folder: &Path, name: &str, source: &str) -> Result<Bot> {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, format!("{PRELUDE}{source}"))?;
    let flags =
        ["-O1", "-static", "-nostdlib", "-nostartfiles", "-fno-stack-protector", "-s", "-o"];
    let status = Command::new("gcc").args(flags).arg(folder.join(name)).arg(&file).status()?;
    if !status.success() {
        return Err(format!("gcc refused `{name}`").into());
    }
    Ok(Bot::new(name, vec![format!("/bot/{name}").into()]))
}

/// A program that plays.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) name: String,
    pub(crate) command: Vec<std::ffi::OsString>,
    pub(crate) hash: BuildHash,
}

impl Bot {
    pub(crate) fn new(name: &str, command: Vec<std::ffi::OsString>) -> Self {
        let hash = BuildHash::of("joust-bench-1", &[name.as_bytes()]);
        Self { name: name.to_owned(), command, hash }
    }
}

/// Makes this machine ready for `bots`, whose programs lie in `folder`.
pub(crate) fn equipment(folder: &Path, bots: &[Bot]) -> Result<Equipment> {
    seated::equipment(bots.iter().map(|bot| build(folder, bot)))
}

fn build(folder: &Path, bot: &Bot) -> PlacedBuild {
    let environment = vec![
        ("SCRATCH".into(), "/scratch".into()),
        ("PROGRAM".into(), "/bot".into()),
        ("RUN".into(), "joust-bench".into()),
    ];
    PlacedBuild { hash: bot.hash, environment, ..seated::build(folder, bot.command.clone()) }
}

/// Returns a bout of `rounds` rounds between two bots.
pub(crate) fn plan(bots: [&Bot; 2], number: u32, rounds: u32, limits: &Limits) -> BoutPlan {
    let names = bots.map(|bot| bot.name.as_str());
    let rounds = Setting::Int(i64::from(rounds.clamp(1, MOST_ROUNDS)));
    let id: BoutId = BoutPlan::id("bench", "bench", &names, number);
    BoutPlan {
        bout: id,
        event: "bench".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: GameOptions([("max_rounds".to_owned(), rounds)].into()).into(),
        seed: Seed(u64::from(number)),
        match_number: 0,
        number,
        seats: bots
            .map(|bot| SeatPlan { bot: bot.name.clone(), occupant: Occupant::Build(bot.hash) })
            .into(),
        limits: limits.clone().into(),
        clock: None,
    }
}

/// Keeps every turn's record.
#[derive(Default)]
struct Records(Vec<TurnRecord>);

impl BoutObserver for Records {
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        if let BoutEvent::Turn(record) = event {
            self.0.push((*record).clone());
        }
        ControlFlow::Continue(())
    }
}

/// Plays a bout on `core` and returns every turn's record.
pub(crate) fn play(equipment: &Equipment, plan: &BoutPlan, core: usize) -> Result<Vec<TurnRecord>> {
    let mut records = Records::default();
    play_plan(equipment, plan, PlayOptions::new(&[core], &mut records))?;
    Ok(records.0)
}

/// Returns the value below which `percent` of sorted `values` are.
pub(crate) fn percentile(values: &[u64], percent: usize) -> u64 {
    let last = values.len().saturating_sub(1);
    values.get((values.len() * percent / 100).min(last)).copied().unwrap_or(0)
}

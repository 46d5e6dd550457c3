//! Savings of a warm start: processor time of a turn against a cold one of the same bot, in Python
//! and Ruby, through a
//! seat, cold, exact and quick by turns in one run on one core.
//!
//! A turn's time is what its seat is charged, with the share of the server that makes the copies.
//! The figure is the median of the ratios of each round, with the middle half of them. Everything
//! is built as in a tournament, so cold is cold with a clean `site-packages`.
//!
//! Then ten thousand turns through the whole bout loop, cold and quick in small batches by turns:
//! all processor time, Joust's own with it; and what stays in memory of a quick seat after as many
//! turns.
//!
//! A missed bar gives status 1.
//!
//! `scripts/bench warm [turns] [bouts] [memory] [--rounds N] [--turns N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[expect(dead_code, reason = "others count more of it")]
#[path = "asks/cpu.rs"]
mod cpu;
mod executed;
mod starts;
#[expect(dead_code, reason = "others have bots in C")]
mod table;

use std::process::ExitCode;
use std::time::Duration;

use joust_build::PlacedBuild;
use joust_model::StartMode;
use joust_play::executor::{Equipment, available};
use joust_sandbox::affinity;
use joust_testkit::figures::{Bar, Rows, micros, number, record};

use starts::bots::{Program, Workshop};
use starts::bouts::{self, Batch};
use starts::memory;
use starts::turns::{Cost, Player, Quartiles, measure};
use table::Result;

/// Rounds of one turn each way.
const ROUNDS: u32 = 200;
/// Turns of the whole bout loop, each way, and of a seat whose memory is looked at.
const TURNS: u32 = 10_000;
/// Batches of those.
const BATCHES: u32 = 10;
/// Bar of their cost, as a fraction of the cost of cold ones.
const LOOP_BAR: f64 = 0.30;
/// Turns before memory is looked at first.
const SETTLED: u32 = 100;
/// Bar of the memory in the end, as a multiple of what it was at first.
const GROWTH_BAR: f64 = 1.05;

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} bars missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("warm: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let equipment = table::equipment(folder.path(), &[])?;
    let workshop = Workshop::open(folder.path(), &equipment)?;
    let nothing = workshop.build(Program::Nothing)?;
    let all = available();
    println!("processors {}, {}", all.len(), nothing.toolchain.trim());
    let mut rows = Rows::default();
    if is_wanted("turns") {
        turns(&workshop, &equipment, &mut rows)?;
    }
    if is_wanted("bouts") {
        whole_bouts(&equipment, &nothing, &mut rows)?;
    }
    if is_wanted("memory") {
        flat_memory(&equipment, &nothing, &mut rows)?;
    }
    Ok(rows.missed())
}

/// Returns whether a part of the benchmark is asked for; without a word all of it is.
fn is_wanted(part: &str) -> bool {
    let mut named = std::env::args().filter(|word| ["turns", "bouts", "memory"].contains(&&**word));
    let first = named.next();
    first.is_none_or(|first| first == part || named.any(|word| word == part))
}

fn say_load() -> Result<()> {
    println!("load {}", std::fs::read_to_string("/proc/loadavg")?.trim());
    Ok(())
}

fn turns(workshop: &Workshop<'_>, equipment: &Equipment, rows: &mut Rows) -> Result<()> {
    let all = available();
    let core = *all.last().ok_or("there is no processor")?;
    let rounds = number("--rounds", ROUNDS)?.max(1) as usize;
    say_load()?;
    affinity::pin_this_thread(&[core])?;
    for program in Program::ALL {
        if let Some(why) = workshop.lacks(program) {
            rows.skip(program.title(), why);
            continue;
        }
        let build = workshop.build(program)?;
        for cost in measure(&equipment.host, &build, core, rounds)? {
            tell(program, &cost, rows);
        }
    }
    affinity::pin_this_thread(&all)?;
    Ok(())
}

fn tell(program: Program, cost: &Cost, rows: &mut Rows) {
    let title = format!("{}, {}: a turn", program.title(), cost.starts.word());
    rows.note(&title, micros(cost.median), "µs");
    let bar = match cost.starts {
        StartMode::Cold => return,
        StartMode::Exact => program.bars().exact,
        StartMode::Quick => program.bars().quick,
    };
    let Quartiles { low, middle, high } = cost.ratio;
    record(&format!("warm: {}, {}, cold", program.title(), cost.starts.word()), middle);
    let title = format!("  against cold, half of them from {low:.3} to {high:.3}");
    rows.judge(&title, middle, "x", Bar::AtMost(bar));
}

fn whole_bouts(equipment: &Equipment, build: &PlacedBuild, rows: &mut Rows) -> Result<()> {
    if available().len() < bouts::JOBS {
        rows.skip("the whole bout loop on two processors", "there is one");
        return Ok(());
    }
    let turns = number("--turns", TURNS)?;
    let each = turns.div_ceil(BATCHES);
    let play = |starts| bouts::play(equipment, build, starts, each);
    say_load()?;
    let (mut cold, mut quick) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        cold.push(play(StartMode::Cold)?);
        quick.push(play(StartMode::Quick)?);
    }
    let sum = |batches: &[Batch], of: fn(&Batch) -> Duration| -> Duration {
        batches.iter().map(of).sum()
    };
    for (name, batches) in [("cold", &cold), ("quick", &quick)] {
        let (cpu, wall) = (sum(batches, |batch| batch.cpu), sum(batches, |batch| batch.wall));
        rows.note(&format!("{turns} turns, {name}: everything"), cpu.as_secs_f64(), "s");
        rows.note("  by the clock, two bouts at once", wall.as_secs_f64(), "s");
    }
    let ratio = |(quick, cold): (&Batch, &Batch)| quick.cpu.as_secs_f64() / cold.cpu.as_secs_f64();
    let Quartiles { low, middle, high } =
        Quartiles::of(quick.iter().zip(&cold).map(ratio).collect());
    let title = format!("  quick against cold, half of them from {low:.3} to {high:.3}");
    rows.judge(&title, middle, "x", Bar::AtMost(LOOP_BAR));
    Ok(())
}

/// Measures the memory of a quick seat, early and in the end.
fn flat_memory(equipment: &Equipment, build: &PlacedBuild, rows: &mut Rows) -> Result<()> {
    let turns = number("--turns", TURNS)?.max(SETTLED + 1);
    let core = *available().last().ok_or("there is no processor")?;
    let mut player = Player::sit(&equipment.host, build, StartMode::Quick, core)?;
    let mut before = 0.0;
    for turn in 0..turns {
        if turn == SETTLED {
            before = memory::of_seats() as f64;
        }
        player.turn()?;
    }
    let after = memory::of_seats() as f64;
    player.stop()?;
    rows.note(&format!("a quick seat after {SETTLED} turns"), before, "KiB");
    rows.note(&format!("  after {turns} turns"), after, "KiB");
    rows.judge("  against that", after / before, "x", Bar::AtMost(GROWTH_BAR));
    Ok(())
}

//! Cost of a turn beside starting a process.
//!
//! In one run on one pinned core: (a) `posix_spawn`, read and wait of the
//! smallest program there is, and (b) the same program as a bot through the
//! whole bout loop: view, sandboxed start, read, limits, referee, log.
//!
//! With `--game bomberman-2016` it is a bout of two seats in which every file
//! is written and read; what is not the bot's process may cost half a
//! millisecond a turn, else the status is 1.
//!
//! `scripts/bench turn [--game bomberman-2016]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod file_game;
mod seated;

use std::error::Error;
use std::ffi::CString;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use joust_model::{BoutId, BoutPlan, GameOptions, Limits, Occupant, SeatPlan, Seed, Setting};
use joust_play::NullObserver;
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::executor::{Equipment, available};
use joust_sandbox::affinity;
use joust_testkit::figures::{micros, record};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::wait::waitpid;

/// Batches of each kind, taken in turn.
const BATCHES: usize = 7;
/// Turns of a batch.
const TURNS: u32 = 2000;
/// Above this a plain spawn says nothing about the sandbox.
const SLOWEST_SPAWN: Duration = Duration::from_micros(150);

fn main() -> Result<(), Box<dyn Error>> {
    joust_sandbox::launcher::main_if_seat();
    let folder = tempfile::tempdir()?;
    if let Some(game) = file_game::wanted()? {
        return file_game::measure(folder.path(), &game);
    }
    let program = joust_testkit::static_bot::build(folder.path())?;
    let core = *available().last().ok_or("there is no processor")?;
    affinity::pin_this_thread(&[core])?;
    let equipment = equipment(folder.path())?;
    let (mut plain, mut turns) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        plain.push(plain_batch(&program)?);
        turns.push(bout_batch(&equipment, core)?);
    }
    let ratios: Vec<f64> =
        turns.iter().zip(&plain).map(|(b, a)| b.as_secs_f64() / a.as_secs_f64()).collect();
    report(plain, turns, ratios)
}

fn report(
    mut plain: Vec<Duration>,
    mut turns: Vec<Duration>,
    mut ratios: Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    plain.sort_unstable();
    turns.sort_unstable();
    ratios.sort_by(f64::total_cmp);
    let middle = BATCHES / 2;
    let (a, b) = (plain[middle], turns[middle]);
    record("turn of a whole bout loop, posix_spawn", b.div_duration_f64(a));
    println!("(a) posix_spawn, read, wait: {:.1} µs a turn", micros(a));
    println!("(b) whole bout loop:         {:.1} µs a turn", micros(b));
    println!("turns a second: (a) {:.0}, (b) {:.0}", 1e6 / micros(a), 1e6 / micros(b));
    println!(
        "ratio (b)/(a): median {:.2}, from {:.2} to {:.2}",
        ratios[middle],
        ratios[0],
        ratios[BATCHES - 1]
    );
    if a > SLOWEST_SPAWN {
        return Err(format!("a plain spawn took {a:?}: this machine is too busy to measure").into());
    }
    Ok(())
}

fn plain_batch(program: &Path) -> Result<Duration, Box<dyn Error>> {
    let path = CString::new(program.to_string_lossy().as_bytes())?;
    let began = Instant::now();
    for _ in 0..TURNS {
        spawn_read_wait(&path)?;
    }
    Ok(began.elapsed() / TURNS)
}

fn spawn_read_wait(path: &CString) -> Result<(), Box<dyn Error>> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut actions = PosixSpawnFileActions::init()?;
    actions.add_dup2(writer.as_raw_fd(), 1)?;
    let attributes = PosixSpawnAttr::init()?;
    let arguments: [&CString; 1] = [path];
    let environment: [&CString; 0] = [];
    let child = posix_spawn(path.as_c_str(), &actions, &attributes, &arguments, &environment)?;
    drop(writer);
    let mut output = Vec::with_capacity(64);
    reader.read_to_end(&mut output)?;
    waitpid(child, None)?;
    assert_eq!(output, b"NO\n");
    Ok(())
}

fn equipment(program_folder: &Path) -> Result<Equipment, Box<dyn Error>> {
    seated::equipment([seated::build(program_folder, vec!["/bot/tiny".into()])])
}

fn bout_batch(equipment: &Equipment, core: usize) -> Result<Duration, Box<dyn Error>> {
    let plan = plan();
    let result = play_plan(equipment, &plan, PlayOptions::new(&[core], &mut NullObserver))?;
    let turns: u32 = result.seats.iter().map(|seat| seat.verdicts.0.iter().sum::<u32>()).sum();
    let faults: u32 = result.seats.iter().map(|seat| seat.verdicts.faults()).sum();
    assert_eq!((turns, faults), (TURNS, 0), "every turn is played and in order");
    Ok(result.took / TURNS)
}

fn plan() -> BoutPlan {
    let seat =
        |bot: &str| SeatPlan { bot: bot.to_owned(), occupant: Occupant::Build(seated::ONLY) };
    let rounds = Setting::Int(i64::from(TURNS / 2));
    BoutPlan {
        bout: BoutId([0; 8]),
        event: "bench".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: GameOptions([("max_rounds".to_owned(), rounds)].into()).into(),
        seed: Seed(0),
        match_number: 0,
        number: 0,
        seats: vec![seat("one"), seat("two")],
        limits: Limits::default().into(),
        clock: None,
    }
}

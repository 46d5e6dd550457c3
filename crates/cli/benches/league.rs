//! The demo league's wall time, and the share of CPU spent outside bots.
//!
//! Everything is built and calibrated first, then the whole league is played once, with nothing
//! left out, by the program that users run. CPU time covers `joust` with all its processes; the
//! bots' share is the time charged to them, as `joust replay` shows it.
//!
//! `scripts/bench league`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use program::{Result, children_cpu, copy_folder, joust};
use serde_json::Value;

fn main() -> Result<()> {
    let folder = demo_folder()?;
    let ready = Instant::now();
    joust(folder.path(), &["run", "--dry-run", "--quiet"])?;
    let ready = ready.elapsed();

    let (before, start) = (children_cpu()?, Instant::now());
    joust(folder.path(), &["run", "--quiet"])?;
    let (wall, cpu) = (start.elapsed(), children_cpu()?.saturating_sub(before));

    let league = Charged::read(folder.path())?;
    let outside = cpu.saturating_sub(league.cpu);
    println!("made ready (builds, calibration)  {:9.2} s", ready.as_secs_f64());
    println!("league, wall time                 {:9.2} s", wall.as_secs_f64());
    println!("bouts, rounds                     {:6}, {}", league.bouts, league.rounds);
    println!("CPU of joust and all it started   {:9.2} s", cpu.as_secs_f64());
    println!("CPU charged to bots               {:9.2} s", league.cpu.as_secs_f64());
    println!(
        "CPU outside bots                  {:9.2} s, {:.1} %",
        outside.as_secs_f64(),
        100.0 * outside.as_secs_f64() / cpu.as_secs_f64()
    );
    Ok(())
}

/// Copies the demo tournament, so that its database and builds are its own.
fn demo_folder() -> Result<tempfile::TempDir> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir()?;
    fs::copy(root.join("tournament.yaml"), folder.path().join("tournament.yaml"))?;
    copy_folder(&root.join("bots"), &folder.path().join("bots"))?;
    Ok(folder)
}

/// Totals of the league's bouts, as their replays give them.
#[derive(Default)]
struct Charged {
    bouts: u64,
    rounds: u64,
    cpu: Duration,
}

impl Charged {
    fn read(folder: &Path) -> Result<Self> {
        let verified: Value =
            serde_json::from_slice(&joust(folder, &["verify", "--format", "json"])?)?;
        let mut charged = Self::default();
        for bout in verified["bouts"].as_array().ok_or("`verify` lists no bouts")? {
            let id = bout["bout"].as_str().ok_or("a bout without an id")?;
            let shown = joust(folder, &["replay", id, "--format", "json"])?;
            charged.add(&serde_json::from_slice(&shown)?)?;
        }
        Ok(charged)
    }

    fn add(&mut self, bout: &Value) -> Result<()> {
        self.bouts += 1;
        self.rounds += bout["rounds"].as_u64().ok_or("a bout without rounds")?;
        for seat in bout["seats"].as_array().ok_or("a bout without seats")? {
            let cpu_ms = seat["cpu_ms"].as_f64().ok_or("a seat without CPU time")?;
            self.cpu += Duration::from_secs_f64(cpu_ms / 1000.0);
        }
        Ok(())
    }
}

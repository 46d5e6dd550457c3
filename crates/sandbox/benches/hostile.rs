//! Check that every program of the catalogue earns one verdict, and that the
//! memory of the process that runs seats stays flat.
//!
//! With limits cut to cpu 100 ms and turn 200 ms each row of the table is played N times; each of its turns must earn the same verdict every
//! time, or have waited for a processor (`contended`). With `--memory` a small
//! program is run 100,000 times in one seat; neither memory nor descriptors may
//! grow (C7).
//!
//! Ends with status 1 when a bar is missed.
//!
//! `scripts/bench hostile [--runs N] [--row ID] [--shard K/N]` (1,000 runs, hours; a shard plays
//! every Nth row) and `scripts/bench hostile --memory [--turns N]`
#![expect(clippy::print_stdout, reason = "a bench is for reading")]

#[path = "../tests/hostile/calibrate.rs"]
mod calibrate;
#[path = "../tests/hostile/talk.rs"]
mod talk;
#[path = "../tests/hostile/tier.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod tier;
#[path = "../tests/hostile/turns.rs"]
mod turns;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use joust_sandbox::{Host, HostOptions, ProgramLimits, Seat};
use joust_testkit::hostile::{
    Observation, ProcessEnd, Programs, Row, TestSite, Turn, Verdict, arguments, build, make_site,
    rows,
};

use calibrate::{Calibration, calibrate};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const RUNS: u64 = 1000;
const MEMORY_TURNS: u64 = 100_000;
const CPU: Duration = Duration::from_millis(100);
const TURN: Duration = Duration::from_millis(200);
/// Waited for a processor longer than this share of the wall limit: contended.
const CONTENDED_SHARE: f64 = 0.2;
/// Allowed growth of resident memory.
const GROWTH_BYTES: u64 = 16 << 20;

fn main() -> Result<ExitCode> {
    joust_sandbox::launcher::main_if_seat();
    let folder = tempfile::Builder::new().prefix("joust-bench-").tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let programs = build(&folder.path().join("programs"))?;
    let host = Host::probe(&HostOptions { tier: tier::wanted()?, ..HostOptions::default() })?;
    println!("tier {}", host.tier());
    let bench = Bench { host, programs, base: folder.path().to_owned() };
    let met = match word("--memory") {
        Some(_) => bench.memory(number("--turns", MEMORY_TURNS)?)?,
        None => bench.verdicts(number("--runs", RUNS)?)?,
    };
    println!("{}", if met { "every bar is met" } else { "a bar is missed" });
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Bench {
    host: Host,
    programs: Programs,
    base: PathBuf,
}

/// Every `of`th row of the table, from row `first`, counted from 0.
struct Shard {
    first: usize,
    of: usize,
}

impl Shard {
    /// Reads `--shard K/N`, K from 1 to N; every row without it.
    fn wanted() -> Result<Self> {
        let Some(text) = word("--shard") else { return Ok(Self { first: 0, of: 1 }) };
        let (number, of) = text.split_once('/').ok_or("--shard wants K/N")?;
        let (number, of): (usize, usize) = (number.parse()?, of.parse()?);
        if number == 0 || number > of {
            return Err("--shard wants K/N with K from 1 to N".into());
        }
        Ok(Self { first: number - 1, of })
    }

    fn has(&self, index: usize) -> bool {
        index % self.of == self.first
    }
}

/// Number of times that a turn earned each verdict, contended ones left out.
#[derive(Default)]
struct Earned {
    verdicts: BTreeMap<&'static str, u64>,
    contended: u64,
}

impl Bench {
    fn verdicts(&self, runs: u64) -> Result<bool> {
        let (wanted, shard) = (word("--row"), Shard::wanted()?);
        let mut met = true;
        // The place of odd rows is the suite's business; their programs run here as everywhere.
        for (index, row) in rows::all().into_iter().enumerate() {
            if shard.has(index) && wanted.as_deref().is_none_or(|id| row.id == id) {
                met &= self.repeat(&row, runs)?;
            }
        }
        Ok(met)
    }

    fn repeat(&self, row: &Row, runs: u64) -> Result<bool> {
        let place = self.place(row)?;
        let mut earned: Vec<Earned> = row.turns.iter().map(|_| Earned::default()).collect();
        let mut seat = Seat::start(&self.host, &turns::seat_spec(row, &place))?;
        let mut calibrations = Vec::new();
        for turn in &row.turns {
            calibrations.push(calibrate(&mut seat, &turn.command)?);
        }
        for _ in 0..runs {
            for (index, turn) in row.turns.iter().enumerate() {
                let seen = self.play(&mut seat, (row, turn), &place, calibrations[index])?;
                earned[index].add(&seen);
            }
        }
        seat.stop()?;
        Ok(report(row, &earned))
    }

    fn place(&self, row: &Row) -> Result<TestSite> {
        let host = self.base.join(format!("joust-hostile-{}-{}", std::process::id(), row.id));
        make_site(row, &host, &self.programs)?;
        // A port without a listener, so that nothing outside is ever reached.
        let free = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        Ok(TestSite::at(&host, free, free))
    }

    fn play(
        &self,
        seat: &mut Seat,
        (row, turn): (&Row, &Turn),
        place: &TestSite,
        calibration: Calibration,
    ) -> Result<Observation> {
        let limits = limits(turn, calibration);
        let words = arguments(&turn.command, Path::new("/program"), place);
        let tier = self.host.tier();
        if let Some(talk) = &turn.talk {
            let seat = Seat::start(&self.host, &turns::seat_spec(row, place))?;
            return match talk::hold(seat, &words, talk, limits.wall, calibration) {
                Ok(talked) => {
                    talked.seat.stop()?;
                    Ok(turns::heard(talked.heard, limits, tier))
                }
                Err(error) => Ok(turns::seen(Err(error), limits, tier)),
            };
        }
        let seen = turns::seen(turns::play(seat, &words, limits, turn.answer), limits, tier);
        if seen.ended == ProcessEnd::Lost {
            *seat = Seat::start(&self.host, &turns::seat_spec(row, place))?;
        }
        Ok(seen)
    }

    fn memory(&self, count: u64) -> Result<bool> {
        let row = rows::all().into_iter().find(|row| row.id == "O14").ok_or("no row `O14`")?;
        let place = self.place(&row)?;
        let mut seat = Seat::start(&self.host, &turns::seat_spec(&row, &place))?;
        let turn = &row.turns[0];
        let settle = (count / 100).max(1);
        let mut before = (0, 0);
        for number in 0..count {
            let seen = self.play(&mut seat, (&row, turn), &place, Calibration::default())?;
            if seen.verdict == Verdict::InfrastructureError {
                return Err(String::from_utf8_lossy(&seen.stderr).into_owned().into());
            }
            if number == settle {
                before = own_use()?;
            }
        }
        let after = own_use()?;
        println!("{count} turns: resident {} KiB, {} KiB before", after.0 >> 10, before.0 >> 10);
        println!("descriptors {}, {} before", after.1, before.1);
        Ok(after.0 <= before.0 + GROWTH_BYTES && after.1 == before.1)
    }
}

fn limits(turn: &Turn, calibration: Calibration) -> ProgramLimits {
    let cpu = turn.clocks.cpu.unwrap_or(CPU) + calibration.cpu;
    let wall = turn.clocks.turn.unwrap_or(TURN) + calibration.wall;
    ProgramLimits { cpu, wall }
}

impl Earned {
    fn add(&mut self, seen: &Observation) {
        if seen.stall.as_secs_f64() > seen.allowed.turn.as_secs_f64() * CONTENDED_SHARE {
            self.contended += 1;
        } else {
            *self.verdicts.entry(seen.verdict.name()).or_default() += 1;
        }
    }
}

/// Prints the verdicts that each turn of a row earned; returns whether it was always one. Where a
/// line leaves a choice that only the host decides, any of it is as good.
fn report(row: &Row, earned: &[Earned]) -> bool {
    let mut met = true;
    for (turn, earned) in row.turns.iter().zip(earned) {
        let allowed = |name: &&str| turn.verdicts.iter().any(|verdict| verdict.name() == *name);
        let chosen = turn.verdicts.len() > 1 && earned.verdicts.keys().all(allowed);
        let one = earned.verdicts.len() <= 1 || chosen;
        let verdicts: Vec<_> =
            earned.verdicts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let mark = if one { "" } else { "  NOT ONE VERDICT" };
        println!("{:<16} {}, {} contended{mark}", row.id, verdicts.join(", "), earned.contended);
        met &= one;
    }
    met
}

/// Resident bytes and open descriptors of this process.
fn own_use() -> Result<(u64, usize)> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kib: u64 = line.split_whitespace().next().ok_or("no figure")?.parse()?;
    Ok((kib << 10, fs::read_dir("/proc/self/fd")?.count()))
}

/// Returns the word after `name` on the command line: empty if `name` is the last word, `None`
/// if it is missing.
fn word(name: &str) -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.next().map(|_| words.next().unwrap_or_default())
}

fn number(name: &str, otherwise: u64) -> Result<u64> {
    word(name).map_or(Ok(otherwise), |text| Ok(text.parse()?))
}

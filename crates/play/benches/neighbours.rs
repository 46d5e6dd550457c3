//! Effect of a hostile neighbour on an honest bot's figures.
//!
//! An honest bot plays on one core while another bout is played on another: of a
//! tame bot, then of a hostile one, in turn. Its processor time must stay within
//! 10 %, its median latency within 20 %.
//!
//! Ends with status 1 when a bar is missed. Figures mean something on a machine
//! that does nothing else.
//!
//! `scripts/bench neighbours [--turns N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod table;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use joust_model::{Bytes, Limits, TurnRecord, Verdict};
use joust_play::executor::{Equipment, available};
use joust_sandbox::affinity;
use joust_testkit::hostile;

use joust_testkit::figures::number;

use table::{Bot, Result, compile, equipment, percentile, plan, play};

/// Works through 2 MiB of memory for some milliseconds.
const HONEST: &str = "
static volatile long memory[1 << 18];
void _start(void) {
    for (int i = 0; i < 12; i++)
        for (int at = 0; at < 1 << 18; at++) memory[at] += at ^ i;
    act();
    leave();
}";

/// Acts at once.
const TAME: &str = "void _start(void) { act(); leave(); }";

/// Deeds of the neighbours.
const HOSTILE: [&str; 9] = [
    "burn_in_threads",
    "exhaust_descriptors",
    "flood_stdout",
    "fork_bomb",
    "fork_chain",
    "heap_bomb",
    "leave_burner",
    "many_files",
    "pipe_buffers",
];

const TURNS: u32 = 400;
const BATCHES: u32 = 4;
/// Allowed difference of processor time, in percent.
const CPU_PERCENT: f64 = 10.0;
/// Allowed growth of the median latency, in percent.
const LATENCY_PERCENT: f64 = 20.0;

fn main() -> Result<ExitCode> {
    joust_sandbox::launcher::main_if_seat();
    let folder = tempfile::tempdir()?;
    let honest = compile(folder.path(), "honest", HONEST)?;
    let tame = compile(folder.path(), "tame", TAME)?;
    hostile::build(folder.path())?;
    let neighbours: Vec<Bot> = HOSTILE
        .iter()
        .map(|name| Bot::new(name, vec!["/bot/hostile".into(), name.into()]))
        .collect();
    let mut bots = vec![honest.clone(), tame.clone()];
    bots.extend(neighbours.iter().cloned());
    let equipment = equipment(folder.path(), &bots)?;
    let turns = number("--turns", TURNS)?;
    // Asked before any thread is pinned.
    let [first, .., last] = available()[..] else {
        return Err("neighbours need two processors".into());
    };
    let bench =
        Bench { cores: [first, last], equipment: &equipment, honest: &honest, tame: &tame, turns };
    println!("neighbour              cpu        latency (medians, against a tame neighbour)");
    let mut met = true;
    for neighbour in &neighbours {
        met &= bench.compare(neighbour)?;
    }
    println!("{}", if met { "every bar is met" } else { "a bar is missed" });
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Bench<'a> {
    equipment: &'a Equipment,
    honest: &'a Bot,
    tame: &'a Bot,
    turns: u32,
    /// The neighbour's core and the honest bot's.
    cores: [usize; 2],
}

impl Bench<'_> {
    fn compare(&self, neighbour: &Bot) -> Result<bool> {
        let (mut beside_tame, mut beside_hostile) = (Vec::new(), Vec::new());
        for _ in 0..BATCHES {
            beside_tame.extend(self.beside(self.tame)?);
            beside_hostile.extend(self.beside(neighbour)?);
        }
        let figure = |of: fn(&TurnRecord) -> u64| {
            let (tame, hostile) = (median(&beside_tame, of), median(&beside_hostile, of));
            100.0 * (hostile as f64 / tame as f64 - 1.0)
        };
        let (cpu, wall) = (figure(|record| record.cpu_us), figure(|record| record.wall_us));
        println!("{:<20} {cpu:+6.1} %     {wall:+6.1} %", neighbour.name);
        Ok(cpu.abs() <= CPU_PERCENT && wall <= LATENCY_PERCENT)
    }

    /// Plays honest turns on the last core while `neighbour` plays on the first.
    fn beside(&self, neighbour: &Bot) -> Result<Vec<TurnRecord>> {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.keep_playing(neighbour, self.cores[0], &done));
            let records = self.honest_turns(self.cores[1]);
            done.store(true, Ordering::Relaxed);
            other
                .join()
                .map_err(|_| "the neighbour's thread panicked")?
                .map_err(Box::<dyn std::error::Error>::from)?;
            records
        })
    }

    fn honest_turns(&self, core: usize) -> Result<Vec<TurnRecord>> {
        affinity::pin_this_thread(&[core])?;
        let rounds = (self.turns / BATCHES / 2).max(1);
        let plan = plan([self.honest, self.honest], 0, rounds, &Limits::default());
        let records = play(self.equipment, &plan, core)?;
        match records.iter().find(|record| record.verdict() != Verdict::Ok) {
            None => Ok(records),
            Some(fault) => Err(format!("an honest turn earned {}", fault.verdict()).into()),
        }
    }

    fn keep_playing(
        &self,
        bot: &Bot,
        core: usize,
        done: &AtomicBool,
    ) -> std::result::Result<(), String> {
        affinity::pin_this_thread(&[core]).map_err(|error| error.to_string())?;
        let limits = Limits {
            cpu: Duration::from_millis(200),
            turn: Duration::from_millis(400),
            kill: Duration::from_millis(400),
            memory: Bytes::from_mib(64),
            ..Limits::default()
        };
        let mut number = 0;
        while !done.load(Ordering::Relaxed) {
            let plan = plan([bot, bot], number, 1, &limits);
            play(self.equipment, &plan, core).map_err(|error| error.to_string())?;
            number += 1;
        }
        Ok(())
    }
}

fn median(records: &[TurnRecord], of: fn(&TurnRecord) -> u64) -> u64 {
    let mut values: Vec<_> = records.iter().map(of).collect();
    values.sort_unstable();
    percentile(&values, 50).max(1)
}

//! Two workers of one core each through NATS beside two jobs of one process, on the same two cores.
//!
//! Both play the same league of the shipped bots of battlebots, once short and once long, by turns.
//! The cost of bouts is the difference between long and short, so that builds, calibration and
//! starts cancel out. CPU time is given for all processes, and without the seats and their bots,
//! which are the same in both: for the run, the workers and the server.
//!
//! `scripts/bench cluster [bouts of a match] [repetitions] [bots]`; the server is the one that
//! `scripts/install-tools` installs. The server's time depends on seconds more than on bouts, so
//! other bots have other figures: `cluster 600 3 sniper,planner,dodger` plays compiled ones alone.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

mod program;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use program::{Ending, Result, children_cpu, command, copy_folder, joust, server};

/// Bots in C, C++, Go and Python; of each kind of start one.
const BOTS: &str = "chaser,miner,planner,sniper";

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let bouts: u64 = words.next().map_or(Ok(40), |word| word.parse())?;
    let repetitions: usize = words.next().map_or(Ok(3), |word| word.parse())?;
    let names = words.next().unwrap_or_else(|| BOTS.to_owned());
    let bots: Vec<&str> = names.split(',').collect();
    let pairs = (bots.len() * bots.len().saturating_sub(1) / 2) as u64;
    let folder = league(&bots)?;
    let league = League { folder: folder.path(), bots: &bots };
    let folder = league.folder;
    league.write(2)?;
    joust(folder, &["run", "--dry-run", "--quiet"])?;
    // What is measured once and kept, is, before anything counts; by both workers, so that neither
    // finds all bouts taken.
    local(folder)?;
    league.write(bouts / 4)?;
    spread(folder)?;
    println!(
        "bouts of a match: {bouts}; bouts/s, CPU of a bout in all processes, and without seats"
    );
    let (mut ratios, mut costs) = (Vec::new(), Vec::new());
    for _ in 0..repetitions {
        // One after the other, so that other load of the machine affects both alike.
        let short = [league.played(bouts / 4, local)?, league.played(bouts / 4, spread)?];
        let long = [league.played(bouts, local)?, league.played(bouts, spread)?];
        let more = ((bouts - bouts / 4) * pairs) as f64;
        let [alone, spread] = [0, 1].map(|way| Cost::of(&short[way], &long[way], more));
        ratios.push(spread.rate / alone.rate);
        costs.push((spread.own - alone.own) * 1e3);
        println!(
            "--jobs 2 {:7.2}/s {:7.3} {:7.3} ms   two workers {:7.2}/s {:7.3} {:7.3} ms   \
             {:.3} x, {:+.3} ms without seats (run {:.3}, workers {:.3}, server {:.3})",
            alone.rate,
            alone.cpu * 1e3,
            alone.own * 1e3,
            spread.rate,
            spread.cpu * 1e3,
            spread.own * 1e3,
            spread.rate / alone.rate,
            (spread.own - alone.own) * 1e3,
            spread.parties[0] * 1e3,
            spread.parties[1] * 1e3,
            spread.parties[2] * 1e3,
        );
    }
    let (ratio, cost) = (median(&mut ratios), median(&mut costs));
    println!("median: {ratio:.3} x (bar 0.95), {cost:+.3} ms a bout (bar 0.3)");
    Ok(())
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Cost of bouts.
struct Cost {
    /// Bouts a second.
    rate: f64,
    /// Seconds of processor time a bout.
    cpu: f64,
    /// The same without seats.
    own: f64,
    /// Shares of the run, the workers and the server in `own`.
    parties: [f64; 3],
}

/// Time that a league took.
struct Taken {
    wall: Duration,
    cpu: Duration,
    /// Processor time of the programs themselves, without the seats in which bots are: of the run,
    /// the workers and the server.
    own: [Duration; 3],
}

impl Cost {
    /// Returns the cost of the `more` bouts that the long league has beside those of the short one.
    fn of(short: &Taken, long: &Taken, more: f64) -> Self {
        let wall = long.wall.as_secs_f64() - short.wall.as_secs_f64();
        let cpu = long.cpu.as_secs_f64() - short.cpu.as_secs_f64();
        let parties = [0, 1, 2].map(|party: usize| {
            (long.own[party].as_secs_f64() - short.own[party].as_secs_f64()) / more
        });
        Self { rate: more / wall, cpu: cpu / more, own: parties.iter().sum(), parties }
    }
}

/// Bots in a folder.
struct League<'a> {
    folder: &'a Path,
    bots: &'a [&'a str],
}

impl League<'_> {
    /// Plays it.
    fn played(&self, bouts: u64, play: fn(&Path) -> Result<Taken>) -> Result<Taken> {
        self.write(bouts)?;
        let taken = play(self.folder)?;
        eprintln!("{bouts} bouts a match: {:.1?}, {:.1?} of processor time", taken.wall, taken.cpu);
        Ok(taken)
    }

    /// Writes a tournament without results.
    fn write(&self, bouts: u64) -> Result<()> {
        for ending in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(self.folder.join(format!("results.db{ending}")));
        }
        let text = format!(
            "name: Workers\nevents:\n  - game: battlebots\n    bots: [{}]\n    bouts: {bouts}\n    \
             options: {{ max_rounds: 60 }}\n",
            self.bots.join(", ")
        );
        Ok(fs::write(self.folder.join("tournament.yaml"), text)?)
    }
}

/// Makes a folder with the bots.
fn league(names: &[&str]) -> Result<tempfile::TempDir> {
    let bots = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bots/battlebots");
    let folder = tempfile::tempdir()?;
    for bot in names {
        copy_folder(&bots.join(bot), &folder.path().join(bot))?;
    }
    Ok(folder)
}

fn local(folder: &Path) -> Result<Taken> {
    let (before, start) = (children_cpu()?, Instant::now());
    let own = ended(&mut command(folder, &["run", "--quiet", "--jobs", "2"]))?;
    let wall = start.elapsed();
    let own = [own, Duration::ZERO, Duration::ZERO];
    Ok(Taken { wall, cpu: children_cpu()?.saturating_sub(before), own })
}

fn spread(folder: &Path) -> Result<Taken> {
    let before = children_cpu()?;
    let store = tempfile::tempdir()?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let url = format!("nats://127.0.0.1:{port}");
    let server = Ending(server(port, store.path())?);
    let mut workers = Vec::new();
    for name in ["one", "two"] {
        let words = ["worker", &url, "--name", name, "--cores", "1", "--quiet"];
        workers.push(Ending(command(folder, &words).stderr(Stdio::null()).spawn()?));
    }
    let start = Instant::now();
    let run = ended(&mut command(folder, &["run", "--quiet", "--workers", &url]))?;
    let wall = start.elapsed();
    let mut own = [run, Duration::ZERO, Duration::ZERO];
    for worker in workers {
        own[1] += worker.end()?;
    }
    own[2] = server.end()?;
    Ok(Taken { wall, cpu: children_cpu()?.saturating_sub(before), own })
}

/// Runs a command, and returns the processor time of its program alone.
fn ended(command: &mut Command) -> Result<Duration> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let ended = Ending(child).wait()?;
    match ended.status.success() {
        true => Ok(ended.cpu),
        false => Err(format!("a run ended with {}", ended.status).into()),
    }
}

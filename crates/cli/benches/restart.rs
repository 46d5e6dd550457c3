//! A coordinator that comes back to a million bouts: from its start until its first batch is at
//! the server.
//!
//! The bouts are made up under the keys of the tournament's plans, so that they count; the last
//! ones are missing. Bar: 2 s. It ends with status 1 above it.
//!
//! `scripts/bench restart [bouts]`; the server is the one that `scripts/install-tools` installs.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod program;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use joust_config::Tournament;
use joust_model::{BoutPlan, BoutResult};
use joust_orchestrator::pipeline::{EventPlans, Player};
use joust_store::{Access, GroupCommitter, Store};
use joust_testkit::fixtures;
use program::{Ending, Result, command, copy_folder, joust, server};

const BOTS: [&str; 4] = ["chaser", "miner", "planner", "sniper"];
const PAIRS: u64 = 6;
/// Number of bouts that are missing.
const MISSING: u64 = 1000;
const BAR: Duration = Duration::from_secs(2);

fn main() -> Result<ExitCode> {
    let words = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let bouts: u64 = words.map_or(Ok(1_000_000), |word| word.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut is_met = true;
    let folder = league(2)?;
    let folder = folder.path();
    // Makes the builds and the entries.
    joust(folder, &["run", "--quiet"])?;
    write(folder, (bouts + MISSING).div_ceil(PAIRS))?;
    let played = runtime.block_on(fill(folder, bouts))?;
    for _ in 0..3 {
        let (first, own) = first_plan(folder)?;
        let is_in_time = first <= BAR;
        is_met &= is_in_time;
        println!(
            "{played} bouts: first plan after {:5.2} s ({:5.2} s of processor time)  {}",
            first.as_secs_f64(),
            own.as_secs_f64(),
            if is_in_time { "met" } else { "MISSED" },
        );
    }
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes a folder with the bots.
fn league(bouts: u64) -> Result<tempfile::TempDir> {
    let bots = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bots/battlebots");
    let folder = tempfile::tempdir()?;
    for bot in BOTS {
        copy_folder(&bots.join(bot), &folder.path().join(bot))?;
    }
    write(folder.path(), bouts)?;
    Ok(folder)
}

fn write(folder: &Path, bouts: u64) -> Result<()> {
    let text = format!(
        "name: Restart\nevents:\n  - id: league\n    \
         game: battlebots\n    bots: [{}]\n    bouts: {bouts}\n    options: {{ max_rounds: 20 }}\n",
        BOTS.join(", ")
    );
    Ok(fs::write(folder.join("tournament.yaml"), text)?)
}

/// Makes up results of the first bouts; returns how many there are.
async fn fill(folder: &Path, bouts: u64) -> Result<u64> {
    let games = joust_referee::Catalogue::built_in();
    let tournament = joust_config::load(&folder.join("tournament.yaml"), &games);
    let tournament: Tournament = tournament.map_err(|errors| errors.to_string())?;
    let event = &tournament.events[0];
    let store = Store::open(&folder.join("results.db"), Access::MustExist).await?;
    let mut players = Vec::new();
    for (name, listed) in BOTS.iter().zip(0..) {
        let rows = store.bots(&event.id).await?;
        let build = rows.iter().find(|row| row.name == *name).and_then(|row| row.build);
        let build = build.ok_or("a bot is not built")?;
        players.push(Player { name: (*name).to_owned(), build, listed });
    }
    let plans = EventPlans::new(&tournament, event, &players);
    let found = store.done(&event.id, &plans).await?.len();
    assert_eq!(found, 2 * PAIRS, "what a run plays has the same keys");
    let committer = GroupCommitter::start(&store);
    let mut left = bouts - found;
    let mut some = Vec::new();
    for plan in EventPlans::all(&plans) {
        if left == 0 {
            break;
        }
        if plan.number >= 2 {
            left -= 1;
            let result = result(&plan);
            some.push((plan, result));
        }
        if some.len() == 4096 || left == 0 {
            committer.committer().submit_all(std::mem::take(&mut some)).await?;
        }
    }
    committer.finish().await;
    let done = store.done(&event.id, &plans).await?.len();
    store.close().await;
    Ok(done)
}

fn result(plan: &BoutPlan) -> BoutResult {
    BoutResult {
        action_log: vec![7; 200],
        turn_log: vec![7; 365],
        ..fixtures::result(plan, plan.key(), fixtures::seats(plan, 20))
    }
}

/// Starts a run, and kills it when its first batch is at the server; returns how long that took,
/// and how much of it on a processor.
fn first_plan(folder: &Path) -> Result<(Duration, Duration)> {
    let store = tempfile::tempdir()?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let server = Ending(server(port, store.path())?);
    let mut wire = TcpStream::connect(("127.0.0.1", port))?;
    wire.write_all(b"CONNECT {\"verbose\":false}\r\nSUB joust.*.plan.* 1\r\nPING\r\n")?;
    let mut lines = BufReader::new(wire.try_clone()?).lines();
    let mut wait_for = |sign: &str| -> Result<()> {
        loop {
            let line = lines.next().ok_or("the server has closed the line")??;
            match line.starts_with(sign) {
                true => return Ok(()),
                false if line.starts_with("PING") => wire.write_all(b"PONG\r\n")?,
                false => {}
            }
        }
    };
    wait_for("PONG")?;
    let start = Instant::now();
    let url = format!("nats://127.0.0.1:{port}");
    let run =
        command(folder, &["run", "--quiet", "--workers", &url]).stderr(Stdio::null()).spawn()?;
    let mut run = Ending(run);
    wait_for("MSG ")?;
    let first = start.elapsed();
    run.0.kill()?;
    let ended = run.wait()?;
    server.end()?;
    Ok((first, ended.cpu))
}

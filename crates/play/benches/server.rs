//! Cost of a request to a bot that is a web server, beside a bare client, and of whole bouts of
//! Battlesnake between two trivial servers in Go.
//!
//! Everything runs on one core: (a) a client that does nothing but write a request and read its
//! answer, on one kept connection; (b) long bouts on 19x19; (c) short bouts. Joust's own processor
//! time is what this process and its launchers took; what an ask takes is the difference between
//! long and short bouts, so that starts are not in it.
//!
//! A missed bar gives status 1.
//!
//! `scripts/bench server [--bouts N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "asks/cpu.rs"]
#[expect(dead_code, reason = "others count more of it")]
mod cpu;
mod executed;
#[expect(dead_code, reason = "others compile C programs")]
mod table;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_build::PlacedBuild;
use joust_model::{BoutPlan, GameOptions, Limits, Seed, Setting};
use joust_play::executor::{Local, Sharing, available};
use joust_referee::{Catalogue, http};
use joust_sandbox::affinity;
use joust_testkit::figures::{Bar, Rows, micros, number};

use table::{Bot, Result, plan, seated};

/// Long bouts.
const BOUTS: u32 = 20;
/// Turns of a long and of a short bout.
const TURNS: [u32; 2] = [740, 10];
/// Short bouts for each long one.
const SHORT: u32 = 5;
/// Requests of the bare client, after a tenth as many.
const EXCHANGES: u32 = 10_000;

/// Processor time of an ask above that of the bare client, in microseconds.
const ASK_BAR: f64 = 20.0;
/// Wall time of a turn of two servers, in microseconds.
const TURN_BAR: f64 = 650.0;
/// Joust's own time for a short bout, in microseconds.
const SHORT_BAR: f64 = 9_800.0;

/// Reads all of a position and goes up.
const SNAKE: &str = r#"package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
)

type point struct{ X, Y int }
type snake struct {
	ID     string
	Health int
	Body   []point
}
type position struct {
	Turn  int
	Board struct {
		Height, Width int
		Food, Hazards []point
		Snakes        []snake
	}
	You snake
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var seen position
		_ = json.Unmarshal(body, &seen)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"move":"up","apiversion":"1"}`))
	})
	_ = http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
"#;

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} bars missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let load = std::fs::read_to_string("/proc/loadavg")?;
    println!("load {}", load.trim());
    let build = build(folder.path())?;
    affinity::pin_this_thread(&[*available().last().ok_or("there is no processor")?])?;
    let bouts = number("--bouts", BOUTS)?;
    let bare = bare_exchange(&build.folder.join("snake"))?;
    let [long, short] =
        [play(&build, bouts, 19, TURNS[0])?, play(&build, bouts * SHORT, 11, TURNS[1])?];
    let starts = short.own / SHORT;
    let asks = long.asks - short.asks / SHORT;
    let of_asks = long.own.checked_sub(starts);
    let ask =
        micros(of_asks.ok_or("the starts cost more than the long bouts: play more bouts")? / asks);
    let mut rows = Rows::default();
    rows.note("a request of a bare client, processor time", micros(bare), "µs");
    rows.note("an ask of Joust's own, processor time", ask, "µs");
    rows.judge("  above the bare client", ask - micros(bare), "µs", Bar::AtMost(ASK_BAR));
    let turn = micros(long.wall / (bouts * TURNS[0]));
    rows.judge("a turn of two servers on 19x19, wall time", turn, "µs", Bar::AtMost(TURN_BAR));
    rows.note(
        "  of which the servers' processor time",
        micros(long.bots / (bouts * TURNS[0])),
        "µs",
    );
    let count = bouts * SHORT;
    rows.note("a short bout, wall time", micros(short.wall / count), "µs");
    rows.note("  the servers' processor time", micros(short.bots / count), "µs");
    let beside = micros(short.wall.saturating_sub(short.bots) / count);
    rows.judge("  beside the servers", beside, "µs", Bar::AtMost(SHORT_BAR));
    rows.note("  Joust's own processor time", micros(short.own / count), "µs");
    Ok(rows.missed())
}

fn build(folder: &Path) -> Result<PlacedBuild> {
    std::fs::write(folder.join("main.go"), SNAKE)?;
    let mut compiler = Command::new("go");
    compiler.args(["build", "-o", "snake", "main.go"]).env("CGO_ENABLED", "0");
    if !compiler.current_dir(folder).status()?.success() {
        return Err("go refused the snake".into());
    }
    Ok(seated::build(folder, vec!["/bot/snake".into()]))
}

/// Asks a server again and again, without Joust; returns the processor time of a request.
fn bare_exchange(server: &Path) -> Result<Duration> {
    const PORT: &str = "18017";
    let games = Catalogue::built_in();
    let samples = games.find("battlesnake").ok_or("there is no such game")?.samples("original");
    let bodies = samples.iter().filter_map(|sample| sample.parts.get(http::BODY));
    let body = bodies.max_by_key(|body| body.len()).ok_or("there is no sample")?;
    let mut request = format!(
        "POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    let mut child = Command::new(server).env("PORT", PORT).stdin(Stdio::null()).spawn()?;
    let until = Instant::now() + Duration::from_secs(10);
    let mut stream = loop {
        match TcpStream::connect(format!("127.0.0.1:{PORT}")) {
            Ok(stream) => break stream,
            Err(error) if Instant::now() > until => return Err(error.into()),
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    stream.set_nodelay(true)?;
    let (mut buffer, mut before) = ([0; 4096], Duration::ZERO);
    for number in 0..EXCHANGES + EXCHANGES / 10 {
        if number == EXCHANGES / 10 {
            before = cpu::of_process(std::process::id());
        }
        stream.write_all(&request)?;
        let mut got = 0;
        while got == 0 || buffer[got - 1] != b'}' {
            match stream.read(&mut buffer[got..])? {
                0 => return Err("the server has closed the connection".into()),
                count => got += count,
            }
        }
    }
    let took = cpu::of_process(std::process::id()) - before;
    child.kill()?;
    child.wait()?;
    Ok(took / EXCHANGES)
}

/// Cost of all bouts together.
struct Spent {
    asks: u32,
    wall: Duration,
    /// Processor time of this process and its launchers.
    own: Duration,
    bots: Duration,
}

/// Plays so many bouts of so many turns: the snakes go round and round, and hazards heal them.
fn play(build: &PlacedBuild, bouts: u32, side: i64, turns: u32) -> Result<Spent> {
    let bots = ["one", "two"].map(|name| Bot {
        name: name.to_owned(),
        command: build.command.clone(),
        hash: build.hash,
    });
    let limits = Limits { start: Duration::from_secs(60), ..Limits::default() };
    let options = [
        ("ruleset", Setting::Text("wrapped".to_owned())),
        ("map", Setting::Text("hz_columns".to_owned())),
        ("width", Setting::Int(side)),
        ("height", Setting::Int(side)),
        ("food_spawn_chance", Setting::Int(0)),
        ("minimum_food", Setting::Int(0)),
        ("hazard_damage", Setting::Int(-100)),
        ("max_turns", Setting::Int(turns.into())),
    ];
    let options = GameOptions(options.map(|(key, value)| (key.to_owned(), value)).into());
    let plans: Vec<BoutPlan> = (0..bouts)
        .map(|number| BoutPlan {
            game: "battlesnake".to_owned(),
            rules: "original".to_owned(),
            options: options.clone().into(),
            seed: Seed(1),
            ..plan([&bots[0], &bots[1]], number, 1, &limits)
        })
        .collect();
    let equipment = Arc::new(seated::equipment([build.clone()])?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let executor = Local::new(Arc::clone(&equipment), Some(1), Sharing::OneBotACore);
    let (before, began) = (cpu::Spent::now(), Instant::now());
    let deliveries = runtime.block_on(executed::run(&executor, plans));
    let wall = began.elapsed();
    // The launchers of both seats are kept, so none has ended yet.
    let own = (cpu::Spent::now() - before).own;
    drop((executor, runtime, equipment));
    let (mut bots, mut asks) = (Duration::ZERO, 0);
    for delivery in deliveries {
        let result = delivery.result.map_err(|failure| format!("{failure:?}"))?;
        for seat in &result.seats {
            if seat.verdicts.faults() > 0 || result.rounds != turns {
                return Err(format!("a bout is not {turns} turns in order").into());
            }
            bots += seat.cpu;
            asks += seat.verdicts.0.iter().sum::<u32>();
        }
    }
    Ok(Spent { asks, wall, own, bots })
}

//! Cost of a state to a Python agent and of its answer, and of a whole bout of two.
//!
//! In one pinned thread: (a) a state of the dungeon through the channel to an
//! instant agent in its sandbox, on the same core, and its answer back; (b) whole
//! bouts of 1,802 ticks between two instant agents, as soon as both have answered.
//! Above 60 µs a state (median) or 0.6 s a bout (median) the status is 1.
//!
//! `scripts/bench tick`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod seated;

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use joust_build::{PlacedBuild, seat_spec};
use joust_model::{
    BoutId, BoutPlan, Calibration, ClockMode, GameOptions, Limits, Occupant, SeatPlan, Seed,
};
use joust_play::NullObserver;
use joust_play::channel::live::{Event, LiveChannel, News, open_live};
use joust_play::channel::poll::{Interest, Poll};
use joust_play::channel::{LimitMode, Opening};
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::executor::{Equipment, available};
use joust_referee::{Catalogue, Parts, RequestId};
use joust_sandbox::affinity;
use joust_testkit::figures::{bare_exchange, micros, record};
use joust_toolchain::BOT;

/// States shown, after as many to warm up as fit into a tenth of that.
const STATES: u32 = 20_000;
/// Bouts played.
const BOUTS: usize = 5;
/// Bar of the time for a state and its answer, median.
const STATE_BAR: Duration = Duration::from_micros(60);
/// Bar of the time for a bout, median.
const BOUT_BAR: Duration = Duration::from_millis(600);

const GAME: &str = "coderone-dungeon";

/// Walks at once; the two never meet a bomb, so that bouts go the distance.
const AGENT: &str = "class Agent:\n    def next_move(self, game_state, player_state):\n        \
                     return 'u' if game_state.tick_number & 1 else 'd'\n";

/// Answers each state with a byte.
const ECHO: &str = "import os\nwhile os.read(0, 65536): os.write(1, b'u')";

fn main() -> Result<(), Box<dyn Error>> {
    joust_sandbox::launcher::main_if_seat();
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("agent.py"), AGENT)?;
    let equipment = equipment(folder.path())?;
    let cores = available();
    let state = round_trips(&equipment, &cores)?;
    let bout = bouts(&equipment, &cores)?;
    if state > STATE_BAR || bout > BOUT_BAR {
        return Err("above the bar".into());
    }
    Ok(())
}

fn equipment(folder: &Path) -> Result<Equipment, Box<dyn Error>> {
    let python = std::env::var_os("JOUST_PYTHON").unwrap_or_else(|| "/usr/bin/python3".into());
    let command = vec![python, OsString::from(format!("{BOT}/agent.py"))];
    seated::equipment([PlacedBuild {
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        language: "python".to_owned(),
        ..seated::build(folder, command)
    }])
}

/// Shows one agent a sample state again and again; returns the median.
fn round_trips(equipment: &Equipment, cores: &[usize]) -> Result<Duration, Box<dyn Error>> {
    let core = *cores.last().ok_or("there is no processor")?;
    affinity::pin_this_thread(&[core])?;
    let games = Catalogue::built_in();
    let game = games.find(GAME).ok_or("there is no such game")?;
    let sample = game.samples("original").into_iter().next().ok_or("there is no sample")?;
    let build = &equipment.builds[&seated::ONLY];
    let limits = limits();
    let mut agent = open_live(
        &game.spec().channel,
        Opening {
            game: game.clone(),
            host: equipment.host.clone(),
            spec: seat_spec(build, &limits, &[core], 0),
            command: build.command.clone(),
            trailing: Vec::new(),
            folder: BOT.into(),
            seat: 0,
            limits,
            calibration: Calibration::default(),
            limit_mode: LimitMode::Configured,
        },
    )?;
    agent.start()?;
    if !matches!(wait(&mut *agent)?, Event::Ready) {
        return Err("the agent does not get ready".into());
    }
    let mut times = Vec::new();
    for request in 0..STATES + STATES / 10 {
        times.push(round_trip(&mut *agent, request, &sample.parts)?);
    }
    agent.close()?;
    let mut times = times.split_off((STATES / 10) as usize);
    times.sort_unstable();
    let at = |permille: usize| micros(times[(times.len() - 1) * permille / 1000]);
    println!(
        "a state to a Python agent and its answer, one core: median {:.1} µs, p99 {:.1} µs, p99.9 \
         {:.1} µs (bar {:.0})",
        at(500),
        at(990),
        at(999),
        micros(STATE_BAR)
    );
    let middle = times[times.len() / 2];
    let mut bare = Command::new(&build.command[0]);
    bare.args(["-S", "-E", "-c", ECHO]);
    let bare = bare_exchange(bare, sample.parts.0.iter().map(|part| part.bytes.len()).sum(), 1)?;
    record("tick: state to a Python agent, bare exchange", middle.div_duration_f64(bare));
    Ok(middle)
}

fn round_trip(
    agent: &mut dyn LiveChannel,
    request: u32,
    view: &Parts,
) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    agent.ask(RequestId(request), view)?;
    match wait(agent)? {
        Event::Answer { request: answered, .. } if answered.0 == request => Ok(began.elapsed()),
        other => Err(format!("no answer but {other:?}").into()),
    }
}

fn wait(agent: &mut dyn LiveChannel) -> Result<Event, Box<dyn Error>> {
    let until = Instant::now() + Duration::from_secs(20);
    let mut news: Vec<News> = Vec::new();
    while Instant::now() < until {
        let mut wanted = Vec::new();
        agent.descriptors(&mut wanted);
        let mut poll = Poll::default();
        wanted.iter().for_each(|one| poll.add(one.descriptor, Interest::Read));
        poll.wait(Some(until))?;
        drop(poll);
        agent.receive(&mut news)?;
        if let Some(first) = news.pop() {
            return Ok(first.event);
        }
    }
    Err("nothing happens".into())
}

/// Plays whole bouts; returns the median.
fn bouts(equipment: &Equipment, cores: &[usize]) -> Result<Duration, Box<dyn Error>> {
    affinity::pin_this_thread(cores)?;
    let plan = plan();
    let mut times = Vec::new();
    for _ in 0..BOUTS {
        let result = play_plan(
            equipment,
            &plan,
            PlayOptions::new(&cores[..cores.len().min(2)], &mut NullObserver),
        )?;
        let faults: u32 = result.seats.iter().map(|seat| seat.verdicts.faults()).sum();
        assert_eq!((result.rounds, faults), (1802, 0), "it goes the distance");
        times.push(result.took);
    }
    times.sort_unstable();
    let middle = times[BOUTS / 2];
    println!(
        "a bout of 1,802 ticks, two instant agents, {} cores: median {:.3} s, from {:.3} to {:.3} \
         (bar {:.1}), {:.1} µs a tick, starts included",
        cores.len().min(2),
        middle.as_secs_f64(),
        times[0].as_secs_f64(),
        times[BOUTS - 1].as_secs_f64(),
        BOUT_BAR.as_secs_f64(),
        micros(middle) / 1802.0
    );
    Ok(middle)
}

fn limits() -> Limits {
    Limits { cpu_bout: Some(Duration::from_secs(120)), ..Limits::default() }
}

fn plan() -> BoutPlan {
    let seat =
        |bot: &str| SeatPlan { bot: bot.to_owned(), occupant: Occupant::Build(seated::ONLY) };
    BoutPlan {
        bout: BoutId([0; 8]),
        event: "bench".to_owned(),
        game: GAME.to_owned(),
        revision: 1,
        referee: None,
        rules: "original".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(0),
        match_number: 0,
        number: 0,
        seats: vec![seat("one"), seat("two")],
        limits: limits().into(),
        clock: Some(ClockMode::Eager),
    }
}

//! Recordings of Battlesnake, in the format that `battlesnake/README.md` gives.
//!
//! Every game is played twice: from its seed and the recorded answers, and turn by turn from the
//! recorded positions and moves.

#[path = "battlesnake_game.rs"]
mod game;
#[path = "battlesnake_record.rs"]
mod record;

use std::fmt::Debug;
use std::path::Path;

use joust_referee::Seed;
use joust_referee::games::battlesnake::{
    BoutOptions, Direction, Map, Ruleset, Spawner, advance, is_over, place,
};
use joust_referee::rng::GoRand;
use record::{Scenario, Spawn, Start};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for path in files::with_ending(folder, &[".jsonl.gz", ".jsonl", ".json"])? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tally.add(match name.split('.').next().unwrap_or_default() {
            "scenarios" => play_lines(&path, play_scenario)?,
            "setups" => play_lines(&path, place_start)?,
            "spawns" => play_lines(&path, spawn)?,
            "rng" => draw_all(&path)?,
            _ => game::play(&path)?,
        });
    }
    Ok(tally)
}

fn play_lines<T: DeserializeOwned>(
    path: &Path,
    play: fn(&T) -> Result<(), String>,
) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for (number, line) in (1..).zip(files::lines(path)?) {
        let read = serde_json::from_str(&line).map_err(|error| error.to_string());
        read.and_then(|read| play(&read))
            .map_err(|problem| Failure::at_line(path, number, problem))?;
        tally.scenarios += 1;
    }
    Ok(tally)
}

fn play_scenario(scenario: &Scenario) -> Result<(), String> {
    let Scenario { width, height, .. } = *scenario;
    let ruleset = Ruleset::from_name(&scenario.ruleset).unwrap_or(Ruleset::Standard);
    let is_solo = scenario.solo || ruleset == Ruleset::Solo;
    let options = BoutOptions { ruleset, width, height, is_solo, ..scenario.settings.options()? };
    let mut state = scenario.before.to_state(width, height)?;
    let mut spawner = Spawner::new(&options, Seed(scenario.seed));
    same("game over", &scenario.game_over, &is_over(&state, &options))?;
    if !scenario.game_over {
        let id = |seat: usize| &scenario.before.snakes[seat].id;
        let move_of = |seat: usize| Direction::from_name(scenario.moves.get(id(seat))?);
        advance(&mut state, &options, move_of, &mut spawner);
    }
    same("position", &scenario.after.to_state(width, height)?, &state)
}

fn place_start(start: &Start) -> Result<(), String> {
    let Start { width, height, .. } = *start;
    let map = Map::from_name(&start.map).ok_or("unknown map")?;
    let options = BoutOptions { map, width, height, ..start.settings.options()? };
    let placed = place(&options, Seed(start.seed), start.players);
    match (&start.state, placed) {
        (None, Err(_)) => Ok(()),
        (Some(recorded), Ok(mut state)) => {
            let recorded = recorded.to_state(width, height)?;
            if has_food_in_any_order(&start.map) {
                state.food.clone_from(&recorded.food);
            }
            same("position", &recorded, &state)
        }
        (recorded, placed) => Err(format!("recorded {recorded:?}, here {placed:?}")),
    }
}

/// The original draws the start food of these maps in a random order of snakes.
fn has_food_in_any_order(map: &str) -> bool {
    map.contains("bridges")
}

fn spawn(spawn: &Spawn) -> Result<(), String> {
    let Spawn { width, height, .. } = *spawn;
    let map = Map::from_name(&spawn.map).ok_or("unknown map")?;
    let options = BoutOptions { map, width, height, ..spawn.settings.options()? };
    let mut state = spawn.before.to_state(width, height)?;
    Spawner::new(&options, Seed(spawn.seed)).spawn(&options, &mut state);
    same("position", &spawn.after.to_state(width, height)?, &state)
}

/// Numbers of a generator, by the call that drew them.
#[derive(Deserialize)]
struct Draws {
    seed: String,
    #[serde(rename = "Uint64")]
    first: Vec<String>,
    #[serde(rename = "Uint64_from_606")]
    later: Vec<String>,
    #[serde(rename = "Shuffle(4),Intn(2),Range(2,9),Intn(3),Intn(100)")]
    mixed: (Vec<u32>, u32, u32, u32, u32),
    #[serde(flatten)]
    others: std::collections::BTreeMap<String, Vec<u32>>,
}

fn draw_all(path: &Path) -> Result<Tally, Failure> {
    let read: Vec<Draws> = serde_json::from_str(&files::text(path)?)
        .map_err(|error| Failure::at_line(path, error.line(), error))?;
    for draws in &read {
        check_draws(draws)
            .map_err(|problem| Failure::new(path, format!("seed {}: {problem}", draws.seed)))?;
    }
    Ok(Tally { facts: u32::try_from(read.len()).unwrap_or(u32::MAX), ..Tally::default() })
}

fn check_draws(draws: &Draws) -> Result<(), String> {
    let seed = draws.seed.parse().map_err(|_| "the seed is no number".to_owned())?;
    let mut rng = GoRand::from_seed(seed);
    let mut numbers: Vec<String> = (0..700).map(|_| rng.next_u64().to_string()).collect();
    same("numbers", &draws.first[..], &numbers[..draws.first.len()])?;
    numbers.drain(..606);
    same("later numbers", &draws.later[..], &numbers[..draws.later.len()])?;
    let mut list = [0, 1, 2, 3];
    rng.reseed(seed);
    rng.shuffle(&mut list);
    let drawn = (list.to_vec(), rng.below(2), 2 + rng.below(8), rng.below(3), rng.below(100));
    same("mixed draws", &draws.mixed, &drawn)?;
    for (call, recorded) in &draws.others {
        rng.reseed(seed);
        let argument = call.split(['(', ')']).nth(1).and_then(|text| text.parse().ok());
        let argument = argument.ok_or_else(|| format!("unknown call {call}"))?;
        let drawn: Vec<u32> = if call.starts_with("Shuffle") {
            let mut list: Vec<u32> = (0..argument).collect();
            rng.shuffle(&mut list);
            list
        } else {
            recorded.iter().map(|_| rng.below(argument)).collect()
        };
        same(call, recorded, &drawn)?;
    }
    Ok(())
}

fn same<T: PartialEq + Debug + ?Sized>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}

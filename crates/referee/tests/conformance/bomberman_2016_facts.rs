//! Fresh maps, and the numbers of the seeded generator.

use std::path::Path;

use joust_referee::games::bomberman_2016::{GameState, Ground, PowerUp, Square, key};
use joust_referee::rng::DotNetRandom;
use serde::Deserialize;

use super::same;
use crate::files::{self, Failure};
use crate::tally::Tally;

#[derive(Deserialize)]
struct FreshMap {
    seed: i32,
    players: u8,
    width: u8,
    height: u8,
    bounty: i64,
    rows: Vec<String>,
}

/// Compares every map of one file.
pub(super) fn play_maps(path: &Path, lines: &[String]) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let at = |problem: String| Failure::at_line(path, index + 1, problem);
        let map: FreshMap = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let place = |problem: String| {
            at(format!("seed {} with {} players: {problem}", map.seed, map.players))
        };
        check_map(&map).map_err(place)?;
        tally.facts += 1;
    }
    Ok(tally)
}

fn check_map(map: &FreshMap) -> Result<(), String> {
    let state = GameState::fresh(map.seed, map.players);
    same("side", &(map.width, map.height), &(state.side, state.side))?;
    same("bounty", &map.bounty, &state.bounty)?;
    same("rows", &map.rows, &drawn(&state))
}

/// Draws everything, power-ups in place of the walls they lie under.
fn drawn(state: &GameState) -> Vec<String> {
    let symbols = (0..).map(Square).zip(&state.blocks).map(|(square, block)| {
        match (state.player_on(square), block.power_up, block.ground) {
            (Some(seat), ..) => key(seat),
            (_, Some(PowerUp::Bag), Ground::Wall) => '&',
            (_, Some(PowerUp::Radius), Ground::Wall) => '!',
            (_, Some(PowerUp::Super), Ground::Free) => '$',
            (_, Some(_), _) => '?',
            (_, None, Ground::Pillar) => '#',
            (_, None, Ground::Wall) => '+',
            (_, None, Ground::Free) => ' ',
        }
    });
    let symbols: Vec<char> = symbols.collect();
    symbols.chunks(usize::from(state.side)).map(|row| row.iter().collect()).collect()
}

#[derive(Deserialize)]
struct Numbers {
    seed: i32,
    #[serde(rename = "Next()")]
    samples: Vec<i32>,
    #[serde(rename = "Next(0,100)")]
    hundred: Vec<i32>,
    #[serde(rename = "Next(1,11)")]
    ten: Vec<i32>,
    #[serde(rename = "Next(7)")]
    seven: Vec<i32>,
}

/// Compares the lists of one file, if it is there.
pub(super) fn play_generator(path: &Path) -> Result<Tally, Failure> {
    if !path.is_file() {
        return Ok(Tally::default());
    }
    let text = files::text(path)?;
    let lists: Vec<Numbers> =
        serde_json::from_str(&text).map_err(|error| Failure::new(path, error))?;
    let mut tally = Tally::default();
    for numbers in lists {
        let place =
            |problem: String| Failure::new(path, format_args!("seed {}: {problem}", numbers.seed));
        let list = |length: usize, draw: fn(&mut DotNetRandom) -> i32| -> Vec<i32> {
            let mut random = DotNetRandom::new(numbers.seed);
            (0..length).map(|_| draw(&mut random)).collect()
        };
        let compare = |what, recorded: &Vec<i32>, draw| {
            same(what, recorded, &list(recorded.len(), draw)).map_err(place)
        };
        compare("Next()", &numbers.samples, DotNetRandom::sample)?;
        compare("Next(0,100)", &numbers.hundred, |random| random.between(0, 100))?;
        compare("Next(1,11)", &numbers.ten, |random| random.between(1, 11))?;
        compare("Next(7)", &numbers.seven, |random| random.below(7))?;
        tally.facts += 4;
    }
    Ok(tally)
}

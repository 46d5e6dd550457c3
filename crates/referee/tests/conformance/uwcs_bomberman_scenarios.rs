//! Short situations with the turns that follow from them, for each rule set.

use std::collections::BTreeMap;
use std::path::Path;

use joust_referee::games::uwcs_bomberman::{GameOptions, Quirks, quirks_of};
use serde::Deserialize;

use super::host::Host;
use super::record::{bombs_of, map_draws, map_of};
use super::same;
use crate::files::{self, Failure};
use crate::tally::Tally;

#[derive(Debug, Deserialize)]
struct Scenario {
    name: String,
    map: Vec<String>,
    names: Vec<String>,
    players: Vec<(i64, i64)>,
    turns: Vec<BTreeMap<String, String>>,
    documented: Option<Half>,
    original: Option<Half>,
}

#[derive(Debug, Deserialize)]
struct Half {
    start: Vec<String>,
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    broadcast: Vec<String>,
    players: Option<Vec<Player>>,
    bombs: Option<Vec<(i32, i32, u32)>>,
    map: Option<Vec<String>>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Player {
    name: String,
    row: i32,
    col: i32,
    alive: bool,
    score: i64,
}

/// Plays one file.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let text = files::text(path)?;
    let scenarios: Vec<Scenario> =
        serde_json::from_str(&text).map_err(|error| Failure::at_line(path, error.line(), error))?;
    let mut tally = Tally::default();
    for scenario in &scenarios {
        let halves = [("documented", &scenario.documented), ("original", &scenario.original)];
        for (rules, half) in halves {
            let Some(half) = half else { continue };
            let quirks = quirks_of(rules).expect("both rule sets are known");
            play_half(scenario, quirks, half).map_err(|problem| {
                Failure::new(path, format!("`{}`, {rules}: {problem}", scenario.name))
            })?;
            tally.scenarios += 1;
        }
    }
    Ok(tally)
}

fn play_half(scenario: &Scenario, quirks: Quirks, half: &Half) -> Result<(), String> {
    let mut host = start(scenario, quirks)?;
    same("start", &half.start, &host.strike())?;
    let none = BTreeMap::new();
    for (index, turn) in half.turns.iter().enumerate() {
        let place = |problem: String| format!("turn {}: {problem}", index + 1);
        for (client, action) in scenario.turns.get(index).unwrap_or(&none) {
            let client: u32 = client.parse().map_err(|_| place("no client".to_owned()))?;
            host.say(client, &format!("ACTION {action}\n")).map_err(place)?;
        }
        same("broadcast", &turn.broadcast, &host.strike()).map_err(place)?;
        check_state(&host, turn).map_err(place)?;
    }
    Ok(())
}

/// Everybody registers in the order of the connections, which is also that of
/// `PLAYERS`.
fn start(scenario: &Scenario, quirks: Quirks) -> Result<Host, String> {
    let rows = u16::try_from(scenario.map.len()).map_err(|error| error.to_string())?;
    let columns = scenario.map.first().map_or(0, String::len);
    let columns = u16::try_from(columns).map_err(|error| error.to_string())?;
    let mut host = Host::start(GameOptions { rows, columns, ..GameOptions::new(quirks) });
    let clients: Vec<u32> = (0..).take(scenario.names.len()).collect();
    host.join(&clients);
    for (client, name) in clients.iter().zip(&scenario.names) {
        let reply = host.say(*client, &format!("REGISTER {name} pw\n"))?;
        same("reply", &vec!["REGISTERED".to_owned()], &reply)?;
    }
    host.resolve("map", map_draws(&scenario.map));
    host.resolve("players", clients.iter().map(|client| i64::from(*client)).collect());
    host.resolve("starts", scenario.players.iter().flat_map(|(row, col)| [*row, *col]).collect());
    Ok(host)
}

fn check_state(host: &Host, turn: &Turn) -> Result<(), String> {
    let state = host.server.state();
    if let Some(players) = &turn.players {
        let here = state.players.iter().map(|player| Player {
            name: player.shown.clone(),
            row: player.at.y,
            col: player.at.x,
            alive: player.is_alive,
            score: player.score,
        });
        same("players", players, &here.collect())?;
    }
    if let Some(bombs) = &turn.bombs {
        same("bombs", bombs, &bombs_of(state))?;
    }
    turn.map.as_ref().map_or(Ok(()), |map| same("map", map, &map_of(state)))
}

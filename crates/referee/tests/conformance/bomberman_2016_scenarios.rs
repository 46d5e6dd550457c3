//! Short situations, played with the bare rules: there is no end of the game.

use std::path::Path;

use joust_referee::Seed;
use joust_referee::games::bomberman_2016::{
    Chance, GameState, LOSER_DRAW, LineEndings, ROLL_DRAW, Report, Views, advance, key,
};
use serde::Deserialize;

use super::record::{Position, Round};
use super::same;
use crate::files::Failure;
use crate::tally::Tally;

#[derive(Deserialize)]
struct Scenario {
    scenario: i32,
    bounty: i64,
    start: Position,
    rounds: Vec<Round>,
}

/// Plays one file.
pub(super) fn play(path: &Path, lines: &[String]) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let at = |problem: String| Failure::at_line(path, index + 1, problem);
        let scenario: Scenario =
            serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let place = |problem: String| at(format!("scenario {}: {problem}", scenario.scenario));
        tally.rounds += play_one(&scenario).map_err(place)?;
        tally.scenarios += 1;
    }
    Ok(tally)
}

fn play_one(scenario: &Scenario) -> Result<u32, String> {
    let mut state = scenario.start.to_state(scenario.scenario, scenario.bounty)?;
    let names: Vec<String> =
        scenario.start.players.iter().map(|player| format!("Bot{}", player.key)).collect();
    let mut views = Views::new(&names, LineEndings::Lf);
    check(&scenario.start, &state, &mut views)?;
    let (mut chance, mut report) = (Chance::new(Seed(1)), Report::new());
    for round in &scenario.rounds {
        let place = |problem: String| format!("round {}: {problem}", round.round);
        same("number", &round.round, &state.round).map_err(place)?;
        let commands = round.commands_by_seat(state.players.len()).map_err(place)?;
        let mut alone = state.clone();
        chance.force(LOSER_DRAW, &round.losers());
        advance(&mut alone, &commands, &mut chance, &mut report);
        chance.force(ROLL_DRAW, &round.rolls());
        advance(&mut state, &commands, &mut chance, &mut report);
        round.check_report(&report).map_err(place)?;
        same("state with forced losers", &alone, &state).map_err(place)?;
        check(&round.state, &state, &mut views).map_err(place)?;
    }
    Ok(u32::try_from(scenario.rounds.len()).expect("a scenario is short"))
}

fn check(position: &Position, state: &GameState, views: &mut Views) -> Result<(), String> {
    let keys: Vec<char> = position.players.iter().map(|player| player.key).collect();
    let here = (0..).map(|seat| key(joust_referee::Seat(seat))).take(state.players.len());
    same("keys", &keys, &here.collect())?;
    position.check(state)?;
    let parts = views.render(state);
    let file = |name| parts.get(name).expect("there are two files");
    position.check_files(file("map.txt"), file("state.json"))
}

//! Short situations with the rounds that follow from them, for each rule set.

use std::path::Path;

use joust_referee::games::battlebots::{BoutOptions, MAX_ROUNDS, Rules};
use serde::Deserialize;

use super::record::{Position, Round};
use super::{Player, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

#[derive(Debug, Deserialize)]
struct Scenario {
    name: String,
    start: Position,
    outputs: Vec<[String; 2]>,
    documented: Option<Vec<Round>>,
    original: Option<Vec<Round>>,
}

/// Plays one file.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let text = files::text(path)?;
    let scenarios: Vec<Scenario> =
        serde_json::from_str(&text).map_err(|error| Failure::at_line(path, error.line(), error))?;
    let mut tally = Tally::default();
    for scenario in &scenarios {
        let halves =
            [(Rules::Documented, &scenario.documented), (Rules::Original, &scenario.original)];
        for (rules, rounds) in halves {
            let Some(rounds) = rounds else { continue };
            play_half(scenario, rules, rounds).map_err(|problem| {
                Failure::new(path, format!("`{}`, {rules:?}: {problem}", scenario.name))
            })?;
            tally.scenarios += 1;
        }
    }
    Ok(tally)
}

fn play_half(scenario: &Scenario, rules: Rules, rounds: &[Round]) -> Result<(), String> {
    let options = BoutOptions { rules, max_rounds: MAX_ROUNDS };
    let mut player = Player::start(options, scenario.start.to_state()?);
    let mut played = 0;
    for outputs in &scenario.outputs {
        if player.is_over() {
            break;
        }
        let expected = rounds.get(played).ok_or("more rounds are played than recorded")?;
        let round = Round { outputs: outputs.clone(), ..expected.clone() };
        let place = |problem: String| format!("round {played}: {problem}");
        player.play_round(&round).map_err(place)?;
        same("over", &expected.over, &player.is_over()).map_err(place)?;
        played += 1;
    }
    same("rounds", &rounds.len(), &played)
}

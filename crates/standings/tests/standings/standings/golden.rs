//! Every case of the published tie-break tables.
//!
//! `JOUST_CONFORMANCE` names another folder, which holds `ratings/`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use joust_model::{BoutSummary, TieBreak};
use joust_standings::standings::{Standings, TieBreakValue, table};
use serde::Deserialize;

use super::fixtures::{bout, event};

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    players: Vec<String>,
    games: Vec<Game>,
    expect: BTreeMap<String, BTreeMap<String, f64>>,
    rankings: Vec<Ranking>,
}

#[derive(Deserialize)]
struct Game {
    first: String,
    second: String,
    result: String,
}

#[derive(Deserialize)]
struct Ranking {
    order: Vec<String>,
    expect: Vec<Place>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Place {
    rank: u32,
    player: String,
}

fn cases() -> Vec<Case> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let folder = std::env::var_os("JOUST_CONFORMANCE").map_or(own, PathBuf::from);
    let path = folder.join("ratings/tie_breaks.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display()));
    let cases: Cases = serde_json::from_str(&text).expect("cases");
    assert!(!cases.cases.is_empty(), "`{}` has no cases", path.display());
    cases.cases
}

fn criterion(name: &str) -> TieBreak {
    match name {
        "points" => TieBreak::Points,
        "wins" => TieBreak::BoutWins,
        "sonneborn_berger" => TieBreak::SonnebornBerger,
        "koya" => TieBreak::Koya,
        "head_to_head" => TieBreak::HeadToHead,
        other => panic!("unknown criterion `{other}`"),
    }
}

fn played((game, number): (&Game, u32)) -> BoutSummary {
    let ranks = match game.result.as_str() {
        "first" => [1, 2],
        "second" => [2, 1],
        "draw" => [1, 1],
        other => panic!("unknown result `{other}`"),
    };
    bout([&game.first, &game.second], ranks, number)
}

impl Case {
    fn table(&self, order: &[TieBreak]) -> Standings {
        let names: Vec<_> = self.players.iter().map(String::as_str).collect();
        let bouts: Vec<_> = self.games.iter().zip(0..).map(played).collect();
        table(&event(&names, 1), &bouts, order)
    }
}

#[test]
fn the_value_of_every_criterion_is_the_published_one() {
    for case in cases() {
        let order: Vec<_> = case.expect.keys().map(|name| criterion(name)).collect();
        for row in case.table(&order).rows {
            let shown = row.tie_breaks.iter().map(|value| value.map(TieBreakValue::as_f64));
            let expected = case.expect.values().map(|values| values.get(&row.bot.name).copied());
            assert_eq!(
                shown.collect::<Vec<_>>(),
                expected.collect::<Vec<_>>(),
                "case {}, {}",
                case.id,
                row.bot.name
            );
        }
    }
}

#[test]
fn every_ranking_is_the_published_one() {
    for case in cases() {
        for ranking in &case.rankings {
            let mut order = vec![TieBreak::Points];
            order.extend(ranking.order.iter().map(|name| criterion(name)));
            let rows = case.table(&order).rows;
            let places = rows.iter().map(|row| Place {
                rank: row.rank.expect("everybody plays"),
                player: row.bot.name.clone(),
            });
            assert_eq!(
                places.collect::<Vec<_>>(),
                ranking.expect,
                "case {}, order {:?}",
                case.id,
                ranking.order
            );
        }
    }
}

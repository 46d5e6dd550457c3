//! Standings as one object.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::{Format, columns};
use super::{pretty, verdicts};
use crate::model::{ChainHead, VerdictCounts};
use crate::standings::{Cell, Quarters, Record, Row, Standings};

/// Standings as one JSON object.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn standings(&self, standings: &Standings) -> String {
        pretty(&Table::from(standings))
    }
}

#[derive(Serialize)]
struct Table<'a> {
    event: &'a str,
    game: &'a str,
    rules: &'a str,
    bouts_per_match: u32,
    bouts: u64,
    unisolated_bouts: u64,
    expected: Option<u64>,
    tie_breaks: Vec<&'static str>,
    rows: Vec<Line<'a>>,
    cross: Vec<Pair<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<ChainHead>,
}

#[derive(Serialize)]
struct Line<'a> {
    rank: Option<u32>,
    bot: &'a str,
    author: &'a str,
    owner: &'a str,
    language: &'a str,
    build: Option<String>,
    status: &'static str,
    reason: Option<&'a str>,
    date: Option<String>,
    matches: Record,
    bouts: Record,
    points: Quarters,
    score: i64,
    faults: u32,
    #[serde(serialize_with = "verdicts")]
    verdicts: VerdictCounts,
    tie_breaks: BTreeMap<&'static str, Option<Quarters>>,
}

#[derive(Serialize)]
struct Pair<'a> {
    bot: &'a str,
    opponent: &'a str,
    #[serde(flatten)]
    cell: Cell,
}

impl<'a> From<&'a Standings> for Table<'a> {
    fn from(standings: &'a Standings) -> Self {
        Self {
            event: &standings.event,
            game: &standings.game,
            rules: &standings.rules,
            bouts_per_match: standings.bouts_per_match,
            bouts: standings.bouts,
            unisolated_bouts: standings.unisolated,
            expected: standings.expected,
            tie_breaks: standings.tie_breaks.iter().map(|criterion| criterion.name()).collect(),
            rows: standings.rows.iter().map(|row| line(standings, row)).collect(),
            cross: pairs(standings),
            chain: standings.head,
        }
    }
}

fn line<'a>(standings: &Standings, row: &'a Row) -> Line<'a> {
    let (status, reason) = columns::status(&row.status);
    let names = standings.tie_breaks.iter().map(|criterion| criterion.name());
    Line {
        rank: row.rank,
        bot: &row.bot.name,
        author: &row.bot.author,
        owner: &row.bot.owner,
        language: &row.bot.language,
        build: row.bot.build.map(|build| build.to_string()),
        status,
        reason: row.rank.is_none().then_some(reason),
        date: columns::date(&row.status),
        matches: row.matches,
        bouts: row.bouts,
        points: row.points,
        score: row.score,
        faults: row.verdicts.faults(),
        verdicts: row.verdicts,
        tie_breaks: names.zip(row.tie_breaks.iter().copied()).collect(),
    }
}

fn pairs(standings: &Standings) -> Vec<Pair<'_>> {
    let rows = standings.playing();
    let mut pairs = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        for (other, opponent) in rows.iter().enumerate().skip(place + 1) {
            let cell = standings.cross[place][other];
            pairs.push(Pair { bot: &row.bot.name, opponent: &opponent.bot.name, cell });
        }
    }
    pairs
}

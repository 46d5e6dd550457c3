//! Standings as one object.

use std::collections::BTreeMap;
use std::io;

use serde::{Serialize, Serializer};

use super::super::{Format, Leaderboard, PairBouts, columns, ratings};
use super::{pretty, verdicts, write_pretty};
use joust_model::{ChainHead, RoundState, Score, VerdictCounts, plain_score};
use joust_standings::ratings::event::{BotRating, EventRatings, Note};
use joust_standings::standings::{
    PairRecord, Quarters, Record, Standings, StandingsRow, TieBreakValue,
};

/// Standings as one JSON object.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Format for Json {
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        pretty(&StandingsJson::from(board))
    }

    fn write(&self, board: &Leaderboard<'_>, to: &mut dyn io::Write) -> io::Result<()> {
        write_pretty(&StandingsJson::from(board), to)
    }
}

#[derive(Serialize)]
struct StandingsJson<'a> {
    #[serde(flatten)]
    event: EventJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratings: Option<RatingsJson<'a>>,
    rows: Vec<RowJson<'a>>,
    cross: PairsJson<'a>,
    /// Number of bots, the best, that `cross` and `superiority` are of; not there when it is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    cross_of_best: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<ChainHead>,
    /// Probability that the bot of each line is stronger than the bot of each place, in the order
    /// of `rows`; `null` where that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    superiority: Option<Vec<Vec<Option<f64>>>>,
}

/// The event, and how far it is.
#[derive(Serialize)]
struct EventJson<'a> {
    event: &'a str,
    game: &'a str,
    rules: &'a str,
    bouts_per_match: u32,
    bouts: u64,
    unisolated_bouts: u64,
    /// Bouts that the referee could not finish; no bot has a point for them.
    #[serde(skip_serializing_if = "is_none")]
    referee_errors: u64,
    /// `false` for a game whose bouts cannot be judged again.
    #[serde(skip_serializing_if = "is_true")]
    rejudgeable: bool,
    expected: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<RoundState>,
    tie_breaks: Vec<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_true(value: &bool) -> bool {
    *value
}

#[derive(Serialize)]
struct RatingsJson<'a> {
    model: &'static str,
    text: &'static str,
    /// The probability of the intervals.
    interval: f64,
    notes: &'a [Note],
}

/// `null` for a bot without a rating; absent when there are no ratings at all.
#[derive(Serialize)]
struct RatingJson {
    rating: Option<f64>,
    rating_low: Option<f64>,
    rating_high: Option<f64>,
    rating_se: Option<f64>,
}

#[derive(Serialize)]
struct RowJson<'a> {
    #[serde(flatten)]
    bot: BotJson<'a>,
    matches: Record,
    bouts: Record,
    points: Quarters,
    #[serde(flatten)]
    rating: Option<RatingJson>,
    #[serde(serialize_with = "plain_score")]
    score: Score,
    faults: u32,
    #[serde(serialize_with = "verdicts")]
    verdicts: VerdictCounts,
    tie_breaks: BTreeMap<&'static str, Option<TieBreakValue>>,
}

/// A bot and its place.
#[derive(Serialize)]
struct BotJson<'a> {
    rank: Option<u32>,
    bot: &'a str,
    author: &'a str,
    owner: &'a str,
    language: &'a str,
    build: Option<String>,
    status: &'static str,
    reason: Option<String>,
    date: Option<String>,
}

#[derive(Serialize)]
struct PairJson<'a> {
    bot: &'a str,
    opponent: &'a str,
    #[serde(flatten)]
    cell: PairRecord,
    bout_ids: Vec<String>,
}

/// The cells of the cross table, which are made while they are written: a league has many.
struct PairsJson<'a> {
    standings: &'a Standings,
    bouts: Option<&'a PairBouts>,
}

impl Serialize for PairsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { standings, bouts } = *self;
        let cross = &standings.cross;
        let rows = &standings.playing()[..cross.shown()];
        let pairs = rows.iter().enumerate().flat_map(|(place, row)| {
            let cells = cross.line(place, rows.len()).enumerate().skip(place + 1);
            cells.map(move |(other, cell)| {
                let (bot, opponent) = (row.bot.name.as_str(), rows[other].bot.name.as_str());
                let bouts = bouts.into_iter().flat_map(|bouts| bouts.between(place, other));
                let bout_ids = bouts.map(|bout| bout.to_string()).collect();
                PairJson { bot, opponent, cell, bout_ids }
            })
        });
        serializer.collect_seq(pairs)
    }
}

impl<'a> From<&Leaderboard<'a>> for StandingsJson<'a> {
    fn from(board: &Leaderboard<'a>) -> Self {
        let standings = board.standings;
        let line = |(place, row): (usize, &'a StandingsRow)| line(board, place, row);
        Self {
            event: EventJson {
                event: &standings.event,
                game: &standings.game,
                rules: &standings.rules,
                bouts_per_match: standings.bouts_per_match,
                bouts: standings.bouts,
                unisolated_bouts: standings.unisolated,
                referee_errors: standings.referee_errors,
                rejudgeable: !standings.unrepeatable,
                expected: standings.expected,
                rounds: standings.rounds,
                tie_breaks: standings.tie_breaks.iter().map(|criterion| criterion.name()).collect(),
            },
            ratings: board.ratings.map(described),
            rows: standings.rows.iter().enumerate().map(line).collect(),
            cross: PairsJson { standings, bouts: board.bouts },
            cross_of_best: Some(standings.cross.shown())
                .filter(|shown| *shown < standings.playing().len()),
            chain: standings.head,
            superiority: board.matrix().map(|matrix| {
                let rounded = |chance: Option<f64>| chance.map(ratings::rounded);
                matrix.into_iter().map(|line| line.into_iter().map(rounded).collect()).collect()
            }),
        }
    }
}

fn described(all: &EventRatings) -> RatingsJson<'_> {
    let (model, text) = (all.model.name(), all.model.text());
    RatingsJson { model, text, interval: 0.95, notes: &all.notes }
}

/// Bots that do not play have none.
fn rating(rating: Option<&BotRating>) -> RatingJson {
    let number = |of: fn(&BotRating) -> Option<f64>| rating.and_then(of).map(ratings::rounded);
    RatingJson {
        rating: number(|rating| rating.rating),
        rating_low: number(|rating| rating.low),
        rating_high: number(|rating| rating.high),
        rating_se: number(|rating| rating.se),
    }
}

fn line<'a>(board: &Leaderboard<'a>, place: usize, row: &'a StandingsRow) -> RowJson<'a> {
    let standings = board.standings;
    let (status, reason) = columns::status(&row.status);
    let names = standings.tie_breaks.iter().map(|criterion| criterion.name());
    RowJson {
        bot: BotJson {
            rank: row.rank,
            bot: &row.bot.name,
            author: &row.bot.author,
            owner: &row.bot.owner,
            language: &row.bot.language,
            build: row.bot.build.map(|build| build.to_string()),
            status,
            reason: row.rank.is_none().then_some(reason),
            date: columns::date(&row.status),
        },
        matches: row.matches,
        bouts: row.bouts,
        points: row.points,
        rating: board.ratings.map(|all| rating(all.rows.get(place))),
        score: row.score,
        faults: row.verdicts.faults(),
        verdicts: row.verdicts,
        tie_breaks: names.zip(row.tie_breaks.iter().copied()).collect(),
    }
}

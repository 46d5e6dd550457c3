//! The leaderboard: every bot, its rating and its records; and the page of rules beside it.

use serde::Serialize;

use super::super::columns::{self, in_words};
use super::cross::{self, CrossTable};
use super::numbers::spread;
use super::rating::{Plotted, RatingScale};
use super::{EventSite, Site, data, formatting};
use joust_model::PublicPart;
use joust_standings::standings::{Record, StandingsRow};

/// The most bots that an event's first page lists.
const FIRST: usize = 100;

/// True if the field is too big for the first page.
pub(super) fn is_long(event: &EventSite) -> bool {
    event.standings.playing().len() > FIRST
}

/// The first page of an event.
#[derive(Debug, Serialize)]
pub(super) struct EventPage {
    event: Heading,
    table: LeaderboardTable,
    others: Vec<UnrankedRow>,
    cross: Option<CrossTable>,
    notes: Vec<String>,
    tie_breaks: Vec<&'static str>,
    numbers: Vec<spread::SpreadTable>,
    /// Files of data beside the page.
    data: Vec<&'static str>,
}

/// The leaderboard of all bots.
#[derive(Debug, Serialize)]
pub(super) struct EverybodyPage {
    event: Heading,
    table: LeaderboardTable,
}

/// Heading of an event's pages.
#[derive(Debug, Serialize)]
pub(super) struct Heading {
    title: String,
    folder: String,
    #[serde(flatten)]
    game: GameHeading,
    #[serde(flatten)]
    progress: EventProgress,
    bots: String,
    /// Start of the last bout, milliseconds since 1970.
    last: Option<i64>,
    unshown: String,
    has_unshown: bool,
}

/// Game of an event, and how it is played.
#[derive(Debug, Serialize)]
struct GameHeading {
    game_title: String,
    has_rules: bool,
    rules: String,
    unrepeatable: bool,
    per_match: u32,
    seats: u32,
    /// Unit of its bouts' length: `Rounds`, or `Ticks` of a clock.
    steps: &'static str,
    score_unit: String,
}

/// Bouts of an event that were played.
#[derive(Debug, Serialize)]
struct EventProgress {
    bouts: String,
    expected: Option<String>,
    rounds: Option<String>,
    /// Bouts per hundred that have been played.
    percent: Option<u64>,
    unisolated: u64,
    referee_errors: u64,
}

/// The table itself.
#[derive(Debug, Serialize)]
pub(super) struct LeaderboardTable {
    rows: Vec<LeaderboardRow>,
    /// Number of bots in all.
    bots: String,
    is_long: bool,
    #[serde(flatten)]
    ratings: RatingColumn,
    /// Rule that decides the ranks, in words.
    ranked_by: &'static str,
    /// True if numbers lead to bouts by links of the page itself.
    has_links: bool,
    /// The place of a bot's page that lists its matches.
    matches_at: &'static str,
    /// True if bouts and matches are not the same.
    has_bouts: bool,
    score_unit: String,
    faults: bool,
    tie_breaks: Vec<&'static str>,
    unfinished: bool,
}

/// Heading of the column of ratings.
#[derive(Debug, Serialize)]
struct RatingColumn {
    zero: Option<String>,
    ends: Option<[String; 2]>,
    /// True if intervals are drawn; in the table of all bots they are only numbers.
    has_plots: bool,
    unit: &'static str,
}

#[derive(Debug, Serialize)]
struct LeaderboardRow {
    /// None before the first bout, when there is no leader.
    rank: Option<u32>,
    name: String,
    by: String,
    rating: Option<Plotted>,
    #[serde(flatten)]
    record: RowRecord,
    points: String,
    score: String,
    faults: u32,
    faults_text: String,
    tie_breaks: Vec<String>,
}

/// Matches and bouts of a bot.
#[derive(Debug, Serialize)]
struct RowRecord {
    matches: String,
    matches_won: u32,
    bouts: Record,
}

/// A bot that does not play.
#[derive(Debug, Serialize)]
struct UnrankedRow {
    name: String,
    status: &'static str,
    date: Option<String>,
    reason: String,
}

/// Returns the first page of an event.
pub(super) fn page(event: &EventSite, site: &Site) -> EventPage {
    let data = [data::STANDINGS_CSV, data::STANDINGS_JSON, data::BOUTS_CSV];
    EventPage {
        data: if data::is_public(site) { data.to_vec() } else { Vec::new() },
        event: heading(event),
        table: table(event, site, FIRST),
        others: event.standings.others().iter().map(|row| other(row, site)).collect(),
        cross: cross::first(event).filter(|_| event.bouts.all > 0),
        notes: event.ratings.notes.clone(),
        tie_breaks: event.standings.tie_breaks.iter().skip(1).map(|one| in_words(*one)).collect(),
        numbers: numbers(event),
    }
}

/// Draws the collected numbers, the best placed bots first.
fn numbers(event: &EventSite) -> Vec<spread::SpreadTable> {
    let bots = event.standings.playing().iter();
    let bots = bots.map(|row| (row.bot.name.clone(), event.bot_page(&row.bot.name)));
    spread::tables(&event.numbers, &bots.collect::<Vec<_>>())
}

/// Returns the page of a big field.
pub(super) fn everybody(event: &EventSite, site: &Site) -> EverybodyPage {
    EverybodyPage { event: heading(event), table: table(event, site, usize::MAX) }
}

/// Returns the heading of an event's pages.
pub(super) fn heading(event: &EventSite) -> Heading {
    let (standings, settings) = (&event.standings, &event.info.settings);
    let title = event.game().map(|game| game.spec().title.clone());
    let percent = |expected: u64| standings.bouts * 100 / expected.max(1);
    Heading {
        title: event.title.clone(),
        folder: event.folder.clone(),
        game: GameHeading {
            game_title: title.unwrap_or_else(|| settings.game.clone()),
            has_rules: has_rules(event),
            rules: settings.rules.clone(),
            unrepeatable: standings.unrepeatable,
            per_match: settings.bouts_per_match,
            seats: settings.bots_per_match,
            steps: if event.is_on_a_clock() { "Ticks" } else { "Rounds" },
            score_unit: score_unit(event),
        },
        progress: EventProgress {
            bouts: formatting::count(standings.bouts),
            expected: standings.expected.map(formatting::count),
            rounds: standings.rounds.map(columns::rounds),
            percent: standings.expected.map(percent),
            unisolated: standings.unisolated,
            referee_errors: standings.referee_errors,
        },
        bots: formatting::count(standings.playing().len() as u64),
        last: event.last_at(),
        unshown: formatting::count(event.unshown() as u64),
        has_unshown: event.unshown() > 0,
    }
}

/// Returns the unit of scores.
fn score_unit(event: &EventSite) -> String {
    let own = event.game().map(|game| game.spec().score_unit.clone());
    own.filter(|unit| !unit.is_empty()).unwrap_or_else(|| "points of the game".to_owned())
}

/// Returns whether bouts and matches are not the same.
fn has_bouts(event: &EventSite) -> bool {
    event.info.settings.bouts_per_match > 1
}

/// Returns the table of the first `most` bots.
pub(super) fn table(event: &EventSite, site: &Site, most: usize) -> LeaderboardTable {
    let standings = &event.standings;
    let rows = &standings.playing()[..standings.playing().len().min(most)];
    let rated = (0..rows.len()).filter_map(|place| event.rating(place));
    let scale = RatingScale::of(rated, event.ratings.decimals());
    let extra: Vec<_> = columns::extra_tie_breaks(standings).collect();
    let lines =
        rows.iter().enumerate().map(|(place, row)| line(event, (place, row), scale, &extra));
    LeaderboardTable {
        rows: lines.collect(),
        bots: formatting::count(standings.playing().len() as u64),
        is_long: standings.playing().len() > most,
        ratings: RatingColumn {
            zero: scale.and_then(RatingScale::zero),
            ends: scale.map(RatingScale::ends),
            has_plots: most <= FIRST,
            unit: event.ratings.unit(),
        },
        has_links: most <= FIRST,
        matches_at: if event.is_of_two() { "opponents" } else { "bouts" },
        ranked_by: standings.tie_breaks.first().map_or("name", |first| in_words(*first)),
        has_bouts: has_bouts(event),
        score_unit: score_unit(event),
        faults: site.publication.shows(PublicPart::Verdicts),
        tie_breaks: extra.iter().map(|place| standings.tie_breaks[*place].name()).collect(),
        unfinished: columns::is_unfinished(standings),
    }
}

fn line(
    event: &EventSite,
    (place, row): (usize, &StandingsRow),
    scale: Option<RatingScale>,
    extra: &[usize],
) -> LeaderboardRow {
    let rating = event.rating(place).zip(scale).map(|(rating, scale)| scale.plot(rating));
    let tie_break = |place: &usize| {
        let value = row.tie_breaks.get(*place).copied().flatten();
        value.map_or_else(|| "–".to_owned(), |value| value.to_string())
    };
    LeaderboardRow {
        rank: row.rank.filter(|_| event.bouts.all > 0),
        name: row.bot.name.clone(),
        by: by(row),
        rating,
        record: RowRecord {
            matches: columns::Column::Matches.value(row).replace('-', "–"),
            matches_won: row.matches.won,
            bouts: row.bouts,
        },
        points: row.points.to_string(),
        score: formatting::score(row.score),
        faults: row.verdicts.faults(),
        faults_text: columns::fault_counts(row),
        tie_breaks: extra.iter().map(tie_break).collect(),
    }
}

/// Returns `author · language`, or whichever of them is known.
pub(super) fn by(row: &StandingsRow) -> String {
    let parts = [row.bot.author.as_str(), &row.bot.language];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn other(row: &StandingsRow, site: &Site) -> UnrankedRow {
    let (status, _) = columns::status(&row.status);
    UnrankedRow {
        name: row.bot.name.clone(),
        status,
        date: columns::date(&row.status),
        reason: reason(row, site),
    }
}

/// Returns the reason why a bot does not play, without private parts.
pub(super) fn reason(row: &StandingsRow, site: &Site) -> String {
    let public = row.status.published(&site.publication);
    columns::status(&public).1
}

/// Rules page of an event: the tournament's own rules, then those of its game.
#[derive(Debug, Serialize)]
pub(super) struct RulesPage<'a> {
    event: Heading,
    /// The tournament's own rules, in Markdown.
    own: Option<&'a str>,
    /// The rules of the game, in Markdown.
    game: &'a str,
}

/// Returns whether an event has a page of rules.
pub(super) fn has_rules(event: &EventSite) -> bool {
    event.game().is_some_and(|game| !game.spec().rules_text.trim().is_empty())
}

/// Returns the page of rules.
pub(super) fn rules<'a>(event: &'a EventSite, site: &'a Site) -> RulesPage<'a> {
    RulesPage {
        event: heading(event),
        own: site.tournament.words.rules.as_deref(),
        game: event.game().map(|game| &*game.spec().rules_text).unwrap_or_default(),
    }
}

//! The page of a bot: its record, its bouts and opponents, its builds, its faults, its times.

use std::collections::HashSet;

use serde::Serialize;

use super::super::columns;
use super::histogram::Chart;
use super::leaderboard::{self, Heading, heading};
use super::notes::{BotNotes, Quote};
use super::rating::Rating;
use super::versions::{self, RatingChart};
use super::{EventSite, Notes, Site, formatting, match_page, names};
use joust_model::{BotRow, BotVersion, BoutId, BoutSummary, PublicPart, Verdict};
use joust_standings::search::{BotOutcome, bot_outcome};
use joust_standings::standings::{CrossEntry, PairRecord, StandingsRow};

/// The most matches of more than two that a bot's page lists.
const MATCHES: usize = 200;

/// The most bouts that are named for a fault.
const BOUTS_OF_FAULT: usize = 12;

#[derive(Debug, Serialize)]
pub(super) struct BotPage<'a> {
    event: Heading,
    bot: &'a BotRow,
    by: String,
    #[serde(flatten)]
    status: BotStatus,
    #[serde(flatten)]
    record: BotRecord,
    /// Its builds, the newest first.
    versions: Vec<&'a BotVersion>,
    shows_logs: bool,
    charts: Vec<RatingChart>,
    played: Vec<PlayedBout<'a>>,
    opponents: Opponents,
    #[serde(flatten)]
    matches: BotMatches<'a>,
    #[serde(flatten)]
    turns: BotTurns<'a>,
}

/// Part that a bot takes in the event.
#[derive(Debug, Serialize)]
struct BotStatus {
    rank: Option<u32>,
    status: &'static str,
    date: Option<String>,
    reason: String,
}

/// Record of a bot in all its bouts.
#[derive(Debug, Serialize)]
struct BotRecord {
    rating: Option<Rating>,
    decimals: usize,
    matches: String,
    bouts: String,
    points: String,
    score: String,
    faults: Option<u32>,
}

/// Matches of a bot that have a page, where more than two meet.
#[derive(Debug, Serialize)]
struct BotMatches<'a> {
    of_two: bool,
    meetings: Vec<match_page::MatchRow<'a>>,
    meetings_left: usize,
}

/// Public turns of a bot.
#[derive(Debug, Serialize)]
struct BotTurns<'a> {
    verdicts: Vec<FaultCount<'a>>,
    times: Option<Times>,
    stderr: Option<&'a Quote>,
    shows_stderr: bool,
}

/// One kind of fault.
#[derive(Debug, Serialize)]
struct FaultCount<'a> {
    verdict: &'static str,
    turns: u32,
    share: String,
    /// The first bouts in which it was earned.
    bouts: Vec<BoutId>,
    last: Option<&'a Quote>,
}

#[derive(Debug, Serialize)]
struct Times {
    wall: Option<Chart>,
    cpu: Option<Chart>,
    on_a_clock: bool,
}

/// Returns the page of the bot at `place` of the standings.
pub(super) fn page<'a>(
    event: &'a EventSite,
    site: &Site,
    place: usize,
    notes: &'a Notes,
) -> BotPage<'a> {
    let row = &event.standings.rows[place];
    let notes = notes.bot(&row.bot.name);
    let verdicts_are_public = site.publication.shows(PublicPart::Verdicts);
    BotPage {
        event: heading(event),
        bot: &row.bot,
        by: leaderboard::by(row),
        status: BotStatus {
            rank: row.rank,
            status: columns::status(&row.status).0,
            date: columns::date(&row.status),
            reason: leaderboard::reason(row, site),
        },
        record: BotRecord {
            rating: event.rating(place),
            decimals: event.ratings.decimals(),
            matches: columns::Column::Matches.value(row).replace('-', "–"),
            bouts: columns::Column::Bouts.value(row).replace('-', "–"),
            points: row.points.to_string(),
            score: formatting::score(row.score),
            faults: verdicts_are_public.then(|| row.verdicts.faults()),
        },
        versions: event.versions(&row.bot.name).iter().rev().collect(),
        shows_logs: site.publication.shows(PublicPart::Logs),
        charts: versions::charts(event.versions(&row.bot.name)),
        played: played(event, row),
        opponents: opponents(event, place),
        matches: matches(event, site, row),
        turns: BotTurns {
            verdicts: if verdicts_are_public { verdicts(event, row, notes) } else { Vec::new() },
            times: notes.and_then(|notes| times(event, notes)),
            stderr: notes.and_then(|notes| notes.stderr.as_ref()),
            shows_stderr: site.publication.shows(PublicPart::Stderr),
        },
    }
}

fn matches<'a>(event: &'a EventSite, site: &Site, row: &StandingsRow) -> BotMatches<'a> {
    let (of_two, all) = (event.is_of_two(), event.meetings_of(&row.bot.name).count());
    if of_two {
        return BotMatches { of_two, meetings: Vec::new(), meetings_left: 0 };
    }
    let listed = event.meetings_of(&row.bot.name).take(MATCHES);
    let meetings =
        listed.map(|meeting| match_page::line(event, site, meeting, &row.bot.name)).collect();
    BotMatches { of_two, meetings, meetings_left: all.saturating_sub(MATCHES) }
}

/// Counts the verdicts of its turns, the most frequent first; `ok` last.
fn verdicts<'a>(
    event: &EventSite,
    row: &StandingsRow,
    notes: Option<&'a BotNotes>,
) -> Vec<FaultCount<'a>> {
    let mut earned: Vec<_> = row.verdicts.iter().collect();
    earned.sort_by_key(|(verdict, count)| (*verdict == Verdict::Ok, std::cmp::Reverse(*count)));
    let counts: Vec<u64> = earned.iter().map(|(_, count)| u64::from(*count)).collect();
    let fault = |((verdict, turns), share): ((Verdict, u32), String)| FaultCount {
        verdict: verdict.name(),
        turns,
        share,
        bouts: if verdict == Verdict::Ok { Vec::new() } else { bouts_with(event, row, verdict) },
        last: notes.and_then(|notes| notes.faults.get(&verdict.code())),
    };
    earned.into_iter().zip(shares(&counts)).map(fault).collect()
}

/// The first bouts in which a bot earned a verdict.
fn bouts_with(event: &EventSite, row: &StandingsRow, verdict: Verdict) -> Vec<BoutId> {
    let earned = |bout: &&BoutSummary| {
        let mut seats = bout.seats.iter().filter(|seat| *seat.bot == row.bot.name);
        seats.any(|seat| seat.verdicts.iter().any(|(one, count)| one == verdict && count > 0))
    };
    let bouts = event.bouts_of(&row.bot.name).filter(earned).take(BOUTS_OF_FAULT);
    bouts.map(|bout| bout.bout).collect()
}

/// Returns shares in percent with one decimal that add up to 100: the tenths lost by rounding down
/// are given to the shares that lost most.
fn shares(counts: &[u64]) -> Vec<String> {
    let all: u64 = counts.iter().sum();
    if all == 0 {
        return counts.iter().map(|_| "0 %".to_owned()).collect();
    }
    let mut tenths: Vec<u64> = counts.iter().map(|count| count * 1000 / all).collect();
    let left = 1000 - tenths.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(counts[*place] * 1000 % all));
    for place in order.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
        tenths[place] += 1;
    }
    let shown = |(tenths, count): (u64, &u64)| match tenths {
        0 if *count > 0 => "under 0.1 %".to_owned(),
        1000 => "100 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    };
    tenths.into_iter().zip(counts).map(shown).collect()
}

fn times(event: &EventSite, notes: &BotNotes) -> Option<Times> {
    let times = Times {
        wall: notes.wall.chart(),
        cpu: notes.cpu.chart(),
        on_a_clock: event.is_on_a_clock(),
    };
    (times.wall.is_some() || times.cpu.is_some()).then_some(times)
}

/// With more opponents than these the table scrolls by itself.
const MANY_OPPONENTS: usize = 15;

/// Everybody a bot has met.
#[derive(Debug, Serialize)]
struct Opponents {
    /// The best placed first.
    all: Vec<Opponent>,
    are_many: bool,
}

/// The record against one other bot.
#[derive(Debug, Serialize)]
struct Opponent {
    rank: u32,
    name: String,
    #[serde(flatten)]
    record: PairRecord,
    match_page: Option<String>,
    superiority: Option<String>,
}

/// Returns whom the bot at `place` of the standings has met.
fn opponents(event: &EventSite, place: usize) -> Opponents {
    let all = records(event, place);
    Opponents { are_many: all.len() > MANY_OPPONENTS, all }
}

/// Returns the record against each opponent, the best placed first.
fn records(event: &EventSite, place: usize) -> Vec<Opponent> {
    let rows = event.standings.playing();
    let Some(own) = rows.get(place).map(|row| &row.bot.name) else { return Vec::new() };
    let pages = pages_of(event, own);
    let met = event.standings.cross.met(place);
    let met = met.filter(|entry| entry.cell.bouts() > 0);
    met.map(|CrossEntry { opponent: other, cell: record }| {
        let name = &rows[other].bot.name;
        Opponent {
            rank: rows[other].rank.unwrap_or_default(),
            name: name.clone(),
            record,
            match_page: pages.contains(name.as_str()).then(|| names::match_file(&[own, name])),
            superiority: event.ratings.superiority(place, other),
        }
    })
    .collect()
}

/// Opponents with whom there is a match of two that has a page.
fn pages_of<'a>(event: &'a EventSite, own: &str) -> HashSet<&'a str> {
    let of_two = event.meetings_of(own).filter(|meeting| meeting.bots.len() == 2);
    of_two.flat_map(|meeting| meeting.bots.iter().map(|bot| &**bot)).collect()
}

/// The bouts with one outcome.
#[derive(Debug, Serialize)]
struct PlayedBout<'a> {
    /// The id of its place on the page.
    anchor: &'static str,
    title: &'static str,
    /// Number of these bouts, including those without a page.
    count: u32,
    bouts: Vec<&'a BoutSummary>,
}

/// Returns the bouts of a bot by their outcomes; outcomes without a bout are left out.
fn played<'a>(event: &'a EventSite, row: &StandingsRow) -> Vec<PlayedBout<'a>> {
    let (name, record) = (&row.bot.name, &row.bouts);
    let groups = [
        (BotOutcome::Won, "won", "Won", record.won),
        (BotOutcome::Drawn, "drawn", "Drawn", record.drawn),
        (BotOutcome::Lost, "lost", "Lost", record.lost),
    ];
    let group = |(outcome, anchor, title, count)| {
        let has_it = |bout: &&BoutSummary| {
            let mut seats = bout.seats.iter().filter(|seat| *seat.bot == **name);
            seats.any(|seat| bot_outcome(bout, seat) == outcome)
        };
        let bouts = event.bouts_of(name).filter(has_it).collect();
        PlayedBout { anchor, title, count, bouts }
    };
    groups.into_iter().map(group).filter(|group| group.count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_a_hundred() {
        assert_eq!(shares(&[1, 1, 1]), ["33.4 %", "33.3 %", "33.3 %"]);
        assert_eq!(shares(&[1, 99]), ["1.0 %", "99.0 %"]);
        assert_eq!(shares(&[0, 7]), ["0.0 %", "100 %"]);
        assert_eq!(shares(&[1, 99_999]), ["under 0.1 %", "100 %"]);
        assert_eq!(shares(&[0]), ["0 %"]);
    }
}

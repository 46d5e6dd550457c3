//! The page of a match: its bouts, side by side.

use std::collections::BTreeMap;

use serde::Serialize;

use super::event::MatchBouts;
use super::leaderboard::{Heading, heading};
use super::{EventSite, Site};
use joust_model::{BoutSummary, PublicPart};
use joust_standings::search::{BotOutcome, bot_outcome};
use joust_standings::standings::Record;

#[derive(Debug, Serialize)]
pub(super) struct MatchPage<'a> {
    event: Heading,
    /// The bots, the best placed first.
    bots: Vec<MatchSide<'a>>,
    bouts: Vec<&'a BoutSummary>,
    faults: bool,
}

/// A bot of the match and its record in it.
#[derive(Debug, Serialize)]
struct MatchSide<'a> {
    name: &'a str,
    page: Option<String>,
    rank: Option<u32>,
    record: Record,
}

/// A match in a list of matches of one bot.
#[derive(Debug, Serialize)]
pub(super) struct MatchRow<'a> {
    page: String,
    others: Vec<&'a str>,
    bouts: usize,
    record: Record,
    faults: u32,
}

/// Returns the page of a match.
pub(super) fn page<'a>(
    event: &'a EventSite,
    site: &Site,
    meeting: &'a MatchBouts,
) -> MatchPage<'a> {
    let mut bots: Vec<&str> = meeting.bots.iter().map(|bot| &**bot).collect();
    bots.sort_by_key(|bot| (event.place(bot).unwrap_or(usize::MAX), *bot));
    let records = records(event, meeting);
    let side = |name: &'a str| MatchSide {
        name,
        page: event.bot_page(name),
        rank: event.row(name).and_then(|row| row.rank),
        record: records.get(name).copied().unwrap_or_default(),
    };
    let bouts = meeting.bouts.iter().map(|place| &event.bouts.listed[*place]);
    MatchPage {
        event: heading(event),
        bots: bots.into_iter().map(side).collect(),
        bouts: bouts.collect(),
        faults: site.publication.shows(PublicPart::Verdicts),
    }
}

/// Returns a match as a line of the page of `bot`.
pub(super) fn line<'a>(
    event: &EventSite,
    site: &Site,
    meeting: &'a MatchBouts,
    bot: &str,
) -> MatchRow<'a> {
    let seats = meeting.bouts.iter().flat_map(|place| &event.bouts.listed[*place].seats);
    let faults: u32 = seats.filter(|seat| &*seat.bot == bot).map(|s| s.verdicts.faults()).sum();
    MatchRow {
        page: meeting.file(),
        others: meeting.bots.iter().map(|other| &**other).filter(|other| *other != bot).collect(),
        bouts: meeting.bouts.len(),
        record: records(event, meeting).get(bot).copied().unwrap_or_default(),
        faults: if site.publication.shows(PublicPart::Verdicts) { faults } else { 0 },
    }
}

fn records<'a>(event: &'a EventSite, meeting: &MatchBouts) -> BTreeMap<&'a str, Record> {
    let mut records: BTreeMap<&str, Record> = BTreeMap::new();
    for bout in meeting.bouts.iter().map(|place| &event.bouts.listed[*place]) {
        for seat in &bout.seats {
            let record = records.entry(&seat.bot).or_default();
            *match bot_outcome(bout, seat) {
                BotOutcome::Won => &mut record.won,
                BotOutcome::Drawn => &mut record.drawn,
                BotOutcome::Lost => &mut record.lost,
            } += 1;
        }
    }
    records
}

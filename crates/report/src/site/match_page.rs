//! The page of a match: its bouts, side by side.

use std::collections::BTreeMap;

use serde::Serialize;

use super::event::MatchBouts;
use super::leaderboard::{Heading, heading};
use super::{EventSite, Site};
use joust_model::{BoutSummary, PublicPart};
use joust_standings::standings::Record;

#[derive(Debug, Serialize)]
pub(super) struct MatchPage<'a> {
    event: Heading,
    /// The bots, the best placed first.
    bots: Vec<MatchSide<'a>>,
    bouts: Vec<MatchBout<'a>>,
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

#[derive(Debug, Serialize)]
struct MatchBout<'a> {
    #[serde(flatten)]
    bout: &'a BoutSummary,
    /// The winner; `None` for a draw.
    winner: Option<&'a str>,
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
        bouts: bouts.map(|bout| MatchBout { bout, winner: winner(bout) }).collect(),
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
        let best = best(bout);
        let alone = bout.seats.iter().filter(|seat| seat.rank == best).count() == 1;
        for seat in &bout.seats {
            let record = records.entry(&seat.bot).or_default();
            *match seat.rank == best {
                true if alone => &mut record.won,
                true => &mut record.drawn,
                false => &mut record.lost,
            } += 1;
        }
    }
    records
}

fn best(bout: &BoutSummary) -> u8 {
    bout.seats.iter().map(|seat| seat.rank).min().unwrap_or(1)
}

/// Returns the bot that won alone.
fn winner(bout: &BoutSummary) -> Option<&str> {
    let best = best(bout);
    let mut winners = bout.seats.iter().filter(|seat| seat.rank == best);
    let winner = winners.next()?;
    winners.next().is_none().then_some(&*winner.bot)
}

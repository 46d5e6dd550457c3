//! The page of a match: its bouts, side by side.

use std::collections::BTreeMap;

use serde::Serialize;

use super::event::Meeting;
use super::leaderboard::{Heading, heading};
use super::{EventSite, Site, names, shown, text};
use joust_model::{BoutSummary, Public, SeatSummary};

#[derive(Debug, Serialize)]
pub(super) struct MatchPage {
    event: Heading,
    /// The bots, the best placed first.
    bots: Vec<Side>,
    bouts: Vec<Bout>,
    faults: bool,
}

/// A bot of the match and what it did in it.
#[derive(Debug, Serialize)]
struct Side {
    name: String,
    page: Option<String>,
    rank: Option<u32>,
    by: String,
    record: String,
    won: u32,
}

#[derive(Debug, Serialize)]
struct Bout {
    id: String,
    page: String,
    number: u32,
    seed: u64,
    rounds: u32,
    seats: Vec<Seat>,
    /// The winner; `None` for a draw.
    winner: Option<String>,
}

#[derive(Debug, Serialize)]
struct Seat {
    name: String,
    rank: u8,
    score: String,
    faults: u32,
}

/// A match in a list of matches of one bot.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    page: String,
    others: Vec<String>,
    bouts: usize,
    record: String,
    faults: u32,
}

/// Bouts won alone, drawn and lost.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    won: u32,
    drawn: u32,
    lost: u32,
}

/// Returns the page of a match.
pub(super) fn page(event: &EventSite, site: &Site, meeting: &Meeting) -> MatchPage {
    let mut bots: Vec<&str> = meeting.bots.iter().map(|bot| &**bot).collect();
    bots.sort_by_key(|bot| (event.place(bot).unwrap_or(usize::MAX), *bot));
    let records = records(event, meeting);
    let bouts = meeting.bouts.iter().map(|place| bout(&event.bouts[*place]));
    MatchPage {
        event: heading(event),
        bots: bots.iter().map(|name| side(event, name, &records)).collect(),
        bouts: bouts.collect(),
        faults: site.publication.shows(Public::Verdicts),
    }
}

/// Returns a match as a line of the page of `bot`.
pub(super) fn line(event: &EventSite, site: &Site, meeting: &Meeting, bot: &str) -> Line {
    let record = records(event, meeting).get(bot).copied().unwrap_or_default();
    let seats = meeting.bouts.iter().flat_map(|place| &event.bouts[*place].seats);
    let faults: u32 = seats.filter(|seat| &*seat.bot == bot).map(|s| s.verdicts.faults()).sum();
    let others = meeting.bots.iter().filter(|other| &***other != bot);
    Line {
        page: meeting.file(),
        others: others.map(|other| text::public(other)).collect(),
        bouts: meeting.bouts.len(),
        record: shown::record(record.won, record.drawn, record.lost),
        faults: if site.publication.shows(Public::Verdicts) { faults } else { 0 },
    }
}

fn records<'a>(event: &'a EventSite, meeting: &Meeting) -> BTreeMap<&'a str, Record> {
    let mut records: BTreeMap<&str, Record> = BTreeMap::new();
    for bout in meeting.bouts.iter().map(|place| &event.bouts[*place]) {
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

fn side(event: &EventSite, name: &str, records: &BTreeMap<&str, Record>) -> Side {
    let record = records.get(name).copied().unwrap_or_default();
    let row = event.row(name);
    Side {
        name: text::public(name),
        page: event.bot_page(name),
        rank: row.and_then(|row| row.rank),
        by: row.map(super::leaderboard::by).unwrap_or_default(),
        record: shown::record(record.won, record.drawn, record.lost),
        won: record.won,
    }
}

fn bout(bout: &BoutSummary) -> Bout {
    let best = best(bout);
    let mut winners = bout.seats.iter().filter(|seat| seat.rank == best);
    let winner = winners.next().filter(|_| winners.next().is_none());
    Bout {
        id: bout.bout.to_string(),
        page: names::bout_file(bout.bout),
        number: bout.number + 1,
        seed: bout.seed.0,
        rounds: bout.rounds,
        seats: bout.seats.iter().map(seat).collect(),
        winner: winner.map(|seat| text::public(&seat.bot)),
    }
}

fn seat(seat: &SeatSummary) -> Seat {
    Seat {
        name: text::public(&seat.bot),
        rank: seat.rank,
        score: shown::score(seat.score),
        faults: seat.verdicts.faults(),
    }
}

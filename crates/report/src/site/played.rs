//! Bouts of a bot, on its page: those it won, those it drew, those it lost.

use serde::Serialize;

use super::{EventSite, names, shown, text};
use joust_model::{BoutSummary, SeatSummary};
use joust_tables::standings::Row;

/// The bouts with one outcome.
#[derive(Debug, Serialize)]
pub(super) struct Played {
    /// The name of its place on the page.
    anchor: &'static str,
    title: &'static str,
    /// Number of them, with a page or without.
    count: u32,
    bouts: Vec<Line>,
}

/// One bout.
#[derive(Debug, Serialize)]
struct Line {
    page: String,
    number: u32,
    others: Vec<String>,
    score: String,
    others_score: String,
    rounds: u32,
    faults: u32,
}

/// Returns the bouts of a bot by their outcomes; those that never happened are left out.
pub(super) fn of(event: &EventSite, row: &Row) -> Vec<Played> {
    let name = &row.bot.name;
    let record = &row.bouts;
    let group = |anchor, title, count| Played { anchor, title, count, bouts: Vec::new() };
    let mut groups = [
        group("won", "Won", record.won),
        group("drawn", "Drawn", record.drawn),
        group("lost", "Lost", record.lost),
    ];
    for bout in event.bouts_of(name) {
        if let Some(place) = outcome(bout, name) {
            groups[place].bouts.extend(line(bout, name));
        }
    }
    groups.into_iter().filter(|group| group.count > 0).collect()
}

/// 0 for a bout won alone, 1 for a draw, 2 for a bout lost.
fn outcome(bout: &BoutSummary, bot: &str) -> Option<usize> {
    let own = bout.seats.iter().find(|seat| &*seat.bot == bot)?.rank;
    let best = bout.seats.iter().map(|seat| seat.rank).min()?;
    let first = bout.seats.iter().filter(|seat| seat.rank == best).count();
    Some(match own == best {
        true if first == 1 => 0,
        true => 1,
        false => 2,
    })
}

fn line(bout: &BoutSummary, bot: &str) -> Option<Line> {
    let own = bout.seats.iter().find(|seat| &*seat.bot == bot)?;
    let others: Vec<&SeatSummary> = bout.seats.iter().filter(|seat| &*seat.bot != bot).collect();
    let scores: Vec<_> = others.iter().map(|seat| shown::score(seat.score)).collect();
    Some(Line {
        page: names::bout_file(bout.bout),
        number: bout.number + 1,
        others: others.iter().map(|seat| text::public(&seat.bot)).collect(),
        score: shown::score(own.score),
        others_score: scores.join(", "),
        rounds: bout.rounds,
        faults: own.verdicts.faults(),
    })
}

//! Bouts of a bot, on its page: those it won, those it drew, those it lost.

use serde::Serialize;

use super::EventSite;
use joust_model::BoutSummary;
use joust_standings::standings::StandingsRow;

/// The bouts with one outcome.
#[derive(Debug, Serialize)]
pub(super) struct PlayedBout<'a> {
    /// The id of its place on the page.
    anchor: &'static str,
    title: &'static str,
    /// Number of these bouts, including those without a page.
    count: u32,
    bouts: Vec<&'a BoutSummary>,
}

/// Returns the bouts of a bot by their outcomes; outcomes without a bout are left out.
pub(super) fn of<'a>(event: &'a EventSite, row: &StandingsRow) -> Vec<PlayedBout<'a>> {
    let name = &row.bot.name;
    let record = &row.bouts;
    let group = |anchor, title, count| PlayedBout { anchor, title, count, bouts: Vec::new() };
    let mut groups = [
        group("won", "Won", record.won),
        group("drawn", "Drawn", record.drawn),
        group("lost", "Lost", record.lost),
    ];
    for bout in event.bouts_of(name) {
        if let Some(place) = outcome(bout, name) {
            groups[place].bouts.push(bout);
        }
    }
    groups.into_iter().filter(|group| group.count > 0).collect()
}

/// Returns 0 for a bout won alone, 1 for a draw, 2 for a bout lost.
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

//! Bouts of a bot, on its page: those it won, those it drew, those it lost.

use serde::Serialize;

use super::EventSite;
use joust_model::BoutSummary;
use joust_standings::search::{BotOutcome, bot_outcome};
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

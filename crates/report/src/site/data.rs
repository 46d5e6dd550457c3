//! Data of an event's pages for spreadsheets and programs: the contents of the pages, in the
//! formats of `joust standings` and `joust bouts`.

use super::super::csv::{bout_cells, bout_columns};
use super::super::{Leaderboard, Superiority, TextStyle, csv_lines, find};
use super::{EventSite, Site};
use joust_model::{PublicPart, Publication, Reason, public_text};
use joust_standings::standings::{Standings, StandingsRow, Status};

/// Files of data within an event's folder.
pub(super) const STANDINGS_JSON: &str = "standings.json";
pub(super) const STANDINGS_CSV: &str = "standings.csv";
pub(super) const BOUTS_CSV: &str = "bouts.csv";

/// Returns whether a site has data: it counts verdicts, which may not be public.
pub(super) fn is_public(site: &Site) -> bool {
    site.publication.shows(PublicPart::Verdicts)
}

/// Returns the standings in one of the formats of `joust standings`.
pub(super) fn standings(event: &EventSite, site: &Site, format: &str) -> String {
    let standings = published(&event.standings, &site.publication);
    let board = Leaderboard {
        game: event.game(),
        standings: &standings,
        ratings: Some(event.ratings.all()),
        superiority: Superiority::Hidden,
        bouts: None,
    };
    find(format, TextStyle::default()).map(|format| format.leaderboard(&board)).unwrap_or_default()
}

/// Returns a line for each seat of the bouts that have a page, in schedule order.
pub(super) fn bouts(event: &EventSite) -> String {
    let lines = event.bouts.listed.iter().flat_map(|bout| bout_cells(event.id(), bout, true));
    csv_lines(std::iter::once(bout_columns()).chain(lines))
}

/// Returns the standings with the texts of strangers as the pages show them.
fn published(standings: &Standings, publication: &Publication) -> Standings {
    let mut standings = standings.clone();
    for row in &mut standings.rows {
        publish(row, publication);
    }
    standings
}

/// Pages name no owner, and no address in what an author or an organiser wrote.
fn publish(row: &mut StandingsRow, publication: &Publication) {
    row.bot.author = public_text(&row.bot.author);
    row.bot.owner.clear();
    row.status = match row.status.published(publication) {
        Status::Playing => Status::Playing,
        Status::NotBuilt { reason } => Status::NotBuilt { reason: public_reason(&reason) },
        Status::NotRun { reason } => Status::NotRun { reason: public_reason(&reason) },
        Status::Withdrawn { reason, at } => Status::Withdrawn { reason: public_text(&reason), at },
        Status::Disqualified { reason, at } => {
            Status::Disqualified { reason: public_text(&reason), at }
        }
    };
}

fn public_reason(reason: &Reason) -> Reason {
    let lines = |text: &str| text.lines().map(public_text).collect::<Vec<_>>().join("\n");
    Reason {
        ours: lines(&reason.ours),
        build_log: lines(&reason.build_log),
        stderr: lines(&reason.stderr),
    }
}

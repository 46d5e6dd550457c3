//! Bouts worth watching, which a new visitor should see first.

use std::cmp::Reverse;

use serde::Serialize;

use super::{EventSite, Notes, formatting};
use joust_model::{BoutId, BoutSummary, SeatSummary, counted};

/// A bout worth watching, and why.
#[derive(Debug, Serialize)]
pub(super) struct Highlight {
    why: &'static str,
    bout: BoutId,
    seats: Vec<String>,
    said: String,
}

/// Returns the bout to see first: of those that can be watched the one whose bots have the
/// best places in all; of the bouts of these bots the closest, then the longest, then the one
/// that comes first in the schedule.
pub(super) fn best<'a>(event: &'a EventSite, notes: &Notes) -> Option<&'a BoutSummary> {
    let bouts: Vec<_> = event.bouts.listed.iter().collect();
    let can_be_drawn = |bout: &&BoutSummary| !notes.undrawn.contains(&bout.bout);
    best_placed(event, &bouts.into_iter().filter(can_be_drawn).collect::<Vec<_>>())
}

/// Returns up to four bouts that have a page, no bout twice.
pub(super) fn of(event: &EventSite) -> Vec<Highlight> {
    let bouts: Vec<&BoutSummary> = event.bouts.listed.iter().collect();
    let picks = [
        ("The best against each other", best_placed(event, &bouts)),
        ("The greatest surprise", surprise(event, &bouts)),
        ("The closest", closest(&bouts)),
        ("The longest", bouts.iter().copied().max_by_key(|bout| (bout.rounds, earlier(bout)))),
    ];
    let mut highlights: Vec<Highlight> = Vec::new();
    for (why, bout) in picks {
        let Some(bout) = bout else { continue };
        if highlights.iter().all(|other| other.bout != bout.bout) {
            highlights.push(line(event, why, bout));
        }
    }
    highlights
}

fn line(event: &EventSite, why: &'static str, bout: &BoutSummary) -> Highlight {
    let rank = |seat: &SeatSummary| event.row(&seat.bot).and_then(|row| row.rank);
    let name = |seat: &SeatSummary| match rank(seat) {
        Some(rank) => format!("{} (rank {rank})", seat.bot),
        None => seat.bot.to_string(),
    };
    let mut seats: Vec<_> = bout.seats.iter().collect();
    seats.sort_by_key(|seat| seat.rank);
    let unit = if event.is_on_a_clock() { "tick" } else { "round" };
    let scores: Vec<_> = seats.iter().map(|seat| formatting::score(seat.score)).collect();
    Highlight {
        why,
        bout: bout.bout,
        seats: seats.iter().map(|seat| name(seat)).collect(),
        said: format!("{}, {}", scores.join(" : "), counted(bout.rounds, unit)),
    }
}

/// Ties go to the bout that comes first in the schedule.
fn earlier(bout: &BoutSummary) -> Reverse<(u64, u32)> {
    Reverse((bout.match_number, bout.number))
}

/// The bout whose bots have the least places in all; see [`best`].
fn best_placed<'a>(event: &EventSite, bouts: &[&'a BoutSummary]) -> Option<&'a BoutSummary> {
    let places = |bout: &BoutSummary| -> usize {
        bout.seats.iter().map(|seat| event.place(&seat.bot).unwrap_or(usize::MAX / 64)).sum()
    };
    let order = |bout: &&BoutSummary| (places(bout), margin(bout), longer(bout));
    bouts.iter().copied().min_by_key(order)
}

/// Returns the distance between the first two scores of a bout.
fn margin(bout: &BoutSummary) -> u64 {
    let mut seats: Vec<_> = bout.seats.iter().collect();
    seats.sort_by_key(|seat| seat.rank);
    match seats[..] {
        [first, second, ..] => first.score.distance(second.score),
        _ => 0,
    }
}

/// The longest first, then by the schedule.
fn longer(bout: &BoutSummary) -> (Reverse<u32>, u64, u32) {
    (Reverse(bout.rounds), bout.match_number, bout.number)
}

/// Finds the bout that was won alone by the bot that ranks furthest behind another one in it.
fn surprise<'a>(event: &EventSite, bouts: &[&'a BoutSummary]) -> Option<&'a BoutSummary> {
    let behind = |bout: &BoutSummary| {
        let mut first = bout.seats.iter().filter(|seat| seat.rank == 1);
        let (winner, None) = (first.next()?, first.next()) else { return None };
        let won = event.place(&winner.bot)?;
        let places = bout.seats.iter().filter_map(|seat| event.place(&seat.bot));
        won.checked_sub(places.min()?).filter(|behind| *behind > 0)
    };
    let surprises = bouts.iter().filter_map(|bout| Some((behind(bout)?, *bout)));
    surprises.max_by_key(|(behind, bout)| (*behind, earlier(bout))).map(|(_, bout)| bout)
}

/// The bout with a winner whose first two scores differ least, the longest of
/// those.
fn closest<'a>(bouts: &[&'a BoutSummary]) -> Option<&'a BoutSummary> {
    let has_winner = |bout: &&&BoutSummary| {
        bout.seats.len() > 1 && bout.seats.iter().filter(|seat| seat.rank == 1).count() == 1
    };
    bouts.iter().filter(has_winner).copied().min_by_key(|bout| (margin(bout), longer(bout)))
}

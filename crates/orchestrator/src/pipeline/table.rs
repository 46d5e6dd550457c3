//! What bots have before a run plays on.

use std::cmp::Ordering;
use std::collections::HashMap;

use joust_model::BoutSummary;
use joust_model::notices::Standing;

/// Returns the points of `bots` in bouts among themselves.
pub(super) fn so_far<'a>(
    bots: impl Iterator<Item = &'a str>,
    bouts: &[BoutSummary],
) -> Vec<Standing> {
    let mut table: Vec<_> =
        bots.map(|bot| Standing { bot: bot.to_owned(), ..Standing::default() }).collect();
    let places: HashMap<String, usize> =
        table.iter().zip(0..).map(|(row, place)| (row.bot.clone(), place)).collect();
    for bout in bouts {
        let seats: Option<Vec<usize>> =
            bout.seats.iter().map(|seat| places.get(&*seat.bot).copied()).collect();
        for (own, place) in seats.unwrap_or_default().into_iter().enumerate() {
            table[place].halves += halves(bout, own);
            table[place].bouts += 1;
        }
    }
    table
}

fn halves(bout: &BoutSummary, own: usize) -> u64 {
    let others = bout.seats.iter().enumerate().filter(|(other, _)| *other != own);
    let of = |(_, other): (usize, &joust_model::SeatSummary)| match bout.seats[own]
        .rank
        .cmp(&other.rank)
    {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    };
    others.map(of).sum()
}

//! The results table that a game's original program printed, byte for byte.

use joust_referee::PairResult;

use super::{Format, Leaderboard};
use joust_model::escaped;
use joust_standings::standings::{Standings, StandingsRow};

/// The original's table, in the order of registration; bots that do not play are
/// not in it. Empty where the original printed none.
pub(super) struct Classic;

impl Format for Classic {
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let standings = board.standings;
        let mut order: Vec<_> = standings.playing().iter().zip(0_usize..).collect();
        order.sort_by_key(|(row, _)| row.bot.registration);
        let names: Vec<_> = order.iter().map(|(row, _)| escaped(&row.bot.name)).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let table = board.game.and_then(|game| game.results_table());
        table.map_or_else(String::new, |table| table.print(&names, &pairs(standings, &order)))
    }
}

fn pairs(standings: &Standings, order: &[(&StandingsRow, usize)]) -> Vec<PairResult> {
    let mut pairs = Vec::new();
    for (first, (_, own)) in order.iter().enumerate() {
        for (second, (_, other)) in order.iter().enumerate().skip(first + 1) {
            let cell = standings.cross.cell(*own, *other);
            let bout_wins = [cell.won, cell.lost];
            pairs.push(PairResult { bots: [first, second], bouts: cell.bouts(), bout_wins });
        }
    }
    pairs.retain(|pair| pair.bouts > 0);
    pairs
}

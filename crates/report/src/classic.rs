//! The results table of the original BattleBots program, byte for byte.

use joust_referee::GameKind;
use joust_referee::games::battlebots::{Battlebots, ClassicPair, classic_table};

use super::{Format, Leaderboard};
use joust_model::escaped;
use joust_tables::standings::{Row, Standings};

/// Says whether the original of the game `id` printed a table that is made here.
#[must_use]
pub fn is_of(game: &str) -> bool {
    game == Battlebots.id()
}

/// The original's table, in the order of registration; bots that do not play are
/// not in it.
pub(super) struct Classic;

impl Format for Classic {
    fn name(&self) -> &'static str {
        "classic"
    }

    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let standings = board.standings;
        let mut order: Vec<_> = standings.playing().iter().zip(0_usize..).collect();
        order.sort_by_key(|(row, _)| row.bot.registration);
        let names: Vec<_> = order.iter().map(|(row, _)| escaped(&row.bot.name)).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        classic_table(&names, &pairs(standings, &order))
    }
}

fn pairs(standings: &Standings, order: &[(&Row, usize)]) -> Vec<ClassicPair> {
    let mut pairs = Vec::new();
    for (first, (_, own)) in order.iter().enumerate() {
        for (second, (_, other)) in order.iter().enumerate().skip(first + 1) {
            let cell = &standings.cross[*own][*other];
            let bout_wins = [cell.won, cell.lost];
            pairs.push(ClassicPair { bots: [first, second], bouts: cell.bouts(), bout_wins });
        }
    }
    pairs.retain(|pair| pair.bouts > 0);
    pairs
}

//! End of a bout: when it is over, and who won it; results of a tournament.

use std::fmt::Write;

use super::GameState;
use crate::{Outcome, PairResult, PerSeat, SeatOutcome};

/// A bot ran out of hit points.
const KNOCK_OUT: &str = "knock-out";

/// The last round was played.
const ROUND_LIMIT: &str = "round-limit";

/// Returns the outcome if the bout ends with this position after `rounds`
/// rounds.
///
/// More hit points win, also when both are at or below 0; equal hit points are
/// a draw.
pub(super) fn outcome(state: &GameState, rounds: u32, max_rounds: u32) -> Option<Outcome> {
    let ended = if state.has_dead_bot() {
        KNOCK_OUT
    } else if rounds >= max_rounds {
        ROUND_LIMIT
    } else {
        return None;
    };
    let [first, second] = state.bots.map(|bot| bot.hp);
    let seats = PerSeat(vec![seat_outcome(first, second), seat_outcome(second, first)]);
    Some(Outcome { ended: ended.into(), rounds, seats })
}

fn seat_outcome(own_hp: i32, other_hp: i32) -> SeatOutcome {
    SeatOutcome { rank: 1 + u8::from(own_hp < other_hp), score: i64::from(own_hp).into() }
}

/// Prints a tournament as the original program does, byte for byte.
///
/// `names` are in the order of registration. Matches are printed in that order
/// too, whatever the order of `pairs`. Lines end with `\n`, columns are parted
/// by tabs, the table is not sorted. More bout wins take a match.
pub(super) fn classic_table(names: &[&str], pairs: &[PairResult]) -> String {
    let are_named = |pair: &&PairResult| pair.bots.iter().all(|bot| *bot < names.len());
    let mut pairs: Vec<PairResult> = pairs.iter().filter(are_named).copied().collect();
    pairs.sort_by_key(|pair| pair.bots);
    let mut text = String::new();
    for pair in &pairs {
        push_pair(&mut text, names, pair);
    }
    text.push_str("\nResults:\nBot\tMatches\tBouts\n");
    for (bot, name) in names.iter().enumerate() {
        let (matches, bouts) = wins(bot, &pairs);
        push(&mut text, format_args!("{name}\t{matches}\t{bouts}\n"));
    }
    text
}

fn push_pair(text: &mut String, names: &[&str], pair: &PairResult) {
    let [first, second] = pair.bots.map(|bot| names[bot]);
    push(text, format_args!("{first} vs {second}\n"));
    for bout in 0..pair.bouts {
        push(text, format_args!("{bout} "));
    }
    text.push('\n');
}

fn wins(bot: usize, pairs: &[PairResult]) -> (u32, u32) {
    let mut total = (0, 0);
    for pair in pairs {
        let [first, second] = pair.bout_wins;
        for (seat, own, other) in [(0, first, second), (1, second, first)] {
            if pair.bots[seat] == bot {
                total.0 += u32::from(own > other);
                total.1 += own;
            }
        }
    }
    total
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_originals() {
        let pairs = [
            PairResult { bots: [1, 2], bouts: 5, bout_wins: [2, 2] },
            PairResult { bots: [0, 1], bouts: 5, bout_wins: [3, 1] },
            PairResult { bots: [0, 2], bouts: 5, bout_wins: [0, 5] },
        ];
        let expected = "Huggy vs Nop\n0 1 2 3 4 \nHuggy vs Miner\n0 1 2 3 4 \n\
                        Nop vs Miner\n0 1 2 3 4 \n\
                        \nResults:\nBot\tMatches\tBouts\nHuggy\t1\t3\nNop\t0\t3\nMiner\t1\t7\n";
        assert_eq!(classic_table(&["Huggy", "Nop", "Miner"], &pairs), expected);
    }

    #[test]
    fn a_tournament_without_matches_is_an_empty_table() {
        let expected = "\nResults:\nBot\tMatches\tBouts\nHuggy\t0\t0\n";
        assert_eq!(classic_table(&["Huggy"], &[]), expected);
    }
}

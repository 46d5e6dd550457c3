//! Leaders of an event while its bouts are played.
//!
//! Bots are sorted by those of the event's tie-breaks that can be summed bout by bout. Points stand
//! for matches won, which are known once a match is over; results against level bots and sums over
//! opponents are added only in the table.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use unicode_width::UnicodeWidthChar;

use joust_model::notices::RunningTotal;
use joust_model::{BoutResult, Score, TieBreak, escaped, is_referee_error};

/// Most bots that are shown under a bar.
const SHOWN: usize = 5;

/// The longest name, in columns.
const LONGEST_NAME: usize = 40;

/// Running totals of the bots of the event that is played.
#[derive(Debug, Default)]
pub(super) struct Leaders {
    rows: BTreeMap<String, RunningTotal>,
    /// Criteria in the order in which they rank.
    order: Vec<TieBreak>,
}

/// Returns the value that a tie-break compares, more is better; `None` for one that cannot be
/// summed bout by bout.
fn value(criterion: TieBreak, row: &RunningTotal) -> Option<i128> {
    Some(match criterion {
        TieBreak::MatchWins | TieBreak::Points => row.halves.into(),
        TieBreak::BoutWins => row.won.into(),
        TieBreak::Score => row.score.as_millionths().into(),
        TieBreak::FewerFaults => -i128::from(row.faults),
        TieBreak::HeadToHead | TieBreak::SonnebornBerger | TieBreak::Koya => return None,
    })
}

/// Returns the displayed value of a tie-break, with its unit.
fn shown(criterion: TieBreak, row: &RunningTotal) -> (String, &'static str) {
    match criterion {
        TieBreak::BoutWins => (row.won.to_string(), "won"),
        TieBreak::Score => (row.score.to_string(), "score"),
        TieBreak::FewerFaults => (row.faults.to_string(), "faults"),
        _ => (points(row.halves), "points"),
    }
}

struct Ranked<'a> {
    bot: &'a str,
    rank: u8,
    score: Score,
    faults: u32,
}

impl Leaders {
    /// Starts with these bots, which `tie_breaks` rank.
    pub(super) fn begin(&mut self, bots: &[String], tie_breaks: &[TieBreak]) {
        let row = |bot: &String| {
            (bot.clone(), RunningTotal { bot: bot.clone(), ..RunningTotal::default() })
        };
        self.rows = bots.iter().map(row).collect();
        let nothing = RunningTotal::default();
        let adds_up = |one: &&TieBreak| value(**one, &nothing).is_some();
        self.order = tie_breaks.iter().filter(adds_up).copied().collect();
        if self.order.is_empty() {
            self.order.push(TieBreak::Points);
        }
    }

    /// Adds the earlier results of the bots in the table.
    pub(super) fn join(&mut self, table: &[RunningTotal]) {
        for before in table {
            if let Some(row) = self.rows.get_mut(&before.bot) {
                row.halves += before.halves;
                row.bouts += before.bouts;
                row.won += before.won;
                row.score += before.score;
                row.faults += before.faults;
            }
        }
    }

    /// Adds a bout. Bouts of bots that are not in the table do not count.
    pub(super) fn add(&mut self, result: &BoutResult) {
        if is_referee_error(&result.ended) {
            return;
        }
        let seats = result.seats.iter().map(|seat| Ranked {
            bot: &seat.bot,
            rank: seat.rank,
            score: seat.score,
            faults: seat.verdicts.faults(),
        });
        self.add_ranks(&seats.collect::<Vec<_>>());
    }

    fn add_ranks(&mut self, seats: &[Ranked<'_>]) {
        if seats.iter().any(|seat| !self.rows.contains_key(seat.bot)) {
            return;
        }
        for (own, seat) in seats.iter().enumerate() {
            let others = seats.iter().enumerate().filter(|(other, _)| *other != own);
            let orders: Vec<_> = others.map(|(_, other)| seat.rank.cmp(&other.rank)).collect();
            let halves = orders.iter().map(|order| match order {
                Ordering::Less => 2,
                Ordering::Equal => 1,
                Ordering::Greater => 0,
            });
            let row = self.rows.entry(seat.bot.to_owned()).or_default();
            row.halves += halves.sum::<u64>();
            row.won += u64::from(orders.iter().all(|order| order.is_lt()));
            row.bouts += 1;
            row.score += seat.score;
            row.faults += u64::from(seat.faults);
        }
    }

    /// Returns the bots that have played, best first; level ones by name.
    fn ranked(&self) -> Vec<&RunningTotal> {
        let mut rows: Vec<_> = self.rows.values().filter(|row| row.bouts > 0).collect();
        rows.sort_by_cached_key(|row| {
            let values = self.order.iter().map(|criterion| Reverse(value(*criterion, row)));
            values.collect::<Vec<_>>()
        });
        rows
    }

    /// Returns the criterion that is shown: the first.
    fn first(&self) -> TieBreak {
        self.order.first().copied().unwrap_or(TieBreak::Points)
    }

    /// Returns the top of the table, one line for each bot; nothing before the
    /// first bout.
    pub(super) fn lines(&self) -> String {
        let (rows, first) = (self.ranked(), self.first());
        let names: Vec<_> = rows.iter().take(SHOWN).map(|row| short(&row.bot)).collect();
        let width = names.iter().map(|(_, width)| *width).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (place, ((name, own), row)) in (1..).zip(names.iter().zip(&rows)) {
            let (gap, bouts) = (" ".repeat(width - own), row.bouts);
            let (value, unit) = shown(first, row);
            lines.push(format!("  {place:>2}  {name}{gap}  {value:>7} {unit}  {bouts:>5} bouts"));
        }
        if rows.len() > SHOWN {
            lines.push(format!("      and {} more", rows.len() - SHOWN));
        }
        lines.join("\n")
    }

    /// Returns `leading: ann 12.5, bob 11, eve 9`; nothing before the first bout.
    pub(super) fn line(&self) -> Option<String> {
        let (rows, first) = (self.ranked(), self.first());
        let named = rows.iter().take(3);
        let named: Vec<_> =
            named.map(|row| format!("{} {}", short(&row.bot).0, shown(first, row).0)).collect();
        (!named.is_empty()).then(|| format!("leading: {}", named.join(", ")))
    }
}

fn points(halves: u64) -> String {
    let half = if halves % 2 == 1 { ".5" } else { "" };
    format!("{}{half}", halves / 2)
}

/// A name that is harmless and not too long, with its width in columns.
fn short(name: &str) -> (String, usize) {
    let (mut shown, mut width) = (String::new(), 0);
    for character in escaped(name).chars() {
        width += character.width().unwrap_or(0);
        if width > LONGEST_NAME {
            shown.push('…');
            return (shown, LONGEST_NAME + 1);
        }
        shown.push(character);
    }
    (shown, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(bot: &str, rank: u8) -> Ranked<'_> {
        Ranked { bot, rank, score: (10 - i64::from(rank)).into(), faults: 0 }
    }

    fn begun(bots: &[&str]) -> Leaders {
        let mut leaders = Leaders::default();
        let bots: Vec<_> = bots.iter().map(|bot| (*bot).to_owned()).collect();
        leaders.begin(&bots, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
        leaders
    }

    fn before(bot: &str, halves: u64, bouts: u64) -> RunningTotal {
        RunningTotal { bot: bot.to_owned(), halves, bouts, ..RunningTotal::default() }
    }

    #[test]
    fn the_order_is_that_of_the_events_tie_breaks() {
        let mut leaders = begun(&["alld", "grudger", "tft"]);
        let table = [("alld", 16, 300, 2), ("grudger", 6, 998, 1), ("tft", 6, 998, 0)];
        let table = table.map(|(bot, halves, score, faults)| RunningTotal {
            score: score.into(),
            faults,
            ..before(bot, halves, 8)
        });
        leaders.join(&table);
        assert_eq!(leaders.line().as_deref(), Some("leading: alld 8, tft 3, grudger 3"));
        let bots: Vec<_> = table.iter().map(|row| row.bot.clone()).collect();
        for (tie_breaks, expected) in [
            (&[TieBreak::Score][..], "leading: grudger 998, tft 998, alld 300"),
            (
                &[TieBreak::Score, TieBreak::FewerFaults][..],
                "leading: tft 998, grudger 998, alld 300",
            ),
            (&[TieBreak::FewerFaults][..], "leading: tft 0, grudger 1, alld 2"),
            (&[TieBreak::Koya][..], "leading: alld 8, grudger 3, tft 3"),
        ] {
            leaders.begin(&bots, tie_breaks);
            leaders.join(&table);
            assert_eq!(leaders.line().as_deref(), Some(expected), "{tie_breaks:?}");
        }
    }

    #[test]
    fn the_table_moves_with_every_bout() {
        let mut leaders = begun(&["ann", "bob", "e\u{1b}ve"]);
        assert_eq!((leaders.lines().as_str(), leaders.line()), ("", None));
        leaders.add_ranks(&[ranked("bob", 1), ranked("ann", 2)]);
        leaders.add_ranks(&[ranked("e\u{1b}ve", 1), ranked("bob", 1)]);
        assert_eq!(leaders.line().as_deref(), Some("leading: bob 1.5, e\\u{1b}ve 0.5, ann 0"));
        assert_eq!(
            leaders.lines(),
            "   1  bob            1.5 points      2 bouts\n   2  e\\u{1b}ve      0.5 points      1 \
             bouts\n   3  ann              0 points      1 bouts"
        );
    }

    #[test]
    fn it_begins_where_the_last_run_ended() {
        let mut leaders = begun(&["ann", "bob"]);
        leaders.join(&[before("ann", 25, 20), before("gone", 25, 20)]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5"));
        leaders.add_ranks(&[ranked("gone", 1), ranked("ann", 2)]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5"));
    }

    #[test]
    fn what_was_there_before_may_be_told_after_the_first_bout() {
        let mut leaders = begun(&["ann", "bob"]);
        leaders.add_ranks(&[ranked("bob", 1), ranked("ann", 2)]);
        leaders.join(&[before("ann", 25, 20)]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5, bob 1"));
    }

    #[test]
    fn only_the_top_is_shown() {
        let names: Vec<_> = (0..8).map(|bot| format!("bot-{bot}")).collect();
        let rows = names.iter().zip(0..);
        let rows: Vec<_> = rows.map(|(bot, halves)| before(bot, halves, 1)).collect();
        let mut leaders = Leaders::default();
        leaders.begin(&names, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT));
        leaders.join(&rows);
        let lines = leaders.lines();
        assert_eq!(lines.lines().count(), 6);
        assert!(lines.starts_with("   1  bot-7      3.5 points") && lines.ends_with("and 3 more"));
    }
}

//! Who leads while bouts are played.
//!
//! Points are counted as the standings count them: one for each opponent ranked
//! behind, half a point for each ranked level. Tie-breaks wait for the table.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use unicode_width::UnicodeWidthChar;

use joust_model::notices::Standing;
use joust_model::{BoutResult, escaped, is_referee_error};

/// Most bots that are shown under a bar.
const SHOWN: usize = 5;

/// The longest name, in columns.
const LONGEST_NAME: usize = 40;

/// The bots of the event that is played.
#[derive(Debug, Default)]
pub(super) struct Leaders(BTreeMap<String, Points>);

#[derive(Debug, Default)]
struct Points {
    halves: u64,
    bouts: u64,
}

struct Ranked<'a> {
    bot: &'a str,
    rank: u8,
}

impl Leaders {
    /// Begins with these bots.
    pub(super) fn begin(&mut self, bots: &[String]) {
        self.0 = bots.iter().map(|bot| (bot.clone(), Points::default())).collect();
    }

    /// Adds what bots of the table had before.
    pub(super) fn join(&mut self, table: &[Standing]) {
        for row in table {
            if let Some(points) = self.0.get_mut(&row.bot) {
                points.halves += row.halves;
                points.bouts += row.bouts;
            }
        }
    }

    /// Adds a bout. Bouts of bots that are not in the table do not count.
    pub(super) fn add(&mut self, result: &BoutResult) {
        if is_referee_error(&result.ended) {
            return;
        }
        let seats = result.seats.iter();
        let seats = seats.map(|seat| Ranked { bot: &seat.bot, rank: seat.rank });
        self.add_ranks(&seats.collect::<Vec<_>>());
    }

    fn add_ranks(&mut self, seats: &[Ranked<'_>]) {
        if seats.iter().any(|seat| !self.0.contains_key(seat.bot)) {
            return;
        }
        for (own, seat) in seats.iter().enumerate() {
            let others = seats.iter().enumerate().filter(|(other, _)| *other != own);
            let halves = others.map(|(_, other)| match seat.rank.cmp(&other.rank) {
                Ordering::Less => 2,
                Ordering::Equal => 1,
                Ordering::Greater => 0,
            });
            let row = self.0.entry(seat.bot.to_owned()).or_default();
            row.halves += halves.sum::<u64>();
            row.bouts += 1;
        }
    }

    /// The bots with most points first; level ones by name.
    fn ranked(&self) -> Vec<(&str, u64, u64)> {
        let rows = self.0.iter().map(|(bot, row)| (bot.as_str(), row.halves, row.bouts));
        let mut rows: Vec<_> = rows.filter(|(_, _, bouts)| *bouts > 0).collect();
        rows.sort_by_key(|(_, halves, _)| Reverse(*halves));
        rows
    }

    /// Returns the top of the table, one line for each bot; nothing before the
    /// first bout.
    pub(super) fn lines(&self) -> String {
        let rows = self.ranked();
        let names: Vec<_> = rows.iter().take(SHOWN).map(|(bot, ..)| short(bot)).collect();
        let width = names.iter().map(|(_, width)| *width).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (place, ((name, own), (_, halves, bouts))) in (1..).zip(names.iter().zip(&rows)) {
            let (gap, points) = (" ".repeat(width - own), points(*halves));
            lines.push(format!("  {place:>2}  {name}{gap}  {points:>7} points  {bouts:>5} bouts"));
        }
        if rows.len() > SHOWN {
            lines.push(format!("      and {} more", rows.len() - SHOWN));
        }
        lines.join("\n")
    }

    /// Returns `leading: ann 12.5, bob 11, eve 9`; nothing before the first bout.
    pub(super) fn line(&self) -> Option<String> {
        let rows = self.ranked();
        let named = rows
            .iter()
            .take(3)
            .map(|(bot, halves, _)| format!("{} {}", short(bot).0, points(*halves)));
        let named: Vec<_> = named.collect();
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
        Ranked { bot, rank }
    }

    fn begun(bots: &[&str]) -> Leaders {
        let mut leaders = Leaders::default();
        leaders.begin(&bots.iter().map(|bot| (*bot).to_owned()).collect::<Vec<_>>());
        leaders
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
        let before = |bot: &str| Standing { bot: bot.to_owned(), halves: 25, bouts: 20 };
        leaders.join(&[before("ann"), before("gone")]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5"));
        leaders.add_ranks(&[ranked("gone", 1), ranked("ann", 2)]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5"));
    }

    #[test]
    fn what_was_there_before_may_be_told_after_the_first_bout() {
        let mut leaders = begun(&["ann", "bob"]);
        leaders.add_ranks(&[ranked("bob", 1), ranked("ann", 2)]);
        leaders.join(&[Standing { bot: "ann".to_owned(), halves: 25, bouts: 20 }]);
        assert_eq!(leaders.line().as_deref(), Some("leading: ann 12.5, bob 1"));
    }

    #[test]
    fn only_the_top_is_shown() {
        let names: Vec<_> = (0..8).map(|bot| format!("bot-{bot}")).collect();
        let rows = names.iter().zip(0..);
        let rows: Vec<_> =
            rows.map(|(bot, halves)| Standing { bot: bot.clone(), halves, bouts: 1 }).collect();
        let mut leaders = Leaders::default();
        leaders.begin(&names);
        leaders.join(&rows);
        let lines = leaders.lines();
        assert_eq!(lines.lines().count(), 6);
        assert!(lines.starts_with("   1  bot-7      3.5 points") && lines.ends_with("and 3 more"));
    }
}

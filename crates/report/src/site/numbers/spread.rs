//! Spread of numbers over all bouts of an event: for each name a row for each bot, with
//! median, quartiles, ends and how many bouts there are.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::scale::{Scale, shown};
use crate::site::text;
use joust_model::{NumberRecord, SeatNumbers};

/// The most bots of a table: the best placed.
const BOTS: usize = 30;

/// Points from one end of a plot to the other.
const WIDTH: f64 = 200.0;

/// What was counted for a bot in a bout.
#[derive(Clone, Debug)]
pub struct BotNumbers {
    /// The bot.
    pub bot: String,
    /// Its numbers.
    pub numbers: SeatNumbers,
}

/// The table of one name. Lengths are in pictures 200 wide, 20 high.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(in crate::site) struct Table {
    name: String,
    /// Which value of each bout is taken.
    of: &'static str,
    low: String,
    high: String,
    rows: Vec<Row>,
    /// How many bots are left out.
    more: usize,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    bot: String,
    page: Option<String>,
    /// The line from the smallest to the largest, the box of the quartiles, the median.
    line: String,
    left: String,
    width: String,
    middle: String,
    median: String,
    lower: String,
    upper: String,
    least: String,
    most: String,
    bouts: usize,
}

/// Ends, quartiles and median of sorted values.
struct Quartiles {
    least: f64,
    lower: f64,
    median: f64,
    upper: f64,
    most: f64,
}

/// Draws the numbers of an event, whose bots are given with their pages from the best
/// placed.
pub(in crate::site) fn tables(
    numbers: &[BotNumbers],
    bots: &[(String, Option<String>)],
) -> Vec<Table> {
    let mut names: BTreeMap<&str, HashMap<&str, Vec<f64>>> = BTreeMap::new();
    for BotNumbers { bot, numbers } in numbers {
        for (name, summary) in &numbers.0 {
            let value = if is_of_bot(name) { summary.mean } else { summary.last };
            names.entry(name).or_default().entry(bot).or_default().push(value.get());
        }
    }
    let mut names: Vec<_> = names.into_iter().collect();
    // Those of the referee first.
    names.sort_by_key(|(name, _)| (is_of_bot(name), *name));
    names.into_iter().filter_map(|(name, values)| Table::of(name, values, bots)).collect()
}

fn is_of_bot(name: &str) -> bool {
    name.starts_with(NumberRecord::OF_BOT)
}

impl Table {
    fn of(
        name: &str,
        mut values: HashMap<&str, Vec<f64>>,
        bots: &[(String, Option<String>)],
    ) -> Option<Self> {
        let all = values.len();
        let counted: Vec<_> = bots
            .iter()
            .filter_map(|(bot, page)| {
                let mut values = values.remove(bot.as_str())?;
                values.sort_by(f64::total_cmp);
                Some((bot, page, values))
            })
            .take(BOTS)
            .collect();
        let scale = Scale::of(counted.iter().flat_map(|(_, _, values)| values).copied())?;
        let rows = counted.iter().filter_map(|(bot, page, values)| {
            let mut row = Row::of(values, scale)?;
            (row.bot, row.page) = (text::public(bot), (*page).clone());
            Some(row)
        });
        let rows: Vec<_> = rows.collect();
        Some(Self {
            name: text::public(name),
            of: if is_of_bot(name) { "mean of each bout" } else { "at the end of each bout" },
            low: shown(scale.low),
            high: shown(scale.high),
            more: all - rows.len(),
            rows,
        })
    }
}

impl Row {
    /// Makes the row of sorted values.
    fn of(values: &[f64], scale: Scale) -> Option<Self> {
        let Quartiles { least, lower, median, upper, most } = Quartiles::of(values)?;
        let x = |value: f64| 2.0 + (WIDTH - 4.0) * scale.share(value);
        Some(Self {
            bot: String::new(),
            page: None,
            line: format!("M{:.1} 10H{:.1}", x(least), x(most)),
            left: format!("{:.1}", x(lower)),
            // A box without width is still seen.
            width: format!("{:.1}", (x(upper) - x(lower)).max(1.0)),
            middle: format!("{:.1}", x(median)),
            median: shown(median),
            lower: shown(lower),
            upper: shown(upper),
            least: shown(least),
            most: shown(most),
            bouts: values.len(),
        })
    }
}

impl Quartiles {
    /// Returns those of sorted values, between two of which one is found in proportion.
    fn of(values: &[f64]) -> Option<Self> {
        let at = |share: f64| {
            #[expect(clippy::cast_precision_loss, reason = "no event has 2^53 bouts")]
            let place = share * (values.len() - 1) as f64;
            let (below, part) = (place.floor(), place.fract());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is a place in the list"
            )]
            let below = below as usize;
            let one = values[below];
            let other = values.get(below + 1).copied().unwrap_or(one);
            one * (1.0 - part) + other * part
        };
        Some(Self {
            least: *values.first()?,
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
            most: *values.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use joust_model::{Finite, NumberSource};

    use super::*;

    fn counted(bot: &str, source: NumberSource, values: &[f64]) -> BotNumbers {
        let record = |value: &f64| NumberRecord {
            round: 0,
            seat: 0,
            source,
            name: "hits".to_owned(),
            value: Finite::new(*value).expect("it is finite"),
        };
        let records: Vec<_> = values.iter().map(record).collect();
        BotNumbers { bot: bot.to_owned(), numbers: SeatNumbers::of(&records, 0) }
    }

    #[test]
    fn a_bot_s_row_has_median_quartiles_ends_and_bouts() {
        let ends = [0.0, 1.0, 2.0, 3.0, 4.0];
        let numbers: Vec<_> =
            ends.iter().map(|end| counted("ann", NumberSource::Referee, &[99.0, *end])).collect();
        let tables = tables(&numbers, &[("ann".to_owned(), None)]);
        let [table] = &tables[..] else { panic!("there is one name") };
        assert_eq!((&*table.name, &*table.low, &*table.high), ("hits", "0", "4"));
        let row = &table.rows[0];
        let shown = [&row.least, &row.lower, &row.median, &row.upper, &row.most];
        assert_eq!(shown, ["0", "1", "2", "3", "4"]);
        assert_eq!((row.bouts, &*row.line, &*row.middle), (5, "M2.0 10H198.0", "100.0"));
        assert_eq!((&*row.left, &*row.width), ("51.0", "98.0"));
    }

    #[test]
    fn of_what_bots_say_of_themselves_the_mean_of_a_bout_is_taken() {
        let numbers = [counted("ann", NumberSource::Bot, &[1.0, 3.0])];
        let tables = tables(&numbers, &[("ann".to_owned(), None)]);
        assert_eq!((&*tables[0].name, &*tables[0].rows[0].median), ("bot.hits", "2"));
    }

    #[test]
    fn of_a_big_field_the_best_placed_are_drawn() {
        let names: Vec<String> = (0..40).map(|number| format!("bot {number:02}")).collect();
        let numbers: Vec<_> =
            names.iter().map(|name| counted(name, NumberSource::Referee, &[1.0])).collect();
        let bots: Vec<_> = names.into_iter().rev().map(|name| (name, None)).collect();
        let tables = tables(&numbers, &bots);
        assert_eq!((tables[0].rows.len(), tables[0].more), (30, 10));
        assert_eq!(tables[0].rows[0].bot, "bot 39");
    }
}

//! Spread of numbers over all bouts of an event: for each name a row for each bot, with median,
//! quartiles, ends and the number of bouts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::{AxisScale, shown};
use joust_model::{NumberRecord, SeatNumbers};

/// The most bots of a table: the best placed.
const BOTS: usize = 30;

/// Points from one end of a plot to the other.
const WIDTH: f64 = 200.0;

/// Numbers counted for the bots of an event. Only those that are drawn are kept: each seat is
/// noticed first, then the values of the best placed bots are taken.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// The place of each bot that plays.
    places: HashMap<String, usize>,
    names: BTreeMap<String, NamedSpread>,
}

/// Values counted under a name.
#[derive(Clone, Debug, Default)]
struct NamedSpread {
    /// Places of the bots that have a value.
    counted: BTreeSet<usize>,
    /// Bots without a place that have a value.
    others: BTreeSet<String>,
    /// The values of the bots that are drawn, by place.
    values: BTreeMap<usize, Vec<f64>>,
}

impl Numbers {
    /// Makes an empty collection for these bots, the best placed first.
    pub(in crate::site) fn of<'a>(bots: impl Iterator<Item = &'a str>) -> Self {
        let places = bots.map(str::to_owned).zip(0..).collect();
        Self { places, names: BTreeMap::new() }
    }

    /// Notices the names of a bot's numbers.
    pub fn notice(&mut self, bot: &str, numbers: &SeatNumbers) {
        for name in numbers.0.keys() {
            if !self.names.contains_key(name) {
                self.names.insert(name.clone(), NamedSpread::default());
            }
            let Some(named) = self.names.get_mut(name) else { continue };
            match self.places.get(bot) {
                Some(place) => _ = named.counted.insert(*place),
                None if named.others.contains(bot) => {}
                None => _ = named.others.insert(bot.to_owned()),
            }
        }
    }

    /// Returns whether anything was counted.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Selects the bots whose values are taken, after all seats were noticed.
    pub fn choose(&mut self) {
        for named in self.names.values_mut() {
            named.values = named.counted.iter().take(BOTS).map(|it| (*it, Vec::new())).collect();
        }
    }

    /// Takes those of a bot's numbers in a bout that are drawn.
    pub fn take(&mut self, bot: &str, numbers: &SeatNumbers) {
        let Some(place) = self.places.get(bot) else { return };
        for (name, summary) in &numbers.0 {
            let value = if is_of_bot(name) { summary.mean } else { summary.last };
            let named = self.names.get_mut(name);
            if let Some(values) = named.and_then(|named| named.values.get_mut(place)) {
                values.push(value.get());
            }
        }
    }
}

/// The table of one name. Lengths are in pictures 200 wide, 20 high.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(in crate::site) struct SpreadTable {
    name: String,
    /// Choice of the value of each bout.
    of: &'static str,
    low: String,
    high: String,
    rows: Vec<SpreadRow>,
    /// Number of bots that are left out.
    more: usize,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct SpreadRow {
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

/// Draws the numbers of an event. Its bots are given with their pages, the best placed first.
pub(in crate::site) fn tables(
    numbers: &Numbers,
    bots: &[(String, Option<String>)],
) -> Vec<SpreadTable> {
    let mut names: Vec<_> = numbers.names.iter().collect();
    // The referee's numbers come first.
    names.sort_by_key(|(name, _)| (is_of_bot(name), *name));
    names.into_iter().filter_map(|(name, named)| SpreadTable::of(name, named, bots)).collect()
}

fn is_of_bot(name: &str) -> bool {
    name.starts_with(NumberRecord::OF_BOT)
}

impl SpreadTable {
    fn of(name: &str, named: &NamedSpread, bots: &[(String, Option<String>)]) -> Option<Self> {
        let all = named.counted.len() + named.others.len();
        let drawn = named.values.iter().filter_map(|(place, values)| {
            let (mut values, (bot, page)) = (values.clone(), bots.get(*place)?);
            values.sort_by(f64::total_cmp);
            Some((bot, page, values))
        });
        let counted: Vec<_> = drawn.collect();
        let scale = AxisScale::of(counted.iter().flat_map(|(_, _, values)| values).copied())?;
        let rows = counted.iter().filter(|(.., values)| !values.is_empty());
        let rows = rows.map(|(bot, page, values)| SpreadRow {
            bot: (*bot).clone(),
            page: (*page).clone(),
            ..SpreadRow::of(values, scale)
        });
        let rows: Vec<_> = rows.collect();
        Some(Self {
            name: name.to_owned(),
            of: if is_of_bot(name) { "mean of each bout" } else { "at the end of each bout" },
            low: shown(scale.low),
            high: shown(scale.high),
            more: all - rows.len(),
            rows,
        })
    }
}

impl SpreadRow {
    /// Makes the row of a bot from its sorted values, at least one.
    fn of(values: &[f64], scale: AxisScale) -> Self {
        let quarters = [0.0, 0.25, 0.5, 0.75, 1.0];
        let [least, lower, median, upper, most] = quarters.map(|share| quantile(values, share));
        let x = |value: f64| 2.0 + (WIDTH - 4.0) * scale.share(value);
        Self {
            line: format!("M{:.1} 10H{:.1}", x(least), x(most)),
            left: format!("{:.1}", x(lower)),
            // A box without width must stay visible.
            width: format!("{:.1}", (x(upper) - x(lower)).max(1.0)),
            middle: format!("{:.1}", x(median)),
            median: shown(median),
            lower: shown(lower),
            upper: shown(upper),
            least: shown(least),
            most: shown(most),
            bouts: values.len(),
            ..Self::default()
        }
    }
}

/// Returns a quantile of sorted values; one between two values is interpolated.
fn quantile(values: &[f64], share: f64) -> f64 {
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
}

#[cfg(test)]
mod tests {
    use joust_model::{Finite, NumberSource};

    use super::*;

    fn counted(source: NumberSource, values: &[f64]) -> SeatNumbers {
        let record = |value: &f64| NumberRecord {
            round: 0,
            seat: 0,
            source,
            name: "hits".to_owned(),
            value: Finite::new(*value).expect("it is finite"),
        };
        let records: Vec<_> = values.iter().map(record).collect();
        SeatNumbers::of(&records, 0)
    }

    /// Makes the tables of some bots, the best placed first, from the numbers of seats.
    fn tables_of(bots: &[&str], seats: &[(&str, SeatNumbers)]) -> Vec<SpreadTable> {
        let mut numbers = Numbers::of(bots.iter().copied());
        seats.iter().for_each(|(bot, seat)| numbers.notice(bot, seat));
        numbers.choose();
        seats.iter().for_each(|(bot, seat)| numbers.take(bot, seat));
        let bots: Vec<_> = bots.iter().map(|bot| ((*bot).to_owned(), None)).collect();
        tables(&numbers, &bots)
    }

    #[test]
    fn a_bot_s_row_has_median_quartiles_ends_and_bouts() {
        let ends = [0.0, 1.0, 2.0, 3.0, 4.0];
        let seats = ends.map(|end| ("ann", counted(NumberSource::Referee, &[99.0, end])));
        let tables = tables_of(&["ann"], &seats);
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
        let tables = tables_of(&["ann"], &[("ann", counted(NumberSource::Bot, &[1.0, 3.0]))]);
        assert_eq!((&*tables[0].name, &*tables[0].rows[0].median), ("bot.hits", "2"));
    }

    #[test]
    fn of_a_big_field_the_best_placed_are_drawn_and_no_value_of_the_others_is_kept() {
        let names: Vec<String> = (0..40).rev().map(|number| format!("bot {number:02}")).collect();
        let bots: Vec<&str> = names.iter().map(String::as_str).collect();
        let seats: Vec<_> =
            bots.iter().skip(1).map(|bot| (*bot, counted(NumberSource::Referee, &[1.0]))).collect();
        let tables = tables_of(&bots, &seats);
        assert_eq!((tables[0].rows.len(), tables[0].more), (30, 9));
        assert_eq!((&*tables[0].rows[0].bot, &*tables[0].rows[29].bot), ("bot 38", "bot 09"));
        let mut numbers = Numbers::of(bots.iter().copied());
        seats.iter().for_each(|(bot, seat)| numbers.notice(bot, seat));
        numbers.choose();
        (0..3).for_each(|_| seats.iter().for_each(|(bot, seat)| numbers.take(bot, seat)));
        assert_eq!(numbers.names["hits"].values.values().map(Vec::len).sum::<usize>(), 30 * 3);
    }
}

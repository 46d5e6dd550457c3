//! Course of numbers over a bout: a chart for each name, with a line for each seat.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::{AxisScale, shown};
use joust_model::{StoredBout, TurnLog, TurnLogError};

const WIDTH: f64 = 400.0;
const TOP: f64 = 6.0;
const HEIGHT: f64 = 96.0;

/// The most points of a line; of more, the largest and the smallest of each stretch are drawn.
const POINTS: usize = 800;

/// Number of colours of seats; later seats reuse them.
const COLOURS: u8 = 12;

/// The chart of one name. Lengths are in a picture 400 wide, 120 high.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(in crate::site) struct Chart {
    name: String,
    /// The largest and the smallest value.
    high: String,
    low: String,
    /// The rounds at both ends.
    first: u32,
    last: u32,
    lines: Vec<SeatLine>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct SeatLine {
    seat: u8,
    bot: String,
    colour: u8,
    path: String,
    /// The value at the end.
    end: String,
}

/// Values of a seat by the round they belong to.
type Points = Vec<(u32, f64)>;

/// Draws the numbers of a bout; those of the referee first.
pub(in crate::site) fn charts(stored: &StoredBout) -> Result<Vec<Chart>, TurnLogError> {
    let numbers = TurnLog::read_numbers(&stored.result.turn_log)?;
    let mut names: BTreeMap<_, BTreeMap<u8, Points>> = BTreeMap::new();
    for number in numbers {
        let point = (number.after(), number.value.get());
        let seats = names.entry((number.source, number.label())).or_default();
        seats.entry(number.seat).or_default().push(point);
    }
    let bot = |seat: u8| {
        let seat = stored.plan.seats.get(usize::from(seat));
        seat.map(|seat| seat.bot.clone()).unwrap_or_default()
    };
    let chart =
        |((_, name), seats): ((_, String), BTreeMap<u8, Points>)| Chart::of(&name, &seats, &bot);
    Ok(names.into_iter().filter_map(chart).collect())
}

impl Chart {
    fn of(name: &str, seats: &BTreeMap<u8, Points>, bot: &dyn Fn(u8) -> String) -> Option<Self> {
        let points = || seats.values().flatten();
        let values = AxisScale::of(points().map(|(_, value)| *value))?;
        let (first, last) = (points().map(|one| one.0).min()?, points().map(|one| one.0).max()?);
        let rounds = AxisScale { low: first.into(), high: last.into() };
        let line = |(seat, points): (&u8, &Points)| SeatLine {
            seat: *seat,
            bot: bot(*seat),
            colour: seat % COLOURS,
            path: path(&thinned(points), rounds, values),
            end: points.last().map(|(_, value)| shown(*value)).unwrap_or_default(),
        };
        Some(Self {
            name: name.to_owned(),
            high: shown(values.high),
            low: shown(values.low),
            first,
            last,
            lines: seats.iter().map(line).collect(),
        })
    }
}

/// Draws points as a line; a single point becomes a short, visible line.
fn path(points: &[(u32, f64)], rounds: AxisScale, values: AxisScale) -> String {
    let mut path = String::new();
    for (round, value) in points {
        let x = WIDTH * rounds.share((*round).into());
        let y = TOP + HEIGHT * (1.0 - values.share(*value));
        let word = if path.is_empty() { 'M' } else { 'L' };
        write!(path, "{word}{x:.1} {y:.1}").expect("a text takes all that is written");
    }
    if points.len() == 1 {
        path += "h3";
    }
    path
}

/// Keeps only the smallest and the largest value of each stretch of a line that has too many
/// points.
fn thinned(points: &[(u32, f64)]) -> Points {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(POINTS / 2);
    let ends = |points: &[(u32, f64)]| {
        let by_value = |a: &&(u32, f64), b: &&(u32, f64)| a.1.total_cmp(&b.1);
        let mut ends: Points = [points.iter().min_by(by_value), points.iter().max_by(by_value)]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        ends.sort_by_key(|(round, _)| *round);
        ends
    };
    points.chunks(stretch).flat_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(seats: BTreeMap<u8, Points>) -> Chart {
        Chart::of("captures", &seats, &|seat| format!("bot {seat}")).expect("there are points")
    }

    #[test]
    fn each_seat_has_a_line_from_the_first_round_to_the_last() {
        let chart = chart([(0, vec![(0, 0.0), (2, 4.0)]), (13, vec![(1, 2.0)])].into());
        assert_eq!((chart.high.as_str(), chart.low.as_str()), ("4", "0"));
        assert_eq!((chart.first, chart.last), (0, 2));
        assert_eq!(chart.lines[0].path, "M0.0 102.0L400.0 6.0");
        assert_eq!(chart.lines[1].path, "M200.0 54.0h3");
        assert_eq!((chart.lines[1].seat, chart.lines[1].colour), (13, 1));
        assert_eq!((&*chart.lines[1].bot, &*chart.lines[0].end), ("bot 13", "4"));
    }

    #[test]
    fn a_long_line_keeps_its_peaks() {
        let mut points: Points = (0..100_000).map(|round| (round, 0.0)).collect();
        points[77_777].1 = 9.0;
        let thinned = thinned(&points);
        assert!(thinned.len() <= POINTS);
        assert!(thinned.contains(&(77_777, 9.0)));
    }
}

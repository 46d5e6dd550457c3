//! The ratings of a big field as one curve: from the best to the last, with
//! their intervals.

use std::fmt::Write;

use serde::Serialize;

use super::EventSite;
use super::rating::{Rating, signed};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;

/// A curve as a page shows it. Lengths are in a picture 1000 wide, 200 high.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    /// The line of the ratings.
    line: String,
    /// The area of the intervals.
    area: String,
    /// Lines across, each with its rating.
    levels: Vec<Level>,
    best: String,
    middle: String,
    last: String,
    bots: usize,
    unit: &'static str,
}

#[derive(Debug, Serialize)]
struct Level {
    y: String,
    text: String,
}

/// Returns the curve of an event whose ratings are too many to compare in a
/// table; `None` when fewer than three bots are rated.
pub(super) fn of(event: &EventSite) -> Option<Curve> {
    let rated = (0..event.standings.playing().len()).filter_map(|place| event.rating(place));
    let mut ratings: Vec<_> = rated.collect();
    ratings.sort_by(|one, other| other.value.total_cmp(&one.value));
    (ratings.len() >= 3).then(|| draw(&ratings, event.ratings.unit(), event.ratings.decimals()))
}

fn draw(ratings: &[Rating], unit: &'static str, decimals: usize) -> Curve {
    let low = ratings.iter().map(|one| one.low).fold(f64::INFINITY, f64::min);
    let high = ratings.iter().map(|one| one.high).fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(1.0);
    let y = |value: f64| HEIGHT - HEIGHT * (value - low) / span;
    let value = |rating: &Rating| signed(rating.value, decimals);
    let (tops, bottoms) = (|one: &Rating| y(one.high), |one: &Rating| y(one.low));
    let area = path(ratings.iter().enumerate(), ratings.len(), tops)
        + &path(ratings.iter().enumerate().rev(), ratings.len(), bottoms).replace('M', "L")
        + "z";
    Curve {
        line: path(ratings.iter().enumerate(), ratings.len(), |one| y(one.value)),
        area,
        levels: levels(low, high, decimals, y),
        best: value(&ratings[0]),
        middle: value(&ratings[ratings.len() / 2]),
        last: value(&ratings[ratings.len() - 1]),
        bots: ratings.len(),
        unit,
    }
}

fn path<'a>(
    ratings: impl Iterator<Item = (usize, &'a Rating)>,
    count: usize,
    y: impl Fn(&Rating) -> f64,
) -> String {
    let mut path = String::new();
    for (place, rating) in ratings {
        let x = WIDTH * to_f64(place) / to_f64(count - 1);
        let word = if path.is_empty() { 'M' } else { 'L' };
        write!(path, "{word}{x:.0} {:.1}", y(rating)).expect("a text takes all that is written");
    }
    path
}

/// Round numbers between both ends, at most six.
fn levels(low: f64, high: f64, decimals: usize, y: impl Fn(f64) -> f64) -> Vec<Level> {
    let rough = ((high - low) / 5.0).max(0.1);
    let power = 10_f64.powf(rough.log10().floor());
    let fits = |times: &&f64| **times * power >= rough;
    let step = power * [1.0, 2.0, 5.0, 10.0].iter().find(fits).copied().unwrap_or(10.0);
    let mut levels = Vec::new();
    let mut at = (low / step).ceil() * step;
    while at <= high && levels.len() < 8 {
        levels.push(Level { y: format!("{:.1}", y(at)), text: signed(at, decimals) });
        at += step;
    }
    levels
}

#[expect(clippy::cast_precision_loss, reason = "no field has 2^53 bots")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_stays_inside_and_falls() {
        let rating = |value: f64| Rating { value, low: value - 50.0, high: value + 50.0 };
        let curve = draw(&[300.0, 100.0, -250.0].map(rating), "Elo", 0);
        assert_eq!(curve.line, "M0 15.4L500 76.9L1000 184.6");
        assert!(
            curve.area.starts_with("M0 0.0L") && curve.area.ends_with("L0 30.8z"),
            "{}",
            curve.area
        );
        let texts: Vec<_> = curve.levels.iter().map(|level| level.text.as_str()).collect();
        assert_eq!(texts, ["−200", "0", "200"]);
        assert_eq!((curve.best.as_str(), curve.last.as_str()), ("300", "−250"));
    }

    #[test]
    fn equal_ratings_have_a_curve_too() {
        let level = Rating { value: 0.0, low: 0.0, high: 0.0 };
        let curve = draw(&[level; 3], "Elo", 0);
        assert!(!curve.line.contains("NaN") && curve.levels.len() == 1);
    }
}

//! The ratings of a big field as one curve: from the best to the last, with
//! their intervals.

use serde::Serialize;

use super::EventSite;
use super::rating::{Rating, RatingScale, signed};

/// A curve as a page shows it. Lengths are in a picture 1000 wide, 200 high.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    /// The line of the ratings.
    line: String,
    /// The area of the intervals.
    area: String,
    /// Height of zero, if it is on the scale.
    zero: Option<String>,
    best: String,
    middle: String,
    last: String,
    bots: usize,
    unit: &'static str,
}

/// Returns the curve of an event whose ratings are too many to compare in a
/// table; `None` when fewer than three bots are rated.
pub(super) fn of(event: &EventSite) -> Option<Curve> {
    let rated = (0..event.standings.playing().len()).filter_map(|place| event.rating(place));
    let mut ratings: Vec<_> = rated.collect();
    ratings.sort_by(|one, other| other.value.total_cmp(&one.value));
    draw(&ratings, event.ratings.unit(), event.ratings.decimals())
}

fn draw(ratings: &[Rating], unit: &'static str, decimals: usize) -> Option<Curve> {
    let scale =
        RatingScale::of(ratings.iter().copied(), decimals).filter(|_| ratings.len() >= 3)?;
    let height = |value: f64| format!("{:.1}", 200.0 - 2.0 * scale.position(value));
    let points = |value: fn(&Rating) -> f64| -> Vec<String> {
        let across = |place: usize| 1000.0 * place as f64 / (ratings.len() - 1) as f64;
        let all = ratings.iter().enumerate();
        all.map(|(place, one)| format!("{:.0} {}", across(place), height(value(one)))).collect()
    };
    let mut around = points(|one| one.high);
    around.extend(points(|one| one.low).into_iter().rev());
    let words = |place: usize| signed(ratings[place].value, decimals);
    Some(Curve {
        line: format!("M{}", points(|one| one.value).join("L")),
        area: format!("M{}z", around.join("L")),
        zero: scale.zero().map(|_| height(0.0)),
        best: words(0),
        middle: words(ratings.len() / 2),
        last: words(ratings.len() - 1),
        bots: ratings.len(),
        unit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_stays_inside_and_falls() {
        let rating = |value: f64| Rating { value, low: value - 50.0, high: value + 50.0 };
        let curve = draw(&[300.0, 100.0, -250.0].map(rating), "Elo", 0).expect("three");
        assert_eq!(curve.line, "M0 15.4L500 76.9L1000 184.6");
        assert!(
            curve.area.starts_with("M0 0.0L") && curve.area.ends_with("L0 30.8z"),
            "{}",
            curve.area
        );
        assert_eq!(curve.zero.as_deref(), Some("107.7"));
        assert_eq!((curve.best.as_str(), curve.last.as_str()), ("300", "−250"));
    }

    #[test]
    fn equal_ratings_have_a_curve_too() {
        let level = Rating { value: 0.0, low: 0.0, high: 0.0 };
        let curve = draw(&[level; 3], "Elo", 0).expect("three");
        assert!(!curve.line.contains("NaN"));
        assert!(draw(&[level; 2], "Elo", 0).is_none());
    }
}

//! Ratings with their intervals, as numbers and as places on a common scale.

use serde::Serialize;

/// A rating in Elo, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rating {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A common scale for ratings: 0 to 100 from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

/// A rating as a table shows it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Plotted {
    value: String,
    plus_minus: String,
    low: String,
    high: String,
    x: String,
    x_low: String,
    x_high: String,
}

impl Scale {
    /// Returns the scale on which all of `ratings` are; `None` when there are
    /// none.
    pub(super) fn of(ratings: impl Iterator<Item = Rating>) -> Option<Self> {
        let mut scale: Option<Self> = None;
        for rating in ratings {
            let (low, high) = (rating.low.min(rating.value), rating.high.max(rating.value));
            scale = Some(scale.map_or(Self { low, high }, |scale| Self {
                low: scale.low.min(low),
                high: scale.high.max(high),
            }));
        }
        scale.map(|scale| Self { low: scale.low, high: scale.high.max(scale.low + 1.0) })
    }

    /// Returns where a number is.
    fn place(self, value: f64) -> String {
        format!("{:.1}", 100.0 * (value - self.low) / (self.high - self.low))
    }

    /// Returns where zero is, when it is on the scale.
    pub(super) fn zero(self) -> Option<String> {
        (self.low < 0.0 && self.high > 0.0).then(|| self.place(0.0))
    }

    /// Returns both ends in words.
    pub(super) fn ends(self) -> [String; 2] {
        [signed(self.low), signed(self.high)]
    }

    /// Returns a rating on this scale.
    pub(super) fn plot(self, rating: Rating) -> Plotted {
        let half = (rating.high - rating.low) / 2.0;
        Plotted {
            value: signed(rating.value),
            plus_minus: format!("{half:.0}"),
            low: signed(rating.low),
            high: signed(rating.high),
            x: self.place(rating.value),
            x_low: self.place(rating.low),
            x_high: self.place(rating.high),
        }
    }
}

/// Returns a whole number with a true minus sign.
pub(super) fn signed(value: f64) -> String {
    let shown = format!("{:.0}", value.abs());
    if value < 0.0 && shown != "0" { format!("−{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_holds_every_interval() {
        let ratings = [(-100.0, -150.0, -50.0), (40.0, 10.0, 250.0)];
        let ratings = ratings.map(|(value, low, high)| Rating { value, low, high });
        let scale = Scale::of(ratings.into_iter()).expect("there are ratings");
        assert_eq!(scale.ends(), ["−150", "250"]);
        assert_eq!(scale.zero().as_deref(), Some("37.5"));
        let plotted = scale.plot(ratings[1]);
        assert_eq!((plotted.x_low.as_str(), plotted.x_high.as_str()), ("40.0", "100.0"));
        assert_eq!((plotted.value.as_str(), plotted.plus_minus.as_str()), ("40", "120"));
    }

    #[test]
    fn one_rating_without_an_interval_has_a_scale_too() {
        let only = Rating { value: 0.0, low: 0.0, high: 0.0 };
        let scale = Scale::of([only].into_iter()).expect("there is one");
        assert_eq!(scale.plot(only).x, "0.0");
        assert!(Scale::of(std::iter::empty()).is_none());
    }

    #[test]
    fn no_number_is_minus_nought() {
        assert_eq!(signed(-0.3), "0");
        assert_eq!(signed(-12.4), "−12");
    }
}

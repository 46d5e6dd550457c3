//! Ratings with their intervals, as numbers and as places on a common scale.

use serde::Serialize;

use super::numbers::AxisScale;

use joust_standings::ratings::event::{EventRatings, Model, Note};

/// The ratings of an event, in the order of the rows that play.
#[derive(Debug)]
pub(super) struct Ratings {
    all: EventRatings,
    /// Remarks on the ratings.
    pub(super) notes: Vec<String>,
}

impl Ratings {
    pub(super) fn of(all: EventRatings) -> Self {
        let mut notes = vec![format!("Ratings are {}.", all.model.text())];
        notes.extend(all.notes.iter().map(note));
        if all.rows.iter().all(|row| row.rating.is_none()) {
            notes.clear();
        }
        Self { all, notes }
    }

    /// Returns all ratings.
    pub(super) fn all(&self) -> &EventRatings {
        &self.all
    }

    /// Returns the rating of the bot at `place`; `None` without a bout.
    pub(super) fn at(&self, place: usize) -> Option<Rating> {
        let row = self.all.rows.get(place)?;
        Some(Rating { value: row.rating?, low: row.low?, high: row.high? })
    }

    /// Returns the probability that one bot is stronger than another, in percent.
    pub(super) fn superiority(&self, one: usize, other: usize) -> Option<String> {
        let rated = self.all.rows.len();
        let share = (one < rated && other < rated).then(|| self.all.superiority(one, other))??;
        Some(match share * 100.0 {
            percent if percent < 1.0 => "under 1 %".to_owned(),
            percent if percent > 99.0 => "over 99 %".to_owned(),
            percent => format!("{percent:.0} %"),
        })
    }

    /// Returns the unit in words.
    pub(super) fn unit(&self) -> &'static str {
        match self.all.model {
            Model::BradleyTerry => "Elo",
            Model::Skill(_) => "skill",
        }
    }

    /// Returns the number of decimals that are significant in a rating.
    pub(super) fn decimals(&self) -> usize {
        usize::from(matches!(self.all.model, Model::Skill(_)))
    }
}

/// Returns a note, with the first bots that it concerns.
fn note(note: &Note) -> String {
    const NAMED: usize = 8;
    let named: Vec<_> = note.bots.iter().take(NAMED).map(String::as_str).collect();
    let more = note.bots.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let bots =
        if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) };
    let mut text = format!("{}{bots}.", note.text);
    if let Some(first) = text.get(..1) {
        text.replace_range(..1, &first.to_uppercase());
    }
    text
}

/// A rating with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Rating {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A common scale for ratings: 0 to 100 from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatingScale {
    axis: AxisScale,
    decimals: usize,
}

/// A rating as a table shows it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Plotted {
    value: String,
    plus_minus: String,
    sort: f64,
    x: String,
    x_low: String,
    x_high: String,
}

impl RatingScale {
    /// Returns the scale that contains all of `ratings`; `None` when there are none.
    pub(super) fn of(ratings: impl Iterator<Item = Rating>, decimals: usize) -> Option<Self> {
        let ends = ratings.flat_map(|one| [one.low.min(one.value), one.high.max(one.value)]);
        let AxisScale { low, high } = AxisScale::of(ends)?;
        Some(Self { axis: AxisScale { low, high: high.max(low + 1.0) }, decimals })
    }

    /// Returns the position of a number as text.
    fn place(self, value: f64) -> String {
        format!("{:.1}", self.position(value))
    }

    /// Returns the position of a number, from 0 to 100.
    pub(super) fn position(self, value: f64) -> f64 {
        100.0 * self.axis.share(value)
    }

    /// Returns the position of zero, when it is on the scale.
    pub(super) fn zero(self) -> Option<String> {
        (self.axis.low < 0.0 && self.axis.high > 0.0).then(|| self.place(0.0))
    }

    /// Returns both ends in words.
    pub(super) fn ends(self) -> [String; 2] {
        [self.axis.low, self.axis.high].map(|end| signed(end, self.decimals))
    }

    /// Returns a rating on this scale.
    pub(super) fn plot(self, rating: Rating) -> Plotted {
        let half = (rating.high - rating.low) / 2.0;
        Plotted {
            value: signed(rating.value, self.decimals),
            plus_minus: signed(half, self.decimals),
            sort: rating.value,
            x: self.place(rating.value),
            x_low: self.place(rating.low),
            x_high: self.place(rating.high),
        }
    }
}

/// Returns a number with this many decimals and a true minus sign.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let shown = format!("{:.decimals$}", value.abs());
    let is_nought = shown.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_nought { format!("−{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_holds_every_interval() {
        let ratings = [(-100.0, -150.0, -50.0), (40.0, 10.0, 250.0)];
        let ratings = ratings.map(|(value, low, high)| Rating { value, low, high });
        let scale = RatingScale::of(ratings.into_iter(), 0).expect("there are ratings");
        assert_eq!(scale.ends(), ["−150", "250"]);
        assert_eq!(scale.zero().as_deref(), Some("37.5"));
        let plotted = scale.plot(ratings[1]);
        assert_eq!((plotted.x_low.as_str(), plotted.x_high.as_str()), ("40.0", "100.0"));
        assert_eq!((plotted.value.as_str(), plotted.plus_minus.as_str()), ("40", "120"));
    }

    #[test]
    fn one_rating_without_an_interval_has_a_scale_too() {
        let only = Rating { value: 0.0, low: 0.0, high: 0.0 };
        let scale = RatingScale::of([only].into_iter(), 1).expect("there is one");
        assert_eq!(scale.plot(only).x, "0.0");
        assert!(RatingScale::of(std::iter::empty(), 0).is_none());
    }

    #[test]
    fn no_number_is_minus_nought() {
        assert_eq!([signed(-0.3, 0), signed(-0.04, 1)], ["0", "0.0"]);
        assert_eq!([signed(-12.4, 0), signed(25.06, 1)], ["−12", "25.1"]);
    }
}

//! Charts of numbers that referees count and bots report themselves: turn by turn in a bout
//! ([`line_charts`]) and over all bouts of an event ([`spread`]).

pub(super) mod line_charts;
pub(super) mod spread;

/// Scale of a chart: the values from one end to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisScale {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl AxisScale {
    /// Makes the scale that has all these values; `None` without any.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values = values.peekable();
        values.peek()?;
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        Some(Self { low, high })
    }

    /// Returns where a value is, from 0 to 1; in the middle where all are equal.
    pub(super) fn share(self, value: f64) -> f64 {
        // Halves, because the difference of the largest numbers is none.
        let span = self.high / 2.0 - self.low / 2.0;
        if span > 0.0 { (value / 2.0 - self.low / 2.0) / span } else { 0.5 }
    }
}

/// Returns a value as people read it: not more digits than are of use.
fn shown(value: f64) -> String {
    let size = value.abs();
    let text = if size != 0.0 && !(1e-4..1e15).contains(&size) {
        format!("{value:.2e}")
    } else if value.fract() == 0.0 {
        format!("{value}")
    } else {
        let decimals = if size >= 100.0 {
            1
        } else if size >= 1.0 {
            2
        } else {
            4
        };
        let text = format!("{value:.decimals$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_scale_are_its_smallest_and_largest_value() {
        let scale = AxisScale::of([3.0, -1.0, 1.0].into_iter()).expect("there are values");
        assert_eq!([-1.0, 1.0, 3.0].map(|value| scale.share(value)), [0.0, 0.5, 1.0]);
        assert_eq!(AxisScale::of(std::iter::empty()), None);
    }

    #[test]
    fn a_scale_of_one_value_or_of_the_largest_has_no_hole() {
        let scale = AxisScale::of([5.0].into_iter()).expect("there is one");
        assert_eq!(scale.share(5.0), 0.5);
        let scale = AxisScale::of([f64::MIN, f64::MAX].into_iter()).expect("there are two");
        assert_eq!([f64::MIN, 0.0, f64::MAX].map(|value| scale.share(value)), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn values_have_as_many_digits_as_are_of_use() {
        let values = [0.0, -3.0, 1.0 / 3.0, 12.5, 1234.567, 1e300, 2e-9];
        let texts = ["0", "−3", "0.3333", "12.5", "1234.6", "1.00e300", "2.00e−9"];
        assert_eq!(values.map(shown), texts);
    }
}

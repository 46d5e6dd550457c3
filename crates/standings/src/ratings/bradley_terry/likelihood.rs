//! Slope of the likelihood of results, and the parts of its information matrix.

use super::results::{Meeting, Results};
use crate::ratings::Outcomes;

/// First and second derivatives of minus the logarithm of the likelihood, by each rating in log
/// odds.
pub(super) struct Slope {
    /// Expected points minus real ones.
    pub(super) gradient: Vec<f64>,
    /// Diagonal of the information matrix.
    pub(super) curvature: Vec<f64>,
}

impl Slope {
    /// Returns the slope at some ratings, in one pass over the meetings.
    pub(super) fn at(results: &Results, ratings: &[f64]) -> Self {
        let mut slope =
            Self { gradient: vec![0.0; ratings.len()], curvature: vec![0.0; ratings.len()] };
        for meeting in &results.meetings {
            let [one, other] = meeting.bots;
            let (points, bouts) = meeting.points();
            let [win, loss] = chances_of(meeting, ratings);
            let excess = bouts * win - points;
            let curvature = bouts * win * loss;
            slope.gradient[one] += excess;
            slope.gradient[other] -= excess;
            slope.curvature[one] += curvature;
            slope.curvature[other] += curvature;
        }
        slope
    }
}

/// Part of a meeting in a matrix over the bots: `weight` times the square of the difference of
/// two ratings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) bots: [usize; 2],
    pub(super) weight: f64,
}

/// Returns the parts of the information matrix.
pub(super) fn information<'a>(
    results: &'a Results,
    ratings: &'a [f64],
) -> impl Iterator<Item = Part> + 'a {
    results.meetings.iter().map(|meeting| {
        let [win, loss] = chances_of(meeting, ratings);
        Part { bots: meeting.bots, weight: meeting.points().1 * win * loss }
    })
}

/// Returns the parts of the covariance of the gradient: the squared residuals of the samples, the
/// two bouts of a mirror pair taken together.
pub(super) fn residuals<'a>(
    results: &'a Results,
    ratings: &'a [f64],
) -> impl Iterator<Item = Part> + 'a {
    results.meetings.iter().map(|meeting| {
        let [win, _] = chances_of(meeting, ratings);
        let Outcomes { wins, draws, losses } = meeting.singles;
        let singles = squares(&[losses, draws, wins], win);
        let pairs = squares(&meeting.pairs.classes(), 2.0 * win);
        Part { bots: meeting.bots, weight: singles + pairs }
    })
}

/// Returns the sum of the squared residuals of samples, which are counted by their half points.
fn squares(counts: &[u64], expected: f64) -> f64 {
    let squares = counts
        .iter()
        .zip(0_u32..)
        .map(|(count, halves)| *count as f64 * (f64::from(halves) / 2.0 - expected).powi(2));
    squares.sum()
}

/// Returns how likely a win and a loss of the first are; neither overflows, and both are exact when
/// they are small.
fn chances_of(meeting: &Meeting, ratings: &[f64]) -> [f64; 2] {
    let [one, other] = meeting.bots;
    let difference = ratings[one] - ratings[other];
    let odds = (-difference.abs()).exp();
    let [likely, unlikely] = [1.0 / (1.0 + odds), odds / (1.0 + odds)];
    if difference >= 0.0 { [likely, unlikely] } else { [unlikely, likely] }
}

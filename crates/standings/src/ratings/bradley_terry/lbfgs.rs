//! Most likely ratings by L-BFGS, which needs a few numbers for each bot and no matrix.
//!
//! Newton's direction is approximated from the last few steps, scaled by the diagonal of the
//! information matrix. The likelihood is concave, so a step is judged by its slope alone: values
//! of the likelihood differ by less than rounding near the top.
//!
//! Source: J. Nocedal and S. J. Wright, *Numerical Optimization* (2006), algorithms 7.4 and 7.5.

use std::collections::VecDeque;

use super::likelihood::Slope;
use super::results::Results;

/// Steps that are remembered.
const MEMORY: usize = 12;

/// Steps at most: some dozens are usual, ten thousand bots in a long chain take thousands.
const MOST_STEPS: usize = 10_000;

/// No rating moves farther in one step at first, in log odds.
const LONGEST_STEP: f64 = 4.0;

/// The fit ends when each bot's expected points are this near to its real ones, as a part of its
/// bouts.
const CLOSE: f64 = 1e-10;

/// A step is long enough when no larger part of the slope is left ahead.
const SLOPE_LEFT: f64 = 0.9;

/// A step is too long when the slope behind it is a larger part of that ahead.
const SLOPE_PASSED: f64 = 0.1;

/// Trials of one step's length.
const MOST_TRIALS: usize = 60;

/// Step that is remembered.
struct Step {
    moved: Vec<f64>,
    bent: Vec<f64>,
    inverse: f64,
}

/// Returns the most likely ratings, in log odds, of results that have a finite fit; others are as
/// far apart as steps took them.
pub(super) fn most_likely(results: &Results) -> Vec<f64> {
    let close: Vec<f64> = results.bouts().iter().map(|bouts| CLOSE * (1 + bouts) as f64).collect();
    let is_close = |slope: &Slope| {
        slope.gradient.iter().zip(&close).all(|(excess, close)| excess.abs() <= *close)
    };
    let mut ratings = vec![0.0; results.bots];
    let mut slope = Slope::at(results, &ratings);
    let mut steps: VecDeque<Step> = VecDeque::with_capacity(MEMORY);
    for _ in 0..MOST_STEPS {
        if is_close(&slope) {
            break;
        }
        let direction = direction(&steps, &slope);
        let Some((next, next_slope)) = walk(results, &ratings, &direction, &slope) else { break };
        let moved = difference(&next, &ratings);
        let bent = difference(&next_slope.gradient, &slope.gradient);
        let bend = product(&moved, &bent);
        if bend > 0.0 {
            steps.truncate(MEMORY - 1);
            steps.push_front(Step { moved, bent, inverse: 1.0 / bend });
        }
        (ratings, slope) = (next, next_slope);
    }
    ratings
}

/// Returns where the likelihood grows fastest, by the measure of the remembered steps, newest
/// first.
fn direction(steps: &VecDeque<Step>, slope: &Slope) -> Vec<f64> {
    let mut direction: Vec<f64> = slope.gradient.iter().map(|excess| -excess).collect();
    let mut along = Vec::with_capacity(steps.len());
    for step in steps {
        let far = step.inverse * product(&step.moved, &direction);
        add(&mut direction, -far, &step.bent);
        along.push(far);
    }
    for (far, curvature) in direction.iter_mut().zip(&slope.curvature) {
        *far = if *curvature > 0.0 { *far / curvature } else { 0.0 };
    }
    for (step, far) in steps.iter().zip(along).rev() {
        let back = step.inverse * product(&step.bent, &direction);
        add(&mut direction, far - back, &step.moved);
    }
    direction
}

/// Goes along a direction until most of the slope is behind; `None` where nothing leads up.
fn walk(
    results: &Results,
    ratings: &[f64],
    direction: &[f64],
    slope: &Slope,
) -> Option<(Vec<f64>, Slope)> {
    let rise = -product(direction, &slope.gradient);
    let longest = direction.iter().map(|far| far.abs()).fold(0.0, f64::max);
    if rise <= 0.0 || !rise.is_finite() || !longest.is_finite() {
        return None;
    }
    let mut part = (LONGEST_STEP / longest).min(1.0);
    let (mut short, mut long) = (0.0, f64::INFINITY);
    for _ in 0..MOST_TRIALS {
        let mut next = ratings.to_vec();
        add(&mut next, part, direction);
        let next_slope = Slope::at(results, &next);
        let left = -product(direction, &next_slope.gradient) / rise;
        if left > SLOPE_LEFT {
            short = part;
        } else if left < -SLOPE_PASSED {
            long = part;
        } else {
            return Some((next, next_slope));
        }
        part = if long.is_finite() { f64::midpoint(short, long) } else { 2.0 * part };
    }
    None
}

fn difference(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one - other).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(sum: &mut [f64], factor: f64, more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += factor * more);
}

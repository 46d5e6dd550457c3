//! Climbing to the most likely ratings by Newton's method.
//!
//! The likelihoods are concave; a step that would make a result less likely is halved.

use super::problem::{Height, Problem};

const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;

/// Steps end when none is longer than this, in log odds.
const CLOSE: f64 = 1e-11;

/// Steps shorter than this that no longer shrink are made of rounding, in log odds.
const SHORT: f64 = 1e-6;

/// No rating moves farther in one step, in log odds.
const LONGEST_STEP: f64 = 4.0;

/// Directions end when the rest is this small a part of the whole.
const RESIDUE: f64 = 1e-12;

impl Problem<'_> {
    /// Climbs to the top from a place; returns where it is, and how high.
    pub(super) fn climb(&self, mut place: Vec<f64>) -> (Vec<f64>, Height) {
        let mut height = self.height(&place);
        let mut before = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut step = self.solve(&height.bends, &height.slopes, RESIDUE);
            let longest = step.iter().map(|one| one.abs()).fold(0.0, f64::max);
            let is_rounding = longest < SHORT && longest > before / 2.0;
            if !longest.is_finite() || longest < CLOSE || is_rounding {
                break;
            }
            before = longest;
            let shrink = (LONGEST_STEP / longest).min(1.0);
            step.iter_mut().for_each(|one| *one *= shrink);
            let found = self.halved(&place, &step, height.log_likelihood);
            let Some((next, higher)) = found else { break };
            (place, height) = (next, higher);
        }
        (place, height)
    }

    /// Takes the longest part of a step that does not lead down.
    fn halved(&self, place: &[f64], step: &[f64], height: f64) -> Option<(Vec<f64>, Height)> {
        let mut part = 1.0;
        let slack = 1e-12 * height.abs();
        for _ in 0..MOST_HALVINGS {
            let moved = place.iter().zip(step).map(|(one, step)| one + part * step);
            let moved: Vec<f64> = moved.collect();
            let higher = self.height(&moved);
            let likelihood = higher.log_likelihood;
            if likelihood.is_finite() && likelihood >= height - slack {
                return Some((moved, higher));
            }
            part /= 2.0;
        }
        None
    }
}

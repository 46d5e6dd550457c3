//! Climbing to the most likely ratings by Newton's method.
//!
//! Each step solves for the information matrix by conjugate gradients, which takes
//! a pass over the meetings for each direction and no matrix. Where everybody met
//! everybody a dozen directions are enough. The likelihoods are concave; a step
//! that would make a result less likely is halved.

use super::members;
use super::problem::{Bend, Height, Problem};

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

    /// Solves information times step = slopes by conjugate gradients, each unknown
    /// scaled by its own bend, until the rest is that small a part of the whole.
    pub(super) fn solve(&self, bends: &[Bend], slopes: &[f64], residue: f64) -> Vec<f64> {
        let scale = self.diagonal(bends);
        let mut step = vec![0.0; slopes.len()];
        let mut rest = self.levelled(slopes);
        let mut scaled = quotient(&rest, &scale);
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = size * residue * residue;
        for _ in 0..2 * rest.len() + 20 {
            if size <= enough || size <= f64::MIN_POSITIVE {
                break;
            }
            let turned = self.times(bends, &direction);
            let bend = dot(&direction, &turned);
            if bend <= 0.0 || !bend.is_finite() {
                break;
            }
            add(&mut step, size / bend, &direction);
            add(&mut rest, -size / bend, &turned);
            scaled = quotient(&rest, &scale);
            let next = dot(&rest, &scaled);
            let keep = next / size;
            for (one, fresh) in direction.iter_mut().zip(&scaled) {
                *one = fresh + keep * *one;
            }
            size = next;
        }
        step
    }

    /// Takes the part out that leads nowhere: the slopes of a group add up to zero
    /// but for rounding, and no direction makes that less.
    fn levelled(&self, slopes: &[f64]) -> Vec<f64> {
        let mut levelled = slopes.to_vec();
        for group in members(self.groups) {
            let mean = group.iter().map(|bot| slopes[*bot]).sum::<f64>() / group.len() as f64;
            group.iter().for_each(|bot| levelled[*bot] -= mean);
        }
        levelled
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(sum: &mut [f64], factor: f64, more: &[f64]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += factor * more;
    }
}

fn quotient(one: &[f64], scale: &[f64]) -> Vec<f64> {
    let by = |(one, scale): (&f64, &f64)| if *scale > 0.0 { one / scale } else { 0.0 };
    one.iter().zip(scale).map(by).collect()
}

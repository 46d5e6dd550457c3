//! Climbing to the most likely ratings by Newton's method.
//!
//! Each step solves for the information matrix by conjugate gradients, which takes
//! a pass over the meetings for each direction and no matrix. Where everybody met
//! everybody a dozen directions are enough. The likelihoods are concave; a step
//! that would make a result less likely is halved.

use super::members;
use super::problem::{Bend, Height, Lanes, Problem};

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

    /// Solves information times step = slopes, as [`Problem::solve_all`].
    pub(super) fn solve(&self, bends: &[Bend], slopes: &[f64], residue: f64) -> Vec<f64> {
        let slopes: Vec<Lanes<1>> = slopes.iter().map(|one| [*one]).collect();
        self.solve_all(bends, &slopes, residue).into_iter().map(|[step]| step).collect()
    }

    /// Solves information times step = slopes for several slopes by conjugate gradients, each
    /// unknown scaled by its own bend, until the rest of each is that small a part of its whole.
    pub(super) fn solve_all<const N: usize>(
        &self,
        bends: &[Bend],
        slopes: &[Lanes<N>],
        residue: f64,
    ) -> Vec<Lanes<N>> {
        let scale = self.diagonal(bends);
        let mut step = vec![[0.0; N]; slopes.len()];
        let mut rest = self.levelled(slopes);
        let mut scaled = quotient(&rest, &scale);
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = size.map(|size| size * residue * residue);
        let mut goes_on = [true; N];
        for _ in 0..2 * rest.len() + 20 {
            for lane in 0..N {
                goes_on[lane] &= size[lane] > enough[lane] && size[lane] > f64::MIN_POSITIVE;
            }
            if goes_on == [false; N] {
                break;
            }
            let turned = self.times(bends, &direction);
            let bend = dot(&direction, &turned);
            let (mut far, mut keep) = ([0.0; N], [0.0; N]);
            for lane in 0..N {
                goes_on[lane] &= bend[lane] > 0.0 && bend[lane].is_finite();
                if goes_on[lane] {
                    far[lane] = size[lane] / bend[lane];
                }
            }
            add(&mut step, far, &direction);
            add(&mut rest, far.map(|far| -far), &turned);
            scaled = quotient(&rest, &scale);
            let next = dot(&rest, &scaled);
            for lane in 0..N {
                if goes_on[lane] {
                    keep[lane] = next[lane] / size[lane];
                }
            }
            for (one, fresh) in direction.iter_mut().zip(&scaled) {
                for lane in 0..N {
                    one[lane] = fresh[lane] + keep[lane] * one[lane];
                }
            }
            size = next;
        }
        step
    }

    /// Takes the part out that leads nowhere: the slopes of a group add up to zero
    /// but for rounding, and no direction makes that less.
    fn levelled<const N: usize>(&self, slopes: &[Lanes<N>]) -> Vec<Lanes<N>> {
        let mut levelled = slopes.to_vec();
        for group in members(self.groups) {
            let mean: Lanes<N> = std::array::from_fn(|lane| {
                group.iter().map(|bot| slopes[*bot][lane]).sum::<f64>() / group.len() as f64
            });
            for bot in group {
                levelled[bot].iter_mut().zip(mean).for_each(|(one, mean)| *one -= mean);
            }
        }
        levelled
    }
}

fn dot<const N: usize>(one: &[Lanes<N>], other: &[Lanes<N>]) -> Lanes<N> {
    let mut sums = [0.0; N];
    for (one, other) in one.iter().zip(other) {
        for lane in 0..N {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums
}

fn add<const N: usize>(sum: &mut [Lanes<N>], factor: Lanes<N>, more: &[Lanes<N>]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        for lane in 0..N {
            sum[lane] += factor[lane] * more[lane];
        }
    }
}

fn quotient<const N: usize>(one: &[Lanes<N>], scale: &[f64]) -> Vec<Lanes<N>> {
    let mut quotient = one.to_vec();
    for (lanes, scale) in quotient.iter_mut().zip(scale) {
        for lane in lanes {
            *lane = if *scale > 0.0 { *lane / scale } else { 0.0 };
        }
    }
    quotient
}

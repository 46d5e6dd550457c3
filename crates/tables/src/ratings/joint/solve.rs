//! Solving for the information matrix by conjugate gradients: passes over the meetings, no matrix.
//!
//! Where everybody met everybody, or opponents were drawn by lot, a dozen passes are enough. Where
//! bots met by their numbers only, as in the first rounds of a big round robin, there are [`Wide`]
//! directions: parts of the field that few meetings hold together move against each other almost
//! freely, and each pass carries a difference no further than to the next opponents. Solutions
//! consist of such directions for the most part, so that some solutions are enough to know them.

use super::members;
use super::problem::{Bend, Lanes, Problem};

/// Solutions that took more passes than this tell of wide directions.
const MANY_PASSES: usize = 60;

/// How many wide directions are remembered.
const MOST_WIDE: usize = 32;

/// A direction is known when no larger part of it than this is new, in squares.
const KNOWN: f64 = 1e-6;

/// Directions in which the matrix bends little, each of length 1 and at right angles to the others by
/// its measure.
#[derive(Clone, Debug, Default)]
pub(super) struct Wide {
    directions: Vec<Vec<f64>>,
    /// The same numbers, for the first unknown, then for the next one.
    by_unknown: Vec<f64>,
}

/// What came of some slopes.
pub(super) struct Solved<const N: usize> {
    pub(super) steps: Vec<Lanes<N>>,
    passes: usize,
}

impl Wide {
    /// Learns directions from solutions that were hard to find.
    pub(super) fn learn<const N: usize>(
        &mut self,
        problem: &Problem<'_>,
        bends: &[Bend],
        solved: &Solved<N>,
    ) {
        if solved.passes <= MANY_PASSES || self.directions.len() >= MOST_WIDE {
            return;
        }
        let turned = problem.times(bends, &solved.steps);
        for lane in 0..N {
            let of = |lanes: &[Lanes<N>]| -> Vec<f64> { lanes.iter().map(|it| it[lane]).collect() };
            let (mut direction, bent) = (of(&solved.steps), of(&turned));
            let whole = product(&direction, &bent);
            let mut new = whole;
            for known in &self.directions {
                let along = product(known, &bent);
                new -= along * along;
                direction.iter_mut().zip(known).for_each(|(one, known)| *one -= along * known);
            }
            if new > KNOWN * whole {
                direction.iter_mut().for_each(|one| *one /= new.sqrt());
                self.directions.push(direction);
            }
        }
        let unknowns = 0..solved.steps.len();
        let of = |unknown: usize| self.directions.iter().map(move |direction| direction[unknown]);
        self.by_unknown = unknowns.flat_map(of).collect();
    }

    /// Adds to each of `steps` how far `rest` leads along these directions.
    fn add<const N: usize>(&self, steps: &mut [Lanes<N>], rest: &[Lanes<N>]) {
        let count = self.directions.len();
        if count == 0 {
            return;
        }
        let mut far = vec![[0.0; N]; count];
        for (rest, numbers) in rest.iter().zip(self.by_unknown.chunks_exact(count)) {
            for (far, number) in far.iter_mut().zip(numbers) {
                for lane in 0..N {
                    far[lane] += number * rest[lane];
                }
            }
        }
        for (step, numbers) in steps.iter_mut().zip(self.by_unknown.chunks_exact(count)) {
            let mut sum = *step;
            for (far, number) in far.iter().zip(numbers) {
                for lane in 0..N {
                    sum[lane] += number * far[lane];
                }
            }
            *step = sum;
        }
    }
}

impl Problem<'_> {
    /// Solves information times step = slopes, as [`Problem::solve_all`].
    pub(super) fn solve(&self, bends: &[Bend], slopes: &[f64], residue: f64) -> Vec<f64> {
        let slopes: Vec<Lanes<1>> = slopes.iter().map(|one| [*one]).collect();
        let solved = self.solve_all(bends, &slopes, residue, &Wide::default());
        solved.steps.into_iter().map(|[step]| step).collect()
    }

    /// Solves information times step = slopes for several slopes, each unknown scaled by its own
    /// bend, until the rest of each is that small a part of its whole.
    pub(super) fn solve_all<const N: usize>(
        &self,
        bends: &[Bend],
        slopes: &[Lanes<N>],
        residue: f64,
        wide: &Wide,
    ) -> Solved<N> {
        let scale = self.diagonal(bends);
        let mut steps = vec![[0.0; N]; slopes.len()];
        let mut rest = self.levelled(slopes);
        let mut scaled = quotient(&rest, &scale);
        wide.add(&mut scaled, &rest);
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = size.map(|size| size * residue * residue);
        let (mut goes_on, mut passes) = ([true; N], 0);
        while passes < 2 * rest.len() + 20 {
            for lane in 0..N {
                goes_on[lane] &= size[lane] > enough[lane] && size[lane] > f64::MIN_POSITIVE;
            }
            if goes_on == [false; N] {
                break;
            }
            passes += 1;
            let turned = self.times(bends, &direction);
            let bend = dot(&direction, &turned);
            let (mut far, mut keep) = ([0.0; N], [0.0; N]);
            for lane in 0..N {
                goes_on[lane] &= bend[lane] > 0.0 && bend[lane].is_finite();
                if goes_on[lane] {
                    far[lane] = size[lane] / bend[lane];
                }
            }
            add(&mut steps, far, &direction);
            add(&mut rest, far.map(|far| -far), &turned);
            scaled = quotient(&rest, &scale);
            wide.add(&mut scaled, &rest);
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
        Solved { steps, passes }
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

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
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

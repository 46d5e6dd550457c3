//! How sure the ratings of a large field are, by simulation: a matrix would have the square of it.
//!
//! A covariance N⁺ = H⁺·N·H⁺ is that of the ratings that come out when noise with the covariance
//! N goes into the slopes. N is a sum over the meetings, so noise of its kind is drawn meeting by
//! meeting, and each draw goes through the fit by conjugate gradients: some passes over the
//! meetings, and no more memory than a number for each bot. The mean of the squares over
//! [`DRAWS`] draws estimates the diagonal. Most of what comes out for a bot is the noise of its
//! own meetings divided by its own bend, of which the mean square is known: only the rest is left
//! to chance. The draws are the same ones each time, so that the same results give the same bytes.

use super::members;
use super::problem::{Bend, Lanes, Problem};
use super::solve::Wide;

/// How many times noise is drawn.
const DRAWS: usize = 128;

/// How many draws go through the fit together.
const TOGETHER: usize = 8;

/// Draws go through the fit until the rest is this small a part: far below what chance leaves.
const RESIDUE: f64 = 1e-4;

/// Residue where one solution is all there is.
const EXACT: f64 = 1e-10;

/// Covariances as they came out of a simulation, in squared log odds.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    /// What came out for each bot, draw by draw, with the mean square 1.
    ratings: Vec<f32>,
    /// The standard error of each bot.
    errors: Vec<f64>,
}

/// What is added up for a bot over the draws.
#[derive(Clone, Copy, Default)]
struct Sums {
    squares: f64,
    /// Squares without those of the noise of its own meetings alone.
    beside_own: f64,
}

impl Simulated {
    /// Sends noise with the covariance of `noise` through a fit with the information of `bends`.
    /// What is hard to solve is learnt on the way.
    pub(super) fn of(
        problem: &Problem<'_>,
        bends: &[Bend],
        noise: &[Bend],
        wide: &mut Wide,
    ) -> Self {
        let bots = problem.results.bots;
        let groups = members(problem.groups);
        let (own_bends, own_noise) = (problem.diagonal(bends), problem.diagonal(noise));
        let mut sums = vec![Sums::default(); bots];
        let mut ratings = vec![0.0_f32; bots * DRAWS];
        let mut signs = Signs(0x6a6f_7573_742d_3031);
        for block in 0..DRAWS / TOGETHER {
            let mut drawn = vec![[0.0; TOGETHER]; problem.unknowns()];
            for lane in 0..TOGETHER {
                let slopes = slopes(problem, noise, &mut signs);
                drawn.iter_mut().zip(slopes).for_each(|(drawn, slope)| drawn[lane] = slope);
            }
            let solved = problem.solve_all(bends, &drawn, RESIDUE, wide);
            wide.learn(problem, bends, &solved);
            let mut found = solved.steps;
            centre(&mut found, &groups);
            for (bot, sums) in sums.iter_mut().enumerate() {
                for lane in 0..TOGETHER {
                    let (found, own) =
                        (found[bot][lane], quotient(drawn[bot][lane], own_bends[bot]));
                    sums.squares += found * found / DRAWS as f64;
                    sums.beside_own += (found * found - own * own) / DRAWS as f64;
                    ratings[bot * DRAWS + block * TOGETHER + lane] = found as f32;
                }
            }
        }
        let errors = sums.iter().enumerate().map(|(bot, sums)| {
            let own = quotient(own_noise[bot], own_bends[bot] * own_bends[bot]);
            let square = own + sums.beside_own;
            if square > 0.0 { square } else { sums.squares }.sqrt()
        });
        let errors = errors.collect();
        for (line, sums) in ratings.chunks_mut(DRAWS).zip(&sums) {
            let size = sums.squares.sqrt() as f32;
            line.iter_mut().for_each(|one| *one = if size > 0.0 { *one / size } else { 0.0 });
        }
        Self { ratings, errors }
    }

    /// Returns the covariance of two ratings.
    pub(super) fn between(&self, one: usize, other: usize) -> f64 {
        let errors = self.errors[one] * self.errors[other];
        if one == other { errors } else { errors * self.correlation(one, other) }
    }

    fn correlation(&self, one: usize, other: usize) -> f64 {
        let [one, other] = [one, other].map(|bot| &self.ratings[bot * DRAWS..(bot + 1) * DRAWS]);
        let products = one.iter().zip(other).map(|(one, other)| f64::from(one * other));
        products.sum::<f64>() / DRAWS as f64
    }
}

/// Returns the standard error of the parameter of draws, which is the last unknown.
pub(super) fn of_draws(problem: &Problem<'_>, bends: &[Bend]) -> f64 {
    let mut slopes = vec![0.0; problem.unknowns()];
    let Some(last) = slopes.last_mut() else { return 0.0 };
    *last = 1.0;
    problem.solve(bends, &slopes, EXACT).last().map_or(0.0, |square| square.max(0.0).sqrt())
}

/// Draws noise of which each meeting has its part.
fn slopes(problem: &Problem<'_>, noise: &[Bend], signs: &mut Signs) -> Vec<f64> {
    let bots = problem.results.bots;
    let mut slopes = vec![0.0; problem.unknowns()];
    for Bend { bots: [one, other], bends: [by_difference, by_both, by_draws] } in noise {
        let size = by_difference.max(0.0).sqrt();
        let sign = signs.next();
        slopes[*one] += sign * size;
        slopes[*other] -= sign * size;
        if let Some(slope) = slopes.get_mut(bots) {
            // The other column of the root of the meeting's own covariance.
            let shared = quotient(*by_both, size);
            let own = (by_draws - shared * shared).max(0.0).sqrt();
            *slope += sign * shared + signs.next() * own;
        }
    }
    slopes
}

/// Moves the ratings of each group so that their mean is zero.
fn centre(ratings: &mut [Lanes<TOGETHER>], groups: &[Vec<usize>]) {
    for (group, lane) in
        groups.iter().flat_map(|group| (0..TOGETHER).map(move |lane| (group, lane)))
    {
        let mean = group.iter().map(|bot| ratings[*bot][lane]).sum::<f64>() / group.len() as f64;
        group.iter().for_each(|bot| ratings[*bot][lane] -= mean);
    }
}

fn quotient(one: f64, by: f64) -> f64 {
    if by > 0.0 { one / by } else { 0.0 }
}

/// Signs in a fixed order that looks drawn by lot (SplitMix64).
struct Signs(u64);

impl Signs {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        if (mixed ^ (mixed >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::covariance::Covariance;
    use super::super::model::PairModel;
    use super::super::network::groups_of;
    use super::super::results::{Meeting, Results};
    use super::*;
    use crate::ratings::Outcomes;

    /// The largest and the root of the mean square of relative errors.
    struct Errors {
        largest: f64,
        usual: f64,
    }

    fn errors(pairs: impl Iterator<Item = (f64, f64)>) -> Errors {
        let relative: Vec<f64> =
            pairs.filter(|(_, exact)| *exact > 0.0).map(|(one, exact)| one / exact - 1.0).collect();
        let squares =
            relative.iter().map(|one| one * one).sum::<f64>() / relative.len().max(1) as f64;
        let largest = relative.iter().map(|one| one.abs()).fold(0.0, f64::max);
        Errors { largest, usual: squares.sqrt() }
    }

    /// Bots that meet those at some distances in a ring, with results that are drawn by lot.
    fn ring(bots: usize, distances: &[usize]) -> Vec<[usize; 2]> {
        let pair = |bot: usize, distance: &usize| [bot, (bot + distance) % bots];
        (0..bots).flat_map(|bot| distances.iter().map(move |one| pair(bot, one))).collect()
    }

    fn results(bots: usize, pairs: &[[usize; 2]]) -> Results {
        let mut signs = Signs(7);
        let mut any = |most: u64| (0..most).filter(|_| signs.next() > 0.0).count() as u64;
        let meeting = |pair: &[usize; 2]| {
            let bots = [pair[0].min(pair[1]), pair[0].max(pair[1])];
            let singles = Outcomes { wins: 1 + any(8), draws: 1 + any(3), losses: 1 + any(8) };
            Meeting { bots, singles, ..Meeting::default() }
        };
        let mut meetings: Vec<Meeting> = pairs.iter().map(meeting).collect();
        meetings.sort_by_key(|meeting| meeting.bots);
        Results { bots, meetings }
    }

    /// Errors of the standard errors of ratings by the model, by the spread of results, of
    /// differences, and of the parameter of draws.
    fn compared(model: PairModel, results: &Results) -> [Errors; 4] {
        let groups = groups_of(results);
        let has_draws = model != PairModel::BradleyTerry;
        let problem = Problem { results, model, has_draws, groups: &groups };
        let mut place = vec![0.0; results.bots];
        place.extend(has_draws.then(|| model.first_guess(0.2)));
        let (place, top) = problem.climb(place);
        let exact = Covariance::exact(&problem, &place, &top.bends);
        let simulated = Covariance::simulated(&problem, &place, &top.bends);
        let bots = 0..results.bots;
        let of_two = || bots.clone().map(|bot| (bot, (bot * 7 + 1) % results.bots));
        [
            errors(bots.clone().map(|bot| (simulated.model.of(bot), exact.model.of(bot)))),
            errors(bots.clone().map(|bot| (simulated.robust.of(bot), exact.robust.of(bot)))),
            errors(of_two().filter(|(one, other)| one != other).map(|(one, other)| {
                let of = |it: &Covariance| it.robust.of_difference(one, other);
                (of(&simulated), of(&exact))
            })),
            errors(simulated.of_draws().zip(exact.of_draws()).into_iter()),
        ]
    }

    #[test]
    fn errors_of_ratings_are_those_of_the_matrix_but_for_some_per_cent() {
        let star: Vec<[usize; 2]> = (1..200).map(|bot| [0, bot]).collect();
        let everybody: Vec<[usize; 2]> =
            (0..60).flat_map(|high| (0..high).map(move |low| [low, high])).collect();
        let fields = [
            (
                "of thirty opponents",
                results(300, &ring(300, &(1..16).map(|k| k * k).collect::<Vec<_>>())),
                0.02,
            ),
            ("of six opponents", results(300, &ring(300, &[1, 17, 101])), 0.05),
            ("of everybody", results(60, &everybody), 0.01),
            ("of one whom all meet", results(200, &star), 0.05),
        ];
        for (name, results, bar) in fields {
            for model in [PairModel::BradleyTerry, PairModel::Davidson, PairModel::RaoKupper] {
                let [by_model, robust, difference, draws] = compared(model, &results);
                let usual = [by_model.usual, robust.usual, difference.usual, draws.usual];
                assert!(by_model.usual < bar && robust.usual < bar, "{name}: {usual:?}");
                assert!(robust.largest < 4.0 * bar && by_model.largest < 4.0 * bar, "{name}");
                assert!(difference.usual < 0.07, "{name}: {usual:?}");
                assert!(draws.usual < 1e-6, "{name}: {usual:?}");
            }
        }
    }

    #[test]
    fn the_same_results_give_the_same_bytes() {
        let results = results(40, &ring(40, &[1, 3, 8]));
        let groups = groups_of(&results);
        let model = PairModel::BradleyTerry;
        let problem = Problem { results: &results, model, has_draws: false, groups: &groups };
        let (_, top) = problem.climb(vec![0.0; 40]);
        let simulated = || Simulated::of(&problem, &top.bends, &top.bends, &mut Wide::default());
        let (once, again) = (simulated(), simulated());
        let bits =
            |it: &Simulated| -> Vec<u64> { it.errors.iter().map(|one| one.to_bits()).collect() };
        assert_eq!((bits(&once), once.ratings), (bits(&again), again.ratings));
    }
}

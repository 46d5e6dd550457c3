//! How sure ratings are, and how they hang together.

use ndarray::{Array2, Axis, Slice};

use super::ELO;
use super::inverse::inverse;
use super::members;
use super::problem::{Bend, Problem};
use super::results::Meeting;
use super::simulated::{self, Simulated};
use super::solve::Wide;

/// The most bots whose covariances are found exactly, by a matrix of as many lines and columns.
/// Those of a larger field are simulated.
pub const MOST_EXACT: usize = 2000;

/// The covariances of a fit, in Elo².
#[derive(Clone, Debug)]
pub struct Covariance {
    /// From the inverse information matrix: right when bouts are drawn from the
    /// model one by one.
    pub model: Spread,
    /// H⁺·V·H⁺, where V is built from the squared residuals of the samples: right
    /// when mirror pairs are samples of their own, whatever the draws.
    pub robust: Spread,
    of_draws: Option<f64>,
}

/// The covariances of ratings.
#[derive(Clone, Debug)]
pub struct Spread(Known);

/// How they are known.
#[derive(Clone, Debug)]
enum Known {
    /// As a matrix, in Elo².
    Exactly(Array2<f64>),
    Simulated(Simulated),
}

impl Spread {
    /// Returns the standard error of a rating, in Elo.
    #[must_use]
    pub fn of(&self, bot: usize) -> f64 {
        self.between(bot, bot).max(0.0).sqrt()
    }

    /// Returns the standard error of a difference, in Elo.
    #[must_use]
    pub fn of_difference(&self, one: usize, other: usize) -> f64 {
        let covariance = self.between(one, other) + self.between(other, one);
        (self.between(one, one) + self.between(other, other) - covariance).max(0.0).sqrt()
    }

    /// Returns the covariance of two ratings, in Elo².
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> f64 {
        match &self.0 {
            Known::Exactly(matrix) => matrix[(one, other)],
            Known::Simulated(simulated) => simulated.between(one, other) * (ELO * ELO),
        }
    }

    fn in_elo(matrix: &Array2<f64>, bots: usize) -> Self {
        let of_bots = matrix.slice_axis(Axis(0), Slice::from(..bots));
        Self(Known::Exactly(&of_bots.slice_axis(Axis(1), Slice::from(..bots)) * (ELO * ELO)))
    }
}

impl Covariance {
    /// Returns the standard error of the parameter of draws, as the model has it;
    /// `None` when there is none.
    #[must_use]
    pub fn of_draws(&self) -> Option<f64> {
        self.of_draws
    }

    pub(super) fn of(problem: &Problem<'_>, place: &[f64], bends: &[Bend]) -> Self {
        match problem.results.bots > MOST_EXACT {
            true => Self::simulated(problem, place, bends),
            false => Self::exact(problem, place, bends),
        }
    }

    /// Simulates the covariances, which takes no matrix.
    pub(super) fn simulated(problem: &Problem<'_>, place: &[f64], bends: &[Bend]) -> Self {
        let mut wide = Wide::default();
        let [model, robust] = [bends, &residuals(problem, place)]
            .map(|noise| Spread(Known::Simulated(Simulated::of(problem, bends, noise, &mut wide))));
        let of_draws = problem.has_draws.then(|| simulated::of_draws(problem, bends));
        Self { model, robust, of_draws }
    }

    /// Finds the covariances by inverting a matrix.
    pub(super) fn exact(problem: &Problem<'_>, place: &[f64], bends: &[Bend]) -> Self {
        let bots = problem.results.bots;
        let model = pseudo_inverse(matrix(problem, bends), problem.groups);
        let robust = model.dot(&matrix(problem, &residuals(problem, place))).dot(&model);
        let of_draws = problem.has_draws.then(|| model[(bots, bots)].max(0.0).sqrt());
        Self {
            model: Spread::in_elo(&model, bots),
            robust: Spread::in_elo(&robust, bots),
            of_draws,
        }
    }
}

/// Adds up the parts of meetings.
fn matrix(problem: &Problem<'_>, parts: &[Bend]) -> Array2<f64> {
    let (size, bots) = (problem.unknowns(), problem.results.bots);
    let mut matrix = Array2::zeros((size, size));
    for Bend { bots: pair, bends } in parts {
        add(&mut matrix, *pair, problem.has_draws.then_some(bots), *bends);
    }
    matrix
}

/// The parts of V: the squared score of each sample, its bouts taken together.
fn residuals(problem: &Problem<'_>, place: &[f64]) -> Vec<Bend> {
    let part = |meeting: &Meeting| {
        let scores = problem.point(meeting, place).scores;
        let mut squares = [0.0; 3];
        for (outcomes, count) in meeting.kinds().into_iter().filter(|(_, count)| *count > 0) {
            let sum = |by: usize| outcomes.iter().map(|one| scores[*one as usize][by]).sum::<f64>();
            let (by_difference, by_draws) = (sum(0), sum(1));
            let products =
                [by_difference * by_difference, by_difference * by_draws, by_draws * by_draws];
            for (square, product) in squares.iter_mut().zip(products) {
                *square += count as f64 * product;
            }
        }
        Bend { bots: meeting.bots, bends: squares }
    };
    problem.results.meetings.iter().map(part).collect()
}

/// Adds a pair's part: what a difference and the parameter of draws have with
/// themselves and with each other.
fn add(matrix: &mut Array2<f64>, pair: [usize; 2], draws: Option<usize>, parts: [f64; 3]) {
    let [one, other] = pair;
    matrix[(one, one)] += parts[0];
    matrix[(other, other)] += parts[0];
    matrix[(one, other)] -= parts[0];
    matrix[(other, one)] -= parts[0];
    if let Some(draws) = draws {
        for (bot, sign) in [(one, 1.0), (other, -1.0)] {
            matrix[(bot, draws)] += sign * parts[1];
            matrix[(draws, bot)] += sign * parts[1];
        }
        matrix[(draws, draws)] += parts[2];
    }
}

/// Inverts on the ratings whose groups have mean zero: a group's mean, of which
/// the results say nothing, is given a weight and taken out again.
fn pseudo_inverse(mut matrix: Array2<f64>, groups: &[usize]) -> Array2<f64> {
    let bots = groups.len();
    let members = members(groups);
    let weight = match matrix.diag().sum() / bots.max(1) as f64 {
        mean if mean > 0.0 => mean,
        _ => 1.0,
    };
    level(&mut matrix, &members, weight);
    let mut inverse = inverse(matrix);
    level(&mut inverse, &members, -1.0 / weight);
    inverse
}

fn level(matrix: &mut Array2<f64>, groups: &[Vec<usize>], weight: f64) {
    for members in groups {
        let share = weight / members.len() as f64;
        for one in members {
            for other in members {
                matrix[(*one, *other)] += share;
            }
        }
    }
}

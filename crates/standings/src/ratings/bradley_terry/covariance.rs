//! Covariances of fitted ratings.

use nalgebra::{Cholesky, DMatrix};

use super::likelihood::{Part, information, residuals};
use super::network::members;
use super::results::Results;
use crate::ratings::normal::ELO;

/// The most bots whose covariances are found exactly, from the inverse of a matrix of as many
/// lines and columns. In a larger field the diagonal of the information matrix stands for it:
/// each interval takes the ratings of the bot's opponents for known.
pub const MOST_EXACT: usize = 1000;

/// The covariances of a fit, in Elo².
#[derive(Clone, Debug)]
pub struct Covariance {
    /// From the inverse information matrix: right when bouts are drawn from the
    /// model one by one.
    pub model: Spread,
    /// H⁻¹·V·H⁻¹, where V is built from the squared residuals of the samples: right
    /// when mirror pairs are samples of their own, whatever the draws.
    pub robust: Spread,
}

/// The covariances of ratings.
#[derive(Clone, Debug)]
pub struct Spread(CovarianceKind);

#[derive(Clone, Debug)]
enum CovarianceKind {
    Matrix(DMatrix<f64>),
    Diagonal(Vec<f64>),
}

impl Spread {
    /// Returns the standard error of a rating, in Elo.
    pub fn of(&self, bot: usize) -> f64 {
        self.between(bot, bot).max(0.0).sqrt()
    }

    /// Returns the standard error of a difference, in Elo.
    pub fn of_difference(&self, one: usize, other: usize) -> f64 {
        let shared = self.between(one, other) + self.between(other, one);
        (self.between(one, one) + self.between(other, other) - shared).max(0.0).sqrt()
    }

    fn between(&self, one: usize, other: usize) -> f64 {
        match &self.0 {
            CovarianceKind::Matrix(matrix) => matrix[(one, other)],
            CovarianceKind::Diagonal(diagonal) if one == other => diagonal[one],
            CovarianceKind::Diagonal(_) => 0.0,
        }
    }
}

impl Covariance {
    /// Returns the covariances at the most likely ratings, which are in log odds.
    pub(super) fn of(results: &Results, ratings: &[f64], groups: &[usize]) -> Self {
        let is_small = results.bots <= MOST_EXACT;
        let exact = is_small.then(|| Self::exact(results, ratings, groups)).flatten();
        exact.unwrap_or_else(|| Self::diagonal(results, ratings))
    }

    /// Returns whether each interval takes the ratings of the opponents for known.
    pub fn is_diagonal(&self) -> bool {
        matches!(self.robust.0, CovarianceKind::Diagonal(_))
    }

    /// Inverts the information matrix; `None` if rounding has left it without an inverse. The
    /// results say nothing about the mean of a group, so it is given a weight and taken out again.
    fn exact(results: &Results, ratings: &[f64], groups: &[usize]) -> Option<Self> {
        let bots = results.bots;
        let mut information = matrix(bots, information(results, ratings));
        let groups = members(groups);
        let weight = information.trace() / bots.max(1) as f64;
        let weight = if weight > 0.0 { weight } else { 1.0 };
        add_to_means(&mut information, &groups, weight);
        let mut model = Cholesky::new(information)?.inverse();
        add_to_means(&mut model, &groups, -1.0 / weight);
        let robust = &model * matrix(bots, residuals(results, ratings)) * &model;
        let spread = |matrix: DMatrix<f64>| Spread(CovarianceKind::Matrix(matrix * (ELO * ELO)));
        Some(Self { model: spread(model), robust: spread(robust) })
    }

    fn diagonal(results: &Results, ratings: &[f64]) -> Self {
        let information = diagonal(results.bots, information(results, ratings));
        let residuals = diagonal(results.bots, residuals(results, ratings));
        let variance = |(noise, bend): (&f64, &f64)| match *bend > 0.0 {
            true => noise / (bend * bend) * (ELO * ELO),
            false => 0.0,
        };
        let spread = |noise: &[f64]| {
            Spread(CovarianceKind::Diagonal(noise.iter().zip(&information).map(variance).collect()))
        };
        Self { model: spread(&information), robust: spread(&residuals) }
    }
}

fn matrix(bots: usize, parts: impl Iterator<Item = Part>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(bots, bots);
    for Part { bots: [one, other], weight } in parts {
        matrix[(one, one)] += weight;
        matrix[(other, other)] += weight;
        matrix[(one, other)] -= weight;
        matrix[(other, one)] -= weight;
    }
    matrix
}

fn diagonal(bots: usize, parts: impl Iterator<Item = Part>) -> Vec<f64> {
    let mut diagonal = vec![0.0; bots];
    for Part { bots, weight } in parts {
        bots.into_iter().for_each(|bot| diagonal[bot] += weight);
    }
    diagonal
}

fn add_to_means(matrix: &mut DMatrix<f64>, groups: &[Vec<usize>], weight: f64) {
    for members in groups {
        let share = weight / members.len() as f64;
        for one in members {
            for other in members {
                matrix[(*one, *other)] += share;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::Outcomes;
    use crate::ratings::bradley_terry::Meeting;

    /// Bots that each met the same number of others, with results that differ.
    fn results(bots: usize, distances: &[usize]) -> Results {
        let meeting = |bot: usize, far: usize| {
            let other = (bot + far) % bots;
            let wins = (7 * bot + 3 * far) as u64 % 6;
            let singles = Outcomes { wins: 2 + wins, draws: 2, losses: 7 - wins };
            Meeting { bots: [bot.min(other), bot.max(other)], singles, ..Meeting::default() }
        };
        let meetings =
            (0..bots).flat_map(|bot| distances.iter().map(move |far| meeting(bot, *far)));
        Results { bots, meetings: meetings.collect() }
    }

    #[test]
    fn diagonal_of_the_information_matrix_gives_nearly_the_errors_of_its_inverse() {
        let results = results(90, &[1, 4, 9, 16, 25, 36]);
        let groups = vec![0; results.bots];
        let ratings = super::super::lbfgs::most_likely(&results);
        let exact = Covariance::exact(&results, &ratings, &groups).expect("it has an inverse");
        let diagonal = Covariance::diagonal(&results, &ratings);
        assert!(diagonal.is_diagonal() && !exact.is_diagonal());
        for bot in 0..results.bots {
            for (known, exact) in
                [(&diagonal.model, &exact.model), (&diagonal.robust, &exact.robust)]
            {
                let ratio = known.of(bot) / exact.of(bot);
                assert!((0.85..1.0).contains(&ratio), "{ratio}");
            }
        }
    }
}

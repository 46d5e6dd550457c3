//! The most likely ratings, and what they say.

use super::ELO;
use super::covariance::Covariance;
use super::members;
use super::model::PairModel;
use super::network::{groups_of, has_circle_of_wins};
use super::problem::Problem;
use super::results::{Meeting, Results};
use crate::ratings::normal::phi;

/// Ratings of a whole event, in Elo, with mean zero in each group.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model: the plain one in place of one that fits draws, where the results
    /// do not say how likely draws are.
    pub model: PairModel,
    /// Each bot's rating.
    pub elo: Vec<f64>,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
    /// The covariances.
    pub covariance: Covariance,
    draws: Option<f64>,
    groups: Vec<usize>,
    expected: Vec<f64>,
}

/// The difference of two bots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// In Elo.
    pub elo: f64,
    /// Its standard error by the model.
    pub se_model: f64,
    /// Its standard error by the spread of the results.
    pub se_robust: f64,
}

impl Difference {
    /// Returns how likely the first is the stronger, given the standard error of
    /// the difference; 1 or 0 without error, and ½ when they are level.
    #[must_use]
    pub fn superiority(&self, se: f64) -> f64 {
        match se {
            se if se > 0.0 => phi(self.elo / se),
            _ if self.elo > 0.0 => 1.0,
            _ if self.elo < 0.0 => 0.0,
            _ => 0.5,
        }
    }
}

impl Fit {
    /// Fits `results` by a model. Without a finite fit the ratings are as far apart
    /// as steps took them: give such results virtual draws before.
    #[must_use]
    pub fn of(model: PairModel, results: &Results) -> Self {
        let share = share_of_draws(results);
        let fits_draws = model != PairModel::BradleyTerry;
        let has_draws = fits_draws && share > 0.0 && has_circle_of_wins(results);
        let applied = if has_draws { model } else { PairModel::BradleyTerry };
        let groups = groups_of(results);
        let problem = Problem { results, model: applied, has_draws, groups: &groups };
        let mut place = vec![0.0; results.bots];
        place.extend(has_draws.then(|| applied.first_guess(share)));
        let (place, top) = problem.climb(place);
        let centred = centred(&place[..results.bots], &groups);
        Self {
            model: applied,
            covariance: Covariance::of(&problem, &place, &top.bends),
            expected: problem.expected_points(&place),
            elo: centred.iter().map(|rating| rating * ELO).collect(),
            log_likelihood: top.log_likelihood,
            draws: place.get(results.bots).copied(),
            groups,
        }
    }

    /// Returns the parameter of draws: ln ν of Davidson, the width of Rao and Kupper
    /// in Elo; `None` when the model or the results have none.
    #[must_use]
    pub fn draws(&self) -> Option<f64> {
        let scale = if self.model == PairModel::RaoKupper { ELO } else { 1.0 };
        self.draws.map(|draws| draws * scale)
    }

    /// Returns the points each bot should have by its ratings; they are those it has.
    #[must_use]
    pub fn expected_points(&self) -> &[f64] {
        &self.expected
    }

    /// Returns the difference of two bots; `None` when their groups never met.
    #[must_use]
    pub fn difference(&self, one: usize, other: usize) -> Option<Difference> {
        let met = self.groups[one] == self.groups[other];
        met.then(|| Difference {
            elo: self.elo[one] - self.elo[other],
            se_model: self.covariance.model.of_difference(one, other),
            se_robust: self.covariance.robust.of_difference(one, other),
        })
    }

    /// Returns how likely a loss, a draw and a win of the first are.
    #[must_use]
    pub fn probabilities(&self, one: usize, other: usize) -> [f64; 3] {
        let difference = (self.elo[one] - self.elo[other]) / ELO;
        self.model.at(difference, self.draws.unwrap_or(0.0)).logs.map(f64::exp)
    }

    /// Returns the ratings moved so that one bot has a given one.
    #[must_use]
    pub fn anchored(&self, bot: usize, at: f64) -> Vec<f64> {
        self.elo.iter().map(|elo| elo - self.elo[bot] + at).collect()
    }
}

fn share_of_draws(results: &Results) -> f64 {
    let counts = results.meetings.iter().map(Meeting::counts);
    let (draws, all) = counts.fold((0.0, 0.0), |(draws, all), counts| {
        (draws + counts[1], all + counts.iter().sum::<f64>())
    });
    if all > 0.0 { draws / all } else { 0.0 }
}

/// Moves each group so that its mean is zero.
fn centred(ratings: &[f64], groups: &[usize]) -> Vec<f64> {
    let mut centred = ratings.to_vec();
    for group in members(groups) {
        let sum: f64 = group.iter().map(|bot| ratings[*bot]).sum();
        let mean = sum / group.len() as f64;
        group.iter().for_each(|bot| centred[*bot] -= mean);
    }
    centred
}

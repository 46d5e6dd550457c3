//! Bradley-Terry ratings of a whole event of two-seat bouts.
//!
//! All results are fitted at once: the ratings are those under which every bot's expected points
//! equal its real ones, where a draw is half a win. They have mean zero within each group of bots
//! that met, directly or by way of others. There are two standard errors: the model's, and the
//! robust one, which uses the observed spread of the results, with a mirror pair as one sample.
//!
//! If a bot won everything, no finite ratings fit; then every pair that met is given one
//! virtual draw, and a note says so.
//!
//! Source: D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004).

mod covariance;
mod lbfgs;
mod likelihood;
mod network;
mod results;

pub use super::normal::ELO;
pub use covariance::{Covariance, MOST_EXACT, Spread};
pub use results::{Meeting, Results};

use super::normal::phi;
use lbfgs::most_likely;
use network::{groups_of, members};

/// Ratings of a whole event, in Elo, with mean zero in each group.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Each bot's rating.
    pub elo: Vec<f64>,
    /// The covariances.
    pub covariance: Covariance,
    groups: Vec<usize>,
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
    /// Fits `results`. Without a finite fit the ratings are as far apart as steps
    /// took them: give such results virtual draws before.
    pub fn of(results: &Results) -> Self {
        let groups = groups_of(results);
        let ratings = most_likely(results);
        let covariance = Covariance::of(results, &ratings, &groups);
        let elo = centred(&ratings, &groups).iter().map(|rating| rating * ELO).collect();
        Self { elo, covariance, groups }
    }

    /// Returns the difference of two bots; `None` when their groups never met.
    pub fn difference(&self, one: usize, other: usize) -> Option<Difference> {
        let met = self.groups[one] == self.groups[other];
        met.then(|| Difference {
            elo: self.elo[one] - self.elo[other],
            se_model: self.covariance.model.of_difference(one, other),
            se_robust: self.covariance.robust.of_difference(one, other),
        })
    }
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

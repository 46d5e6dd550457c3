//! The difference that a test shows when it has stopped.
//!
//! A test stops where the sample happens to look good or bad, so a plain interval
//! at that point is biased. Here the difference is the one at which the outcome of
//! the test was as likely to be better as to be worse, and the ends of the interval
//! those at which 2.5 % would have been.

use super::brownian::Brownian;
use super::likely::Shares;
use super::root::falling_root;
use super::test::{EloModel, Sprt};
use crate::ratings::normal::{NORMALISED_ELO, score_of_elo};

/// Differences are looked for within ± this many Elo.
const FARTHEST: f64 = 1000.0;

/// The difference after a sequential test, in logistic Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedEstimate {
    /// The median-unbiased difference; within ±1000.
    pub elo: f64,
    /// The ends of its 95 % interval; within ±1000.
    pub interval: [f64; 2],
    /// Likelihood that the first bot is the stronger, from 0 to 1.
    pub superiority: f64,
}

/// The state of a test as a motion between its bounds.
struct State {
    scores: [f64; 2],
    variance: f64,
    walls: [f64; 2],
    time: f64,
    place: f64,
}

pub(super) fn estimate(sprt: &Sprt, shares: &Shares) -> Option<StoppedEstimate> {
    let state = State::of(sprt, shares)?;
    let at = |probability: f64| {
        let above = |elo| state.at_most(elo) - probability;
        falling_root(-FARTHEST, FARTHEST, above)
    };
    Some(StoppedEstimate {
        elo: at(0.5),
        interval: [at(0.975), at(0.025)],
        superiority: state.at_most(0.0),
    })
}

impl State {
    fn of(sprt: &Sprt, shares: &Shares) -> Option<Self> {
        let (mean, variance) = shares.moments();
        let spread_of_bout = shares.root_of_bouts * variance.sqrt();
        let scores = match sprt.model() {
            EloModel::Normalised => {
                sprt.elo().map(|elo| 0.5 + elo / NORMALISED_ELO * spread_of_bout)
            }
            EloModel::Logistic => sprt.elo().map(score_of_elo),
            EloModel::Bayesian | EloModel::Multinomial => return None,
        };
        let walls = [sprt.bounds().lower, sprt.bounds().upper];
        let state = Self { scores, variance, walls, time: 0.0, place: 0.0 };
        let drift = state.motion(mean).drift;
        let place = (shares.outcomes * drift).clamp(walls[0], walls[1]);
        let is_inside = (shares.outcomes * drift - place).abs() < f64::EPSILON;
        let time = if is_inside { shares.outcomes } else { place / drift };
        Some(Self { time, place, ..state })
    }

    /// Returns how the LLR moves when the expected score is `score`.
    fn motion(&self, score: f64) -> Brownian {
        let [zero, one] = self.scores;
        Brownian {
            walls: self.walls,
            drift: (score - (zero + one) / 2.0) * (one - zero) / self.variance,
            variance: (one - zero).powi(2) / self.variance,
        }
    }

    /// Returns how likely an outcome at most as good as this one is at a difference.
    fn at_most(&self, elo: f64) -> f64 {
        self.motion(score_of_elo(elo)).at_most(self.time, self.place)
    }
}

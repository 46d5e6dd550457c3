//! The difference that a test shows when it has stopped.
//!
//! A test stops where the sample happens to look good or bad, so a plain interval
//! at that point is biased. Here the difference is the one at which the outcome of
//! the test was as likely to be better as to be worse, and the ends of the interval
//! those at which 2.5 % would have been.

use std::f64::consts::PI;

use super::Sprt;
use super::likelihood::{Shares, falling_root};
use crate::ratings::normal::{NORMALISED_ELO, phi, score_of_elo};

/// Differences are looked for within ± this many Elo.
const FARTHEST: f64 = 1000.0;

/// Terms of the exact series stop below this.
const NEGLIGIBLE: f64 = 1e-9;

/// From here on the tail of the normal distribution is developed.
const TAIL: f64 = 5.0;

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
struct StoppedState {
    scores: [f64; 2],
    variance: f64,
    walls: [f64; 2],
    time: f64,
    place: f64,
}

pub(super) fn estimate(sprt: &Sprt, shares: &Shares) -> StoppedEstimate {
    let state = StoppedState::of(sprt, shares);
    let at = |probability: f64| {
        let above = |elo| state.at_most(elo) - probability;
        falling_root(-FARTHEST, FARTHEST, above)
    };
    StoppedEstimate {
        elo: at(0.5),
        interval: [at(0.975), at(0.025)],
        superiority: state.at_most(0.0),
    }
}

impl StoppedState {
    fn of(sprt: &Sprt, shares: &Shares) -> Self {
        let (mean, variance) = shares.moments();
        let spread_of_bout = shares.root_of_bouts * variance.sqrt();
        let scores = sprt.elo().map(|elo| 0.5 + elo / NORMALISED_ELO * spread_of_bout);
        let walls = [sprt.bounds().lower, sprt.bounds().upper];
        let state = Self { scores, variance, walls, time: 0.0, place: 0.0 };
        let drift = state.motion(mean).drift;
        let place = (shares.outcomes * drift).clamp(walls[0], walls[1]);
        let is_inside = (shares.outcomes * drift - place).abs() < f64::EPSILON;
        let time = if is_inside { shares.outcomes } else { place / drift };
        Self { time, place, ..state }
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

/// Particle that starts at 0 and drifts between two walls, as the log-likelihood ratio of a test
/// moves until it meets one of the test's bounds.
///
/// Outcomes are ordered: to hit the lower wall soon is least, to hit it late is more; then come
/// the particles still under way, from low to high; then those that hit the upper wall late, and
/// most is to hit it soon.
#[derive(Clone, Copy, Debug)]
struct Brownian {
    /// The walls: below 0, above 0.
    walls: [f64; 2],
    /// Way per unit of time.
    drift: f64,
    /// Variance per unit of time; above 0.
    variance: f64,
}

impl Brownian {
    /// Returns the probability of an outcome at most as good as being at `place`
    /// at `time`; at a wall that means to have hit it just then.
    ///
    /// The exact series is used where it converges, and Siegmund's formula where it
    /// does not: for short times, and for drifts so strong that the other wall
    /// hardly matters.
    fn at_most(&self, time: f64, place: f64) -> f64 {
        let width = self.walls[1] - self.walls[0];
        let is_short = self.variance * time / width.powi(2) < 0.01;
        let is_strong = (self.pull() * width).abs() > 15.0;
        let found = if is_short || is_strong {
            self.siegmund(time, place)
        } else {
            self.series(time, place)
        };
        if found.is_finite() { found.clamp(0.0, 1.0) } else { f64::from(self.drift < 0.0) }
    }

    fn pull(&self) -> f64 {
        self.drift / self.variance
    }

    /// The probability of the lower wall, less what is still between the walls and
    /// will come to it, as a sum over the eigenfunctions of the walls.
    fn series(&self, time: f64, place: f64) -> f64 {
        let width = self.walls[1] - self.walls[0];
        let (start, place) = (-self.walls[0], place - self.walls[0]);
        let pull = self.pull();
        let decay = |n: f64| (n * PI / width).powi(2) * self.variance / 2.0;
        let first = (-(decay(1.0) + self.drift * pull / 2.0) * time + (place - start) * pull).exp();
        let mut sum = 0.0;
        for n in (1..=10_000).map(f64::from) {
            let faded = (-(decay(n) - decay(1.0)) * time).exp();
            let term = faded * primitive(n, pull * width, width, place);
            sum += term * (n * PI * start / width).sin();
            if (first * term).abs() <= NEGLIGIBLE {
                break;
            }
        }
        self.ends_low() + first * sum
    }

    /// The probability of hitting the lower wall before the upper one.
    fn ends_low(&self) -> f64 {
        let (pull, [low, high]) = (self.pull(), self.walls);
        let width = high - low;
        match pull * width {
            strong if strong > 30.0 => (2.0 * pull * low).exp(),
            none if none.abs() < 1e-8 => high / width,
            _ => (1.0 - (2.0 * pull * high).exp()) / (1.0 - (2.0 * pull * width).exp()),
        }
    }

    /// Without walls, corrected once for each.
    fn siegmund(&self, time: f64, place: f64) -> f64 {
        let scale = (time * self.variance).sqrt();
        let way = self.drift * time;
        let [low, high] = self.walls;
        let pull = self.pull();
        let free = phi((place - way) / scale);
        let at_low = reflected(pull * low, (way - place + 2.0 * low) / scale);
        let at_high = reflected(pull * high, (place - way - 2.0 * high) / scale);
        free + at_low - at_high
    }
}

/// e^(2k)·Φ(z) for a wall; where the power is large the tail of Φ is developed to
/// its second term, as the reference does (it moves an end of an interval by 0.002
/// Elo in the published case that reaches it).
fn reflected(k: f64, z: f64) -> f64 {
    if k < TAIL {
        return (2.0 * k).exp() * phi(z);
    }
    -(2.0 * k - z * z / 2.0).exp() / (2.0 * PI).sqrt() * (1.0 / z - 1.0 / z.powi(3))
}

/// The integral of e^(pull·y)·sin(nπy/width) up to `place`, over e^(pull·place), times
/// 2/width; `pulls` is pull·width.
fn primitive(n: f64, pulls: f64, width: f64, place: f64) -> f64 {
    let (sin, cos) = (PI * n * place / width).sin_cos();
    (2.0 * pulls * sin - 2.0 * PI * n * cos) / (pulls.powi(2) + (PI * n).powi(2))
}

//! The normal distribution, and what Elo measures.

use statrs::function::erf::erfc;

/// The half width of a 95 % interval, in standard errors.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Elo in one unit of log odds: 400 / ln 10.
pub const ELO: f64 = 173.717_792_761_300_73;

/// Elo in one unit of normalised strength: 800 / ln 10.
pub const NORMALISED_ELO: f64 = 347.435_585_522_601_5;

/// Returns the probability that a standard normal variable is at most `x`.
pub fn phi(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// Returns the score expected at an Elo difference, from 0 to 1.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

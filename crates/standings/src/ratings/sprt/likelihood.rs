//! The most likely distribution of outcomes under a hypothesis.

use crate::ratings::normal::NORMALISED_ELO;

/// Count that stands for a class that was never seen.
const UNSEEN: f64 = 0.001;

/// Step at which the normalised model has converged, and its largest number of steps.
const STEP: f64 = 1e-9;
const STEPS: usize = 10;

/// The same for differences that are gone in parts, and how many parts there are.
const PATIENT_STEPS: usize = 100;
const MOST_PARTS: usize = 200;

/// Outcomes as shares of classes.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// Each class's score, from 0 to 1, rising.
    pub(super) scores: Vec<f64>,
    /// Each class's share.
    pub(super) shares: Vec<f64>,
    /// Outcomes, unseen classes included.
    pub(super) outcomes: f64,
    /// The square root of the bouts in an outcome.
    pub(super) root_of_bouts: f64,
}

impl Shares {
    /// Three classes are bouts, five are mirror pairs.
    pub(super) fn of(counts: &[u64]) -> Self {
        let counts = counts.iter().map(|count| if *count == 0 { UNSEEN } else { *count as f64 });
        let counts: Vec<f64> = counts.collect();
        let outcomes: f64 = counts.iter().sum();
        let top = (counts.len() - 1) as f64;
        Self {
            scores: (0..counts.len()).map(|class| class as f64 / top).collect(),
            shares: counts.iter().map(|count| count / outcomes).collect(),
            outcomes,
            root_of_bouts: (top / 2.0).sqrt(),
        }
    }

    /// Returns the mean and the variance.
    pub(super) fn moments(&self) -> (f64, f64) {
        moments(&self.scores, &self.shares)
    }

    /// Returns the most likely shares whose mean is `elo` normalised Elo above ½.
    ///
    /// The steps of the published method start from the uniform distribution; where
    /// one of them leads nowhere, which they do for differences of hundreds, the
    /// distance is gone in parts.
    pub(super) fn with_normalised(&self, elo: f64) -> Vec<f64> {
        let strength = self.root_of_bouts * elo / NORMALISED_ELO;
        let uniform = vec![1.0 / self.shares.len() as f64; self.shares.len()];
        let direct = self.settled(uniform.clone(), strength, STEPS);
        direct.unwrap_or_else(|| self.approached(uniform, strength))
    }

    /// Repeats the step until it changes nothing; `None` when one leads nowhere.
    fn settled(&self, mut likely: Vec<f64>, strength: f64, steps: usize) -> Option<Vec<f64>> {
        for _ in 0..steps {
            let next = self.tilted(&self.normalised_distances(&likely, strength))?;
            let moved = next.iter().zip(&likely).map(|(one, other)| (one - other).abs());
            let moved = moved.fold(0.0, f64::max);
            likely = next;
            if moved < STEP {
                break;
            }
        }
        Some(likely)
    }

    /// Goes to a strength in parts as long as steps allow.
    fn approached(&self, mut likely: Vec<f64>, strength: f64) -> Vec<f64> {
        let (mut reached, mut stride) = (0.0, strength / 2.0);
        for _ in 0..MOST_PARTS {
            let is_last = (strength - reached).abs() <= stride.abs();
            let next = if is_last { strength } else { reached + stride };
            match self.settled(likely.clone(), next, PATIENT_STEPS) {
                Some(found) if is_last => return found,
                Some(found) => (likely, reached) = (found, next),
                None => stride /= 2.0,
            }
        }
        likely
    }

    fn normalised_distances(&self, likely: &[f64], strength: f64) -> Vec<f64> {
        let (mean, variance) = moments(&self.scores, likely);
        let spread = variance.sqrt();
        let distance = |score: &f64| {
            score - 0.5 - 0.5 * strength * spread * (1.0 + ((score - mean) / spread).powi(2))
        };
        self.scores.iter().map(distance).collect()
    }

    /// Tilts the shares until the distances balance; `None` when all lie on one side.
    fn tilted(&self, distances: &[f64]) -> Option<Vec<f64>> {
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0 && least.is_finite() && most.is_finite()) {
            return None;
        }
        let pairs = || self.shares.iter().zip(distances);
        let balance = |tilt: f64| -> f64 {
            pairs().map(|(share, distance)| share * distance / (1.0 + tilt * distance)).sum()
        };
        let tilt = falling_root(-1.0 / most, -1.0 / least, balance);
        Some(pairs().map(|(share, distance)| share / (1.0 + tilt * distance)).collect())
    }

    /// Returns the LLR of two distributions, given these outcomes.
    pub(super) fn log_ratio(&self, [zero, one]: [&[f64]; 2]) -> f64 {
        let terms = self.shares.iter().zip(zero.iter().zip(one));
        let llr: f64 = terms.map(|(share, (zero, one))| share * (one / zero).ln()).sum();
        self.outcomes * llr
    }
}

fn moments(scores: &[f64], shares: &[f64]) -> (f64, f64) {
    let pairs = || scores.iter().zip(shares);
    let mean: f64 = pairs().map(|(score, share)| score * share).sum();
    (mean, pairs().map(|(score, share)| share * (score - mean).powi(2)).sum())
}

/// Returns where a falling function crosses zero between `low` and `high`, both
/// excluded; to the last bit that halving finds.
pub(super) fn falling_root(low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = [low, high];
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 0.0 { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_normalised_difference_is_met() {
        let samples: [&[u64]; 4] = [&[0, 0, 0, 3, 0], &[5, 9, 40, 12, 3], &[1, 0, 0], &[7, 2, 9]];
        for counts in samples {
            let shares = Shares::of(counts);
            for elo in [-1000.0, -400.0, -230.0, -5.0, 0.0, 5.0, 200.0, 400.0, 1000.0] {
                let likely = shares.with_normalised(elo);
                let (mean, variance) = moments(&shares.scores, &likely);
                let strength = (mean - 0.5) / variance.sqrt() / shares.root_of_bouts;
                let apart = strength * NORMALISED_ELO - elo;
                assert!(apart.abs() < 0.01, "{counts:?} at {elo}: {apart} off, {likely:?}");
                assert!((likely.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
}

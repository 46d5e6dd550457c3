//! Two bots, bout by bout.

use statrs::function::erf::erf;

use super::estimate::{Estimate, Unit};

/// Bouts of two bots, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Bouts won.
    pub wins: u64,
    /// Bouts drawn.
    pub draws: u64,
    /// Bouts lost.
    pub losses: u64,
}

impl Outcomes {
    /// Returns how many bouts there are.
    #[must_use]
    pub fn bouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns what they say when each bout is a sample of its own; `None` without
    /// bouts. Bouts of mirror pairs are not: see [`super::Pentanomial`].
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::of(Unit::Bout, &[(0.0, self.losses), (0.5, self.draws), (1.0, self.wins)])
    }

    /// Returns how likely the first is the stronger, from wins and losses alone;
    /// `None` when there are neither.
    #[must_use]
    pub fn superiority_of_wins(&self) -> Option<f64> {
        let decided = self.wins + self.losses;
        let lead = self.wins as f64 - self.losses as f64;
        (decided > 0).then(|| 0.5 * (1.0 + erf(lead / (2.0 * decided as f64).sqrt())))
    }

    /// Returns the share of drawn bouts; `None` without bouts.
    #[must_use]
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.bouts() > 0).then(|| self.draws as f64 / self.bouts() as f64)
    }
}

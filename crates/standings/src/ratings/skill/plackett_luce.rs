//! First places drawn one after another.
//!
//! Source: R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking" (2011),
//! algorithm 4.

use super::{Parameters, Skill};

pub(super) fn after_bout(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Skill> {
    let variance = |skill: &Skill| skill.sigma.powi(2) + parameters.tau.powi(2);
    let noise = parameters.beta.powi(2);
    let c = skills.iter().map(|skill| variance(skill) + noise).sum::<f64>().sqrt();
    let top = skills.iter().map(|skill| skill.mu).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = skills.iter().map(|skill| ((skill.mu - top) / c).exp()).collect();
    let behind = |rank: u8| -> f64 {
        weights.iter().zip(ranks).filter(|(_, one)| **one >= rank).map(|(weight, _)| weight).sum()
    };
    let sharing = |rank: u8| ranks.iter().filter(|one| **one == rank).count() as f64;
    let after = |(own, skill): (usize, &Skill)| {
        let (mut way, mut gone) = (0.0, 0.0);
        for (other, rank) in ranks.iter().enumerate().filter(|(_, rank)| **rank <= ranks[own]) {
            let chance = weights[own] / behind(*rank).max(f64::MIN_POSITIVE);
            let is_own = f64::from(u8::from(other == own));
            way += (is_own - chance) / sharing(*rank);
            gone += chance * (1.0 - chance) / sharing(*rank);
        }
        let variance = variance(skill);
        let left = 1.0 - variance.sqrt() / c * variance / (c * c) * gone;
        Skill {
            mu: skill.mu + variance / c * way,
            sigma: (variance * left.max(parameters.kappa)).sqrt(),
        }
    };
    skills.iter().enumerate().map(after).collect()
}

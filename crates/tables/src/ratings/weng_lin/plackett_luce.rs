//! First places drawn one after another.

use super::{Move, Parameters, Skill};

pub(super) fn moves(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Move> {
    let variances = skills.iter().map(|skill| skill.sigma.powi(2) + parameters.beta.powi(2));
    let c = variances.sum::<f64>().sqrt();
    let top = skills.iter().map(|skill| skill.mu).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = skills.iter().map(|skill| ((skill.mu - top) / c).exp()).collect();
    let behind = |rank: u8| -> f64 {
        weights.iter().zip(ranks).filter(|(_, one)| **one >= rank).map(|(weight, _)| weight).sum()
    };
    let sharing = |rank: u8| ranks.iter().filter(|one| **one == rank).count() as f64;
    let of = |(own, skill): (usize, &Skill)| {
        let (mut way, mut gone) = (0.0, 0.0);
        for (other, rank) in ranks.iter().enumerate().filter(|(_, rank)| **rank <= ranks[own]) {
            let chance = weights[own] / behind(*rank).max(f64::MIN_POSITIVE);
            let is_own = f64::from(u8::from(other == own));
            way += (is_own - chance) / sharing(*rank);
            gone += chance * (1.0 - chance) / sharing(*rank);
        }
        let variance = skill.sigma.powi(2);
        (variance / c * way, skill.sigma / c * variance / (c * c) * gone)
    };
    skills.iter().enumerate().map(of).collect()
}

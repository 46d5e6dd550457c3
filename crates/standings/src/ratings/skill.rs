//! Ratings of bouts of more than two, brought up to date bout by bout.
//!
//! Each bot is a mean and an uncertainty, and every bout moves both. The result
//! depends on the order in which bouts are fed, and bouts that are played at once
//! finish in any order: so they are always fed in schedule order.

use skillratings::MultiTeamOutcome;
use skillratings::trueskill::{TrueSkillConfig, TrueSkillRating, trueskill_multi_team};

/// Share of bouts that `TrueSkill` expects to be drawn.
pub const DRAWS: f64 = 0.1;

/// Estimate of a bot's strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skill {
    /// The mean; a new bot has 25.
    pub mu: f64,
    /// The uncertainty, a standard deviation; a new bot has 25/3.
    pub sigma: f64,
}

impl Default for Skill {
    fn default() -> Self {
        Self { mu: 25.0, sigma: 25.0 / 3.0 }
    }
}

/// A model of bouts of two and more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SkillModel {
    /// First places are drawn one after another, in proportion to strength.
    #[default]
    PlackettLuce,
    /// `TrueSkill`.
    TrueSkill,
}

impl SkillModel {
    /// Returns the name used in tables, messages and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PlackettLuce => "plackett-luce",
            Self::TrueSkill => "trueskill",
        }
    }
}

/// Strength with which bouts move a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The spread of one bot's performance.
    pub beta: f64,
    /// The least part of a variance that a bout leaves.
    pub kappa: f64,
    /// Uncertainty that comes back before each bout; 0 for bots that do not change.
    pub tau: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { beta: 25.0 / 6.0, kappa: 0.0001, tau: 0.0 }
    }
}

/// Returns the skills after a bout of at least two; equal ranks are a draw, 1 is best.
///
/// A skill stays as it was if the new one is not finite, for instance after a million upsets.
pub fn after_bout(
    model: SkillModel,
    parameters: &Parameters,
    skills: &[Skill],
    ranks: &[u8],
) -> Vec<Skill> {
    let moved = match model {
        SkillModel::PlackettLuce => plackett_luce(parameters, skills, ranks),
        SkillModel::TrueSkill => true_skill(parameters, skills, ranks),
    };
    let is_sound =
        |skill: &Skill| skill.mu.is_finite() && skill.sigma.is_finite() && skill.sigma > 0.0;
    let sound = |(new, old): (Skill, &Skill)| if is_sound(&new) { new } else { *old };
    moved.into_iter().zip(skills).map(sound).collect()
}

fn true_skill(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Skill> {
    let rating = |skill: &Skill| [TrueSkillRating::from((skill.mu, skill.sigma))];
    let ratings: Vec<_> = skills.iter().map(rating).collect();
    let outcomes = ranks.iter().map(|rank| MultiTeamOutcome::new(usize::from(*rank)));
    let seats: Vec<_> =
        ratings.iter().map(<[TrueSkillRating; 1]>::as_slice).zip(outcomes).collect();
    let config = TrueSkillConfig {
        draw_probability: DRAWS,
        beta: parameters.beta,
        dynamics_factor: parameters.tau,
    };
    let after = trueskill_multi_team(&seats, &config, None)
        .expect("only weights can be wrong, and there are none");
    after.iter().map(|seat| Skill { mu: seat[0].rating, sigma: seat[0].uncertainty }).collect()
}

/// Moves the skills as if first places were drawn one after another.
///
/// Source: R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking" (2011),
/// algorithm 4.
fn plackett_luce(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Skill> {
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

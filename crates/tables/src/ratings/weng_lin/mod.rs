//! Bouts of more than two: ratings that are brought up to date bout by bout.
//!
//! Each bot is a mean and an uncertainty, and every bout moves both. The result
//! depends on the order in which bouts are fed, and bouts that are played at once
//! finish in any order: so they are always fed in schedule order.
//!
//! Source: Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (2011);
//! `TrueSkill` by Herbrich, Minka and Graepel (2007).

mod plackett_luce;
mod thurstone_mosteller;
mod true_skill;
mod truncated;

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// What is known of a bot's strength.
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
    /// Every pair of a bout is a bout of two, logistic.
    BradleyTerry,
    /// Every pair of a bout is a bout of two, normal.
    ThurstoneMosteller,
    /// `TrueSkill`, with the share of bouts that end in a draw.
    TrueSkill(f64),
}

impl SkillModel {
    /// Returns the name used in tables, messages and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PlackettLuce => "plackett-luce",
            Self::BradleyTerry => "weng-lin",
            Self::ThurstoneMosteller => "thurstone-mosteller",
            Self::TrueSkill(_) => "trueskill",
        }
    }
}

/// How strongly bouts move a rating.
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

/// What a bout does to one bot: the way of its mean, and the part of its variance
/// that is gone.
type Move = (f64, f64);

/// Returns the skills after a bout; equal ranks are a draw, 1 is best.
///
/// What is not finite, after a million upsets for instance, leaves a skill as it was.
#[must_use]
pub fn after_bout(
    model: SkillModel,
    parameters: &Parameters,
    skills: &[Skill],
    ranks: &[u8],
) -> Vec<Skill> {
    let tau = parameters.tau;
    let awake: Vec<Skill> =
        skills.iter().map(|skill| Skill { mu: skill.mu, sigma: skill.sigma.hypot(tau) }).collect();
    let moved: Vec<Skill> = match model {
        SkillModel::PlackettLuce => {
            moved(parameters, &awake, &plackett_luce::moves(parameters, &awake, ranks))
        }
        SkillModel::TrueSkill(draws) => true_skill::after_bout(parameters, draws, &awake, ranks),
        SkillModel::BradleyTerry => bradley_terry(parameters, &awake, ranks),
        SkillModel::ThurstoneMosteller => {
            moved(parameters, &awake, &thurstone_mosteller::moves(parameters, &awake, ranks))
        }
    };
    let is_sound =
        |skill: &Skill| skill.mu.is_finite() && skill.sigma.is_finite() && skill.sigma > 0.0;
    moved
        .into_iter()
        .zip(&awake)
        .map(|(new, old)| if is_sound(&new) { new } else { *old })
        .collect()
}

fn moved(parameters: &Parameters, skills: &[Skill], moves: &[Move]) -> Vec<Skill> {
    let after = |(skill, (way, gone)): (&Skill, &Move)| Skill {
        mu: skill.mu + way,
        sigma: skill.sigma * (1.0 - gone).max(parameters.kappa).sqrt(),
    };
    skills.iter().zip(moves).map(after).collect()
}

/// Pairs of a bout by the logistic model, as the library has it.
fn bradley_terry(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Skill> {
    let rating = |skill: &Skill| [WengLinRating { rating: skill.mu, uncertainty: skill.sigma }];
    let ratings: Vec<_> = skills.iter().map(rating).collect();
    let outcomes = ranks.iter().map(|rank| MultiTeamOutcome::new(usize::from(*rank)));
    let teams: Vec<_> = ratings.iter().map(<[WengLinRating; 1]>::as_slice).zip(outcomes).collect();
    let config = WengLinConfig { beta: parameters.beta, uncertainty_tolerance: parameters.kappa };
    let after = weng_lin_multi_team(&teams, &config);
    after.iter().map(|team| Skill { mu: team[0].rating, sigma: team[0].uncertainty }).collect()
}

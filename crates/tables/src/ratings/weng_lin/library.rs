//! Pairs of a bout by the logistic model, as the library has it.

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use super::{Parameters, Skill};

pub(super) fn after_bout(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Skill> {
    let rating = |skill: &Skill| [WengLinRating { rating: skill.mu, uncertainty: skill.sigma }];
    let ratings: Vec<_> = skills.iter().map(rating).collect();
    let outcomes = ranks.iter().map(|rank| MultiTeamOutcome::new(usize::from(*rank)));
    let teams: Vec<_> = ratings.iter().map(<[WengLinRating; 1]>::as_slice).zip(outcomes).collect();
    let config = WengLinConfig { beta: parameters.beta, uncertainty_tolerance: parameters.kappa };
    let after = weng_lin_multi_team(&teams, &config);
    after.iter().map(|team| Skill { mu: team[0].rating, sigma: team[0].uncertainty }).collect()
}

//! A bout of many as bouts of two.

use std::cmp::Ordering;

use super::truncated::{draw_step, draw_width, win_step, win_width};
use super::{Move, Parameters, Skill, SkillModel};

/// How far apart, in performance, a win begins.
const DRAW_MARGIN: f64 = 0.1;

pub(super) fn moves(
    model: SkillModel,
    parameters: &Parameters,
    skills: &[Skill],
    ranks: &[u8],
) -> Vec<Move> {
    let of = |own: usize| {
        let opponents = (0..skills.len()).filter(|other| *other != own);
        let against = |other: usize| {
            let order = ranks[own].cmp(&ranks[other]);
            against(model, parameters, [skills[own], skills[other]], order)
        };
        let sum =
            opponents.map(against).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let parts = if is_part(model) { skills.len().saturating_sub(1).max(1) } else { 1 };
        (sum.0 / parts as f64, sum.1 / parts as f64)
    };
    (0..skills.len()).map(of).collect()
}

fn is_part(model: SkillModel) -> bool {
    matches!(model, SkillModel::BradleyTerryPart | SkillModel::ThurstoneMostellerPart)
}

/// What one opponent does to a bot that was ranked before it (`Less`), level or behind.
fn against(
    model: SkillModel,
    parameters: &Parameters,
    [own, other]: [Skill; 2],
    order: Ordering,
) -> Move {
    let variance = own.sigma.powi(2);
    let spread = variance + other.sigma.powi(2) + 2.0 * parameters.beta.powi(2);
    let doubled = if model == SkillModel::ThurstoneMostellerPart { 2.0 } else { 1.0 };
    let c = doubled * spread.sqrt();
    let lead = (own.mu - other.mu) / c;
    let (step, width) = match model {
        SkillModel::BradleyTerryFull | SkillModel::BradleyTerryPart => logistic(lead, order),
        _ => normal(lead, DRAW_MARGIN / c, order),
    };
    (variance / c * step, own.sigma / c * variance / (c * c) * width)
}

fn logistic(lead: f64, order: Ordering) -> Move {
    let chance = 1.0 / (1.0 + (-lead).exp());
    let score = match order {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    };
    (score - chance, chance * (1.0 - chance))
}

fn normal(lead: f64, margin: f64, order: Ordering) -> Move {
    match order {
        Ordering::Less => (win_step(lead, margin), win_width(lead, margin)),
        Ordering::Equal => (draw_step(lead, margin), draw_width(lead, margin)),
        Ordering::Greater => (-win_step(-lead, margin), win_width(-lead, margin)),
    }
}

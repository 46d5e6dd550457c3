//! Thurstone-Mosteller: a bout of many as bouts of two, each normal.

use std::cmp::Ordering;

use super::truncated::{draw_step, draw_width, win_step, win_width};
use super::{Move, Parameters, Skill};

/// How far apart, in performance, a win begins.
const DRAW_MARGIN: f64 = 0.1;

pub(super) fn moves(parameters: &Parameters, skills: &[Skill], ranks: &[u8]) -> Vec<Move> {
    let of = |own: usize| {
        let opponents = (0..skills.len()).filter(|other| *other != own);
        let against = |other: usize| {
            let order = ranks[own].cmp(&ranks[other]);
            against(parameters, [skills[own], skills[other]], order)
        };
        opponents.map(against).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    (0..skills.len()).map(of).collect()
}

/// What one opponent does to a bot that was ranked before it (`Less`), level or behind.
fn against(parameters: &Parameters, [own, other]: [Skill; 2], order: Ordering) -> Move {
    let variance = own.sigma.powi(2);
    let spread = variance + other.sigma.powi(2) + 2.0 * parameters.beta.powi(2);
    let c = spread.sqrt();
    let lead = (own.mu - other.mu) / c;
    let (step, width) = normal(lead, DRAW_MARGIN / c, order);
    (variance / c * step, own.sigma / c * variance / (c * c) * width)
}

fn normal(lead: f64, margin: f64, order: Ordering) -> Move {
    match order {
        Ordering::Less => (win_step(lead, margin), win_width(lead, margin)),
        Ordering::Equal => (draw_step(lead, margin), draw_width(lead, margin)),
        Ordering::Greater => (-win_step(-lead, margin), win_width(-lead, margin)),
    }
}

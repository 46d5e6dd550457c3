//! `TrueSkill` by expectation propagation.
//!
//! The bots of a bout stand in the order of their ranks. Each has a performance
//! about its skill; each neighbours' difference is above the draw margin, or within
//! it when they are level. Messages go forward and back along this chain until they
//! no longer change.

use statrs::function::erf::erf_inv;

use super::truncated::{draw_step, draw_width, win_step, win_width};
use super::{Parameters, Skill};

const MOST_ROUNDS: usize = 50;
const CLOSE: f64 = 1e-9;

/// What a win or a draw leaves of the variance of a difference, at least.
const LEAST_LEFT: f64 = 1e-9;

/// A normal distribution by precision and precision times mean; both 0 say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Message {
    precision: f64,
    weighted: f64,
}

impl Message {
    fn of(mean: f64, variance: f64) -> Self {
        Self { precision: 1.0 / variance, weighted: mean / variance }
    }

    fn and(self, other: Self) -> Self {
        Self {
            precision: self.precision + other.precision,
            weighted: self.weighted + other.weighted,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            precision: self.precision - other.precision,
            weighted: self.weighted - other.weighted,
        }
    }

    fn mean(self) -> f64 {
        self.weighted / self.precision
    }

    fn variance(self) -> f64 {
        1.0 / self.precision
    }
}

/// Two neighbours of the chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    is_level: bool,
    /// What the result says of the difference.
    result: Message,
    /// What it says to the bot ahead, and to the one behind.
    to: [Message; 2],
}

struct Chain {
    performances: Vec<Message>,
    links: Vec<Link>,
    margin: f64,
}

/// `skills` have their uncertainty back already; `draws` is the share of drawn bouts.
pub(super) fn after_bout(
    parameters: &Parameters,
    draws: f64,
    skills: &[Skill],
    ranks: &[u8],
) -> Vec<Skill> {
    let mut order: Vec<usize> = (0..skills.len()).collect();
    order.sort_by_key(|seat| ranks[*seat]);
    let noise = parameters.beta.powi(2);
    let performance =
        |seat: &usize| Message::of(skills[*seat].mu, skills[*seat].sigma.powi(2) + noise);
    let link = |pair: &[usize]| Link {
        is_level: ranks[pair[0]] == ranks[pair[1]],
        result: Message::default(),
        to: [Message::default(); 2],
    };
    let mut chain = Chain {
        performances: order.iter().map(performance).collect(),
        links: order.windows(2).map(link).collect(),
        margin: margin(parameters, draws),
    };
    chain.settle();
    let mut after = skills.to_vec();
    for (place, seat) in order.into_iter().enumerate() {
        after[seat] = pulled(skills[seat], noise, chain.said_by_links(place));
    }
    after
}

/// √2·β·Φ⁻¹((1 + draws) / 2)
fn margin(parameters: &Parameters, draws: f64) -> f64 {
    2.0 * parameters.beta * erf_inv(draws.clamp(0.0, 0.999))
}

/// What the bout says of the performance, taken into the skill.
fn pulled(skill: Skill, noise: f64, said: Message) -> Skill {
    if said.precision <= 0.0 {
        return skill;
    }
    let own = Message::of(skill.mu, skill.sigma.powi(2));
    let pulled = own.and(Message::of(said.mean(), said.variance() + noise));
    Skill { mu: pulled.mean(), sigma: pulled.variance().sqrt() }
}

impl Chain {
    /// What the neighbours say of a performance.
    fn said_by_links(&self, place: usize) -> Message {
        let ahead = place.checked_sub(1).map(|link| self.links[link].to[1]);
        let behind = self.links.get(place).map(|link| link.to[0]);
        ahead.unwrap_or_default().and(behind.unwrap_or_default())
    }

    fn settle(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let links = 0..self.links.len();
            let forward = links.clone().map(|link| self.pass(link)).fold(0.0, f64::max);
            let back = links.rev().map(|link| self.pass(link)).fold(0.0, f64::max);
            if forward.max(back) < CLOSE {
                break;
            }
        }
    }

    /// Brings one link up to date and returns how much that changed.
    fn pass(&mut self, link: usize) -> f64 {
        let before = self.links[link];
        let [ahead, behind] = [(link, 0), (link + 1, 1)].map(|(place, side)| {
            self.performances[place].and(self.said_by_links(place)).without(before.to[side])
        });
        let variance = ahead.variance() + behind.variance();
        let cavity = Message::of(ahead.mean() - behind.mean(), variance);
        let result = self.cut(cavity, before.is_level).without(cavity);
        let [mean, spread] = [result.mean(), result.variance()];
        let is_said = result.precision > 0.0 && mean.is_finite() && spread.is_finite();
        let to = match is_said {
            true => [
                Message::of(behind.mean() + mean, behind.variance() + spread),
                Message::of(ahead.mean() - mean, ahead.variance() + spread),
            ],
            false => [Message::default(); 2],
        };
        let change = result.without(before.result);
        self.links[link] = Link { result, to, ..before };
        let change = change.precision.abs().max(change.weighted.abs());
        if change.is_finite() { change } else { 0.0 }
    }

    /// Returns the difference once the result is known.
    fn cut(&self, difference: Message, is_level: bool) -> Message {
        let root = difference.precision.sqrt();
        let (lead, margin) = (difference.weighted / root, self.margin * root);
        let (step, width) = match is_level {
            true => (draw_step(lead, margin), draw_width(lead, margin)),
            false => (win_step(lead, margin), win_width(lead, margin)),
        };
        let left = (1.0 - width).clamp(LEAST_LEFT, 1.0);
        Message {
            precision: difference.precision / left,
            weighted: (difference.weighted + root * step) / left,
        }
    }
}

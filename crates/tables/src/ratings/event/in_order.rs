//! Ratings of bouts in schedule order, one after the other.

use std::collections::BTreeMap;

use super::{Certainty, EventRatings, Model, Note, rating};
use crate::ratings::weng_lin::{Parameters, Skill, SkillModel, after_bout};
use joust_model::BoutSummary;

/// Feeds bouts in schedule order.
pub(super) fn by_skill(model: SkillModel, bots: &[&str], bouts: &[BoutSummary]) -> EventRatings {
    let places: BTreeMap<&str, usize> = bots.iter().copied().zip(0..).collect();
    let mut order: Vec<&BoutSummary> = bouts.iter().collect();
    order.sort_unstable_by_key(|bout| (bout.match_number, bout.number, bout.bout.0));
    let mut skills = vec![Skill::default(); bots.len()];
    let mut played = vec![0_u64; bots.len()];
    for bout in order {
        let seats: Option<Vec<usize>> =
            bout.seats.iter().map(|seat| places.get(&*seat.bot).copied()).collect();
        if let Some(seats) = seats.filter(|seats| seats.len() > 1) {
            feed(model, &mut skills, &seats, &bout.ranks());
            seats.iter().for_each(|seat| played[*seat] += 1);
        }
    }
    let rows: Vec<_> = (0..bots.len())
        .map(|place| {
            let Skill { mu, sigma } = skills[place];
            rating(bots[place], (played[place] > 0).then_some((mu, sigma)), played[place])
        })
        .collect();
    let idle: Vec<_> =
        rows.iter().filter(|row| row.bouts == 0).map(|row| row.bot.clone()).collect();
    let text = "no rating without a bout".to_owned();
    let notes = if idle.is_empty() { Vec::new() } else { vec![Note { text, bots: idle }] };
    EventRatings { model: Model::Skill(model), rows, notes, certainty: Certainty::Skills }
}

fn feed(model: SkillModel, skills: &mut [Skill], seats: &[usize], ranks: &[u8]) {
    let before: Vec<Skill> = seats.iter().map(|seat| skills[*seat]).collect();
    let after = after_bout(model, &Parameters::default(), &before, ranks);
    for (seat, skill) in seats.iter().zip(after) {
        skills[*seat] = skill;
    }
}

//! Ratings of bouts in schedule order, one after the other.

use std::collections::BTreeMap;

use super::{Certainty, EventRatings, Model, Note, rating};
use crate::ratings::skill::{Parameters, Skill, SkillModel, after_bout};
use joust_model::BoutSummary;

/// Skills after some bouts, given in schedule order: one line for each bot, however many bouts
/// there are.
#[derive(Clone, Debug)]
pub struct Skills {
    model: SkillModel,
    places: BTreeMap<String, usize>,
    skills: Vec<Skill>,
    played: Vec<u64>,
    /// The places of a bout's bots, kept for the next one.
    seats: Vec<usize>,
}

impl Skills {
    /// Begins with no bout; those in which others than `bots` sit do not count.
    pub fn of<'a>(model: SkillModel, bots: impl IntoIterator<Item = &'a str>) -> Self {
        let places: BTreeMap<String, usize> =
            bots.into_iter().map(str::to_owned).zip(0..).collect();
        let (skills, played) = (vec![Skill::default(); places.len()], vec![0; places.len()]);
        Self { model, places, skills, played, seats: Vec::new() }
    }

    /// Adds the next bout: they come by number of the match, then of the bout, then by id.
    pub fn add(&mut self, bout: &BoutSummary) {
        self.seats.clear();
        let places = bout.seats.iter().map_while(|seat| self.places.get(&*seat.bot).copied());
        self.seats.extend(places);
        if self.seats.len() < bout.seats.len() || self.seats.len() < 2 {
            return;
        }
        let before: Vec<Skill> = self.seats.iter().map(|seat| self.skills[*seat]).collect();
        let after = after_bout(self.model, &Parameters::default(), &before, &bout.ranks());
        for (seat, skill) in self.seats.iter().zip(after) {
            self.skills[*seat] = skill;
            self.played[*seat] += 1;
        }
    }

    /// Returns the ratings of `bots`, in their order.
    pub fn ratings(&self, bots: &[&str]) -> EventRatings {
        let row = |bot: &&str| match self.places.get(*bot) {
            Some(place) if self.played[*place] > 0 => {
                let Skill { mu, sigma } = self.skills[*place];
                rating(bot, Some((mu, sigma)), self.played[*place])
            }
            _ => rating(bot, None, 0),
        };
        let rows: Vec<_> = bots.iter().map(row).collect();
        let idle: Vec<_> =
            rows.iter().filter(|row| row.bouts == 0).map(|row| row.bot.clone()).collect();
        let text = "no rating without a bout".to_owned();
        let notes = if idle.is_empty() { Vec::new() } else { vec![Note { text, bots: idle }] };
        EventRatings { model: Model::Skill(self.model), rows, notes, certainty: Certainty::Skills }
    }
}

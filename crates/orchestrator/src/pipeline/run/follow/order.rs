//! Order of play while bots come: who came last plays first, until its interval is as narrow
//! as those of the others.

use std::collections::BTreeSet;

use joust_model::BoutPlan;
use joust_standings::ratings::event::{BotRating, EventRatings};

/// The fewest bouts that are played before intervals are looked at again.
const LEAST: u64 = 8;

/// The most bouts that are picked at once: they are held.
const MOST: usize = 4096;

/// Factor by which an interval has to be wider than usual.
const WIDER: f64 = 1.25;

/// Bots that play first, and how many bouts they do before they are looked at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Newcomers {
    bots: BTreeSet<String>,
    pub(super) bouts: usize,
}

impl Newcomers {
    /// Returns those who have played less than most and whose intervals are wider than most;
    /// `None` when there is nobody of the kind.
    pub(super) fn among(ratings: &EventRatings) -> Option<Self> {
        let played = at(ratings.rows.iter().map(|row| row.bouts as f64), 3)?;
        let others = ratings.rows.iter().filter(|row| row.bouts as f64 >= played);
        let usual = at(others.filter_map(width), 2)?;
        let is_new = |row: &&BotRating| {
            (row.bouts as f64) < played && width(row).is_none_or(|width| width > WIDER * usual)
        };
        let wanted = |row: &BotRating| {
            let behind = played - row.bouts as f64;
            // An interval narrows with the root of the bouts.
            let expected = width(row)
                .map_or(behind / 4.0, |width| row.bouts as f64 * ((width / usual).powi(2) - 1.0));
            (expected.min(behind).ceil() as u64).max(LEAST)
        };
        let new: Vec<&BotRating> = ratings.rows.iter().filter(is_new).collect();
        let bouts: u64 = new.iter().map(|row| wanted(row)).sum();
        let bots: BTreeSet<String> = new.iter().map(|row| row.bot.clone()).collect();
        let bouts = usize::try_from(bouts).unwrap_or(MOST).min(MOST);
        (!bots.is_empty()).then_some(Self { bots, bouts })
    }

    /// Picks the first bouts in which one of them sits: against everybody once, then once more.
    pub(super) fn pick(&self, plans: impl Iterator<Item = BoutPlan>) -> Vec<BoutPlan> {
        let sits = |plan: &BoutPlan| plan.seats.iter().any(|seat| self.bots.contains(&seat.bot));
        let set = |plan: &BoutPlan| plan.number as usize / plan.seats.len().max(1);
        let keep_first = |picked: &mut Vec<BoutPlan>| {
            picked.sort_by_key(|plan| (set(plan), plan.match_number, plan.number));
            picked.truncate(self.bouts);
        };
        let mut picked = Vec::new();
        for plan in plans.filter(sits) {
            picked.push(plan);
            if picked.len() >= self.bouts + MOST {
                keep_first(&mut picked);
            }
        }
        keep_first(&mut picked);
        picked
    }
}

fn width(row: &BotRating) -> Option<f64> {
    if row.bouts == 0 { None } else { Some(row.high? - row.low?) }
}

/// Returns the value at so many quarters of the way from the least to the greatest, if it is
/// above 0.
fn at(values: impl Iterator<Item = f64>, quarters: usize) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() * quarters / 4).copied().filter(|value| *value > 0.0)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use crate::pipeline::event_settings;
    use joust_model::{BoutId, BoutSummary, EventInfo, SeatSummary, Seed};
    use joust_standings::ratings::event::rate;

    use super::*;

    /// So many bouts of two bots, of which each wins every other one.
    fn bouts(one: &str, other: &str, count: u32) -> Vec<BoutSummary> {
        let seat = |bot: &str, rank: u8| SeatSummary {
            bot: Arc::from(bot),
            rank,
            score: 0.into(),
            verdicts: Arc::default(),
        };
        let bout = |number: u32| {
            let rank = if number.is_multiple_of(2) { 1 } else { 2 };
            BoutSummary {
                bout: BoutId::of("cup", &[one.as_bytes(), other.as_bytes(), &[number as u8]]),
                match_number: 0,
                number,
                seed: Seed(u64::from(number)),
                rounds: 1,
                is_isolated: true,
                seats: vec![seat(one, rank), seat(other, 3 - rank)],
            }
        };
        (0..count).map(bout).collect()
    }

    fn newcomers(bots: &[&str], bouts: &[BoutSummary]) -> Option<Vec<String>> {
        let text = "events:\n  - { game: battlebots, bots: [a] }\n";
        let (file, games) = (Path::new("t.yaml"), joust_referee::Catalogue::built_in());
        let tournament = joust_config::parse(text, file, &games).expect("a tournament");
        let settings = event_settings(&tournament, &tournament.events[0]);
        let event =
            EventInfo { settings, bots: Vec::new(), decisions: Vec::new(), referee_errors: 0 };
        let ratings = rate(&event, bots, bouts);
        Newcomers::among(&ratings).map(|new| new.bots.into_iter().collect())
    }

    #[test]
    fn who_came_last_plays_first_until_its_interval_is_as_narrow_as_the_others() {
        let mut played = bouts("ann", "bob", 40);
        assert_eq!(newcomers(&["ann", "bob"], &played), None);
        assert_eq!(newcomers(&["ann", "bob", "cleo"], &played), Some(vec!["cleo".to_owned()]));
        played.extend(bouts("ann", "cleo", 8));
        assert_eq!(newcomers(&["ann", "bob", "cleo"], &played), Some(vec!["cleo".to_owned()]));
        played = bouts("ann", "bob", 40);
        played.extend(bouts("ann", "cleo", 32));
        played.extend(bouts("bob", "cleo", 32));
        assert_eq!(newcomers(&["ann", "bob", "cleo"], &played), None);
    }

    #[test]
    fn where_nobody_has_played_nobody_is_new() {
        assert_eq!(newcomers(&["ann", "bob"], &[]), None);
    }
}

//! Balanced first seats of bouts that have no mirror.
//!
//! The bots of an event stand on a circle, in an order drawn by lot from its seed and their names.
//! In a bout of two without a second bout with the seats exchanged, a bot has the first seat if the
//! other one stands within the next half of the circle after it. So in an event in which every bot
//! meets every other, each sits first in half of these bouts, give or take one.
//!
//! No rule could leave all seats as they are when a bot joins: of three bots that are balanced,
//! each sits first against one of the others, and four bots cannot all be in such triples. On the
//! circle only bots change seats that stand opposite to each other: each of those that were there
//! in one of its matches at most.

use joust_model::digest_number;

/// Circle of the bots of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The place of each bot on it, by its index.
    places: Vec<usize>,
}

impl Circle {
    /// Draws the circle of `bots`, whose order says nothing.
    pub fn of(bots: &[&str], draw_seed: u64) -> Self {
        let drawn = |bot: &usize| {
            let fields = [&draw_seed.to_le_bytes()[..], bots[*bot].as_bytes()];
            (digest_number("joust-circle-1", &fields), bots[*bot])
        };
        let mut order: Vec<usize> = (0..bots.len()).collect();
        order.sort_by_cached_key(drawn);
        let mut places = vec![0; bots.len()];
        order.into_iter().enumerate().for_each(|(place, bot)| places[bot] = place);
        Self { places }
    }

    /// Returns two bots in the order of their seats.
    pub fn seated(&self, [one, other]: [usize; 2]) -> [usize; 2] {
        let bots = self.places.len();
        let [here, there] = [one, other].map(|bot| self.places[bot]);
        let ahead = (there + bots - here) % bots;
        let is_first = match (2 * ahead).cmp(&bots) {
            std::cmp::Ordering::Equal => here < there,
            order => order.is_lt(),
        };
        if is_first { [one, other] } else { [other, one] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bots: usize) -> Vec<String> {
        (0..bots).map(|bot| format!("bot-{bot}")).collect()
    }

    fn circle(names: &[String], seed: u64) -> Circle {
        Circle::of(&names.iter().map(String::as_str).collect::<Vec<_>>(), seed)
    }

    fn pairs(bots: usize) -> impl Iterator<Item = [usize; 2]> {
        (0..bots).flat_map(move |one| (one + 1..bots).map(move |other| [one, other]))
    }

    #[test]
    fn every_bot_sits_first_against_half_of_the_others() {
        for bots in 2..30 {
            for seed in 0..5 {
                let circle = circle(&names(bots), seed);
                let mut first = vec![0; bots];
                pairs(bots).for_each(|pair| first[circle.seated(pair)[0]] += 1);
                let others = bots - 1;
                let half = others / 2..=others.div_ceil(2);
                assert!(first.iter().all(|count| half.contains(count)), "{bots} bots: {first:?}");
            }
        }
    }

    #[test]
    fn a_bot_that_joins_changes_the_seats_of_one_match_of_each_other_at_most() {
        for bots in 2..30 {
            let names = names(bots + 1);
            let [before, after] = [bots, bots + 1].map(|bots| circle(&names[..bots], 7));
            let mut changed = vec![0; bots];
            for pair in pairs(bots).filter(|pair| before.seated(*pair) != after.seated(*pair)) {
                pair.into_iter().for_each(|bot| changed[bot] += 1);
            }
            assert!(changed.iter().all(|count| *count <= 1), "{bots} bots: {changed:?}");
        }
    }

    #[test]
    fn the_order_of_the_bots_plays_no_part() {
        let (one, other) = (["a", "b", "c", "d"], ["d", "c", "b", "a"]);
        let [one_seated, other_seated] = [one, other].map(|names| {
            let circle = Circle::of(&names, 3);
            let seated = |pair| circle.seated(pair).map(|bot| names[bot]);
            pairs(4).map(seated).collect::<std::collections::BTreeSet<_>>()
        });
        assert_eq!(one_seated, other_seated);
    }
}

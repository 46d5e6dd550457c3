//! Partial schedule: every bot meets about as many others, not all of them.
//!
//! The bots stand in rings, each in an order drawn from a seed and their names. The bots of a
//! match stand side by side in a ring, so every bot is in as many
//! matches of a ring as a match has bots: two, in matches of two. There are as many rings as
//! the wanted number of matches takes, rounded up. Properties:
//!
//! 1. Every bot is in equally many matches; if nearly all possible groups meet, a few bots have
//!    one or two matches less.
//! 2. No group meets twice. A group that has met in an earlier ring exchanges bots with another
//!    one; if that makes nothing new, it is left out.
//! 3. All bots are connected by way of others, because the first ring is closed.
//! 4. A bot that joins is put between two others of each ring, so that all but a few of the
//!    matches stay, with their results.
//! 5. Every beginning is about balanced: of a ring, first the groups are played that have no
//!    bot in common, then those that begin one place further.
//!
//! Rings in orders drawn by lot connect everybody by few steps with high probability
//! (J. Friedman, *A Proof of Alon's Second Eigenvalue Conjecture*, 2008), which is what lets
//! ratings of all be compared. `examples/rank-error.rs` simulates it.

use std::collections::BTreeSet;

use joust_model::digest_number;

use super::{Circle, FreeForAll, Groups, Schedule};

/// A schedule in which bots meet some of the others.
#[derive(Clone, Debug)]
pub struct Partial {
    groups: Groups,
}

impl Partial {
    /// Draws the matches of `players` between `bots`, at least `matches_per_bot` of each; all
    /// groups meet once where there are no more.
    pub fn new(bots: &[&str], players: usize, matches_per_bot: u64, seed: u64) -> Self {
        let players = players.max(2);
        let rings = matches_per_bot.div_ceil(players as u64).max(1);
        let all = FreeForAll::new(bots.len(), players);
        if all.count() <= rings.saturating_mul(bots.len() as u64) || bots.len() <= players + 1 {
            let circle = Circle::of(bots, seed);
            let seated = |group: Vec<usize>| match group[..] {
                [one, other] => circle.seated([one, other]).to_vec(),
                _ => group,
            };
            let everybody = super::everybody(bots.len(), players);
            return Self { groups: everybody.matches().map(seated).collect() };
        }
        let mut drawn = DrawnGroups::default();
        let mut groups = Groups::default();
        for ring in 0..rings {
            groups.extend(drawn.ring(&order(bots, seed, ring), players));
        }
        Self { groups }
    }
}

impl Schedule for Partial {
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        self.groups.at(place)
    }

    fn count(&self) -> u64 {
        self.groups.len()
    }
}

/// Returns the order in which bots stand in a ring.
fn order(bots: &[&str], seed: u64, ring: u64) -> Vec<usize> {
    let drawn = |bot: &usize| {
        let fields = [&seed.to_le_bytes()[..], &ring.to_le_bytes(), bots[*bot].as_bytes()];
        (digest_number("joust-partial-1", &fields), bots[*bot])
    };
    let mut order: Vec<usize> = (0..bots.len()).collect();
    order.sort_by_cached_key(drawn);
    order
}

/// Returns every group that stands side by side in a closed ring.
fn windows(order: &[usize], players: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
    let bots = order.len();
    (0..bots).map(move |first| (0..players).map(|place| order[(first + place) % bots]).collect())
}

fn sorted(group: &[usize]) -> Vec<usize> {
    let mut group = group.to_vec();
    group.sort_unstable();
    group
}

/// Groups that were drawn, in any ring.
#[derive(Default)]
struct DrawnGroups(BTreeSet<Vec<usize>>);

impl DrawnGroups {
    /// Returns the groups of a ring, in order of play. A group that has met before exchanges a bot
    /// with the next group for which that makes two new groups; if there is no such group, it is
    /// left out.
    fn ring(&mut self, order: &[usize], players: usize) -> Vec<Vec<usize>> {
        let mut ring: Vec<Vec<usize>> = windows(order, players).collect();
        let mut is_again: Vec<bool> =
            ring.iter().map(|group| !self.0.insert(sorted(group))).collect();
        for place in 0..ring.len() {
            if !is_again[place] {
                continue;
            }
            let others = (1..ring.len()).map(|step| (place + step) % ring.len());
            let exchange = others
                .filter(|other| !is_again[*other])
                .find_map(|other| Some((other, self.exchanged(&ring[place], &ring[other])?)));
            let Some((other, [one, two])) = exchange else { continue };
            self.0.remove(&sorted(&ring[other]));
            self.0.extend([sorted(&one), sorted(&two)]);
            (ring[place], ring[other]) = (one, two);
            is_again[place] = false;
        }
        let groups = ring.into_iter().zip(is_again).map(|(group, again)| (!again).then_some(group));
        in_order_of_play(groups.collect(), players)
    }

    /// Returns two groups with a bot of each exchanged, both new; `None` when there are none.
    fn exchanged(&self, one: &[usize], other: &[usize]) -> Option<[Vec<usize>; 2]> {
        let places = (0..one.len()).rev().flat_map(|goes| (0..other.len()).map(move |c| [goes, c]));
        places
            .map(|[goes, comes]| {
                let mut new = [one.to_vec(), other.to_vec()];
                (new[0][goes], new[1][comes]) = (other[comes], one[goes]);
                new
            })
            .find(|new| {
                new.iter().all(|group| self.is_new(group)) && sorted(&new[0]) != sorted(&new[1])
            })
    }

    /// Returns whether a group has not been drawn, and has no bot twice.
    fn is_new(&self, group: &[usize]) -> bool {
        let group = sorted(group);
        group.windows(2).all(|two| two[0] != two[1]) && !self.0.contains(&group)
    }
}

/// Puts the groups of a ring that have no bot in common before the others.
fn in_order_of_play(mut ring: Vec<Option<Vec<usize>>>, players: usize) -> Vec<Vec<usize>> {
    let places = (0..players).flat_map(|first| (first..ring.len()).step_by(players));
    let places: Vec<usize> = places.collect();
    places.into_iter().filter_map(|place| ring[place].take()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn names(bots: usize) -> Vec<String> {
        (0..bots).map(|bot| format!("bot-{bot:04}")).collect()
    }

    fn partial(names: &[String], players: usize, matches: u64) -> Partial {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Partial::new(&names, players, matches, 2026)
    }

    fn distinct(partial: &Partial) -> BTreeSet<Vec<usize>> {
        partial.matches().map(|group| sorted(&group)).collect()
    }

    fn counts(partial: &Partial) -> BTreeMap<usize, usize> {
        let mut counts = BTreeMap::new();
        partial.matches().flatten().for_each(|bot| *counts.entry(bot).or_insert(0) += 1);
        counts
    }

    #[test]
    fn every_bot_meets_as_many_different_others() {
        for (bots, matches) in [(40, 6), (100, 30), (101, 30), (500, 30)] {
            let partial = partial(&names(bots), 2, matches);
            assert_eq!(partial.count(), bots as u64 * matches / 2, "{bots}");
            assert_eq!(distinct(&partial).len() as u64, partial.count(), "{bots}");
            let counts = counts(&partial);
            assert!(counts.len() == bots && counts.values().all(|count| *count as u64 == matches));
        }
    }

    #[test]
    fn everybody_is_connected_with_everybody() {
        let partial = partial(&names(200), 2, 2);
        let mut reached = BTreeSet::from([0]);
        while let Some(group) = partial.matches().find(|group| {
            let known = group.iter().filter(|bot| reached.contains(*bot)).count();
            known > 0 && known < group.len()
        }) {
            reached.extend(group);
        }
        assert_eq!(reached.len(), 200);
    }

    #[test]
    fn who_joins_leaves_nearly_all_matches() {
        let before = names(200);
        let mut after = before.clone();
        after.push("a-newcomer".to_owned());
        let named = |names: &[String]| -> BTreeSet<Vec<String>> {
            let partial = partial(names, 2, 30);
            let pair = |group: Vec<usize>| {
                let mut pair: Vec<String> = group.iter().map(|bot| names[*bot].clone()).collect();
                pair.sort();
                pair
            };
            partial.matches().map(pair).collect()
        };
        let (before, after) = (named(&before), named(&after));
        assert_eq!((before.len(), after.len()), (3000, 3015));
        let gone = before.difference(&after).count();
        assert!(gone <= 150, "{gone} of 3000 pairs are gone");
    }

    #[test]
    fn few_bots_all_meet_each_other() {
        let all = partial(&names(8), 2, 30);
        assert_eq!((all.count(), distinct(&all).len() as u64), (28, 28));
        assert_eq!(partial(&names(3), 4, 30).count(), 0);
        assert_eq!(partial(&names(1), 2, 30).count(), 0);
        assert_eq!(partial(&[], 2, 30).count(), 0);
    }

    #[test]
    fn groups_of_more_meet_once_and_every_bot_sits_about_as_often() {
        let partial = partial(&names(60), 4, 12);
        assert_eq!(distinct(&partial).len() as u64, partial.count());
        assert!(counts(&partial).values().all(|count| *count == 12));
        assert!(partial.at(0).is_some_and(|group| group.len() == 4));
        assert_eq!(partial.at(partial.count()), None);
    }

    #[test]
    fn groups_that_met_exchange_bots_so_that_all_play_as_often() {
        let partial = partial(&names(11), 4, 80);
        assert_eq!((partial.count(), distinct(&partial).len() as u64), (219, 219), "of 330 groups");
        assert!(counts(&partial).values().all(|count| (79..=80).contains(count)));
    }

    #[test]
    fn every_beginning_is_about_balanced() {
        for players in [2, 4] {
            let partial = partial(&names(60), players, 12);
            for end in 30..partial.count() {
                let mut counts = vec![0_usize; 60];
                let beginning = (0..end).filter_map(|place| partial.at(place));
                beginning.flatten().for_each(|bot| counts[bot] += 1);
                let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                assert!(most - least <= 3, "after {end}: {least} to {most}");
            }
        }
    }

    #[test]
    fn an_odd_number_is_rounded_up_to_whole_rings() {
        assert_eq!(partial(&names(50), 2, 5).count(), 150);
    }
}

//! Partial schedule: every bot meets about as many others, not all of them.
//!
//! The bots stand in rings, each in an order drawn from a seed and their names. A match is as
//! many bots as play in one that stand side by side in a ring, so every bot is in as many
//! matches of a ring as a match has bots: two, in matches of two. There are as many rings as
//! the wanted number takes, rounded up. What holds:
//!
//! 1. Every bot is in equally many matches; where nearly everybody meets everybody, a few have
//!    one or two less.
//! 2. No group meets twice. In matches of two, a pair that has met in an earlier ring exchanges
//!    partners with another one; with more bots in a match such a group is left out.
//! 3. Everybody is connected with everybody by way of others, since the first ring is closed.
//! 4. A bot that joins steps between two others of each ring, so that all but a few of the
//!    matches stay, with their results.
//!
//! Rings in orders drawn by lot connect everybody by few steps with high probability
//! (J. Friedman, *A Proof of Alon's Second Eigenvalue Conjecture*, 2008), which is what lets
//! ratings of all be compared. `examples/rank-error.rs` simulates it; no event chooses it yet.

use std::collections::BTreeSet;

use joust_model::digest_number;

use super::{FreeForAll, Schedule};

/// A schedule in which bots meet some of the others.
#[derive(Clone, Debug)]
pub struct Partial {
    groups: Vec<Vec<usize>>,
}

impl Partial {
    /// Draws the matches of `players` between `bots`, at least `matches_per_bot` of each; all
    /// groups meet once where there are no more.
    #[must_use]
    pub fn new(bots: &[&str], players: usize, matches_per_bot: u64, seed: u64) -> Self {
        let players = players.max(2);
        let rings = matches_per_bot.div_ceil(players as u64).max(1);
        let all = FreeForAll::new(bots.len(), players);
        if all.count() <= rings.saturating_mul(bots.len() as u64) || bots.len() <= players + 1 {
            return Self { groups: all.matches().collect() };
        }
        let mut met = BTreeSet::new();
        let mut groups = Vec::new();
        for ring in 0..rings {
            let order = order(bots, seed, ring);
            let drawn = if players == 2 {
                pairs(&order, &met)
            } else {
                windows(&order, players).filter(|group| !met.contains(&sorted(group))).collect()
            };
            met.extend(drawn.iter().map(|group| sorted(group)));
            groups.extend(drawn);
        }
        Self { groups }
    }

    /// Returns how many matches there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Says whether there is no match.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the bots of a match; `None` from [`Partial::len`] on.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&[usize]> {
        self.groups.get(index).map(Vec::as_slice)
    }
}

impl Schedule for Partial {
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        Box::new(self.groups.iter().cloned())
    }

    fn count(&self) -> u64 {
        self.groups.len() as u64
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

/// Returns the neighbours of a ring, but that those who have met before exchange partners with
/// the next pair with whom that makes two new ones. Where there is none they are left out.
fn pairs(order: &[usize], met: &BTreeSet<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut ring: Vec<Vec<usize>> = windows(order, 2).collect();
    let mut taken: BTreeSet<Vec<usize>> = ring.iter().map(|pair| sorted(pair)).collect();
    for place in 0..ring.len() {
        if !met.contains(&sorted(&ring[place])) {
            continue;
        }
        let mut others = (1..ring.len()).map(|step| (place + step) % ring.len());
        let exchange = others.find_map(|other| {
            let new = exchanged(&ring[place], &ring[other])?;
            let is_new = |pair: &Vec<usize>| {
                let pair = sorted(pair);
                !met.contains(&pair) && !taken.contains(&pair)
            };
            new.iter().all(is_new).then_some((other, new))
        });
        let Some((other, [one, two])) = exchange else { continue };
        for gone in [place, other] {
            taken.remove(&sorted(&ring[gone]));
        }
        taken.extend([sorted(&one), sorted(&two)]);
        (ring[place], ring[other]) = (one, two);
    }
    ring.retain(|pair| !met.contains(&sorted(pair)));
    ring
}

/// Returns two pairs with partners exchanged; `None` when a bot is in both.
fn exchanged(one: &[usize], other: &[usize]) -> Option<[Vec<usize>; 2]> {
    let is_in_both = one.iter().any(|bot| other.contains(bot));
    (!is_in_both).then(|| [vec![one[0], other[0]], vec![one[1], other[1]]])
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
        partial.groups.iter().map(|group| sorted(group)).collect()
    }

    fn counts(partial: &Partial) -> BTreeMap<usize, usize> {
        let mut counts = BTreeMap::new();
        partial.groups.iter().flatten().for_each(|bot| *counts.entry(*bot).or_insert(0) += 1);
        counts
    }

    #[test]
    fn every_bot_meets_as_many_different_others() {
        for (bots, matches) in [(40, 6), (100, 30), (101, 30), (500, 30)] {
            let partial = partial(&names(bots), 2, matches);
            assert_eq!(partial.len() as u64, bots as u64 * matches / 2, "{bots}");
            assert_eq!(distinct(&partial).len(), partial.len(), "{bots}");
            let counts = counts(&partial);
            assert!(counts.len() == bots && counts.values().all(|count| *count as u64 == matches));
        }
    }

    #[test]
    fn everybody_is_connected_with_everybody() {
        let partial = partial(&names(200), 2, 2);
        let mut reached = BTreeSet::from([0]);
        while let Some(group) = partial.groups.iter().find(|group| {
            let known = group.iter().filter(|bot| reached.contains(*bot)).count();
            known > 0 && known < group.len()
        }) {
            reached.extend(group.iter().copied());
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
            let pair = |group: &Vec<usize>| {
                let mut pair: Vec<String> = group.iter().map(|bot| names[*bot].clone()).collect();
                pair.sort();
                pair
            };
            partial.groups.iter().map(pair).collect()
        };
        let (before, after) = (named(&before), named(&after));
        assert_eq!((before.len(), after.len()), (3000, 3015));
        let gone = before.difference(&after).count();
        assert!(gone <= 150, "{gone} of 3000 pairs are gone");
    }

    #[test]
    fn few_bots_all_meet_each_other() {
        let all = partial(&names(8), 2, 30);
        assert_eq!((all.len(), distinct(&all).len()), (28, 28));
        assert_eq!(partial(&names(3), 4, 30).len(), 0);
        assert_eq!(partial(&names(1), 2, 30).len(), 0);
        assert!(partial(&[], 2, 30).is_empty());
    }

    #[test]
    fn groups_of_more_meet_once_and_every_bot_sits_about_as_often() {
        let partial = partial(&names(60), 4, 12);
        assert_eq!(distinct(&partial).len(), partial.len());
        assert!(counts(&partial).values().all(|count| (11..=12).contains(count)));
        assert!(partial.at(0).is_some_and(|group| group.len() == 4));
        assert_eq!(partial.at(partial.len()), None);
    }

    #[test]
    fn an_odd_number_is_rounded_up_to_whole_rings() {
        assert_eq!(partial(&names(50), 2, 5).len(), 150);
    }
}

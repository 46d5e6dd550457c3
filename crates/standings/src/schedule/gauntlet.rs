//! Gauntlet: named bots against the field.
//!
//! In matches of two every named bot meets every other bot once, other named ones included.
//! In matches of more, every named bot sits with groups of those that are not named: as many
//! groups as there are such bots, in which each of them sits equally often, or the one group
//! of all where no more fit. Where fewer are there than a match takes, nothing is played.
//!
//! Opponents come in an order drawn from a seed and their names, so that a bot that joins
//! leaves the order of the others as it is, and every beginning is a sample of the field.

use joust_model::digest_number;

use super::Schedule;

/// The matches of named bots against a field.
#[derive(Clone, Debug)]
pub struct Gauntlet {
    /// The named bots, in order of their names.
    named: Vec<usize>,
    /// The others, in the order they are met in.
    field: Vec<usize>,
    /// Opponents in a match.
    width: usize,
    /// Places from one group's first bot to the next group's first bot.
    stride: usize,
}

impl Gauntlet {
    /// Makes the gauntlet of the `bots` that are among `named`, in matches of `players`.
    pub fn new(bots: &[&str], named: &[String], players: usize, seed: u64) -> Self {
        let is_named = |bot: &usize| named.iter().any(|name| name == bots[*bot]);
        let (named, mut field): (Vec<usize>, Vec<usize>) = (0..bots.len()).partition(is_named);
        field.sort_by_key(|bot| (drawn(seed, bots[*bot]), bots[*bot]));
        let width = players.max(2) - 1;
        Self { named, stride: stride(width, field.len()), field, width }
    }

    fn len(&self) -> usize {
        self.against_the_field() + self.among_themselves()
    }

    fn against_the_field(&self) -> usize {
        let groups = match self.field.len() {
            too_few if too_few < self.width => 0,
            just if just == self.width => 1,
            many => many,
        };
        groups * self.named.len()
    }

    /// Matches of two between named bots.
    fn among_themselves(&self) -> usize {
        let named = self.named.len();
        if self.width == 1 { named * named.saturating_sub(1) / 2 } else { 0 }
    }

    /// Returns the opponents of the group of this number.
    fn group(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let field = self.field.len();
        (0..self.width).map(move |place| self.field[(number * self.stride + place) % field])
    }
}

impl Schedule for Gauntlet {
    /// The named bot is first.
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        let place = usize::try_from(place).ok()?;
        let outer = self.against_the_field();
        if place < outer {
            let named = self.named[place % self.named.len()];
            let group = self.group(place / self.named.len());
            return Some([named].into_iter().chain(group).collect());
        }
        (place < self.len()).then(|| pair(place - outer).map(|bot| self.named[bot]).to_vec())
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }
}

fn drawn(seed: u64, bot: &str) -> u64 {
    digest_number("joust-gauntlet-1", &[&seed.to_le_bytes()[..], bot.as_bytes()])
}

/// Returns the least stride, from the width of a group on, with which every bot is a group's
/// first one once.
fn stride(width: usize, field: usize) -> usize {
    (width..).find(|stride| greatest_common_divisor(*stride, field) == 1 || field == 0).unwrap_or(1)
}

fn greatest_common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// Returns the pair of this number: (0, 1), (0, 2), (1, 2), (0, 3), …
fn pair(number: usize) -> [usize; 2] {
    let mut later = 1;
    while (later + 1) * later / 2 <= number {
        later += 1;
    }
    [number - later * (later - 1) / 2, later]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const FIELD: [&str; 8] = ["ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hal"];

    fn gauntlet(bots: &[&str], named: &[&str], players: usize) -> Gauntlet {
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        Gauntlet::new(bots, &named, players, 2026)
    }

    fn sorted(gauntlet: &Gauntlet) -> BTreeSet<Vec<usize>> {
        let sort = |mut group: Vec<usize>| {
            group.sort_unstable();
            group
        };
        gauntlet.matches().map(sort).collect()
    }

    #[test]
    fn a_named_bot_meets_every_other_once() {
        let gauntlet = gauntlet(&FIELD, &["dan"], 2);
        assert_eq!(gauntlet.len(), 7);
        assert!(gauntlet.matches().all(|group| group[0] == 3));
        let met: BTreeSet<usize> = gauntlet.matches().map(|group| group[1]).collect();
        assert_eq!(met, BTreeSet::from([0, 1, 2, 4, 5, 6, 7]));
    }

    #[test]
    fn several_named_bots_meet_each_other_too() {
        let gauntlet = gauntlet(&FIELD, &["dan", "ada", "hal"], 2);
        assert_eq!(gauntlet.len(), 3 * 5 + 3);
        assert_eq!(sorted(&gauntlet).len(), 18);
        assert!([[0, 3], [0, 7], [3, 7]].iter().all(|pair| sorted(&gauntlet).contains(&pair[..])));
    }

    #[test]
    fn groups_of_more_are_different_and_every_opponent_sits_in_as_many() {
        for players in 3..=8 {
            let gauntlet = gauntlet(&FIELD, &["dan"], players);
            let groups = if players == 8 { 1 } else { 7 };
            assert_eq!((gauntlet.len(), sorted(&gauntlet).len()), (groups, groups), "{players}");
            let mut sat = BTreeMap::new();
            for bot in gauntlet.matches().flatten() {
                *sat.entry(bot).or_insert(0) += 1;
            }
            let met = groups * (players - 1) / 7;
            assert!((0..8).all(|bot| sat[&bot] == if bot == 3 { groups } else { met }), "{sat:?}");
        }
    }

    #[test]
    fn who_joins_leaves_the_order_of_the_others() {
        let order = |bots: &[&'static str]| -> Vec<&'static str> {
            let gauntlet = gauntlet(bots, &["dan"], 2);
            gauntlet.matches().map(|group| bots[group[1]]).collect()
        };
        let mut with_ida = FIELD.to_vec();
        with_ida.push("ida");
        let mut later = order(&with_ida);
        later.retain(|bot| *bot != "ida");
        assert_eq!(later, order(&FIELD));
    }

    #[test]
    fn without_a_field_or_a_named_bot_nothing_is_played() {
        assert_eq!(gauntlet(&[], &["dan"], 2).len(), 0);
        assert_eq!(gauntlet(&["dan"], &["dan"], 2).len(), 0);
        assert_eq!(gauntlet(&FIELD, &["nobody"], 2).len(), 0);
        assert_eq!(gauntlet(&FIELD, &["dan"], 9).len(), 0);
        assert_eq!(gauntlet(&FIELD, &["dan"], 2).at(7), None);
    }
}

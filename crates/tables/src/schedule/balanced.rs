//! A selection of groups, for events with more groups than are to be played.
//!
//! What is kept, from the first to the last:
//!
//! 1. No group meets twice.
//! 2. Every bot is in equally many matches. So the number of matches is the
//!    largest multiple of `bots / gcd(bots, seats)` that is allowed; when not even
//!    one such step is allowed, the bots' matches differ by at most one.
//! 3. Every pair of bots meets as equally often as could be found: no
//!    arrangement is known for most numbers, so this is searched for, and the
//!    search is bounded.
//!
//! The same numbers and seed give the same selection on every machine.

use std::collections::BTreeMap;

use super::{FreeForAll, Schedule};
use joust_model::groups_that_meet;

/// How many exchanges are tried for each match, and in all.
const EXCHANGES_PER_MATCH: usize = 400;
const MOST_EXCHANGES: usize = 400_000;
/// What a group that is there already costs, in meetings squared: more than any
/// arrangement of meetings can be worth.
const TWICE: i64 = 1 << 40;

/// A selection of the groups of `seats` out of a number of bots.
#[derive(Clone, Debug)]
pub struct Balanced {
    groups: Vec<Vec<usize>>,
}

impl Balanced {
    /// Selects at most `most` of the groups of `seats` out of `bots` bots.
    #[must_use]
    pub fn new(bots: usize, seats: usize, most: u64, seed: u64) -> Self {
        let all = FreeForAll::new(bots, seats);
        let count = groups_that_meet(bots as u64, seats as u64, most);
        let rest = all.count() - count;
        let groups = if count > rest {
            let mut left_out = Search::run(bots, seats, rest, seed);
            left_out.sort_unstable();
            all.matches().filter(|group| left_out.binary_search(group).is_err()).collect()
        } else {
            Search::run(bots, seats, count, seed)
        };
        Self { groups: in_order_of_play(groups, bots) }
    }
}

impl Schedule for Balanced {
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        Box::new(self.groups.iter().cloned())
    }

    fn count(&self) -> u64 {
        self.groups.len() as u64
    }
}

/// Numbers drawn from a seed: SplitMix64, by its published constants.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`, which is above 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below `end`")
    }
}

/// Groups under construction.
struct Search {
    bots: usize,
    seats: usize,
    draws: Draws,
    /// Each sorted.
    groups: Vec<Vec<usize>>,
    /// How often each group is there.
    there: BTreeMap<Vec<usize>, u32>,
    /// How often each bot meets each other.
    met: Vec<BTreeMap<usize, i64>>,
}

impl Search {
    /// Returns `count` groups, each sorted.
    fn run(bots: usize, seats: usize, count: u64, seed: u64) -> Vec<Vec<usize>> {
        let mut search = Self {
            bots,
            seats,
            draws: Draws(seed),
            groups: Vec::new(),
            there: BTreeMap::new(),
            met: vec![BTreeMap::new(); bots],
        };
        search.fill(usize::try_from(count).unwrap_or(usize::MAX));
        search.exchange_many();
        search.without_repeats()
    }

    /// Makes groups one after the other of the bots that have played least, and
    /// of these those that have met the others of the group least.
    fn fill(&mut self, count: usize) {
        let mut played = vec![0_u32; self.bots];
        for _ in 0..count {
            let mut group = Vec::with_capacity(self.seats);
            let mut meetings = vec![0_i64; self.bots];
            while group.len() < self.seats {
                let bot = self.next_bot(&group, &played, &meetings);
                self.met[bot].iter().for_each(|(other, times)| meetings[*other] += times);
                group.push(bot);
            }
            group.iter().for_each(|bot| played[*bot] += 1);
            group.sort_unstable();
            self.add(group);
        }
    }

    fn next_bot(&mut self, group: &[usize], played: &[u32], meetings: &[i64]) -> usize {
        let (mut best, mut level) = (None, 0);
        for bot in (0..self.bots).filter(|bot| !group.contains(bot)) {
            let cost = (played[bot], meetings[bot]);
            match best {
                Some((least, _)) if cost > least => {}
                Some((least, _)) if cost == least => {
                    level += 1;
                    if self.draws.below(level) == 0 {
                        best = Some((cost, bot));
                    }
                }
                _ => (best, level) = (Some((cost, bot)), 1),
            }
        }
        best.expect("a group has no more seats than there are bots").1
    }

    fn add(&mut self, group: Vec<usize>) {
        for bot in &group {
            for other in group.iter().filter(|other| *other != bot) {
                *self.met[*bot].entry(*other).or_default() += 1;
            }
        }
        *self.there.entry(group.clone()).or_default() += 1;
        self.groups.push(group);
    }

    /// Lets two bots of two groups change places, again and again, where that
    /// makes the meetings no less equal.
    fn exchange_many(&mut self) {
        if self.groups.len() < 2 {
            return;
        }
        let least = self.least_cost();
        let mut cost = self.cost();
        for _ in 0..(self.groups.len() * EXCHANGES_PER_MATCH).min(MOST_EXCHANGES) {
            if cost <= least {
                return;
            }
            cost += self.exchange();
        }
    }

    /// Tries one exchange and returns what it changes the cost by.
    fn exchange(&mut self) -> i64 {
        let (one, other) =
            (self.draws.below(self.groups.len()), self.draws.below(self.groups.len()));
        let (leaving, joining) = (self.draws.below(self.seats), self.draws.below(self.seats));
        let (bot, stranger) = (self.groups[one][leaving], self.groups[other][joining]);
        if self.groups[other].contains(&bot) || self.groups[one].contains(&stranger) {
            return 0;
        }
        let changed = [
            replaced(&self.groups[one], bot, stranger),
            replaced(&self.groups[other], stranger, bot),
        ];
        let change = self.change_of_meetings([one, other], [bot, stranger])
            + self.change_of_repeats([one, other], &changed);
        if change > 0 {
            return 0;
        }
        for (index, group) in [one, other].into_iter().zip(changed) {
            self.put(index, group);
        }
        change
    }

    fn change_of_meetings(&self, groups: [usize; 2], bots: [usize; 2]) -> i64 {
        let [ours, theirs] = groups.map(|index| &self.groups[index]);
        let [bot, stranger] = bots;
        let swap = |stays: &usize, goes: usize, comes: usize| {
            // (n - 1)² - n² and (n + 1)² - n²
            (1 - 2 * self.times(goes, *stays)) + (1 + 2 * self.times(comes, *stays))
        };
        let alone = |group: &[usize], other: &[usize], goes, comes| -> i64 {
            let stay = group.iter().filter(|stays| **stays != goes && !other.contains(stays));
            stay.map(|stays| swap(stays, goes, comes)).sum()
        };
        alone(ours, theirs, bot, stranger) + alone(theirs, ours, stranger, bot)
    }

    fn change_of_repeats(&self, groups: [usize; 2], changed: &[Vec<usize>; 2]) -> i64 {
        let twice = |group: &Vec<usize>, from| self.there.get(group).copied().unwrap_or(0) > from;
        let gone = groups.iter().filter(|index| twice(&self.groups[**index], 1)).count();
        let new = changed.iter().filter(|group| twice(group, 0)).count()
            + usize::from(changed[0] == changed[1]);
        TWICE * (i64::try_from(new).unwrap_or(0) - i64::try_from(gone).unwrap_or(0))
    }

    fn put(&mut self, index: usize, group: Vec<usize>) {
        let before = std::mem::replace(&mut self.groups[index], group.clone());
        self.count_meetings(&before, -1);
        self.count_meetings(&group, 1);
        if let Some(times) = self.there.get_mut(&before) {
            *times -= 1;
        }
        *self.there.entry(group).or_default() += 1;
    }

    fn count_meetings(&mut self, group: &[usize], by: i64) {
        for bot in group {
            for other in group.iter().filter(|other| *other != bot) {
                *self.met[*bot].entry(*other).or_default() += by;
            }
        }
    }

    fn times(&self, bot: usize, other: usize) -> i64 {
        self.met[bot].get(&other).copied().unwrap_or(0)
    }

    /// The squares of all pairs' meetings, and of groups that are there twice.
    fn cost(&self) -> i64 {
        let twice: i64 =
            self.met.iter().flat_map(BTreeMap::values).map(|times| times * times).sum();
        let repeats: u32 = self.there.values().map(|times| times.saturating_sub(1)).sum();
        twice / 2 + TWICE * i64::from(repeats)
    }

    /// The cost when no two pairs' meetings differ by more than one.
    fn least_cost(&self) -> i64 {
        let pairs_of = |bots: usize| i64::try_from(bots * (bots - 1) / 2).unwrap_or(i64::MAX);
        let groups = i64::try_from(self.groups.len()).unwrap_or(i64::MAX);
        let (meetings, pairs) = (groups * pairs_of(self.seats), pairs_of(self.bots));
        let (each, more) = (meetings / pairs, meetings % pairs);
        more * (each + 1) * (each + 1) + (pairs - more) * each * each
    }

    fn without_repeats(mut self) -> Vec<Vec<usize>> {
        let mut seen = std::collections::BTreeSet::new();
        self.groups.retain(|group| seen.insert(group.clone()));
        self.groups
    }
}

fn replaced(group: &[usize], goes: usize, comes: usize) -> Vec<usize> {
    let mut group: Vec<usize> =
        group.iter().map(|bot| if *bot == goes { comes } else { *bot }).collect();
    group.sort_unstable();
    group
}

/// More groups than this are played as they come: finding an order takes the
/// square of their number.
pub(super) const MOST_ORDERED: u64 = 2000;

/// Puts groups of `bots` bots in an order in which every beginning is about
/// balanced, so that an event that was stopped tells something of everybody:
/// next is always the first of the groups whose bots have played least.
fn in_order_of_play(mut groups: Vec<Vec<usize>>, bots: usize) -> Vec<Vec<usize>> {
    if groups.len() as u64 > MOST_ORDERED {
        return groups;
    }
    let mut played = vec![0_u64; bots];
    for place in 0..groups.len() {
        let cost = |group: &Vec<usize>| -> (u64, u64) {
            let most = group.iter().map(|bot| played[*bot]).max().unwrap_or(0);
            (most, group.iter().map(|bot| played[*bot]).sum())
        };
        let next = (place..groups.len()).min_by_key(|index| cost(&groups[*index]));
        let next = next.expect("one is left");
        groups[place..=next].rotate_right(1);
        groups[place].iter().for_each(|bot| played[*bot] += 1);
    }
    groups
}

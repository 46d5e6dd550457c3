//! Swiss round: bots of about the same strength meet, and no bots meet twice.
//!
//! From the strongest on, each bot without a match meets the next bots below it that have no match
//! either and with which it makes a group that has not met. If the last two bots have met,
//! they exchange partners with a pair. If the remaining bots are too few for
//! a match, or have all met, a bot gets the nearest bots that already have a match; these
//! play one more. A bot that has met all others sits out.

use std::collections::BTreeSet;

use super::rounds::Draw;

/// Draws a round; each group is sorted.
pub(super) fn draw(draw: &Draw<'_>) -> Vec<Vec<usize>> {
    let mut round = Round { draw, free: draw.order.iter().copied().collect(), groups: Vec::new() };
    let mut left = Vec::new();
    for (place, bot) in draw.order.iter().enumerate() {
        if !round.free.contains(bot) {
            continue;
        }
        let below = draw.order[place + 1..].iter().copied();
        match round.group_of(*bot, below.filter(|other| round.free.contains(other))) {
            Some(group) => round.add(group),
            None => left.push(place),
        }
    }
    round.exchange(&left.iter().map(|place| draw.order[*place]).collect::<Vec<_>>());
    for place in left {
        let bot = draw.order[place];
        let nearest = nearest(draw.order, place);
        if round.free.contains(&bot)
            && let Some(group) = round.group_of(bot, nearest.into_iter())
        {
            round.add(group);
        }
    }
    round.groups
}

/// Returns the others, those that stand next to a place first.
fn nearest(order: &[usize], place: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..order.len()).filter(|other| *other != place).collect();
    others.sort_by_key(|other| (other.abs_diff(place), *other));
    others.into_iter().map(|other| order[other]).collect()
}

/// A round that is being drawn.
struct Round<'a> {
    draw: &'a Draw<'a>,
    /// Bots without a match.
    free: BTreeSet<usize>,
    groups: Vec<Vec<usize>>,
}

impl Round<'_> {
    /// Returns a group of `bot`, which has no match, with the first of `others` that has not met:
    /// where the very first have, the last of them goes and one further on comes.
    fn group_of(&self, bot: usize, mut others: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
        let first: Vec<usize> = others.by_ref().take(self.draw.players - 2).collect();
        let group = |last: usize| {
            let mut group: Vec<usize> = [bot, last].iter().chain(&first).copied().collect();
            group.sort_unstable();
            group
        };
        others.map(group).find(|group| !self.draw.has_met(group))
    }

    /// Pairs bots of `left` that have met, by exchanging partners with a pair of the round, the
    /// weakest first.
    fn exchange(&mut self, left: &[usize]) {
        let free: Vec<usize> = left.iter().copied().filter(|bot| self.free.contains(bot)).collect();
        if self.draw.players != 2 {
            return;
        }
        for two in free.chunks_exact(2) {
            let exchange = (0..self.groups.len()).rev().find_map(|place| {
                let [one, other] = [self.groups[place][0], self.groups[place][1]];
                let new = [[[two[0], one], [two[1], other]], [[two[0], other], [two[1], one]]];
                let new =
                    new.map(|pairs| pairs.map(|[one, other]| vec![one.min(other), one.max(other)]));
                let new =
                    new.into_iter().find(|pairs| pairs.iter().all(|pair| !self.draw.has_met(pair)));
                new.map(|pairs| (place, pairs))
            });
            let Some((place, [one, other])) = exchange else { continue };
            self.groups.remove(place);
            self.add(one);
            self.add(other);
        }
    }

    fn add(&mut self, group: Vec<usize>) {
        group.iter().for_each(|bot| _ = self.free.remove(bot));
        self.groups.push(group);
    }
}

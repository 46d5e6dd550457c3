//! Groups of bots that each meet once: for matches of more than two.

use super::{Groups, Schedule};
use joust_model::all_groups;

/// Every group of `seats` out of a number of bots, in lexicographic order. Each
/// bout of a match turns the seats by one place: see [`super::Seating`].
#[derive(Clone, Copy, Debug)]
pub struct FreeForAll {
    bots: usize,
    seats: usize,
}

impl FreeForAll {
    /// Makes the schedule of `bots` bots in matches of `seats`.
    pub fn new(bots: usize, seats: usize) -> Self {
        Self { bots, seats }
    }
}

impl Schedule for FreeForAll {
    /// Counts the groups that begin with each smaller bot, seat by seat.
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        if place >= self.count() {
            return None;
        }
        let (mut left, mut next) = (place, 0);
        let mut group = Vec::with_capacity(self.seats);
        for seat in 0..self.seats {
            let others = (self.seats - seat - 1) as u64;
            loop {
                // When no bot is left to choose, there is one group.
                let after = (self.bots - next - 1) as u64;
                let with_next = if others == 0 { 1 } else { all_groups(after, others) };
                if left < with_next {
                    break;
                }
                left -= with_next;
                next += 1;
            }
            group.push(next);
            next += 1;
        }
        Some(group)
    }

    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        let first = (1..=self.bots).contains(&self.seats).then(|| (0..self.seats).collect());
        Box::new(std::iter::successors(first, |group: &Vec<usize>| next_group(group, self.bots)))
    }

    fn count(&self) -> u64 {
        all_groups(self.bots as u64, self.seats as u64)
    }
}

fn next_group(group: &[usize], bots: usize) -> Option<Vec<usize>> {
    let seats = group.len();
    let moved = (0..seats).rev().find(|place| group[*place] + seats - place < bots)?;
    let start = group[moved] + 1;
    let mut next = group[..moved].to_vec();
    next.extend(start..start + seats - moved);
    Some(next)
}

/// More groups than this are played as they come: finding an order takes the square of their
/// number.
pub(super) const MOST_ORDERED: u64 = 2000;

/// Groups in an order in which every beginning is about balanced, so that a stopped event has
/// results of every bot: next is always the first of the groups whose bots have
/// played least.
#[derive(Clone, Debug)]
pub(super) struct Ordered(Groups);

impl Ordered {
    pub(super) fn new(all: &FreeForAll) -> Self {
        let mut groups: Vec<Vec<usize>> = all.matches().collect();
        let mut played = vec![0_u64; all.bots];
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
        Self(groups.into_iter().collect())
    }
}

impl Schedule for Ordered {
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        self.0.at(place)
    }

    fn count(&self) -> u64 {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_meets_once() {
        let groups: Vec<_> = FreeForAll::new(4, 3).matches().collect();
        assert_eq!(groups, [vec![0, 1, 2], vec![0, 1, 3], vec![0, 2, 3], vec![1, 2, 3]]);
        for (bots, seats) in [(5, 4), (10, 4), (6, 6), (3, 1), (7, 2)] {
            let schedule = FreeForAll::new(bots, seats);
            assert_eq!(schedule.matches().count() as u64, schedule.count(), "{bots} {seats}");
        }
    }

    #[test]
    fn a_group_is_found_by_its_place() {
        for (bots, seats) in [(5, 4), (10, 4), (6, 6), (7, 2), (9, 3), (3, 1)] {
            let schedule = FreeForAll::new(bots, seats);
            for (place, group) in (0..).zip(schedule.matches()) {
                assert_eq!(schedule.at(place), Some(group), "{place} of {bots} in {seats}");
            }
            assert_eq!(schedule.at(schedule.count()), None);
        }
    }

    #[test]
    fn too_few_bots_play_nothing() {
        assert_eq!(FreeForAll::new(3, 4).matches().count(), 0);
        assert_eq!(FreeForAll::new(3, 4).count(), 0);
        assert_eq!(FreeForAll::new(3, 0).matches().count(), 0);
    }

    #[test]
    fn an_endless_schedule_is_counted_without_overflow() {
        assert_eq!(FreeForAll::new(1_000_000, 12).count(), u64::MAX);
        assert_eq!(FreeForAll::new(1_000_000, 12).matches().take(3).count(), 3);
    }
}

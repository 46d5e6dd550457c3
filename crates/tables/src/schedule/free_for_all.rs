//! Every group of bots meets once: for matches of more than two.

use super::Schedule;
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
    #[must_use]
    pub fn new(bots: usize, seats: usize) -> Self {
        Self { bots, seats }
    }
}

impl Schedule for FreeForAll {
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

//! What a selection of groups promises.

use std::collections::{BTreeMap, BTreeSet};

use joust_tables::schedule::{Balanced, FreeForAll, Schedule};
use proptest::prelude::*;

fn groups(bots: usize, seats: usize, most: u64, seed: u64) -> Vec<Vec<usize>> {
    let selection = Balanced::new(bots, seats, most, seed);
    let groups: Vec<_> = selection.matches().collect();
    assert_eq!(selection.count(), groups.len() as u64);
    groups
}

/// Returns how often each bot plays.
fn plays(bots: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut plays = vec![0; bots];
    groups.iter().flatten().for_each(|bot| plays[*bot] += 1);
    plays
}

/// Returns how often each pair meets.
fn meetings(bots: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut met: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for group in groups {
        for (place, bot) in group.iter().enumerate() {
            group[place + 1..]
                .iter()
                .for_each(|other| *met.entry((*bot, *other)).or_default() += 1);
        }
    }
    let pairs = (0..bots).flat_map(|bot| (bot + 1..bots).map(move |other| (bot, other)));
    pairs.map(|pair| met.get(&pair).copied().unwrap_or(0)).collect()
}

fn spread(counts: &[usize]) -> usize {
    counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0)
}

fn check(bots: usize, seats: usize, most: u64, seed: u64) -> Result<(), TestCaseError> {
    let groups = groups(bots, seats, most, seed);
    prop_assert!(groups.len() as u64 <= most);
    let distinct: BTreeSet<_> = groups.iter().collect();
    prop_assert_eq!(distinct.len(), groups.len(), "no group meets twice");
    for group in &groups {
        prop_assert_eq!(group.len(), seats);
        prop_assert!(group.is_sorted_by(|one, other| one < other) && group[seats - 1] < bots);
    }
    let uneven = usize::from(!(groups.len() * seats).is_multiple_of(bots));
    prop_assert_eq!(spread(&plays(bots, &groups)), uneven, "every bot equally often");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_selection_is_of_distinct_groups_with_every_bot_equally_often(
        bots in 3_usize..40,
        seats in 3_usize..13,
        most in 1_u64..80,
        seed in any::<u64>(),
    ) {
        prop_assume!(seats <= bots);
        check(bots, seats, most, seed)?;
    }
}

#[test]
fn the_largest_number_of_matches_in_which_all_play_equally_often_is_played() {
    assert_eq!(groups(12, 4, 500, 1).len(), 495, "all groups");
    assert_eq!(groups(13, 4, 500, 1).len(), 494, "38 times 13");
    assert_eq!(groups(40, 4, 500, 1).len(), 500);
    assert_eq!(groups(30, 12, 7, 1).len(), 5);
    assert_eq!(groups(31, 12, 7, 1).len(), 7, "not even one step of 31 fits");
}

#[test]
fn pairs_meet_as_equally_often_as_was_found() {
    let widest = |bots: usize, seats: usize, most: u64| {
        spread(&meetings(bots, &groups(bots, seats, most, 1)))
    };
    for (bots, seats) in [(13, 4), (20, 4), (25, 3), (20, 6)] {
        assert!(widest(bots, seats, 500) <= 2, "{bots} bots, {seats} seats");
    }
    // Each bot meets each other 119.6 times in the mean.
    assert!(widest(24, 12, 500) <= 5);
}

#[test]
fn every_beginning_is_about_balanced() {
    let groups = groups(20, 4, 500, 7);
    for end in 1..groups.len() {
        let spread = spread(&plays(20, &groups[..end]));
        assert!(spread <= 2, "after {end} matches the bots differ by {spread}");
    }
}

#[test]
fn most_of_all_groups_are_those_that_are_not_left_out() {
    let all = FreeForAll::new(8, 4);
    let chosen = groups(8, 4, 69, 3);
    assert_eq!((all.count(), chosen.len()), (70, 68));
    assert_eq!(spread(&plays(8, &chosen)), 0);
}

#[test]
fn a_selection_depends_on_its_seed_alone() {
    assert_eq!(groups(20, 4, 60, 5), groups(20, 4, 60, 5));
    assert_ne!(groups(20, 4, 60, 5), groups(20, 4, 60, 6));
}

#[test]
fn a_selection_stays_what_it_was() {
    let chosen = groups(9, 3, 6, 2026);
    assert_eq!(chosen, [[0, 1, 5], [2, 3, 8], [4, 6, 7], [0, 3, 4], [2, 5, 6], [1, 7, 8]]);
}

#[test]
fn nobody_is_selected_where_nobody_can_play() {
    for (bots, seats) in [(0, 4), (3, 4), (5, 0)] {
        assert!(groups(bots, seats, 10, 1).is_empty(), "{bots} {seats}");
    }
}

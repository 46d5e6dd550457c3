//! The order in which groups play.

/// More groups than this are played as they come: finding an order takes the
/// square of their number.
pub(super) const MOST_ORDERED: u64 = 2000;

/// Puts groups of `bots` bots in an order in which every beginning is about
/// balanced, so that an event that was stopped tells something of everybody:
/// next is always the first of the groups whose bots have played least.
pub(super) fn in_order_of_play(mut groups: Vec<Vec<usize>>, bots: usize) -> Vec<Vec<usize>> {
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

//! Divisions: bots of about the same strength form pools, in which every bot meets every other.
//!
//! The order of strength is cut into pools of equal size, from the top; a last pool that would be
//! smaller than half of that, or too small for a match, joins the one before. So a bot that did
//! better than bots of the pool above is promoted in the next round, and one that did worse than
//! bots below goes down. Groups that have met do not meet again: their results stand.

use super::rounds::Draw;

/// Draws a round of pools of `size`, at least as many as play in a match; each group is sorted.
pub(super) fn draw(draw: &Draw<'_>, size: usize) -> Vec<Vec<usize>> {
    let pools = pools(draw.order, size.max(draw.players), draw.players);
    let groups = pools.into_iter().flat_map(|pool| {
        let all = super::everybody(pool.len(), draw.players);
        let of_pool = |group: Vec<usize>| {
            let mut group: Vec<usize> = group.iter().map(|place| pool[*place]).collect();
            group.sort_unstable();
            group
        };
        all.matches().map(of_pool).collect::<Vec<_>>()
    });
    groups.filter(|group| !draw.has_met(group)).collect()
}

/// Cuts the order into pools of `size`, each with enough bots for a match of `players`.
fn pools(order: &[usize], size: usize, players: usize) -> Vec<&[usize]> {
    let mut pools: Vec<&[usize]> = order.chunks(size).collect();
    let is_too_small = |last: &&[usize]| 2 * last.len() < size || last.len() < players;
    if pools.len() > 1 && pools.last().is_some_and(is_too_small) {
        pools.pop();
        let start = (pools.len() - 1) * size;
        pools.pop();
        pools.push(&order[start..]);
    }
    pools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bots: usize, size: usize, players: usize) -> Vec<usize> {
        let order: Vec<usize> = (0..bots).collect();
        pools(&order, size, players).iter().map(|pool| pool.len()).collect()
    }

    #[test]
    fn a_last_pool_that_is_too_small_joins_the_one_above() {
        assert_eq!(sizes(12, 5, 2), [5, 7]);
        assert_eq!(sizes(13, 5, 2), [5, 5, 3]);
        assert_eq!(sizes(5, 2, 2), [2, 3], "one bot alone has nobody to meet");
        assert_eq!(sizes(10, 4, 3), [4, 6], "two are too few for a match of three");
        assert_eq!(sizes(3, 10, 2), [3]);
    }
}

//! Divisions: bots of about the same strength form pools, in which everybody meets everybody.
//!
//! The order of strength is cut into pools of a size, from the top; a last one that would be
//! smaller than half of that joins the one before. So a bot that did better than those of the
//! pool above it is promoted in the next round, and who did worse than those below goes down.
//! Groups that have met do not meet again: their results stand.

use super::rounds::Draw;

/// Draws a round of pools of `size`, at least as many as play in a match; each group is sorted.
pub(super) fn draw(draw: &Draw<'_>, size: usize) -> Vec<Vec<usize>> {
    let pools = pools(draw.order, size.max(draw.players));
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

fn pools(order: &[usize], size: usize) -> Vec<&[usize]> {
    let mut pools: Vec<&[usize]> = order.chunks(size).collect();
    if pools.len() > 1 && pools.last().is_some_and(|last| 2 * last.len() < size) {
        pools.pop();
        let start = (pools.len() - 1) * size;
        pools.pop();
        pools.push(&order[start..]);
    }
    pools
}

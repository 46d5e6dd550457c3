//! Groups of bots that can be compared, and whether a group has finite ratings.

use super::results::Results;

/// Returns the group of each bot, numbered from 0: bots that met, directly or by
/// way of others, are in one.
pub(super) fn groups_of(results: &Results) -> Vec<usize> {
    let mut leads_to: Vec<usize> = (0..results.bots).collect();
    for meeting in &results.meetings {
        let [one, other] = meeting.bots.map(|bot| first_of(&mut leads_to, bot));
        leads_to[one.max(other)] = one.min(other);
    }
    let mut groups = vec![0; results.bots];
    let mut found = 0;
    for bot in 0..results.bots {
        let first = first_of(&mut leads_to, bot);
        groups[bot] = if first == bot { found } else { groups[first] };
        found += usize::from(first == bot);
    }
    groups
}

/// Returns the bots of each group, given the group of each bot.
pub(super) fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |last| last + 1)];
    for (bot, group) in groups.iter().enumerate() {
        members[*group].push(bot);
    }
    members
}

/// Returns the lowest bot of a bot's group, and makes the way there shorter.
fn first_of(leads_to: &mut [usize], bot: usize) -> usize {
    let mut first = bot;
    while leads_to[first] != first {
        leads_to[first] = leads_to[leads_to[first]];
        first = leads_to[first];
    }
    first
}

/// Returns of each group whether it has finite ratings: from each of its bots a
/// chain of points leads to each other.
pub(super) fn finite(results: &Results, groups: &[Vec<usize>]) -> Vec<bool> {
    let scored = neighbours(results, |points, conceded| [points > 0.0, conceded > 0.0]);
    let conceded = neighbours(results, |points, conceded| [conceded > 0.0, points > 0.0]);
    let is_finite = |members: &Vec<usize>| {
        [&scored, &conceded].into_iter().all(|ways| reached(ways, members[0]) == members.len())
    };
    groups.iter().map(is_finite).collect()
}

/// Returns the ways from each bot; given the points of the first and of the second in a meeting,
/// `leads` returns whether one leads from the first to the second, and back.
fn neighbours(results: &Results, leads: impl Fn(f64, f64) -> [bool; 2]) -> Vec<Vec<usize>> {
    let mut ways = vec![Vec::new(); results.bots];
    for meeting in &results.meetings {
        let [one, other] = meeting.bots;
        let (points, bouts) = meeting.points();
        let [there, back] = leads(points, bouts - points);
        if there {
            ways[one].push(other);
        }
        if back {
            ways[other].push(one);
        }
    }
    ways
}

/// Returns how many bots ways lead to, `start` included.
fn reached(ways: &[Vec<usize>], start: usize) -> usize {
    let mut seen = vec![false; ways.len()];
    seen[start] = true;
    let mut found = vec![start];
    let mut next = 0;
    while next < found.len() {
        for bot in &ways[found[next]] {
            if !std::mem::replace(&mut seen[*bot], true) {
                found.push(*bot);
            }
        }
        next += 1;
    }
    found.len()
}

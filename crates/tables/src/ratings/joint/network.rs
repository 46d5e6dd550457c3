//! Which bots can be compared, and whether finite ratings can.

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
    let scored =
        neighbours(results, |[losses, draws, wins]| [wins + draws > 0.0, losses + draws > 0.0]);
    let conceded =
        neighbours(results, |[losses, draws, wins]| [losses + draws > 0.0, wins + draws > 0.0]);
    let is_finite = |members: &Vec<usize>| {
        [&scored, &conceded].into_iter().all(|ways| reached(ways, members[0]) == members.len())
    };
    groups.iter().map(is_finite).collect()
}

/// Whether bots have beaten each other in a circle, of two or more.
///
/// Without one, draws and differences can grow together for ever and make the
/// results likelier all the time: a model that fits draws has no finite fit.
pub(super) fn has_circle_of_wins(results: &Results) -> bool {
    let won = neighbours(results, |[losses, _, wins]| [wins > 0.0, losses > 0.0]);
    let mut beaten_by = vec![0_usize; results.bots];
    for bot in won.iter().flatten() {
        beaten_by[*bot] += 1;
    }
    let mut free: Vec<usize> = (0..results.bots).filter(|bot| beaten_by[*bot] == 0).collect();
    let mut ordered = 0;
    while let Some(bot) = free.pop() {
        ordered += 1;
        for other in &won[bot] {
            beaten_by[*other] -= 1;
            if beaten_by[*other] == 0 {
                free.push(*other);
            }
        }
    }
    ordered < results.bots
}

/// Returns the ways from each bot; `leads` says of a meeting whether one leads from
/// the first to the second, and back.
fn neighbours(results: &Results, leads: impl Fn([f64; 3]) -> [bool; 2]) -> Vec<Vec<usize>> {
    let mut ways = vec![Vec::new(); results.bots];
    for meeting in &results.meetings {
        let [one, other] = meeting.bots;
        let [there, back] = leads(meeting.counts());
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

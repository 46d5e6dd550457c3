//! Which bots can be compared, and whether finite ratings can.

use super::results::Results;

/// Who met whom, and who scored against whom.
pub(super) struct Network {
    /// The group of each bot, numbered from 0.
    group: Vec<usize>,
    /// Whether each group has finite ratings.
    finite: Vec<bool>,
}

impl Network {
    pub(super) fn of(results: &Results) -> Self {
        let scored =
            neighbours(results, |[losses, draws, wins]| [wins + draws > 0.0, losses + draws > 0.0]);
        let conceded =
            neighbours(results, |[losses, draws, wins]| [losses + draws > 0.0, wins + draws > 0.0]);
        let met = neighbours(results, |_| [true, true]);
        let mut network = Self { group: vec![usize::MAX; results.bots], finite: Vec::new() };
        for bot in 0..results.bots {
            if network.group[bot] == usize::MAX {
                let members = reached(&met, bot);
                let ways = [&scored, &conceded].map(|ways| reached(ways, bot).len());
                for member in &members {
                    network.group[*member] = network.finite.len();
                }
                network.finite.push(ways == [members.len(); 2]);
            }
        }
        network
    }

    /// Whether a bot's group has finite ratings: from each of its bots a chain of
    /// points leads to each other.
    pub(super) fn is_finite(&self, bot: usize) -> bool {
        self.finite[self.group[bot]]
    }

    /// Returns the group of each bot.
    pub(super) fn group_of(&self) -> &[usize] {
        &self.group
    }

    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.finite.len()];
        for (bot, group) in self.group.iter().enumerate() {
            groups[*group].push(bot);
        }
        groups
    }
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

/// Returns every bot that ways lead to, `start` included.
fn reached(ways: &[Vec<usize>], start: usize) -> Vec<usize> {
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
    found
}

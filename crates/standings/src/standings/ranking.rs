//! One criterion after another, inside a group that is still level.
//!
//! If rounds are drawn from results, bots have different numbers of matches: one that is left
//! over in a round meets a bot that has a match already. So values are compared for each match or
//! bout. Sums over opponents, whose points depend on that too, part only bots
//! with as many bouts.

use std::cmp::Ordering;

use super::Record;
use super::cross::{Cross, CrossEntry};
use super::tally::Tallies;
use super::value::{Quarters, TieBreakValue};
use joust_model::TieBreak;

/// A bot with its rank; 1 is best.
pub(super) struct PlacedBot {
    pub(super) bot: usize,
    pub(super) rank: u32,
}

/// Value of a criterion for each of a number of matches or bouts.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    value: i64,
    of: u32,
}

impl Rate {
    fn times(self, of: u32) -> i128 {
        i128::from(self.value) * i128::from(of.max(1))
    }
}

impl Ord for Rate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.times(other.of).cmp(&other.times(self.of))
    }
}

impl PartialOrd for Rate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rate {}

/// Facts that the criteria use.
pub(super) struct Ranking<'a> {
    pub(super) tallies: &'a Tallies,
    pub(super) cross: &'a Cross,
    pub(super) matches: &'a [Record],
    pub(super) names: Vec<&'a str>,
    /// True if bots have different numbers of matches when all is played.
    pub(super) is_uneven: bool,
    /// Points among the level bots, where it came to that; in halves.
    pub(super) head_to_head: Vec<Option<i64>>,
}

impl Ranking<'_> {
    /// Returns the bots from best to last; bots that nothing separates share the
    /// best rank of their group and are listed by name.
    pub(super) fn rank(&mut self, order: &[TieBreak]) -> Vec<PlacedBot> {
        let mut placed = Vec::new();
        self.split((0..self.names.len()).collect(), order, &mut placed);
        placed
    }

    fn split(&mut self, level: Vec<usize>, order: &[TieBreak], placed: &mut Vec<PlacedBot>) {
        let [criterion, rest @ ..] = order else { return self.share(level, placed) };
        if level.len() < 2 {
            return self.share(level, placed);
        }
        let groups = self.groups(*criterion, &level);
        let again = *criterion == TieBreak::HeadToHead && groups.len() > 1;
        for group in groups {
            self.split(group, if again { order } else { rest }, placed);
        }
    }

    fn share(&self, mut level: Vec<usize>, placed: &mut Vec<PlacedBot>) {
        level.sort_by_key(|bot| self.names[*bot]);
        let rank = u32::try_from(placed.len() + 1).unwrap_or(u32::MAX);
        placed.extend(level.into_iter().map(|bot| PlacedBot { bot, rank }));
    }

    /// Parts a level group by one criterion, best first.
    fn groups(&mut self, criterion: TieBreak, level: &[usize]) -> Vec<Vec<usize>> {
        let mut valued: Vec<_> = if criterion == TieBreak::HeadToHead {
            self.meet(level);
            let met = |bot: &usize| self.head_to_head[*bot].unwrap_or(0);
            level.iter().map(|bot| (Rate { value: met(bot), of: 1 }, *bot)).collect()
        } else if self.is_incomparable(criterion, level) {
            return vec![level.to_vec()];
        } else {
            level.iter().map(|bot| (self.rate(criterion, *bot), *bot)).collect()
        };
        valued.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
        let groups = valued.chunk_by(|one, other| one.0 == other.0);
        groups.map(|group| group.iter().map(|(_, bot)| *bot).collect()).collect()
    }

    fn meet(&mut self, level: &[usize]) {
        let mut is_level = vec![false; self.names.len()];
        level.iter().for_each(|bot| is_level[*bot] = true);
        for bot in level {
            let among = self.cross.met(*bot).filter(|met| is_level[met.opponent]);
            self.head_to_head[*bot] = Some(among.map(|met| met.cell.halves()).sum());
        }
    }

    /// Returns whether a criterion sums over opponents and these bots have had different numbers
    /// of them.
    fn is_incomparable(&self, criterion: TieBreak, level: &[usize]) -> bool {
        let sums = matches!(criterion, TieBreak::SonnebornBerger | TieBreak::Koya);
        let bouts = |bot: &usize| self.tallies.bots[*bot].bouts();
        self.is_uneven && sums && level.windows(2).any(|two| bouts(&two[0]) != bouts(&two[1]))
    }

    /// Returns what is compared: a criterion's value, for each match or bout that a bot has had
    /// where others have had more.
    fn rate(&self, criterion: TieBreak, bot: usize) -> Rate {
        let (matches, tally) = (&self.matches[bot], &self.tallies.bots[bot]);
        let of = match criterion {
            _ if !self.is_uneven => 1,
            TieBreak::MatchWins => matches.played() - matches.unfinished,
            _ => tally.bouts(),
        };
        Rate { value: self.value(criterion, bot), of }
    }

    /// Returns a criterion's value in the unit it is compared in; more is better.
    fn value(&self, criterion: TieBreak, bot: usize) -> i64 {
        let tally = &self.tallies.bots[bot];
        match criterion {
            TieBreak::MatchWins => i64::from(self.matches[bot].won),
            TieBreak::Points => tally.halves,
            TieBreak::BoutWins => i64::from(tally.won),
            TieBreak::HeadToHead => self.head_to_head[bot].unwrap_or(0),
            TieBreak::SonnebornBerger => self.sonneborn_berger(bot),
            TieBreak::Koya => self.koya(bot),
            TieBreak::Score => tally.score.as_millionths(),
            TieBreak::FewerFaults => -i64::from(tally.verdicts.faults()),
        }
    }

    /// In quarters: the points of each opponent, weighted by each result.
    fn sonneborn_berger(&self, bot: usize) -> i64 {
        let met = self.cross.met(bot).filter(|met| met.cell.halves() > 0);
        let opponents = |met: CrossEntry| self.tallies.bots[met.opponent].halves;
        met.map(|met| met.cell.halves().saturating_mul(opponents(met))).sum()
    }

    /// In halves: the points against opponents with half of what they could have.
    fn koya(&self, bot: usize) -> i64 {
        let met = self.cross.met(bot).filter(|met| self.has_half(met.opponent));
        met.map(|met| met.cell.halves()).sum()
    }

    fn has_half(&self, bot: usize) -> bool {
        let tally = &self.tallies.bots[bot];
        tally.halves >= tally.meetings
    }

    /// Returns a criterion's value as people know it; `None` when it never came
    /// to that.
    pub(super) fn shown(&self, criterion: TieBreak, bot: usize) -> Option<TieBreakValue> {
        let value = self.value(criterion, bot);
        match criterion {
            TieBreak::Points | TieBreak::Koya => Some(Quarters::halves(value).into()),
            TieBreak::SonnebornBerger => Some(Quarters(value).into()),
            TieBreak::HeadToHead => {
                self.head_to_head[bot].map(|halves| Quarters::halves(halves).into())
            }
            TieBreak::FewerFaults => Some(Quarters::whole(-value).into()),
            TieBreak::MatchWins | TieBreak::BoutWins => Some(Quarters::whole(value).into()),
            TieBreak::Score => Some(TieBreakValue::Score(self.tallies.bots[bot].score)),
        }
    }
}

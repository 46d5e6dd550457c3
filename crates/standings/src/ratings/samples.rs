//! Samples of bouts that hang together: mirror pairs of two bots, and mirror sets of one bot.
//!
//! The two bouts of a pair share a seed, so their results hang together and only
//! the pair is a sample of its own. Seen from the first bot a pair scores 0, ¼, ½,
//! ¾ or 1. A pair counts when both of its bouts are finished; the unpaired last
//! bout of an odd match counts in the table and not here.
//!
//! A mirror set is made of bouts with one seed in which every bot had every seat once; in matches
//! of two it is a mirror pair. Luck of the seed and of the seat is the same for every bot in it,
//! so the set, not the bout, is the sample.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use joust_model::{BoutSummary, Seed};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Bouts of two bots, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Bouts won.
    pub wins: u64,
    /// Bouts drawn.
    pub draws: u64,
    /// Bouts lost.
    pub losses: u64,
}

impl Outcomes {
    /// Returns how many bouts there are.
    pub fn bouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// Mirror pairs of two bots by how they went, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Both bouts lost.
    pub ll: u64,
    /// One lost, one drawn.
    pub ld: u64,
    /// One won, one lost.
    pub wl: u64,
    /// Both drawn.
    pub dd: u64,
    /// One won, one drawn.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl Pentanomial {
    /// Returns how many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.classes().iter().sum()
    }

    /// Returns the pairs by their score, 0, ¼, ½, ¾ and 1.
    pub fn classes(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// Returns the single bouts of the pairs.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes {
            wins: 2 * self.ww + self.wd + self.wl,
            draws: 2 * self.dd + self.wd + self.ld,
            losses: 2 * self.ll + self.ld + self.wl,
        }
    }
}

/// A mirror set, seen from one bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorSet {
    /// Seed that its bouts share.
    pub seed: Seed,
    /// Number among the sets of its match, from 0.
    pub number: u32,
    /// The others, in order of their names.
    pub opponents: Vec<Arc<str>>,
    /// Points against each opponent, in their order and over all bouts, in halves: 2 for one
    /// ranked behind, 1 for one ranked level.
    pub halves: Vec<u32>,
    /// The most it could have had against one of them.
    pub most: u32,
}

impl MirrorSet {
    /// Returns the complete sets of `bot` among `bouts`, ordered by their numbers, then by
    /// the opponents' names.
    pub fn all(bouts: &[BoutSummary], bot: &str) -> Vec<Self> {
        let mut by_seed: BTreeMap<Seed, Vec<&BoutSummary>> = BTreeMap::new();
        for bout in bouts.iter().filter(|bout| bout.seats.iter().any(|seat| &*seat.bot == bot)) {
            by_seed.entry(bout.seed).or_default().push(bout);
        }
        let mut sets: Vec<Self> =
            by_seed.into_values().filter_map(|bouts| Self::of(&bouts, bot)).collect();
        sets.sort_by(|one, other| {
            (one.number, &one.opponents).cmp(&(other.number, &other.opponents))
        });
        sets
    }

    /// Makes the set of bouts with one seed; `None` unless they are one whole set.
    fn of(bouts: &[&BoutSummary], bot: &str) -> Option<Self> {
        let first = bouts.first()?;
        let seats = first.seats.len();
        let sat = |bout: &&BoutSummary| bout.seats.iter().position(|seat| &*seat.bot == bot);
        let places: BTreeSet<usize> = bouts.iter().filter_map(sat).collect();
        let opponents = opponents(first, bot);
        let is_whole = seats > 1
            && bouts.len() == seats
            && places.len() == seats
            && bouts.iter().all(|bout| opponents == self::opponents(bout, bot));
        if !is_whole {
            return None;
        }
        let number = bouts.iter().map(|bout| bout.number).min()? / u32::try_from(seats).ok()?;
        let against = |other: &Arc<str>| bouts.iter().map(|bout| halves(bout, [bot, other])).sum();
        let halves = opponents.iter().map(against).collect();
        let most = u32::try_from(2 * seats).ok()?;
        Some(Self { seed: first.seed, number, opponents, halves, most })
    }

    /// Returns the points against all opponents, in halves: the set's grade.
    pub fn grade(&self) -> u32 {
        self.halves.iter().sum()
    }

    /// Returns the most points that all opponents together could have given, in halves.
    pub fn top(&self) -> u32 {
        self.halves.iter().map(|_| self.most).sum()
    }

    /// Returns by how much the bot was ahead of all opponents, from -1 to 1.
    pub fn lead(&self) -> f64 {
        lead(self.grade(), self.top())
    }

    /// Returns by how much the bot was ahead of one opponent; `None` when that is none.
    pub fn lead_over(&self, opponent: &str) -> Option<f64> {
        let place = self.opponents.iter().position(|name| &**name == opponent)?;
        Some(lead(self.halves[place], self.most))
    }

    /// Returns whether another set is the same bouts, played by another version of the bot.
    pub fn is_comparable(&self, other: &Self) -> bool {
        (self.seed, self.most, &self.opponents) == (other.seed, other.most, &other.opponents)
    }
}

fn opponents(bout: &BoutSummary, bot: &str) -> Vec<Arc<str>> {
    let others = bout.seats.iter().filter(|seat| &*seat.bot != bot);
    let mut names: Vec<Arc<str>> = others.map(|seat| Arc::clone(&seat.bot)).collect();
    names.sort_unstable();
    names
}

fn lead(halves: u32, most: u32) -> f64 {
    2.0 * f64::from(halves) / f64::from(most.max(1)) - 1.0
}

/// Returns the points of the first bot against the second in a bout, in halves.
fn halves(bout: &BoutSummary, bots: [&str; 2]) -> u32 {
    let rank = |bot: &str| bout.seats.iter().find(|seat| &*seat.bot == bot).map(|seat| seat.rank);
    match bots.map(rank) {
        [Some(own), Some(other)] => match own.cmp(&other) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        },
        _ => 0,
    }
}

/// Two virtual samples, half a point ahead and half a point behind: a handful of equal
/// samples has no spread of its own and must not sound sure.
const VIRTUAL: [f64; 2] = [-0.5, 0.5];

/// Lead of a bot: the mean of what it was ahead by in each of a few samples
/// between -1 (everything lost) and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankLead {
    /// Samples.
    pub samples: u64,
    /// Their mean.
    pub mean: f64,
    /// The ends of the 95 % interval of the true mean, within -1 and 1.
    pub interval: [f64; 2],
    /// Probability that the true mean is above 0, from 0 to 1.
    pub superiority: f64,
}

impl RankLead {
    /// Returns the lead that `samples` show; `None` without samples.
    ///
    /// Interval and likelihood follow Student's distribution about the mean of the
    /// samples and of two virtual ones, half a point ahead and half a point behind. So they
    /// are a little wider than from the samples alone, and finite for one sample.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() {
            return None;
        }
        let count = samples.len() as f64;
        let all = || samples.iter().chain(&VIRTUAL).map(|one| one.clamp(-1.0, 1.0));
        let many = count + VIRTUAL.len() as f64;
        let middle = all().sum::<f64>() / many;
        let variance = all().map(|one| (one - middle).powi(2)).sum::<f64>() / (many - 1.0);
        let error = (variance / many).sqrt();
        let student = StudentsT::new(0.0, 1.0, many - 1.0).ok()?;
        let reach = student.inverse_cdf(0.975) * error;
        Some(Self {
            samples: samples.len() as u64,
            mean: samples.iter().sum::<f64>() / count,
            interval: [(middle - reach).max(-1.0), (middle + reach).min(1.0)],
            superiority: student.cdf(middle / error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_says_nothing() {
        assert_eq!(RankLead::of(&[]), None);
    }

    #[test]
    fn a_single_won_sample_is_not_sure() {
        let lead = RankLead::of(&[1.0]).expect("a sample");
        assert_eq!((lead.samples, lead.mean), (1, 1.0));
        assert!((0.6..0.9).contains(&lead.superiority), "{lead:?}");
        assert!(lead.interval[0] < 0.0, "{lead:?}");
    }

    #[test]
    fn many_equal_samples_are_sure_and_their_interval_holds_them() {
        let lead = RankLead::of(&[0.5; 60]).expect("samples");
        assert!(lead.superiority > 0.999, "{lead:?}");
        assert!(lead.interval[0] > 0.4 && lead.interval[1] >= 0.5, "{lead:?}");
    }

    #[test]
    fn the_other_side_sees_the_reverse() {
        let samples = [0.5, -0.25, 1.0, 0.0, 0.25];
        let [one, other] = [1.0, -1.0].map(|side| {
            let seen: Vec<f64> = samples.iter().map(|sample| side * sample).collect();
            RankLead::of(&seen).expect("samples")
        });
        assert!((one.superiority + other.superiority - 1.0).abs() < 1e-9);
        assert!((one.interval[0] + other.interval[1]).abs() < 1e-9);
    }
}

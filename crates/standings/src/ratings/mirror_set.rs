//! Mirror sets of one bot: bouts with one seed in which every bot had every seat once.
//!
//! In matches of two such a set is a mirror pair. Luck of the seed and of the seat is the same
//! for every bot in it, so the set, not the bout, is the sample.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use joust_model::{BoutSummary, Seed};

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

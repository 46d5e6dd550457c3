//! Two bots, mirror pair by mirror pair.
//!
//! The two bouts of a pair share a seed, so their results hang together and only
//! the pair is a sample of its own. Seen from the first bot a pair scores 0, ¼, ½,
//! ¾ or 1. A pair counts when both of its bouts are finished; the unpaired last
//! bout of an odd match counts in the table and not here.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::elo::Outcomes;
use super::estimate::{Estimate, Unit};
use joust_model::{BoutSummary, Seed};

/// Outcome of a bout for the bot it is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoutOutcome {
    /// It was ranked behind.
    Loss,
    /// They were ranked level.
    Draw,
    /// It was ranked ahead.
    Win,
}

impl BoutOutcome {
    /// Every outcome, from worst to best.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// Returns a bout of two from `bot`'s side; `None` when it is not in it, or
    /// others than one opponent are.
    #[must_use]
    pub fn of(bout: &BoutSummary, bot: &str) -> Option<Self> {
        let [first, second] = bout.seats.as_slice() else { return None };
        let (own, other) = match () {
            () if &*first.bot == bot => (first, second),
            () if &*second.bot == bot => (second, first),
            () => return None,
        };
        Some(match own.rank.cmp(&other.rank) {
            Ordering::Less => Self::Win,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::Loss,
        })
    }

    /// Returns the points in halves: 0, 1 or 2.
    #[must_use]
    pub fn halves(self) -> u8 {
        self as u8
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
    /// Counts the pairs of `bots` among `bouts`, from the first one's side.
    ///
    /// A pair is two bouts of these two with one seed and the seats exchanged;
    /// other bouts are passed over, in whatever order they come.
    #[must_use]
    pub fn of(bouts: &[BoutSummary], bots: [&str; 2]) -> Self {
        let mut halves: BTreeMap<Seed, [Option<BoutOutcome>; 2]> = BTreeMap::new();
        for bout in bouts {
            if let Some(seat) = seat_against(bout, bots) {
                halves.entry(bout.seed).or_default()[seat] = BoutOutcome::of(bout, bots[0]);
            }
        }
        let mut pairs = Self::default();
        for pair in halves.into_values() {
            if let [Some(one), Some(other)] = pair {
                pairs.add(one, other);
            }
        }
        pairs
    }

    /// Adds a pair by its two bouts.
    pub fn add(&mut self, one: BoutOutcome, other: BoutOutcome) {
        *match (one.min(other), one.max(other)) {
            (BoutOutcome::Loss, BoutOutcome::Loss) => &mut self.ll,
            (BoutOutcome::Loss, BoutOutcome::Draw) => &mut self.ld,
            (BoutOutcome::Loss, _) => &mut self.wl,
            (BoutOutcome::Draw, BoutOutcome::Draw) => &mut self.dd,
            (BoutOutcome::Draw, _) => &mut self.wd,
            (BoutOutcome::Win, _) => &mut self.ww,
        } += 1;
    }

    /// Returns how many pairs there are.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.classes().iter().sum()
    }

    /// Returns the pairs by their score, 0, ¼, ½, ¾ and 1.
    #[must_use]
    pub fn classes(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// Returns the single bouts of the pairs.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        Outcomes {
            wins: 2 * self.ww + self.wd + self.wl,
            draws: 2 * self.dd + self.wd + self.ld,
            losses: 2 * self.ll + self.ld + self.wl,
        }
    }

    /// Returns what they say; `None` without pairs.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        let [ll, ld, even, wd, ww] = self.classes();
        let classes = [(0.0, ll), (0.25, ld), (0.5, even), (0.75, wd), (1.0, ww)];
        Estimate::of(Unit::MirrorPair, &classes)
    }

    /// Returns the share of even pairs; `None` without pairs.
    #[must_use]
    pub fn even_ratio(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs > 0).then(|| (self.wl + self.dd) as f64 / pairs as f64)
    }

    /// Returns the pairs won for each pair lost; `None` when none was lost.
    #[must_use]
    pub fn pairs_ratio(&self) -> Option<f64> {
        let lost = self.ll + self.ld;
        (lost > 0).then(|| (self.wd + self.ww) as f64 / lost as f64)
    }
}

/// Returns the seat of the first of `bots` in a bout against the second.
fn seat_against(bout: &BoutSummary, bots: [&str; 2]) -> Option<usize> {
    let [first, second] = bout.seats.as_slice() else { return None };
    match [&*first.bot, &*second.bot] {
        seats if seats == bots => Some(0),
        seats if seats == [bots[1], bots[0]] => Some(1),
        _ => None,
    }
}

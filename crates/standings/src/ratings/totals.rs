//! Totals of bouts of two: results of each pair of bots against each other, added up.
//!
//! Ratings computed from them equal those computed from the bouts, so a table does not have to keep
//! millions of bouts. If only one bout of a mirror pair was added, the pair waits with its seed for
//! the other bout.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use joust_model::{BoutSummary, Mirror, Seed};

/// Bout whose mirrored one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnpairedBout {
    seed: u64,
    /// True if the first bot sat first.
    is_first: bool,
    /// Points of the first, in halves.
    halves: usize,
}

/// Totals of two bots against each other, seen from the first. A large league has millions of
/// these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PairTotals {
    /// Bouts outside of mirror pairs that are whole: lost, drawn, won.
    singles: [u32; 3],
    /// Mirror pairs that are whole, by the results of their two bouts: see [`MIRRORED`].
    mirrored: [u32; 6],
    /// Bouts whose mirrored ones are missing, in order.
    waiting: Vec<UnpairedBout>,
}

/// The results of mirror pairs, in halves of a point, in the order in which they are counted.
const MIRRORED: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

impl PairTotals {
    /// Returns the bouts outside of whole mirror pairs: lost, drawn and won by the first.
    pub(super) fn singles(&self) -> [u32; 3] {
        let mut singles = self.singles;
        self.waiting.iter().for_each(|bout| singles[bout.halves] += 1);
        singles
    }

    /// Returns the whole mirror pairs whose bouts ended so, in halves of a point for the first, the
    /// lower number first.
    pub(super) fn mirrored(&self, results: [usize; 2]) -> u32 {
        MIRRORED.iter().position(|it| *it == results).map_or(0, |place| self.mirrored[place])
    }

    /// Counts a bout with the mirrored one, or has it wait for that.
    fn pair_up(&mut self, bout: UnpairedBout) {
        let is_mirrored =
            |one: &UnpairedBout| one.seed == bout.seed && one.is_first != bout.is_first;
        let Some(place) = self.waiting.iter().position(is_mirrored) else {
            let place = self.waiting.partition_point(|one| *one < bout);
            // There is seldom another, and there are many pairs.
            self.waiting.reserve_exact(1);
            return self.waiting.insert(place, bout);
        };
        let other = self.waiting.remove(place);
        if self.waiting.is_empty() {
            self.waiting = Vec::new();
        }
        let results = [bout.halves.min(other.halves), bout.halves.max(other.halves)];
        if let Some(place) = MIRRORED.iter().position(|it| *it == results) {
            self.mirrored[place] += 1;
        }
    }
}

/// Totals of an event of two seats.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    mirror: Mirror,
    bots: Vec<Arc<str>>,
    places: BTreeMap<Arc<str>, u32>,
    /// Index in `totals` by the places of two bots; the bot whose name is first
    /// comes first.
    pairs: BTreeMap<[u32; 2], u32>,
    /// One block of memory, which goes back to the system at once; hundreds of thousands of small
    /// ones would stay with the thread that asked for them.
    totals: Vec<PairTotals>,
}

impl Totals {
    /// Makes totals of no bouts; `mirror` says whether bouts come in pairs.
    pub fn new(mirror: Mirror) -> Self {
        Self { mirror, ..Self::default() }
    }

    /// Adds a bout of two different bots; others are passed over.
    pub fn add(&mut self, bout: &BoutSummary) {
        let [one, other] = bout.seats.as_slice() else { return };
        let is_first = one.bot < other.bot;
        let seats = if is_first { [one, other] } else { [other, one] };
        if one.bot == other.bot {
            return;
        }
        let halves = match seats[0].rank.cmp(&seats[1].rank) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        };
        let bots = seats.map(|seat| self.place(&seat.bot));
        let (mirror, Seed(seed)) = (self.mirror, bout.seed);
        let totals = self.of_pair(bots);
        match mirror {
            Mirror::Off => totals.singles[halves] += 1,
            Mirror::Pairs => totals.pair_up(UnpairedBout { seed, is_first, halves }),
        }
    }

    /// Returns the bots, in the order of their places.
    pub(super) fn bots(&self) -> impl Iterator<Item = &str> {
        self.bots.iter().map(|bot| &**bot)
    }

    /// Returns every pair by the places of its bots; the bot whose name is first comes first.
    pub(super) fn pairs(&self) -> impl ExactSizeIterator<Item = ([u32; 2], &PairTotals)> {
        self.pairs.iter().map(|(bots, place)| (*bots, &self.totals[*place as usize]))
    }

    /// Returns the totals of a pair, which are new if it was not met before.
    fn of_pair(&mut self, bots: [u32; 2]) -> &mut PairTotals {
        let Self { pairs, totals, .. } = self;
        let next = u32::try_from(totals.len()).expect("fewer pairs than fit into memory");
        let place = *pairs.entry(bots).or_insert(next);
        if place == next {
            // Twice as much would be most of what a program holds.
            if totals.len() == totals.capacity() {
                totals.reserve_exact(totals.len() / 8 + 64);
            }
            totals.push(PairTotals::default());
        }
        &mut totals[place as usize]
    }

    fn place(&mut self, name: &Arc<str>) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = u32::try_from(self.bots.len()).expect("fewer bots than fit into memory");
        self.bots.push(Arc::clone(name));
        self.places.insert(Arc::clone(name), place);
        place
    }
}

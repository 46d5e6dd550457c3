//! Totals of bouts of two: what each pair of bots did against each other, added up.
//!
//! Standings and ratings follow from them as from the bouts themselves, whoever plays and
//! whoever does not, so that nobody has to read millions of bouts for a table. A mirror pair of
//! which only one bout is there waits with its seed until the other is added.

use std::collections::BTreeMap;
use std::sync::Arc;

use joust_referee::{Score, Seed, Verdict};
use serde::{Deserialize, Serialize};

use super::{BoutSummary, Mirror, SeatSummary, VerdictCounts};

/// Result of a bout for the first of two bots; the number is that of points in halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
enum Ending {
    Lost,
    Drawn,
    Won,
}

impl From<Ending> for u8 {
    fn from(ending: Ending) -> Self {
        ending as Self
    }
}

impl TryFrom<u8> for Ending {
    type Error = &'static str;

    fn try_from(halves: u8) -> Result<Self, Self::Error> {
        [Self::Lost, Self::Drawn, Self::Won]
            .into_iter()
            .find(|ending| u8::from(*ending) == halves)
            .ok_or("a bout ends with 0, 1 or 2 halves of a point")
    }
}

/// A bout whose mirrored one is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct UnpairedBout {
    seed: u64,
    /// True if the first bot sat first.
    is_first: bool,
    ending: Ending,
}

/// Totals of two bots against each other, seen from the first. A large league has millions of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairTotals {
    /// Bouts outside of mirror pairs that are whole: lost, drawn, won.
    singles: [u32; 3],
    /// Mirror pairs that are whole, by the endings of their two bouts: see [`MIRRORED`].
    mirrored: [u32; 6],
    /// The sum of each one's scores, in millionths.
    scores: [i64; 2],
    /// Actions without a fault, by bot.
    oks: [u32; 2],
    unisolated: u32,
    /// Rarely used fields; `None` if all are zero.
    more: Option<Box<OptionalTotals>>,
}

/// Rarely used fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct OptionalTotals {
    /// Bouts whose mirrored ones are not there, in order.
    waiting: Vec<UnpairedBout>,
    /// All verdicts of each, where some were faults.
    faults: [Option<Box<VerdictCounts>>; 2],
}

/// The endings of mirror pairs, in halves of a point, in the order in which they are counted.
const MIRRORED: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

/// A bout of two, as far as it counts in totals.
struct PairedBout<'a> {
    seats: [&'a SeatSummary; 2],
    single: UnpairedBout,
    is_isolated: bool,
}

impl PairTotals {
    /// Returns how many bouts there are: lost, drawn and won by the first.
    #[must_use]
    pub fn bouts(&self) -> [u32; 3] {
        let mut bouts = self.singles();
        for (endings, count) in MIRRORED.iter().zip(self.mirrored) {
            endings.iter().for_each(|halves| bouts[*halves] = bouts[*halves].saturating_add(count));
        }
        bouts
    }

    /// Returns the bouts outside of whole mirror pairs: lost, drawn and won by the first.
    #[must_use]
    pub fn singles(&self) -> [u32; 3] {
        let mut singles = self.singles;
        for one in self.waiting() {
            let count = &mut singles[one.ending as usize];
            *count = count.saturating_add(1);
        }
        singles
    }

    /// Returns how often a whole mirror pair had bouts that ended so, in halves of a point for
    /// the first, in either order.
    #[must_use]
    pub fn mirrored(&self, endings: [usize; 2]) -> u32 {
        let [one, other] = endings;
        let sorted = [one.min(other), one.max(other)];
        MIRRORED.iter().position(|it| *it == sorted).map_or(0, |place| self.mirrored[place])
    }

    /// Returns the sum of a bot's scores: 0 for the first, 1 for the second.
    #[must_use]
    pub fn score(&self, bot: usize) -> Score {
        Score::millionths(self.scores[bot])
    }

    /// Returns the verdicts that a bot earned: 0 for the first, 1 for the second.
    #[must_use]
    pub fn verdicts(&self, bot: usize) -> VerdictCounts {
        let faults = self.more.as_deref().and_then(|more| more.faults[bot].as_deref());
        faults.copied().unwrap_or_else(|| VerdictCounts::of_oks(self.oks[bot]))
    }

    /// Returns how many bouts had bots that were not isolated.
    #[must_use]
    pub fn unisolated(&self) -> u32 {
        self.unisolated
    }

    fn add(&mut self, bout: &PairedBout<'_>, mirror: Mirror) {
        for (bot, seat) in bout.seats.iter().enumerate() {
            self.add_earnings(bot, seat.score.as_millionths(), &seat.verdicts);
        }
        self.unisolated += u32::from(!bout.is_isolated);
        match mirror {
            Mirror::Off => self.singles[bout.single.ending as usize] += 1,
            Mirror::Pairs => self.pair_up(bout.single),
        }
    }

    fn join(&mut self, other: &Self) {
        let counts = self.singles.iter_mut().chain(&mut self.mirrored);
        for (count, more) in counts.zip(other.singles.iter().chain(&other.mirrored)) {
            *count = count.saturating_add(*more);
        }
        for (bot, millionths) in other.scores.into_iter().enumerate() {
            self.add_earnings(bot, millionths, &other.verdicts(bot));
        }
        self.unisolated = self.unisolated.saturating_add(other.unisolated);
        other.waiting().iter().for_each(|single| self.pair_up(*single));
    }

    fn waiting(&self) -> &[UnpairedBout] {
        self.more.as_deref().map_or(&[], |more| &more.waiting)
    }

    /// Adds what a bot earned.
    fn add_earnings(&mut self, bot: usize, millionths: i64, verdicts: &VerdictCounts) {
        self.scores[bot] = self.scores[bot].saturating_add(millionths);
        let has_faults = self.more.as_deref().is_some_and(|more| more.faults[bot].is_some());
        if !has_faults && verdicts.faults() == 0 {
            self.oks[bot] = self.oks[bot].saturating_add(verdicts.of(Verdict::Ok));
            return;
        }
        let oks = std::mem::take(&mut self.oks[bot]);
        let all = &mut self.more.get_or_insert_default().faults[bot];
        let all = all.get_or_insert_with(|| Box::new(VerdictCounts::of_oks(oks)));
        for (count, more) in all.0.iter_mut().zip(verdicts.0) {
            *count = count.saturating_add(more);
        }
    }

    /// Counts a bout with the mirrored one, or has it wait for that.
    fn pair_up(&mut self, bout: UnpairedBout) {
        let is_mirrored =
            |one: &UnpairedBout| one.seed == bout.seed && one.is_first != bout.is_first;
        let Some(place) = self.waiting().iter().position(is_mirrored) else {
            let waiting = &mut self.more.get_or_insert_default().waiting;
            let place = waiting.partition_point(|one| *one < bout);
            // There is seldom another, and there are many pairs.
            waiting.reserve_exact(1);
            return waiting.insert(place, bout);
        };
        let Some(more) = &mut self.more else { return };
        let other = more.waiting.remove(place);
        if **more == OptionalTotals::default() {
            self.more = None;
        }
        let sorted = [bout.ending.min(other.ending), bout.ending.max(other.ending)];
        let endings = sorted.map(|ending| ending as usize);
        if let Some(place) = MIRRORED.iter().position(|it| *it == endings) {
            self.mirrored[place] = self.mirrored[place].saturating_add(1);
        }
    }
}

/// Two bots, by their names in order, and what they did against each other.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Their names.
    pub bots: [&'a str; 2],
    /// Totals of the pair, seen from the first.
    pub totals: &'a PairTotals,
}

/// A pair by the places of its bots in [`Totals::bots`].
#[derive(Clone, Copy, Debug)]
pub struct PlacedPair<'a> {
    /// The places, that of the one whose name is first before the other.
    pub bots: [u32; 2],
    /// Totals of the pair, seen from the first.
    pub totals: &'a PairTotals,
}

/// Totals of an event of two seats.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    mirror: Mirror,
    bots: Vec<Arc<str>>,
    places: BTreeMap<Arc<str>, u32>,
    /// Index in `totals` by the places of two bots, that of the one whose name
    /// is first before the other.
    pairs: BTreeMap<[u32; 2], u32>,
    /// One block of memory, which goes back to the system at once; hundreds of thousands of small
    /// ones would stay with the thread that asked for them.
    totals: Vec<PairTotals>,
}

impl PartialEq for Totals {
    /// In which order bots were met says nothing.
    fn eq(&self, other: &Self) -> bool {
        let sorted = |totals: &Self| -> BTreeMap<[Arc<str>; 2], PairTotals> {
            let name = |place: u32| Arc::clone(&totals.bots[place as usize]);
            let pairs = totals.placed_pairs();
            pairs.map(|pair| (pair.bots.map(name), pair.totals.clone())).collect()
        };
        sorted(self) == sorted(other)
    }
}

impl Totals {
    /// Makes totals of no bouts; `mirror` says whether bouts come in pairs.
    #[must_use]
    pub fn new(mirror: Mirror) -> Self {
        Self { mirror, ..Self::default() }
    }

    /// Adds a bout that counts; says whether it is one of two different bots, as all of an
    /// event of two seats are.
    pub fn add(&mut self, bout: &BoutSummary) -> bool {
        let [one, other] = bout.seats.as_slice() else { return false };
        let is_first = one.bot < other.bot;
        let seats = if is_first { [one, other] } else { [other, one] };
        if one.bot == other.bot {
            return false;
        }
        let ending = match seats[0].rank.cmp(&seats[1].rank) {
            std::cmp::Ordering::Less => Ending::Won,
            std::cmp::Ordering::Equal => Ending::Drawn,
            std::cmp::Ordering::Greater => Ending::Lost,
        };
        let Seed(seed) = bout.seed;
        let single = UnpairedBout { seed, is_first, ending };
        let pair = seats.map(|seat| self.place(&seat.bot));
        let meeting = PairedBout { seats, single, is_isolated: bout.is_isolated };
        let mirror = self.mirror;
        self.of_pair(pair).add(&meeting, mirror);
        true
    }

    /// Adds what two bots did elsewhere, by their names in order.
    pub fn join(&mut self, pair: Pair<'_>) {
        let [one, other] = pair.bots;
        let places = [self.place_of(one), self.place_of(other)];
        self.of_pair(places).join(pair.totals);
    }

    /// Returns every pair that met.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        self.placed_pairs().map(|PlacedPair { bots, totals }| Pair {
            bots: bots.map(|place| &*self.bots[place as usize]),
            totals,
        })
    }

    /// Returns the bots, in the order of their places.
    pub fn bots(&self) -> impl Iterator<Item = &str> {
        self.bots.iter().map(|bot| &**bot)
    }

    /// Returns every pair by the places of its bots, that of the one whose name is first before
    /// the other.
    pub fn placed_pairs(&self) -> impl Iterator<Item = PlacedPair<'_>> {
        let of = |(bots, place): (&[u32; 2], &u32)| (*bots, &self.totals[*place as usize]);
        self.pairs.iter().map(of).map(|(bots, totals)| PlacedPair { bots, totals })
    }

    /// Returns how many pairs met.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether none met.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the bouts of all pairs.
    #[must_use]
    pub fn bouts(&self) -> u64 {
        self.totals.iter().flat_map(PairTotals::bouts).map(u64::from).sum()
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
        match self.places.get(name) {
            Some(place) => *place,
            None => self.enter(Arc::clone(name)),
        }
    }

    fn place_of(&mut self, name: &str) -> u32 {
        match self.places.get(name) {
            Some(place) => *place,
            None => self.enter(name.into()),
        }
    }

    fn enter(&mut self, name: Arc<str>) -> u32 {
        let place = u32::try_from(self.bots.len()).expect("fewer bots than fit into memory");
        self.bots.push(Arc::clone(&name));
        self.places.insert(name, place);
        place
    }
}

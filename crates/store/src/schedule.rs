//! Schedule as the record sees it: which bout has which place, and which bouts are done.

use std::collections::{BTreeMap, HashMap, HashSet};

use joust_model::{BoutId, BoutPlan, PlanKey};

use super::bout_scan::{BoutScan, ColumnLists};
use super::bouts::bout_id;
use super::{Store, StoreError};

/// A bout's place in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutPlace {
    /// The bout.
    pub bout: BoutId,
    /// The key of its result.
    pub key: PlanKey,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
}

impl BoutPlace {
    /// Returns the place of a plan.
    pub fn of(plan: &BoutPlan) -> Self {
        let (match_number, number) = (plan.match_number, plan.number);
        Self { bout: plan.bout, key: plan.key(), match_number, number }
    }
}

/// Function that finds the bout at a place of a schedule; `None` where there is none.
pub type Finder<'a> = Box<dyn FnMut(u64, u32) -> Option<BoutPlace> + 'a>;

/// A schedule that finds bouts by their places, so that no list of them is needed.
pub trait Scheduled: Sync {
    /// Returns how many bouts a match has.
    fn bouts_per_match(&self) -> u32;

    /// Returns how many bouts there are.
    fn count(&self) -> u64;

    /// Returns a function that finds bouts by their match and their number in it. It is fastest
    /// when the bouts of a match are requested one after the other.
    fn finder(&self) -> Finder<'_>;

    /// Returns all bouts, in order.
    fn all(&self) -> Box<dyn Iterator<Item = BoutPlace> + Send + '_>;
}

/// A list of bouts; finding one takes a linear search.
impl Scheduled for Vec<BoutPlace> {
    fn bouts_per_match(&self) -> u32 {
        self.iter().map(|place| place.number + 1).max().unwrap_or(1)
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn finder(&self) -> Finder<'_> {
        let is_it = |place: &&BoutPlace, at| (place.match_number, place.number) == at;
        Box::new(move |match_number, number| {
            self.iter().find(|place| is_it(place, (match_number, number))).copied()
        })
    }

    fn all(&self) -> Box<dyn Iterator<Item = BoutPlace> + Send + '_> {
        Box::new(self.iter().copied())
    }
}

/// The most stored bouts with a changed place that are searched for in one pass over the schedule.
const SOUGHT_AT_ONCE: usize = 1 << 20;

/// The bouts of an event, whether or not they count, with their keys as concatenated bytes.
const STATES: &str = "SELECT max(number) AS last, json_group_array(id) AS id, \
    CAST(group_concat(key, '') AS BLOB) AS key, json_group_array(match_number) AS match_number, \
    json_group_array(bout_number) AS bout_number, \
    json_group_array(id) FILTER (WHERE NOT counts) AS uncounted \
    FROM (SELECT number, id, key, match_number, bout_number, counts FROM bouts \
    WHERE number > ?1 AND +event = ?3 ORDER BY number LIMIT ?2)";

/// A bout as it is stored.
pub(super) struct StoredPlace {
    pub(super) bout: BoutId,
    key: PlanKey,
    pub(super) match_number: i64,
    number: i64,
    pub(super) counts: bool,
}

/// Outcome of the comparison of a stored bout with a schedule.
pub(super) enum ScheduleMatch {
    /// The schedule has it.
    Scheduled(StoredPlace, BoutPlace),
    /// The schedule does not have it, or only under another key.
    Stale(StoredPlace),
}

impl Store {
    /// Returns which bouts of a schedule have a result under the same key, whether or not it
    /// still counts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn done(&self, event: &str, schedule: &dyn Scheduled) -> Result<BoutSet, StoreError> {
        self.compare(event, schedule, |_| {}).await
    }

    /// Compares all bouts of an event with a schedule, with only a part of them in memory; returns
    /// those that the schedule has under the same key.
    pub(super) async fn compare(
        &self,
        event: &str,
        schedule: &dyn Scheduled,
        mut take: impl FnMut(ScheduleMatch) + Send,
    ) -> Result<BoutSet, StoreError> {
        let mut done = BoutSet::new(schedule.bouts_per_match());
        let mut note = |found: ScheduleMatch| {
            if let ScheduleMatch::Scheduled(_, place) = &found {
                done.insert(place.match_number, place.number);
            }
            take(found);
        };
        let mut elsewhere = HashMap::new();
        let mut compare = |page: PlacePage| -> Result<(), StoreError> {
            let mut find = schedule.finder();
            for known in page.known()? {
                let own = known.stored_place();
                match own.filter(|own| find(own.match_number, own.number) == Some(*own)) {
                    Some(place) => note(ScheduleMatch::Scheduled(known, place)),
                    None => _ = elsewhere.insert(known.bout, known),
                }
            }
            if elsewhere.len() >= SOUGHT_AT_ONCE {
                seek(schedule, std::mem::take(&mut elsewhere), &mut note);
            }
            Ok(())
        };
        let mut sweep = self.scan_bouts().await?;
        let mut page = None::<PlacePage>;
        loop {
            // While SQLite reads a page, the one before it is compared.
            let (read, compared) = tokio::join!(
                biased;
                PlacePage::read(&mut sweep, event),
                async { page.take().map_or(Ok(()), &mut compare) }
            );
            compared?;
            page = read?;
            if page.is_none() {
                break;
            }
        }
        seek(schedule, elsewhere, &mut note);
        Ok(done)
    }
}

/// Finds bouts whose place in the schedule has changed since they were stored.
fn seek(
    schedule: &dyn Scheduled,
    mut sought: HashMap<BoutId, StoredPlace>,
    mut take: impl FnMut(ScheduleMatch),
) {
    if !sought.is_empty() {
        for place in schedule.all() {
            let is_it = sought.get(&place.bout).is_some_and(|known| known.key == place.key);
            if is_it && let Some(known) = sought.remove(&place.bout) {
                take(ScheduleMatch::Scheduled(known, place));
            }
        }
    }
    sought.into_values().for_each(|known| take(ScheduleMatch::Stale(known)));
}

impl StoredPlace {
    /// Returns the place with which the bout was stored.
    fn stored_place(&self) -> Option<BoutPlace> {
        let (bout, key, match_number) = (self.bout, self.key, self.match_number.cast_unsigned());
        Some(BoutPlace { bout, key, match_number, number: u32::try_from(self.number).ok()? })
    }

    /// Returns whether the bout's row has to be updated.
    pub(super) fn differs(&self, place: &BoutPlace) -> bool {
        let order = (place.match_number.cast_signed(), i64::from(place.number));
        !self.counts || (self.match_number, self.number) != order
    }
}

/// Some of an event's bouts, as SQLite has read them.
struct PlacePage(ColumnLists);

impl PlacePage {
    async fn read(sweep: &mut BoutScan, event: &str) -> Result<Option<Self>, StoreError> {
        let bouts = sweep.read_next("bouts", STATES, event).await?;
        Ok(bouts.map(Self))
    }

    fn known(&self) -> Result<Vec<StoredPlace>, StoreError> {
        let ids: Vec<i64> = self.0.list("id")?;
        let matches: Vec<i64> = self.0.list("match_number")?;
        let within: Vec<i64> = self.0.list("bout_number")?;
        let uncounted: HashSet<i64> = self.0.list::<i64>("uncounted")?.into_iter().collect();
        let keys: Vec<PlanKey> = self.0.joined_hashes("key", ids.len(), PlanKey)?;
        let known = keys.into_iter().enumerate().map(|(index, key)| StoredPlace {
            bout: bout_id(ids[index]),
            key,
            match_number: matches[index],
            number: within[index],
            counts: !uncounted.contains(&ids[index]),
        });
        Ok(known.collect())
    }
}

/// Words of a block: its bits are 65,536 places.
const WORDS: usize = 1024;

/// A set of bouts of one schedule. It is not valid for another schedule, nor for the same schedule
/// after a bot has come or gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoutSet {
    bouts_per_match: u64,
    /// Blocks that have a bout, by their number.
    blocks: BTreeMap<u64, Box<[u64; WORDS]>>,
    len: u64,
}

/// Place of a bout's bit.
struct BitPlace {
    block: u64,
    word: usize,
    bit: u64,
}

impl BoutSet {
    /// Makes an empty set for a schedule with so many bouts per match.
    pub fn new(bouts_per_match: u32) -> Self {
        Self { bouts_per_match: bouts_per_match.into(), ..Self::default() }
    }

    /// Adds bout `number` of a match of the schedule; returns whether it is new.
    pub fn insert(&mut self, match_number: u64, number: u32) -> bool {
        let Some(BitPlace { block, word, bit }) = self.place(match_number, number) else {
            return false;
        };
        let words = self.blocks.entry(block).or_insert_with(|| Box::new([0; WORDS]));
        let is_new = words[word] & bit == 0;
        words[word] |= bit;
        self.len += u64::from(is_new);
        is_new
    }

    /// Returns whether bout `number` of a match is in the set.
    pub fn contains(&self, match_number: u64, number: u32) -> bool {
        self.place(match_number, number).is_some_and(|BitPlace { block, word, bit }| {
            self.blocks.get(&block).is_some_and(|words| words[word] & bit != 0)
        })
    }

    /// Adds the bouts of another set of the same schedule.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            self.bouts_per_match = other.bouts_per_match;
        }
        for (block, its) in &other.blocks {
            let words = self.blocks.entry(*block).or_insert_with(|| Box::new([0; WORDS]));
            words.iter_mut().zip(its.iter()).for_each(|(own, its)| *own |= its);
        }
        let words = self.blocks.values().flat_map(|words| words.iter());
        self.len = words.map(|word| u64::from(word.count_ones())).sum();
    }

    /// Returns how many bouts there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the place of a bout's bit; `None` where no schedule has such a bout.
    fn place(&self, match_number: u64, number: u32) -> Option<BitPlace> {
        if u64::from(number) >= self.bouts_per_match {
            return None;
        }
        let place = match_number.checked_mul(self.bouts_per_match)?.checked_add(number.into())?;
        let word = place / 64;
        let within = usize::try_from(word % WORDS as u64).ok()?;
        Some(BitPlace { block: word / WORDS as u64, word: within, bit: 1 << (place % 64) })
    }
}

#[cfg(test)]
mod tests {
    use joust_model::RoundState;

    use super::*;

    #[test]
    fn a_bout_is_in_the_set_by_its_match_and_number() {
        let mut set = BoutSet::new(3);
        assert!(set.insert(7, 2) && !set.insert(7, 2) && set.insert(1_000_000, 0));
        assert!(set.contains(7, 2) && !set.contains(7, 1) && !set.contains(8, 0));
        assert!(!set.insert(0, 3) && !set.contains(u64::MAX, 0), "there is no such bout");
        let mut all = BoutSet::default();
        all.extend(&set);
        assert_eq!((all.len(), all), (2, set));
    }

    #[test]
    fn rounds_that_lie_far_apart_take_no_room_between_them() {
        let mut set = BoutSet::new(1000);
        for round in 0..100 {
            assert!(set.insert(RoundState::first_match(round), 999));
        }
        assert_eq!((set.len(), set.blocks.len()), (100, 100));
        assert!(set.contains(RoundState::first_match(99), 999));
        assert!(!set.contains(RoundState::first_match(99), 998));
    }
}

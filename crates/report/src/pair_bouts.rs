//! Bouts of each pair, a few of them, by which programs find the others.

use std::collections::BTreeMap;

use joust_model::{BoutId, BoutSummary};
use joust_standings::standings::Standings;

/// The most bouts that a pair names; `joust bouts` lists the others.
const MOST: usize = 10;

/// A bout by its number in its match, and that of the match.
type Placed = (u32, u64, BoutId);

/// The first bouts of each pair of some bots, by their numbers in their matches: a bout that was
/// stored before others entered may have an older number of its match than the next one.
#[derive(Clone, Debug, Default)]
pub struct PairBouts {
    places: BTreeMap<String, usize>,
    bouts: BTreeMap<[usize; 2], Vec<Placed>>,
}

impl PairBouts {
    /// Makes an empty collection; it keeps bouts of the pairs whose cells formats write.
    pub fn of(standings: &Standings) -> Self {
        let shown = &standings.playing()[..standings.cross.shown()];
        let places = shown.iter().zip(0..).map(|(row, place)| (row.bot.name.clone(), place));
        Self { places: places.collect(), bouts: BTreeMap::new() }
    }

    /// Adds a bout; the order of bouts does not matter.
    pub fn add(&mut self, bout: &BoutSummary) {
        let place = |name: &str| self.places.get(name).copied();
        let places: Vec<usize> = bout.seats.iter().filter_map(|seat| place(&seat.bot)).collect();
        for (seat, one) in places.iter().enumerate() {
            for other in &places[seat + 1..] {
                let placed = (bout.number, bout.match_number, bout.bout);
                let first = self.bouts.entry(sorted(*one, *other)).or_default();
                let at = first.partition_point(|known| *known < placed);
                if at < MOST {
                    // Many pairs have one or two.
                    if first.len() < 2 {
                        first.reserve_exact(1);
                    }
                    first.insert(at, placed);
                    first.truncate(MOST);
                }
            }
        }
    }

    /// Returns the first bouts of the bots at two places of the standings.
    pub(super) fn between(&self, one: usize, other: usize) -> impl Iterator<Item = BoutId> {
        let bouts = self.bouts.get(&sorted(one, other)).map(Vec::as_slice).unwrap_or_default();
        bouts.iter().map(|(_, _, bout)| *bout)
    }
}

fn sorted(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

//! Cross table: what each bot that plays did against each other.
//!
//! Only pairs that met are held, so that a large field in which few met takes no square.

use std::collections::BTreeMap;

use super::tally::{Endings, PairRecord};

/// The largest number of bots for which formats for people and programs write every pair.
const MOST_WHOLE: usize = 1000;

/// Number of bots, the best, whose pairs are written in a larger field.
const SLICE: usize = 100;

/// A bot and what another one did against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossEntry {
    /// The opponent's place in the standings, from 0.
    pub opponent: usize,
    /// Results against it.
    pub cell: PairRecord,
}

/// Results of each bot against each other, by their places from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cross {
    /// Index in `met` of the first opponent of each bot, and the end of the last bot's opponents.
    starts: Vec<usize>,
    /// The opponents of the first bot by their places, then those of the next.
    met: Vec<PackedEntry>,
    /// Number of bouts that a pair plays; a pair with fewer is unfinished.
    bouts: u32,
}

/// Results against an opponent: there are two for each pair that met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PackedEntry {
    opponent: u32,
    endings: Endings,
}

impl Cross {
    /// Makes the table of `bots` bots of what the first of each pair did against the second.
    pub(super) fn of(bots: usize, pairs: &BTreeMap<[u32; 2], Endings>) -> Self {
        let mut starts = vec![0; bots + 1];
        pairs.keys().flatten().for_each(|bot| starts[*bot as usize + 1] += 1);
        (0..bots).for_each(|bot| starts[bot + 1] += starts[bot]);
        let mut met = vec![PackedEntry::default(); 2 * pairs.len()];
        let mut free = starts.clone();
        for ([one, other], endings) in pairs {
            let mirrored = endings.mirrored();
            for (own, opponent, endings) in [(*one, *other, *endings), (*other, *one, mirrored)] {
                let place = &mut free[own as usize];
                met[*place] = PackedEntry { opponent, endings };
                *place += 1;
            }
        }
        Self { starts, met, bouts: 0 }.sorted()
    }

    fn sorted(mut self) -> Self {
        for bot in 0..self.bots() {
            let range = self.starts[bot]..self.starts[bot + 1];
            self.met[range].sort_unstable_by_key(|met| met.opponent);
        }
        self
    }

    /// Returns the table in another order of the bots: the first of it is `order[0]` here.
    pub(super) fn in_order(&self, order: &[usize]) -> Self {
        let mut places = vec![0; self.bots()];
        order.iter().zip(0..).for_each(|(bot, place)| places[*bot] = place);
        let (mut starts, mut met) = (vec![0], Vec::with_capacity(self.met.len()));
        for bot in order {
            let moved =
                |one: &PackedEntry| PackedEntry { opponent: places[one.opponent as usize], ..*one };
            met.extend(self.entries(*bot).iter().map(moved));
            starts.push(met.len());
        }
        Self { starts, met, bouts: self.bouts }.sorted()
    }

    /// Marks pairs that have fewer than `bouts` bouts.
    pub(super) fn mark_unfinished(&mut self, bouts: u32) {
        self.bouts = bouts;
    }

    /// Returns how many bots there are.
    pub fn bots(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns of how many bots, the best, formats write what they did against each other: all,
    /// or some of a large field.
    pub fn shown(&self) -> usize {
        if self.bots() > MOST_WHOLE { SLICE } else { self.bots() }
    }

    /// Returns what the bot at one place did against that at another.
    pub fn cell(&self, own: usize, other: usize) -> PairRecord {
        match self.entries(own).binary_search_by_key(&other, PackedEntry::opponent) {
            Ok(place) => self.cell_of(self.entries(own)[place].endings),
            Err(_) if own == other => PairRecord::default(),
            Err(_) => self.unmet(),
        }
    }

    /// Returns what the bot at a place did against those that it met, in their order.
    pub fn met(&self, own: usize) -> impl Iterator<Item = CrossEntry> {
        let met = |entry: &PackedEntry| CrossEntry {
            opponent: entry.opponent(),
            cell: self.cell_of(entry.endings),
        };
        self.entries(own).iter().map(met)
    }

    /// Returns what the bot at a place did against each of the first `others`.
    pub fn line(&self, own: usize, others: usize) -> impl Iterator<Item = PairRecord> {
        let mut met = self.met(own).peekable();
        (0..others).map(move |other| match met.next_if(|met| met.opponent == other) {
            Some(met) => met.cell,
            None if own == other => PairRecord::default(),
            None => self.unmet(),
        })
    }

    /// Returns whether a pair of bots has some of its bouts, and some are missing.
    pub fn is_unfinished(&self) -> bool {
        self.met.iter().any(|met| (1..self.bouts).contains(&met.endings.bouts()))
    }

    fn entries(&self, own: usize) -> &[PackedEntry] {
        match self.starts.get(own..own + 2) {
            Some(range) => &self.met[range[0]..range[1]],
            None => &[],
        }
    }

    fn cell_of(&self, endings: Endings) -> PairRecord {
        PairRecord { unfinished: endings.bouts() < self.bouts, ..endings.into() }
    }

    /// Returns what two bots did that never met.
    fn unmet(&self) -> PairRecord {
        self.cell_of(Endings::default())
    }
}

impl PackedEntry {
    fn opponent(&self) -> usize {
        self.opponent as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endings(won: u32, lost: u32) -> Endings {
        Endings { won, drawn: 1, lost }
    }

    fn cell(won: u32, lost: u32) -> PairRecord {
        endings(won, lost).into()
    }

    fn table() -> Cross {
        let pairs = BTreeMap::from([
            ([0, 2], endings(3, 0)),
            ([1, 2], endings(1, 2)),
            ([0, 3], endings(0, 4)),
        ]);
        Cross::of(5, &pairs)
    }

    #[test]
    fn a_pair_is_seen_from_both_sides_and_others_have_not_met() {
        let cross = table();
        assert_eq!([cross.cell(2, 0), cross.cell(0, 2)], [cell(0, 3), cell(3, 0)]);
        assert_eq!(cross.cell(4, 1), PairRecord::default());
        assert_eq!(cross.met(2).map(|met| met.opponent).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(cross.met(9).count(), 0);
    }

    #[test]
    fn a_line_is_the_cells_of_it() {
        let mut cross = table();
        cross.mark_unfinished(4);
        for own in 0..5 {
            let cells: Vec<PairRecord> = (0..5).map(|other| cross.cell(own, other)).collect();
            assert_eq!(cross.line(own, 5).collect::<Vec<_>>(), cells);
        }
        assert!(cross.cell(4, 1).unfinished && !cross.cell(4, 4).unfinished);
        assert!(!cross.cell(0, 2).unfinished && cross.cell(0, 2).bouts() == 4);
    }

    #[test]
    fn in_another_order_the_bots_have_done_the_same() {
        let (cross, order) = (table(), [3, 1, 4, 0, 2]);
        let moved = cross.in_order(&order);
        for (own, one) in order.iter().enumerate() {
            for (place, other) in order.iter().enumerate() {
                assert_eq!(moved.cell(own, place), cross.cell(*one, *other), "{one} {other}");
            }
        }
    }

    #[test]
    fn a_large_field_is_written_in_part() {
        let of = |bots| Cross::of(bots, &BTreeMap::new()).shown();
        assert_eq!([of(0), of(1000), of(1001), of(100_000)], [0, 1000, 100, 100]);
    }
}

//! Set of bouts by their places in a schedule: a bit for each, and less where many follow each
//! other.

use roaring::RoaringTreemap;

/// Bouts of one schedule. A set says nothing about another one, nor about the same one after a
/// bot has come or gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoutSet {
    bouts_per_match: u64,
    places: RoaringTreemap,
}

impl BoutSet {
    /// Makes an empty set of bouts of a schedule in which each match has so many.
    #[must_use]
    pub fn new(bouts_per_match: u32) -> Self {
        Self { bouts_per_match: bouts_per_match.into(), places: RoaringTreemap::new() }
    }

    /// Adds bout `number` of a match; says whether it is new.
    pub fn insert(&mut self, match_number: u64, number: u32) -> bool {
        self.place(match_number, number).is_some_and(|place| self.places.insert(place))
    }

    /// Says whether bout `number` of a match is in the set.
    #[must_use]
    pub fn contains(&self, match_number: u64, number: u32) -> bool {
        self.place(match_number, number).is_some_and(|place| self.places.contains(place))
    }

    /// Adds the bouts of another set of the same schedule.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            self.bouts_per_match = other.bouts_per_match;
        }
        self.places |= &other.places;
    }

    /// Returns how many bouts there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.places.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn place(&self, match_number: u64, number: u32) -> Option<u64> {
        if u64::from(number) >= self.bouts_per_match {
            return None;
        }
        match_number.checked_mul(self.bouts_per_match)?.checked_add(number.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bout_is_in_the_set_by_its_match_and_number() {
        let mut set = BoutSet::new(3);
        assert!(set.insert(7, 2) && !set.insert(7, 2) && set.insert(u64::from(u32::MAX) * 2, 0));
        assert!(set.contains(7, 2) && !set.contains(7, 1) && !set.contains(8, 0));
        assert!(!set.insert(0, 3) && !set.contains(u64::MAX, 0), "there is no such bout");
        let mut all = BoutSet::default();
        all.extend(&set);
        assert_eq!((all.len(), all), (2, set));
    }
}

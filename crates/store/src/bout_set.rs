//! Set of bouts by their places in a schedule: a bit for each.

/// A set of bouts of one schedule. It is not valid for another schedule, nor for the same schedule
/// after a bot has come or gone.
#[derive(Clone, Debug, Default)]
pub struct BoutSet {
    bouts_per_match: u64,
    words: Vec<u64>,
    len: u64,
}

impl BoutSet {
    /// Makes an empty set for a schedule with so many bouts per match.
    pub fn new(bouts_per_match: u32) -> Self {
        Self { bouts_per_match: bouts_per_match.into(), ..Self::default() }
    }

    /// Adds bout `number` of a match of the schedule; returns whether it is new.
    pub fn insert(&mut self, match_number: u64, number: u32) -> bool {
        let Some((word, bit)) = self.place(match_number, number) else { return false };
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += u64::from(is_new);
        is_new
    }

    /// Returns whether bout `number` of a match is in the set.
    pub fn contains(&self, match_number: u64, number: u32) -> bool {
        let place = self.place(match_number, number);
        place.is_some_and(|(word, bit)| self.words.get(word).is_some_and(|it| it & bit != 0))
    }

    /// Adds the bouts of another set of the same schedule.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            self.bouts_per_match = other.bouts_per_match;
        }
        self.words.resize(self.words.len().max(other.words.len()), 0);
        self.words.iter_mut().zip(&other.words).for_each(|(own, its)| *own |= its);
        self.len = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
    }

    /// Returns how many bouts there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the word of a bout and its bit there; `None` where no schedule has such a bout.
    fn place(&self, match_number: u64, number: u32) -> Option<(usize, u64)> {
        if u64::from(number) >= self.bouts_per_match {
            return None;
        }
        let place = match_number.checked_mul(self.bouts_per_match)?.checked_add(number.into())?;
        Some((usize::try_from(place / 64).ok()?, 1 << (place % 64)))
    }
}

/// Two sets are equal when they contain the same bouts, even if their vectors differ in length.
impl PartialEq for BoutSet {
    fn eq(&self, other: &Self) -> bool {
        let shared = self.words.len().min(other.words.len());
        (self.bouts_per_match, self.len) == (other.bouts_per_match, other.len)
            && self.words[..shared] == other.words[..shared]
    }
}

#[cfg(test)]
mod tests {
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
}

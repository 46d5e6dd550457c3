//! Filter of bout ids (a Bloom filter): says of most ids that a partition does not have them,
//! so that a new bout is not looked for in every file.

use joust_model::BoutId;

/// Bits for each id: one in 100,000 others is taken for one of them. Each such one is looked up in
/// the file, for which a whole group of bouts waits, and a league has dozens of files.
const BITS_PER_ID: usize = 24;

/// Bits that each id sets.
const PROBES: u64 = 17;

/// Into how many steps each doubling of a filter's length is divided: partitions of about as many
/// bouts have filters of one length.
const STEPS: usize = 16;

/// Ids of a partition, as far as a filter remembers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter(Vec<u8>);

impl Filter {
    /// Makes a filter with room for so many ids.
    pub(super) fn for_ids(count: usize) -> Self {
        let bytes = (count * BITS_PER_ID).div_ceil(8).max(1);
        let step = (bytes.next_power_of_two() / 2 / STEPS).max(1);
        Self(vec![0; bytes.next_multiple_of(step)])
    }

    /// Takes a filter as it was stored; one without a bit has room for nothing.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn insert(&mut self, bout: BoutId) {
        for place in places(bout, self.0.len() * 8) {
            self.0[place / 8] |= 1 << (place % 8);
        }
    }

    /// Says whether the bit at `place` is set.
    pub(super) fn has(&self, place: usize) -> bool {
        self.0[place / 8] & (1 << (place % 8)) != 0
    }

    /// Says whether a bout may be there; `false` is certain.
    #[cfg(test)]
    pub(super) fn may_have(&self, bout: BoutId) -> bool {
        !self.0.is_empty() && places(bout, self.0.len() * 8).all(|place| self.has(place))
    }
}

/// Returns where a bout's bits are in a filter of `room` bits. An id is a hash already: its halves
/// give all places.
pub(super) fn places(bout: BoutId, room: usize) -> impl Iterator<Item = usize> + use<> {
    let id = u64::from_be_bytes(bout.0);
    let step = id.rotate_left(32) | 1;
    (0..PROBES).map(move |probe| {
        // The upper half of a product with the room is below the room, and takes no division.
        let place = u128::from(id.wrapping_add(probe.wrapping_mul(step))) * room as u128;
        usize::try_from(place >> 64).expect("it is below the number of bits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> BoutId {
        BoutId::of("filter", &[&number.to_le_bytes()])
    }

    #[test]
    fn what_was_put_in_is_there_and_little_else() {
        let mut filter = Filter::for_ids(2000);
        (0..2000).for_each(|number| filter.insert(id(number)));
        let filter = Filter::from_bytes(filter.bytes().to_vec());
        assert!((0..2000).all(|number| filter.may_have(id(number))));
        let wrong = (2000..102_000).filter(|number| filter.may_have(id(*number))).count();
        assert!(wrong < 10, "{wrong} of 100,000");
        assert!(!Filter::from_bytes(Vec::new()).may_have(id(1)));
    }

    #[test]
    fn filters_of_about_as_many_bouts_are_as_long() {
        let length = |count| Filter::for_ids(count).bytes().len();
        assert_eq!(length(50_000), length(50_001));
        assert_eq!(length(1_000_000), length(1_001_000));
        for count in [0, 1, 7, 1000, 50_000, 1_000_000] {
            let least = count * BITS_PER_ID / 8;
            assert!((least..=least + least / STEPS + 1).contains(&length(count)), "{count}");
        }
    }
}

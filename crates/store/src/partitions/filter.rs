//! Filter of bout ids (a Bloom filter): says of most ids that a partition does not have them,
//! so that a new bout is not looked for in every file.

use joust_model::BoutId;

/// Bits for each id: one in 15,000 others is taken for one of them. Each such one is looked up in
/// the file, for which a whole group of bouts waits, and a league has dozens of files.
const BITS_PER_ID: usize = 20;

/// Bits that each id sets.
const PROBES: u64 = 14;

/// Ids of a partition, as far as a filter remembers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Filter(Vec<u8>);

impl Filter {
    /// Makes a filter with room for so many ids.
    pub(super) fn for_ids(count: usize) -> Self {
        Self(vec![0; (count * BITS_PER_ID).div_ceil(8).max(1)])
    }

    /// Takes a filter as it was stored; one without a bit has room for nothing.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn insert(&mut self, bout: BoutId) {
        for bit in self.bits(bout) {
            self.0[bit / 8] |= 1 << (bit % 8);
        }
    }

    /// Says whether a bout may be there; `false` is certain.
    pub(in super::super) fn may_have(&self, bout: BoutId) -> bool {
        !self.0.is_empty() && self.bits(bout).all(|bit| self.0[bit / 8] & (1 << (bit % 8)) != 0)
    }

    /// An id is a hash already: its halves give all probes.
    fn bits(&self, bout: BoutId) -> impl Iterator<Item = usize> + use<> {
        let id = u64::from_be_bytes(bout.0);
        let step = id.rotate_left(32) | 1;
        let room = (self.0.len() * 8) as u64;
        (0..PROBES).map(move |probe| {
            // The upper half of a product with the room is below the room, and takes no division.
            let place = u128::from(id.wrapping_add(probe.wrapping_mul(step))) * u128::from(room);
            usize::try_from(place >> 64).expect("it is below the number of bits")
        })
    }
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
        assert!(wrong < 20, "{wrong} of 100,000");
        assert!(!Filter::from_bytes(Vec::new()).may_have(id(1)));
    }
}

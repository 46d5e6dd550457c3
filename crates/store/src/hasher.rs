//! Hasher of records: values in a fixed order, each with its type.

use sha2::{Digest as _, Sha256};

/// The hash of a row, or of several rows that belong together.
pub(super) type Digest = [u8; 32];

/// Hashes values, each with its type and, for types of variable length, its length.
pub(super) struct Hasher(Sha256);

impl Hasher {
    /// Begins a hash; `domain` separates it from hashes of other kinds of records.
    pub(super) fn new(domain: &str) -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.add_text(domain);
        hasher
    }

    pub(super) fn add_number(&mut self, value: i64) {
        self.add(b'n', value.to_le_bytes(), &[]);
    }

    pub(super) fn add_text(&mut self, value: &str) {
        self.add(b't', (value.len() as u64).to_le_bytes(), value.as_bytes());
    }

    pub(super) fn add_bytes(&mut self, value: &[u8]) {
        self.add(b'b', (value.len() as u64).to_le_bytes(), value);
    }

    pub(super) fn add_null(&mut self) {
        self.0.update(b"-");
    }

    fn add(&mut self, kind: u8, number: [u8; 8], value: &[u8]) {
        self.0.update([kind]);
        self.0.update(number);
        self.0.update(value);
    }

    pub(super) fn finish(self) -> Digest {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes that are hashed for a value, as the rules for schema changes define them.
    fn written(kind: u8, value: &[u8]) -> Vec<u8> {
        [&[kind], (value.len() as u64).to_le_bytes().as_slice(), value].concat()
    }

    #[test]
    fn short_and_long_values_are_hashed_in_their_order() {
        for length in [0, 1, 256, 2560] {
            let long = vec![7; length];
            let mut hashed = Hasher::new("test");
            hashed.add_number(-2);
            hashed.add_bytes(&long);
            hashed.add_null();
            hashed.add_text("z");
            let number = [b"n", (-2_i64).to_le_bytes().as_slice()].concat();
            let parts = [written(b't', b"test"), number, written(b'b', &long), b"-".to_vec()];
            let all = [parts.concat(), written(b't', b"z")].concat();
            let expected: Digest = Sha256::digest(all).into();
            assert_eq!(hashed.finish(), expected, "{length} bytes");
        }
    }
}

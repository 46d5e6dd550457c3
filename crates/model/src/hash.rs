//! Identities that are hashes, equal on every machine.

use std::fmt;
use std::str::FromStr;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Error for a text that is not a hash of the right length in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a {1}-digit hexadecimal number")]
pub struct ParseHashError(pub String, pub usize);

/// Reads the hexadecimal digits of all `bytes`; `None` when the text is not exactly that.
fn read_digits(text: &str, bytes: &mut [u8]) -> Option<()> {
    let length = HEXLOWER_PERMISSIVE.decode_len(text.len()).ok()?;
    let read =
        (length == bytes.len()).then(|| HEXLOWER_PERMISSIVE.decode_mut(text.as_bytes(), bytes));
    read?.ok().map(drop)
}

/// Hashes `fields`, each preceded by its length, under `domain`. Hashes of different domains cannot
/// be confused.
pub fn digest(domain: &str, fields: &[&[u8]]) -> [u8; 32] {
    start_digest(domain, fields).finalize().into()
}

/// Begins a [`digest`] with its first fields.
pub(crate) fn start_digest(domain: &str, fields: &[&[u8]]) -> Sha256 {
    let mut hash = Sha256::new_with_prefix(domain);
    fields.iter().for_each(|field| add_field(&mut hash, field));
    hash
}

/// Adds a field to a [`digest`] under way.
pub(crate) fn add_field(hash: &mut Sha256, field: &[u8]) {
    hash.update((field.len() as u64).to_le_bytes());
    hash.update(field);
}

/// Returns the first bytes of a digest as a number.
pub fn digest_number(domain: &str, fields: &[&[u8]]) -> u64 {
    u64::from_le_bytes(*digest(domain, fields).first_chunk().expect("a digest has 32 bytes"))
}

/// Returns the first `digits` hexadecimal digits of a digest.
pub fn digest_text(domain: &str, fields: &[&[u8]], digits: usize) -> String {
    let mut text = HEXLOWER.encode(&digest(domain, fields));
    text.truncate(digits);
    text
}

macro_rules! hash_type {
    ($(#[$doc:meta])* $name:ident, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(pub [u8; $bytes]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&HEXLOWER.encode(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = ParseHashError;
            fn from_str(text: &str) -> Result<Self, ParseHashError> {
                let mut bytes = [0; $bytes];
                let read = read_digits(text, &mut bytes);
                read.map(|()| Self(bytes)).ok_or_else(|| ParseHashError(text.to_owned(), $bytes * 2))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&HEXLOWER.encode(&self.0))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseHashError;
            fn try_from(text: String) -> Result<Self, ParseHashError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> Self {
                HEXLOWER.encode(&hash.0)
            }
        }

        impl $name {
            /// Returns the identity of `fields`: the beginning of their [`digest`].
            pub fn of(domain: &str, fields: &[&[u8]]) -> Self {
                Self(*digest(domain, fields).first_chunk().expect("a digest has 32 bytes"))
            }
        }
    };
}

hash_type! {
    /// A bout's identity: a hash of tournament, event, bots and number, the
    /// same on every machine. Shown as 16 hexadecimal digits.
    BoutId, 8
}
hash_type! {
    /// Hash of a build's inputs: source tree, recipe and toolchain version.
    BuildHash, 32
}
hash_type! {
    /// Hash of a link of a database's chain, which identifies everything up to that link.
    ChainHash, 32
}
hash_type! {
    /// Hash of all inputs of a bout's result: game, its rules revision, rules, options, seed,
    /// builds and configured limits. Calibration, the machine and Joust's version are not included.
    PlanKey, 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_same_as_ever_and_identities_begin_with_it() {
        let fields: [&[u8]; 2] = [b"league", &[0, 1, 255]];
        let text = "9aa603b405735ef1496794c996e9b311756718f82c21217f0434f5d36dca867e";
        assert_eq!(digest_text("joust-test-1", &fields, 64), text);
        assert_eq!(digest_text("joust-test-1", &fields, 8), text[..8]);
        assert_eq!(PlanKey::of("joust-test-1", &fields).to_string(), text);
        assert_eq!(BoutId::of("joust-test-1", &fields).to_string(), text[..16]);
        assert_eq!(digest_number("joust-test-1", &fields), 17_392_465_279_283_603_098);
    }
}

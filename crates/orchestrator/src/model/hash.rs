//! Identities that are hashes: the same on every machine.

use std::fmt;
use std::str::FromStr;

use joust_referee::Sha256;
use serde::{Deserialize, Serialize};

/// A text is not a hash of the right length in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a {1}-digit hexadecimal number")]
pub struct NotAHash(pub String, pub usize);

macro_rules! hash_type {
    ($(#[$doc:meta])* $name:ident, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub [u8; $bytes]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = NotAHash;
            fn from_str(text: &str) -> Result<Self, NotAHash> {
                let wrong = || NotAHash(text.to_owned(), $bytes * 2);
                if text.len() != $bytes * 2 || !text.is_ascii() {
                    return Err(wrong());
                }
                let mut bytes = [0; $bytes];
                for (index, byte) in bytes.iter_mut().enumerate() {
                    let digits = &text[index * 2..index * 2 + 2];
                    *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
                }
                Ok(Self(bytes))
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAHash;
            fn try_from(text: String) -> Result<Self, NotAHash> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> Self {
                hash.to_string()
            }
        }

        impl $name {
            /// Hashes `fields`, each preceded by its length, under `domain`.
            #[must_use]
            pub fn of(domain: &str, fields: &[&[u8]]) -> Self {
                let mut hash = Sha256::default();
                hash.update(domain.as_bytes());
                for field in fields {
                    hash.update(&(field.len() as u64).to_le_bytes());
                    hash.update(field);
                }
                let digest = hash.finish();
                Self(*digest.first_chunk().expect("a digest has 32 bytes"))
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
    /// What a build is made from: source tree, recipe and toolchain version.
    BuildHash, 32
}
hash_type! {
    /// A link of a database's chain, which stands for all that came before.
    ChainHash, 32
}
hash_type! {
    /// All that decides a bout's result: game, its rules revision, rules,
    /// options, seed, builds and configured limits. Not calibration, not the
    /// machine, not Joust's version.
    PlanKey, 32
}

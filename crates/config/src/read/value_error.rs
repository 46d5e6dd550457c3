//! Mistake in one value, on its way to the entry that holds the value.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::super::rejection::Rejection;

/// Mistake in a value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ValueError {
    /// A check refuses the value.
    #[error("{0}")]
    Rejected(Rejection),
    /// The value has another type than the expected one.
    #[error("expected {0}")]
    WrongType(Rejection),
    /// The number is out of the range that the advice names.
    #[error("out of range\n{0}")]
    OutOfRange(String),
    /// A mapping lacks this key.
    #[error("missing key `{0}`")]
    MissingKey(&'static str),
    /// A mapping has a key that is none of these.
    #[error("unknown key")]
    UnknownKey(&'static [&'static str]),
    /// The mistake is reported and its entry is marked.
    #[error("reported")]
    Reported,
}

impl de::Error for ValueError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Rejected(Rejection::from_display(&text))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::WrongType(Rejection::from_display(&expected))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::OutOfRange(expected.to_string())
    }

    fn missing_field(key: &'static str) -> Self {
        Self::MissingKey(key)
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownKey(known)
    }
}

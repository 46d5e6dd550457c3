//! Keys of a `tournament.yaml` and of a `game.yaml`: each is a field of one of these structs.
//!
//! A field's type says what it accepts, its doc comment is the help, the struct's `Default` has
//! its default, and an `example` stands for a key that has none. Reader, schema,
//! `joust config show` and `joust config reference` follow. Checks that take more than one value,
//! or the game, are in [`super::events`] and [`super::games`].

/// Serializes an enum of forms as the value in it.
macro_rules! serialize_as_value {
    ($name:ident: $($form:ident),+) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$form(value) => value.serialize(to),)+
                }
            }
        }
    };
}

pub(super) mod event;
pub(super) mod game;
pub(super) mod libraries;
pub(super) mod limits;
pub(super) mod schedule;
pub(super) mod site;
pub(super) mod tournament;

use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// Leaves a value to a later step, which reads it with what the step knows.
fn leave_for_later<'de, D: Deserializer<'de>, T: Default>(deserializer: D) -> Result<T, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| T::default())
}

//! A game's options in a form that can be stored and sent.

use std::collections::BTreeMap;

use joust_referee::{OptionValue, Options};
use serde::{Deserialize, Serialize};

/// The value of one option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
}

/// Options by name; equal options have equal JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameOptions(pub BTreeMap<String, Setting>);

/// Options of a game that are read.
const MOST_OPTIONS: usize = 1000;
/// Bytes of all names and texts of them.
const MOST_BYTES: usize = 64 << 10;

impl GameOptions {
    /// Returns whether they are as few and as short as options may be.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        let bytes = |(name, setting): (&String, &Setting)| match setting {
            Setting::Bool(_) | Setting::Int(_) => name.len(),
            Setting::Text(text) => name.len() + text.len(),
        };
        self.0.len() <= MOST_OPTIONS && self.0.iter().map(bytes).sum::<usize>() <= MOST_BYTES
    }

    /// Returns the options as the referee takes them.
    #[must_use]
    pub fn to_referee(&self) -> Options {
        let value = |setting: &Setting| match setting {
            Setting::Bool(value) => OptionValue::Bool(*value),
            Setting::Int(value) => OptionValue::Int(*value),
            Setting::Text(value) => OptionValue::Text(value.clone()),
        };
        self.0.iter().map(|(name, setting)| (name.clone(), value(setting))).collect()
    }

    /// Makes options from the referee's.
    #[must_use]
    pub fn from_referee(options: &Options) -> Self {
        let setting = |value: &OptionValue| match value {
            OptionValue::Bool(value) => Setting::Bool(*value),
            OptionValue::Int(value) => Setting::Int(*value),
            OptionValue::Text(value) => Setting::Text(value.clone()),
        };
        Self(options.iter().map(|(name, value)| (name.clone(), setting(value))).collect())
    }
}

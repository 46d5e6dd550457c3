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

/// Options by name; equal options have equal JSON texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameOptions(pub BTreeMap<String, Setting>);

/// The most options of a game.
const MOST_OPTIONS: usize = 1000;
/// The most bytes of all their names and texts.
const MOST_BYTES: usize = 64 << 10;

impl GameOptions {
    /// Returns whether the options are within these limits.
    pub fn is_within_bounds(&self) -> bool {
        let bytes = |(name, setting): (&String, &Setting)| match setting {
            Setting::Bool(_) | Setting::Int(_) => name.len(),
            Setting::Text(text) => name.len() + text.len(),
        };
        self.0.len() <= MOST_OPTIONS && self.0.iter().map(bytes).sum::<usize>() <= MOST_BYTES
    }

    /// Converts the options for the referee.
    pub fn to_referee(&self) -> Options {
        let value = |setting: &Setting| match setting {
            Setting::Bool(value) => OptionValue::Bool(*value),
            Setting::Int(value) => OptionValue::Int(*value),
            Setting::Text(value) => OptionValue::Text(value.clone()),
        };
        self.0.iter().map(|(name, setting)| (name.clone(), value(setting))).collect()
    }

    /// Converts the referee's options.
    pub fn from_referee(options: &Options) -> Self {
        let setting = |value: &OptionValue| match value {
            OptionValue::Bool(value) => Setting::Bool(*value),
            OptionValue::Int(value) => Setting::Int(*value),
            OptionValue::Text(value) => Setting::Text(value.clone()),
        };
        Self(options.iter().map(|(name, value)| (name.clone(), setting(value))).collect())
    }
}

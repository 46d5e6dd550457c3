//! `prepared:` of a language: what its builds have ready.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Part of a language's builds that its tools would make alike for every bot: the compiled library
/// of the language. The result of a build does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// The variant whose tools make it.
    pub of: String,
    /// Set while it is made.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The commands, started in an empty folder without a network; `{out}` is where it is made.
    #[schemars(inner(length(min = 1)))]
    pub build: Vec<Vec<String>>,
    /// The command with which a build begins that has it, at `{prepared}` and read-only.
    #[schemars(length(min = 1))]
    pub begin: Vec<String>,
}

//! `prepared:` of a language: what its builds have ready.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What the builds of a language have ready, because its tools would make the same for every bot:
/// the compiled library of the language. What a build becomes does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// The variant whose tools make it.
    pub of: String,
    /// Set while it is made.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The commands, started in an empty folder without a network; `{out}` is where it is made.
    pub build: Vec<Vec<String>>,
    /// The command with which a build begins that has it, at `{prepared}` and read-only.
    pub begin: Vec<String>,
}

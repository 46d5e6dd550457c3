//! `libraries:` of a language: how its library sets are made and found.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::lock::Form;

/// How a library set of a language is made and found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Libraries {
    /// The form of the list by which a bot of the language names its own.
    pub reads: Form,
    /// The variant whose tools make it.
    pub of: String,
    /// Files of the organiser's that lead to the network, by name: `{settings.NAME}`.
    #[serde(default)]
    pub settings: BTreeMap<String, Settings>,
    /// Set while a set is made.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Variables of the organiser's that the commands see, because they lead to the network.
    #[serde(default)]
    pub pass: Vec<String>,
    /// The commands, started in a folder with the clean list; `{out}` is where the set is made.
    pub build: Vec<Vec<String>>,
    /// How bots find a set that an event provides; `None` where none can.
    #[serde(default)]
    pub provided: Option<ProvidedAt>,
    /// Package caches that a bot's own set stands for in its build, and their folders beneath `{out}`.
    #[serde(default)]
    pub caches: BTreeMap<String, String>,
}

/// How bots of a language find the set that an event provides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvidedAt {
    /// The variable that leads a bot's runtime to the set.
    pub path: String,
    /// What is added to that variable, beneath the set's folder.
    pub folder: String,
}

/// A file of the organiser's that a package manager reads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Globs of where it may be; `~` is the home.
    pub places: Vec<String>,
    /// What it says where there is none.
    #[serde(default)]
    pub usual: String,
}

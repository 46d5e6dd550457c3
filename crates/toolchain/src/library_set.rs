//! Library sets: libraries of a language that an event provides to every bot, a game to its
//! referee, or that a bot's own list names, and where bots find them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use joust_model::BuildHash;
use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use crate::MADE;

/// Folder in which a bot's build finds its own set.
pub(crate) const OWN: &str = "/libraries/own";

/// One library of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name, as its makers write it.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Libraries of one language, ready for bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySet {
    /// Its hash in a store.
    pub hash: BuildHash,
    /// The hash of its files.
    pub content: BuildHash,
    /// Libraries in it, sorted by name.
    pub libraries: Vec<Library>,
    /// The files, and their place in the sandbox of bots that get them from an event.
    pub folder: Folder,
    /// The variable that leads a bot's runtime to it, and the path to add there; `None` for a
    /// language whose sets no event can provide.
    pub variable: Option<PathVariable>,
    /// Package caches that it replaces, and their folders beneath the set.
    pub caches: BTreeMap<String, String>,
}

impl LibrarySet {
    /// Returns the folder of the set as the build of the bot that owns it sees it.
    pub(crate) fn as_own(&self) -> Folder {
        Folder { host: self.folder.host.join(MADE), inside: OWN.into() }
    }
}

/// A variable that holds a list of folders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathVariable {
    /// Its name.
    pub name: String,
    /// The folder to add.
    pub folder: String,
}

impl PathVariable {
    /// Appends the folder to the variable's list.
    pub(crate) fn add_to(&self, environment: &mut BTreeMap<String, String>) {
        let value = environment.entry(self.name.clone()).or_default();
        if !value.is_empty() {
            value.push(':');
        }
        value.push_str(&self.folder);
    }
}

/// Returns the folder in which bots of a language find its library set.
pub fn place_inside(language: &str) -> PathBuf {
    PathBuf::from(format!("/libraries/{language}"))
}

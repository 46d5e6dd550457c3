//! Library sets: libraries of a language that an event provides to every bot, or a game to
//! its referee.
//!
//! A set is made once, with the network of who holds the tournament, in a
//! sandbox of its own that has nothing else of the machine: the commands of the
//! language's `libraries:` fetch what is named and write down what came, with
//! versions and hashes. Nothing of a bot takes part. The result is kept among the builds,
//! by language, tools and names, and every bot of the language finds it
//! read-only. Its content is part of the key of their builds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use super::builder::Builder;
use super::language::{Language, Libraries};
use super::not_built::NotBuilt;
use super::recipe::Recipe;
use super::source::SourceTree;
use super::store::StoredBuild;
use joust_config::{self as config, BuildLimits};
use joust_model::BuildHash;

/// Where a set's commands write down what came, in the result.
const LIST: &str = ".joust/libraries.json";

/// One library of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its name, as its makers write it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of the file it came in, in hexadecimal.
    pub sha256: String,
}

/// Libraries of one language, ready for bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySet {
    /// Its hash in a store.
    pub hash: BuildHash,
    /// The hash of its files.
    pub content: BuildHash,
    /// What is in it, sorted by name.
    pub libraries: Vec<Library>,
    /// The files, and where bots find them.
    pub folder: Folder,
    /// The variable that leads a bot's runtime to it, and the path to add there.
    pub variable: PathVariable,
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
    /// Adds the folder to the variable, behind what is there.
    pub(super) fn add_to(&self, environment: &mut BTreeMap<String, String>) {
        let value = environment.entry(self.name.clone()).or_default();
        if !value.is_empty() {
            value.push(':');
        }
        value.push_str(&self.folder);
    }
}

/// Returns where bots of a language find its library set.
pub(super) fn place_inside(language: &str) -> PathBuf {
    PathBuf::from(format!("/libraries/{language}"))
}

impl Builder<'_> {
    /// Returns the libraries that the event provides to bots of a language; they are fetched
    /// when they are not here yet, and `fetching` is called first. `None` when it provides none.
    ///
    /// # Errors
    ///
    /// [`NotBuilt::MissingToolchain`] without the language's tools,
    /// [`NotBuilt::Infrastructure`] when the set cannot be made: no bot can help it.
    pub fn libraries(
        &self,
        language: &str,
        fetching: impl FnOnce(),
    ) -> Result<Option<Arc<LibrarySet>>, NotBuilt> {
        let provided = self.requirements.provides.and_then(|provides| provides.get(language));
        let Some(provided) = provided else { return Ok(None) };
        let entry = self.toolchains.languages().get(language);
        let Some((entry, libraries)) = entry.and_then(with_libraries) else {
            return Err(NotBuilt::Refused(format!("`{language}` knows no library sets")));
        };
        let mut names = provided.names.clone();
        names.sort();
        names.dedup();
        let making = Making { builder: self, id: language, entry, libraries, names };
        making.set(fetching).map(Some)
    }
}

fn with_libraries(entry: &Language) -> Option<(&Language, &Libraries)> {
    entry.libraries.as_ref().map(|libraries| (entry, libraries))
}

/// A set that is wanted.
struct Making<'a> {
    builder: &'a Builder<'a>,
    id: &'a str,
    entry: &'a Language,
    libraries: &'a Libraries,
    /// What is asked for, sorted.
    names: Vec<String>,
}

impl Making<'_> {
    fn set(&self, fetching: impl FnOnce()) -> Result<Arc<LibrarySet>, NotBuilt> {
        let Builder { toolchains, store, .. } = self.builder;
        let variant = self.entry.variants.iter().find(|variant| variant.name == self.libraries.of);
        let variant = variant.ok_or_else(|| {
            NotBuilt::Refused(format!("`{}` has no variant `{}`", self.id, self.libraries.of))
        })?;
        let toolchain = toolchains.find(self.id, variant)?;
        let recipe = Recipe::of_libraries(self.id, self.libraries, toolchain, &self.names)?;
        let hash = recipe.key(&SourceTree::empty().hash());
        if let Some(known) = toolchains.library_set(&hash) {
            return Ok(known);
        }
        let _lock = store.lock(&hash).map_err(NotBuilt::ours("lock the library set"))?;
        let found = store.find(&hash).map_err(NotBuilt::ours("read the store"))?;
        let stored = match found {
            Some(stored) => stored,
            None => {
                fetching();
                self.fetch(&recipe, &hash)?
            }
        };
        let set = Arc::new(self.describe(hash, stored)?);
        toolchains.keep_library_set(hash, Arc::clone(&set));
        Ok(set)
    }

    /// Fetches the set, with a network; that it cannot be had is nobody's fault who plays.
    fn fetch(&self, recipe: &Recipe, hash: &BuildHash) -> Result<StoredBuild, NotBuilt> {
        let limits = BuildLimits { network: config::Network::Open, ..self.builder.limits.clone() };
        let builder = Builder { limits: &limits, ..*self.builder };
        let (mut recipe, empty) = (recipe.clone(), SourceTree::empty());
        let passed = self.libraries.pass.iter();
        let passed = passed.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        recipe.passed = passed.collect();
        builder.make(&recipe, &empty, hash).map_err(|reason| match reason {
            NotBuilt::Stopped => NotBuilt::Stopped,
            reason => NotBuilt::Infrastructure(format!(
                "the libraries that are provided ({}) cannot be fetched: {reason}; the whole log is `{}`",
                self.without_hashes(),
                self.builder.store.failed_log(hash).display()
            )),
        })
    }

    fn without_hashes(&self) -> String {
        let names = self.names.iter().filter_map(|name| name.split(' ').next());
        names.collect::<Vec<_>>().join(", ")
    }

    fn describe(&self, hash: BuildHash, stored: StoredBuild) -> Result<LibrarySet, NotBuilt> {
        let list = stored.tree.join(LIST);
        let libraries = read_list(&list)
            .map_err(|reason| NotBuilt::Infrastructure(format!("`{}` {reason}", list.display())))?;
        let inside = place_inside(self.id);
        let folder = inside.join(&self.libraries.folder).to_string_lossy().into_owned();
        Ok(LibrarySet {
            hash,
            content: stored.build.result,
            libraries,
            folder: Folder { host: stored.tree, inside },
            variable: PathVariable { name: self.libraries.path.clone(), folder },
        })
    }
}

fn read_list(path: &Path) -> Result<Vec<Library>, String> {
    let text = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut libraries: Vec<Library> = serde_json::from_slice(&text)
        .map_err(|error| format!("is no list of libraries: {error}"))?;
    libraries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(libraries)
}

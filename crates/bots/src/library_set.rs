//! Library sets: libraries of a language that an event provides to every bot, a game to its
//! referee, or that a bot's own list names.
//!
//! A set is made once, with the network of who holds the tournament, in a
//! sandbox of its own that has nothing else of the machine: the commands of the
//! language's `libraries:` get a clean folder of names, versions and hashes and fetch
//! them. Nothing of a bot takes part. The result is kept among the builds,
//! by language, tools and names. What an event provides, every bot of the language finds
//! read-only; a bot's own set is there in its build alone. Their content is part of the key of
//! builds.

pub(crate) mod network;
mod own;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use super::builder::Builder;
use super::language::{Language, Libraries};
use super::not_built::NotBuilt;
use super::recipe::{BuildNetwork, MADE, Recipe, TableBuild};
use super::source::SourceTree;
use super::store::StoredBuild;
use joust_config::{self as config, BuildLimits};
use joust_model::BuildHash;

pub use own::{Fetched, NotFetched};

/// Where a set says what came, in the result.
const LIST: &str = ".joust/libraries.json";
/// Where a bot's build finds its own set.
pub(super) const OWN: &str = "/libraries/own";

/// One library of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its name, as its makers write it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What the file it came in is known by, such as `sha256:…`; empty where its registry alone
    /// vouches for it.
    pub hash: String,
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
    /// The files, and where bots find them that the event provides them to.
    pub folder: Folder,
    /// The variable that leads a bot's runtime to it, and the path to add there; `None` for a
    /// language whose sets are no event's.
    pub variable: Option<PathVariable>,
    /// Package caches that it stands for, and their folders beneath what was made.
    pub(super) caches: BTreeMap<String, String>,
}

impl LibrarySet {
    /// Returns what was made, as the build of the bot whose own it is sees it.
    pub(super) fn as_own(&self) -> Folder {
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
        let has_place = |(_, libraries): &(&Language, &Libraries)| libraries.provided.is_some();
        let Some((entry, libraries)) = entry.and_then(with_libraries).filter(has_place) else {
            return Err(NotBuilt::Refused(format!("`{language}` knows no library sets")));
        };
        let mut names = provided.names.clone();
        names.sort();
        names.dedup();
        let folder = libraries.reads.of_names(&names);
        let making = Making { builder: self, id: language, entry, libraries, folder };
        let wanted = making.wanted()?;
        wanted.find_or(fetching).map(Some).map_err(|reason| match reason {
            NotBuilt::Failed { .. } | NotBuilt::Timeout { .. } | NotBuilt::Limit { .. } => {
                let log = self.store.failed_log(&wanted.hash);
                NotBuilt::Infrastructure(format!(
                    "the libraries that are provided ({}) cannot be fetched: {reason}; the whole log is `{}`",
                    without_hashes(&names),
                    log.display()
                ))
            }
            reason => reason,
        })
    }
}

fn with_libraries(entry: &Language) -> Option<(&Language, &Libraries)> {
    entry.libraries.as_ref().map(|libraries| (entry, libraries))
}

fn without_hashes(names: &[String]) -> String {
    let names = names.iter().filter_map(|name| name.split(' ').next());
    names.collect::<Vec<_>>().join(", ")
}

/// What a set is made of.
struct Making<'a> {
    builder: &'a Builder<'a>,
    id: &'a str,
    entry: &'a Language,
    libraries: &'a Libraries,
    /// The clean list.
    folder: BTreeMap<String, String>,
}

/// A set that is wanted, by the hash it has in a store.
struct PlannedSet<'a> {
    making: Making<'a>,
    recipe: Recipe,
    hash: BuildHash,
}

impl<'a> Making<'a> {
    fn wanted(self) -> Result<PlannedSet<'a>, NotBuilt> {
        let variant = self.entry.variants.iter().find(|variant| variant.name == self.libraries.of);
        let variant = variant.ok_or_else(|| {
            NotBuilt::Refused(format!("`{}` has no variant `{}`", self.id, self.libraries.of))
        })?;
        let toolchain = self.builder.toolchains.find(self.id, variant)?;
        let table = TableBuild {
            language: self.id,
            what: "libraries",
            network: BuildNetwork::Open,
            settings: self.libraries.settings.keys().map(String::as_str).collect(),
            environment: &self.libraries.environment,
            build: &self.libraries.build,
            files: self.folder.clone(),
        };
        let recipe = table.recipe(toolchain)?;
        let hash = recipe.key(&SourceTree::empty().hash());
        Ok(PlannedSet { making: self, recipe, hash })
    }
}

impl PlannedSet<'_> {
    /// Finds the set; `None` when it was not fetched.
    fn find(&self) -> Result<Option<Arc<LibrarySet>>, NotBuilt> {
        let Builder { toolchains, store, .. } = self.making.builder;
        if let Some(known) = toolchains.library_set(&self.hash) {
            return Ok(Some(known));
        }
        let found = store.find(&self.hash).map_err(NotBuilt::ours("read the store"))?;
        let Some(stored) = found else { return Ok(None) };
        self.known(stored).map(Some)
    }

    /// Finds the set, or fetches it.
    fn find_or(&self, fetching: impl FnOnce()) -> Result<Arc<LibrarySet>, NotBuilt> {
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        let store = self.making.builder.store;
        let _lock = store.lock(&self.hash).map_err(NotBuilt::ours("lock the library set"))?;
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        fetching();
        self.known(self.fetch()?)
    }

    fn known(&self, stored: StoredBuild) -> Result<Arc<LibrarySet>, NotBuilt> {
        let set = Arc::new(self.describe(stored)?);
        self.making.builder.toolchains.keep_library_set(self.hash, Arc::clone(&set));
        Ok(set)
    }

    /// Fetches the set, with a network.
    fn fetch(&self) -> Result<StoredBuild, NotBuilt> {
        let Making { builder, libraries, .. } = &self.making;
        let limits = BuildLimits { network: config::Network::Open, ..builder.limits.clone() };
        let builder = Builder { limits: &limits, ..**builder };
        let mut recipe = self.recipe.clone();
        let passed = libraries.pass.iter();
        let passed = passed.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        recipe.passed.variables = passed.collect();
        for (name, settings) in &libraries.settings {
            let file = builder.toolchains.machine().file(&settings.places);
            let read = file.map(fs::read).transpose();
            let read = read.map_err(NotBuilt::ours("read the settings of a package manager"))?;
            let bytes = read.unwrap_or_else(|| settings.usual.clone().into_bytes());
            recipe.passed.settings.insert(name.clone(), bytes);
        }
        let made = builder.make(&recipe, &SourceTree::empty(), &self.hash);
        made.map_err(|reason| self.whose(reason))
    }

    /// Makes the network's fault of what is: a clean list holds nothing up.
    fn whose(&self, reason: NotBuilt) -> NotBuilt {
        let told = match &reason {
            NotBuilt::Failed { .. } => {
                let log = self.making.builder.store.failed_log(&self.hash);
                let log = fs::read_to_string(log).unwrap_or_default();
                network::unreachable(&log).map(str::to_owned)
            }
            NotBuilt::Timeout { .. } => Some(reason.to_string()),
            _ => None,
        };
        match told {
            Some(told) => network::fault(&told),
            None => reason,
        }
    }

    fn describe(&self, stored: StoredBuild) -> Result<LibrarySet, NotBuilt> {
        let Making { id, libraries, .. } = &self.making;
        let list = stored.tree.join(LIST);
        let read = read_list(&list)
            .map_err(|reason| NotBuilt::Infrastructure(format!("`{}` {reason}", list.display())))?;
        let inside = place_inside(id);
        let variable = libraries.provided.as_ref().map(|at| PathVariable {
            name: at.path.clone(),
            folder: inside.join(&at.folder).to_string_lossy().into_owned(),
        });
        Ok(LibrarySet {
            hash: self.hash,
            content: stored.build.result,
            libraries: read,
            folder: Folder { host: stored.tree, inside },
            variable,
            caches: libraries.caches.clone(),
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

//! Library sets: libraries of a language that an event provides to every bot, a game to its
//! referee, or that a bot's own list names.
//!
//! The language's own package manager makes a set once, like the build of an untrusted bot: in a
//! sandbox with nothing else of the machine, whose one way out leads to the organiser's
//! registries (see [`fetch`](crate::fetch)). The result is kept among the builds, under a key of
//! the language, the tools and all inputs of the package manager. Every bot of the language finds
//! an event's set read-only. A bot's own set is visible in its build alone, which has no network.
//! The content of sets is part of the key of builds.

mod needs;
mod own;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use joust_sandbox::Folder;

use crate::attempt::make_build;
use crate::context::{BuildContext, BuildJob};
use crate::fetch::{Admission, NetworkAccess, OrganiserConfig, Proxy, ProxyActivity};
use crate::registries;
use crate::store::StoredBuild;
use joust_bots::SourceTree;
use joust_bots::machine_error::is_machine_error;
use joust_config::Requirements;
use joust_config::{PlainFileError, read_plain};
use joust_model::BuildHash;
use joust_toolchain::{
    BuildNetwork, Library, LibrarySet, NotBuilt, PathVariable, Recipe, TableBuild,
    language::Libraries, place_inside,
};

pub use own::NotFetched;
pub(crate) use own::{OwnLibraries, fetch, find};

/// List of the fetched libraries, in the result.
const LIST: &str = ".joust/libraries.txt";
/// Largest size of that list, bytes.
const LONGEST_LIST: u64 = 4 << 20;

/// Returns the libraries that the event provides to bots of a language; they are fetched
/// when they are not here yet, and `fetching` is called first. `None` when it provides none.
///
/// # Errors
///
/// [`NotBuilt::MissingToolchain`] without the language's tools,
/// [`NotBuilt::Infrastructure`] when the set cannot be made: no bot can help it.
pub(crate) fn provided(
    context: BuildContext<'_>,
    requirements: &Requirements,
    language: &str,
    fetching: impl FnOnce(),
) -> Result<Option<Arc<LibrarySet>>, NotBuilt> {
    let provided = requirements.provides.get(language);
    let Some(provided) = provided else { return Ok(None) };
    let entry = context.toolchains.languages().get(language);
    let has_place = |libraries: &&Libraries| libraries.provided.is_some();
    let Some(libraries) = entry.and_then(|entry| entry.libraries.as_ref()).filter(has_place) else {
        return Err(NotBuilt::Refused(format!("`{language}` knows no library sets")));
    };
    let mut names = provided.names.clone();
    names.sort();
    names.dedup();
    let mut files = libraries.files.clone();
    files.insert(libraries.list.clone(), names.join("\n") + "\n");
    let wanted =
        SetRequest { context, id: language, libraries, folder: String::new(), files }.plan()?;
    wanted.find_or(fetching).map(Some).map_err(|reason| match reason {
        NotBuilt::Failed { .. } | NotBuilt::Timeout { .. } | NotBuilt::Limit { .. } => {
            let log = context.store.failed_log(&wanted.hash);
            NotBuilt::Infrastructure(format!(
                "the libraries that are provided ({}) cannot be fetched: {reason}; the whole log is `{}`",
                without_hashes(&names),
                log.display()
            ))
        }
        reason => reason,
    })
}

fn without_hashes(names: &[String]) -> String {
    let names = names.iter().filter_map(|name| name.split(' ').next());
    names.collect::<Vec<_>>().join(", ")
}

/// Ingredients of a set.
struct SetRequest<'a> {
    context: BuildContext<'a>,
    id: &'a str,
    libraries: &'a Libraries,
    /// Folder of the list, empty or with a `/` at its end.
    folder: String,
    /// Files for the package manager.
    files: BTreeMap<String, String>,
}

/// A set that is wanted, by the hash it has in a store.
struct PlannedSet<'a> {
    request: SetRequest<'a>,
    recipe: Recipe,
    hash: BuildHash,
}

impl<'a> SetRequest<'a> {
    fn plan(self) -> Result<PlannedSet<'a>, NotBuilt> {
        let table = TableBuild {
            language: self.id,
            of: &self.libraries.of,
            what: "libraries",
            network: match self.libraries.probe.is_empty() {
                true => BuildNetwork::None,
                false => BuildNetwork::Registries,
            },
            folder: &self.folder,
            environment: &self.libraries.environment,
            build: &self.libraries.build,
            files: self.files.clone(),
        };
        let recipe = table.recipe(self.context.toolchains)?;
        let hash = recipe.key(&SourceTree::empty().hash());
        Ok(PlannedSet { request: self, recipe, hash })
    }
}

impl PlannedSet<'_> {
    /// Finds the set; `None` when it was not fetched.
    fn find(&self) -> Result<Option<Arc<LibrarySet>>, NotBuilt> {
        let store = self.request.context.store;
        if let Some(known) = store.session.library_sets.lock().get(&self.hash).cloned() {
            return Ok(Some(known));
        }
        let found = store.find(&self.hash).map_err(NotBuilt::infrastructure("read the store"))?;
        let Some(stored) = found else { return Ok(None) };
        self.known(stored).map(Some)
    }

    /// Finds the set, or fetches it.
    fn find_or(&self, fetching: impl FnOnce()) -> Result<Arc<LibrarySet>, NotBuilt> {
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        let store = self.request.context.store;
        let _lock =
            store.lock(&self.hash).map_err(NotBuilt::infrastructure("lock the library set"))?;
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        fetching();
        self.known(self.fetch()?)
    }

    fn known(&self, stored: StoredBuild) -> Result<Arc<LibrarySet>, NotBuilt> {
        let set = Arc::new(self.describe(stored)?);
        self.request.context.store.session.library_sets.lock().insert(self.hash, Arc::clone(&set));
        Ok(set)
    }

    /// Fetches the set.
    fn fetch(&self) -> Result<StoredBuild, NotBuilt> {
        let SetRequest { context, id, libraries, .. } = &self.request;
        let mut job = BuildJob::new(self.recipe.clone());
        if job.recipe.inputs.network == BuildNetwork::Registries {
            let machine = &context.toolchains.machine;
            let config = OrganiserConfig::read(Some(libraries), machine, NetworkAccess::Proxy)?;
            let registries = registries::find(*context, id, libraries)?;
            let mut hosts = config.hosts;
            hosts.extend(registries.hosts.iter().cloned());
            job.overlays = config.overlays;
            job.overlays.proxy = Some(Proxy::new(Admission::Only(hosts), config.routes));
        }
        let made = make_build(*context, &job, &SourceTree::empty(), &self.hash);
        let seen = job.overlays.proxy.map(|proxy| proxy.activity()).unwrap_or_default();
        made.map_err(|reason| self.whose(reason, seen))
    }

    /// Blames the network for a failure that it caused, and else adds the hosts that were refused.
    fn whose(&self, reason: NotBuilt, seen: ProxyActivity) -> NotBuilt {
        let NotBuilt::Failed { command, mut status, lines } = reason else { return reason };
        let log = self.request.context.store.failed_log(&self.hash);
        let log = read_plain(&log, LONGEST_LIST).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        if let Some(told) = seen.unreachable.as_deref().or_else(|| registries::unreachable(&log)) {
            return registries::fault(told);
        }
        for host in seen.refused {
            status.push_str(&format!(
                "; it asked for `{host}`, a host that the organiser's configuration does not name"
            ));
        }
        NotBuilt::Failed { command, status, lines }
    }

    fn describe(&self, stored: StoredBuild) -> Result<LibrarySet, NotBuilt> {
        let SetRequest { id, libraries, .. } = &self.request;
        let read = read_list(&stored.tree.join(LIST))?;
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

/// Reads a name and a version from each line; a missing file has none.
fn read_list(path: &Path) -> Result<Vec<Library>, NotBuilt> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = read_plain(path, LONGEST_LIST).map_err(|unread| match unread {
        PlainFileError::Io(error) if is_machine_error(&error) => {
            NotBuilt::Infrastructure(format!("`{}`: {error}", path.display()))
        }
        // Code of a package may have put anything there.
        other => NotBuilt::Refused(format!("the list of what was fetched: {other}")),
    })?;
    let text = String::from_utf8_lossy(&text);
    let library = |line: &str| {
        let (name, version) = line.split_once(' ').unwrap_or((line, ""));
        Library { name: name.to_owned(), version: version.to_owned() }
    };
    let mut libraries: Vec<Library> = text.lines().map(library).collect();
    libraries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(libraries)
}

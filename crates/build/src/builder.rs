//! Builder of bots: inside the sandbox, into the store, each once.
//!
//! A build's key is its source, its recipe and its tools' versions. The source
//! is copied into the scratch of a seat that has no network, no caches and an
//! empty home; the recipe's commands run there; what they made is copied out,
//! checked and stored by one rename. Interpreted languages are built too: their
//! commands check the syntax. A bot that does not meet the requirements of its event is refused
//! before.

use std::path::PathBuf;
use std::sync::Arc;

use joust_bots::{BotSource, SourceTree};
use joust_config::{BuildLimits, Dependencies, Event, Network, Requirements};
use joust_model::cancel::Cancel;
use joust_model::{BuildHash, Bytes};
use joust_sandbox::Host;
use joust_toolchain::{
    BuildNetwork, EventProvisions, LibrarySet, Missing, NotBuilt, Recipe, Toolchains,
};

use crate::attempt::{make_build, refuse_without_folder};
use crate::context::{BuildContext, BuildJob};
use crate::fetch::{NetworkAccess, OrganiserConfig};
use crate::libraries::{self, NotFetched, OwnLibraries};
use crate::placed::{self, PlacedBuild, PlacementContext};
use crate::prebuilt;
use crate::store::{FolderStore, StoredBuild};

/// Builds bots. Several threads may build at the same time; two builds of one
/// key wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    /// Host that runs the builds.
    pub host: &'a Host,
    /// The tools.
    pub toolchains: &'a Toolchains,
    /// Store that keeps the builds.
    pub store: &'a FolderStore,
    /// Limits of a build.
    pub limits: &'a BuildLimits,
    /// Memory of the bot; some runtimes get it as an option.
    pub memory: Bytes,
    /// Requirements of the event for a bot's language.
    pub requirements: &'a Requirements,
    /// Flag to stop, also in the middle of a build.
    pub cancel: &'a Cancel,
}

impl<'a> Builder<'a> {
    /// Makes the builder of an event's bots.
    pub fn of_event(
        host: &'a Host,
        toolchains: &'a Toolchains,
        store: &'a FolderStore,
        event: &'a Event,
        cancel: &'a Cancel,
    ) -> Self {
        let (limits, requirements) = (&event.build, &event.requirements);
        let memory = event.limits.memory;
        Self { host, toolchains, store, limits, memory, requirements, cancel }
    }

    /// Builds a bot, or finds its build in the store.
    ///
    /// # Errors
    ///
    /// [`NotBuilt`]: all but `Infrastructure` are for the bot's author.
    pub fn build(&self, bot: &BotSource) -> Result<PlacedBuild, NotBuilt> {
        self.build_announced(bot, || {})
    }

    /// As [`Builder::build`]; calls `making` first if the bot is not in the store.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub fn build_announced(
        &self,
        bot: &BotSource,
        making: impl FnOnce(),
    ) -> Result<PlacedBuild, NotBuilt> {
        if self.cancel.is_cancelled() {
            return Err(NotBuilt::Stopped);
        }
        let tree = self.tree(bot)?;
        let mut job = self.job(bot, &tree)?;
        let hash = job.recipe.key(&tree.hash());
        let _lock = self.store.lock(&hash).map_err(NotBuilt::infrastructure("lock the build"))?;
        let found = self.store.find(&hash).map_err(NotBuilt::infrastructure("read the store"))?;
        let cached = found.is_some();
        let stored = match found {
            Some(stored) => stored,
            None => {
                making();
                refuse_without_folder(&job.recipe, &tree)?;
                job.prebuilt = prebuilt::find(self.context(), &bot.manifest.language)?;
                make_build(self.context(), &job, &tree, &hash)?
            }
        };
        Ok(PlacedBuild { cached, ..self.placed(&job.recipe, hash, stored)? })
    }

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
        libraries::provided(self.context(), self.requirements, language, fetching)
    }

    /// Fetches what a bot's own list names, unless it is here; `fetching` is called first. `None`
    /// when it has no list, or one that names nothing.
    ///
    /// # Errors
    ///
    /// [`NotFetched`]: the list is wrong, or what it names did not come.
    pub fn fetch(
        &self,
        bot: &BotSource,
        fetching: impl FnOnce(),
    ) -> Result<Option<Arc<LibrarySet>>, NotFetched> {
        libraries::fetch(self.context(), self.requirements, bot, fetching)
    }

    /// Returns the hash that the bot's build has or would have.
    ///
    /// # Errors
    ///
    /// The reason why a build of the bot could not even begin.
    pub fn key(&self, bot: &BotSource) -> Result<BuildHash, NotBuilt> {
        let tree = self.tree(bot)?;
        Ok(self.job(bot, &tree)?.recipe.key(&tree.hash()))
    }

    /// Returns the version texts of the tools and of programs of the system.
    ///
    /// # Errors
    ///
    /// The reason why a build of the bot could not even begin.
    pub fn toolchain(&self, bot: &BotSource) -> Result<String, NotBuilt> {
        let tree = self.tree(bot)?;
        Ok(self.job(bot, &tree)?.recipe.inputs.tool_versions())
    }

    /// Returns the path of the log of a bot's last failed build, if it has one.
    ///
    /// # Errors
    ///
    /// The reason why a build of the bot could not even begin.
    pub fn failed_log(&self, bot: &BotSource) -> Result<Option<PathBuf>, NotBuilt> {
        let path = self.store.failed_log(&self.key(bot)?);
        Ok(path.is_file().then_some(path))
    }

    fn context(&self) -> BuildContext<'a> {
        let Self { host, toolchains, store, limits, cancel, .. } = *self;
        BuildContext { host, toolchains, store, limits, cancel }
    }

    fn tree(&self, bot: &BotSource) -> Result<SourceTree, NotBuilt> {
        let read = bot.tree(self.toolchains.languages().sources());
        let beside = bot.found.parent().unwrap_or(&bot.found);
        // Everybody reads why a bot is not built.
        Ok(read.map_err(|problem| problem.seen_from(beside))?)
    }

    fn job(&self, bot: &BotSource, tree: &SourceTree) -> Result<BuildJob, NotBuilt> {
        let own = libraries::find(self.context(), self.requirements, bot, tree)?;
        let language = &bot.manifest.language;
        let network = self.network(language, &own);
        let libraries = self.libraries(language, || {})?;
        let provisions =
            EventProvisions { network, libraries: libraries.as_deref(), own: own.set.as_deref() };
        let mut job = BuildJob::new(Recipe::new(bot, tree, self.toolchains, provisions)?);
        job.recipe.lacking.extend(own.lacking);
        if network == BuildNetwork::Open {
            let entry = self.toolchains.languages().get(language);
            let libraries = entry.and_then(|entry| entry.libraries.as_ref());
            let machine = &self.toolchains.machine;
            job.overlays =
                OrganiserConfig::read(libraries, machine, NetworkAccess::Network)?.overlays;
        }
        let found = &job.recipe.inputs.toolchain;
        check_requirements(self.requirements, bot, tree, self.toolchains, found)?;
        Ok(job)
    }

    /// Returns the network of a build. It has none if the bot's own libraries were fetched before,
    /// or if the event restricts the libraries of the language.
    fn network(&self, language: &str, own: &OwnLibraries) -> BuildNetwork {
        let is_open = self.limits.network == Network::Open;
        match is_open
            && own.set.is_none()
            && !self.requirements.allowed_libraries.contains_key(language)
        {
            true => BuildNetwork::Open,
            false => BuildNetwork::None,
        }
    }

    /// Places a stored build among the tools of its recipe.
    fn placed(
        &self,
        recipe: &Recipe,
        hash: BuildHash,
        stored: StoredBuild,
    ) -> Result<PlacedBuild, NotBuilt> {
        let surroundings = PlacementContext {
            toolchain: &recipe.toolchain,
            libraries: recipe.libraries.clone(),
            shows: placed::shows(self.toolchains, &recipe.inputs.language),
            hidden: placed::hidden(self.toolchains, &recipe.inputs, &recipe.toolchain),
            memory: self.memory,
        };
        placed::place_build(hash, stored, surroundings)
            .map_err(|error| NotBuilt::Infrastructure(error.to_string()))
    }
}

/// Refuses a bot that does not meet the requirements of its event.
fn check_requirements(
    requirements: &Requirements,
    bot: &BotSource,
    tree: &SourceTree,
    toolchains: &Toolchains,
    found: &str,
) -> Result<(), NotBuilt> {
    let id = &bot.manifest.language;
    let language = toolchains.languages().get(id);
    let wanted = requirements.versions.get(id);
    if let Some(wanted) = wanted.filter(|wanted| !is_version(found, wanted)) {
        return Err(NotBuilt::MissingToolchain(Missing {
            program: language.map_or(id, |language| &language.title).clone(),
            reason: format!("is here as `{found}`, but the event requires version {wanted}"),
            install: format!("your system's packages for version {wanted}"),
        }));
    }
    let globs = language.map(|language| language.dependencies.as_slice()).unwrap_or_default();
    match requirements.dependencies {
        Dependencies::Allowed => Ok(()),
        Dependencies::Forbidden => refuse_dependencies(tree, globs),
    }
}

/// Returns whether one of the version numbers in `found` is `wanted`, or begins with it: `3.11`
/// asks for 3.11.7, not for 3.1 or 3.110.
fn is_version(found: &str, wanted: &str) -> bool {
    let part = |one: char| one.is_ascii_digit() || one == '.';
    found.split(|one: char| !part(one)).any(|number| {
        let rest = number.strip_prefix(wanted.trim());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn refuse_dependencies(tree: &SourceTree, globs: &[String]) -> Result<(), NotBuilt> {
    for glob in globs {
        let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
        let matcher = glob.map_err(|error| NotBuilt::Refused(error.to_string()))?.compile_matcher();
        if let Some(file) = tree.files.iter().find(|file| matcher.is_match(&file.path)) {
            let reason = format!("the event forbids dependencies, and `{}` is one", file.path);
            return Err(NotBuilt::Refused(reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_met_by_its_own_and_longer_ones() {
        assert!(is_version("Python 3.11.7", "3.11"));
        assert!(is_version("javac 17.0.15", "17"));
        assert!(is_version("v20.20.2", "20"));
        assert!(is_version("go version go1.26.8 linux/amd64", "1.26"));
        assert!(!is_version("Python 3.11.7", "3.1"));
        assert!(!is_version("Python 3.11.7", "3.12"));
    }

    #[test]
    fn forbidden_dependencies_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        std::fs::write(folder.path().join("lib/x.jar"), "").unwrap();
        let tree = SourceTree::read(folder.path(), &[]).unwrap();
        let refused = refuse_dependencies(&tree, &["**/*.jar".to_owned()]).unwrap_err();
        assert_eq!(refused.to_string(), "the event forbids dependencies, and `lib/x.jar` is one");
        assert_eq!(refuse_dependencies(&tree, &["*.jar".to_owned()]), Ok(()));
    }
}

//! Builder of bots: inside the sandbox, into the store, each once.
//!
//! A build's key is its source, its recipe and its tools' versions. The source
//! is copied into the scratch of a seat that has no network, no caches and an
//! empty home; the recipe's commands run there; what they made is copied out,
//! checked and stored by one rename. Interpreted languages are built too: their
//! commands check the syntax.

mod attempt;
mod line_ends;
mod prepare;
pub(crate) mod program;

use std::path::PathBuf;

use joust_sandbox::Host;

use super::detect::Toolchains;
use super::fetch::{OrganiserConfig, WayOut};
use super::installed;
use super::not_built::NotBuilt;
use super::placed::{self, PlacedBuild, Surroundings};
use super::recipe::{BuildNetwork, Given, Recipe};
use super::requirements::Requirements;
use super::source::SourceTree;
use super::store::{FolderStore, NewBuild, StoreError, StoredBuild};
use super::{BotSource, build_log::BuildLog};
pub(crate) use attempt::stage;
use attempt::{Attempts, refuse_without_folder};
use joust_config::{BuildLimits, Event, Network};
use joust_model::cancel::Cancel;
use joust_model::{BuildHash, Bytes};

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
    pub requirements: Requirements<'a>,
    /// Flag to stop, also in the middle of a build.
    pub cancel: &'a Cancel,
}

impl<'a> Builder<'a> {
    /// Makes the builder of an event's bots.
    #[must_use]
    pub fn of_event(
        host: &'a Host,
        toolchains: &'a Toolchains,
        store: &'a FolderStore,
        event: &'a Event,
        cancel: &'a Cancel,
    ) -> Self {
        let requirements = Requirements::of_event(event);
        let (limits, memory) = (&event.build, event.limits.memory);
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
        let tree = bot.tree(self.toolchains.languages())?;
        let mut recipe = self.recipe(bot, &tree)?;
        let hash = recipe.key(&tree.hash());
        let _lock = self.store.lock(&hash).map_err(NotBuilt::ours("lock the build"))?;
        let found = self.store.find(&hash).map_err(NotBuilt::ours("read the store"))?;
        let cached = found.is_some();
        let stored = match found {
            Some(stored) => stored,
            None => {
                making();
                refuse_without_folder(&recipe, &tree)?;
                recipe.ready = self.prepared(&bot.manifest.language)?;
                self.make(&recipe, &tree, &hash)?
            }
        };
        Ok(PlacedBuild { cached, ..self.placed(&recipe, hash, stored)? })
    }

    /// Returns the hash the bot's build has or would have.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn key(&self, bot: &BotSource) -> Result<BuildHash, NotBuilt> {
        let tree = bot.tree(self.toolchains.languages())?;
        Ok(self.recipe(bot, &tree)?.key(&tree.hash()))
    }

    /// Returns the versions of the tools, as they say them, and of programs of the system.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn toolchain(&self, bot: &BotSource) -> Result<String, NotBuilt> {
        let tree = bot.tree(self.toolchains.languages())?;
        Ok(self.recipe(bot, &tree)?.decisive.told_tools())
    }

    /// Returns where the log of a bot's last failed build is, if it has one.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn failed_log(&self, bot: &BotSource) -> Result<Option<PathBuf>, NotBuilt> {
        let path = self.store.failed_log(&self.key(bot)?);
        Ok(path.is_file().then_some(path))
    }

    fn recipe(&self, bot: &BotSource, tree: &SourceTree) -> Result<Recipe, NotBuilt> {
        let own = self.own(bot, tree)?;
        let language = &bot.manifest.language;
        let network = match self.limits.network {
            // Nothing more is fetched than what was fetched, or than what is allowed.
            Network::Open if own.set.is_none() && self.allowed(language).is_none() => {
                BuildNetwork::Open
            }
            Network::None | Network::Open => BuildNetwork::None,
        };
        let libraries = self.libraries(&bot.manifest.language, || {})?;
        let given = Given { network, libraries: libraries.as_deref(), own: own.set.as_deref() };
        let mut recipe = Recipe::new(bot, tree, self.toolchains, given)?;
        recipe.lacking.extend(own.lacking);
        if network == BuildNetwork::Open {
            let entry = self.toolchains.languages().get(language);
            let libraries = entry.and_then(|entry| entry.libraries.as_ref());
            let machine = self.toolchains.machine();
            recipe.passed = OrganiserConfig::read(libraries, machine, WayOut::Network)?.passed;
        }
        self.requirements.check(bot, tree, self.toolchains, &recipe.decisive.toolchain)?;
        Ok(recipe)
    }

    pub(super) fn make(
        &self,
        recipe: &Recipe,
        tree: &SourceTree,
        hash: &BuildHash,
    ) -> Result<StoredBuild, NotBuilt> {
        let work = self.store.work().map_err(NotBuilt::ours("make a folder to build in"))?;
        let staged = stage(tree, recipe, work.path())?;
        let recipe = recipe.lay_out(work.path());
        let recipe = &recipe.map_err(NotBuilt::ours("copy the plugins of a build tool"))?;
        let mut log = BuildLog::new(self.limits.output.0);
        let attempts = Attempts::new(self, recipe, &staged, work.path());
        let made = attempts.first_that_plays(&mut log).and_then(|made| {
            let build = attempts.build_of(tree.hash(), made.result);
            let new = NewBuild { build: &build, tree: &made.tree, log: log.text() };
            self.store.keep(&new).map_err(|error| match error {
                StoreError::Io(error) => NotBuilt::of_files("store the build")(error),
                damaged => NotBuilt::Infrastructure(damaged.to_string()),
            })
        });
        if matches!(&made, Err(reason) if *reason != NotBuilt::Stopped) {
            let kept = self.store.keep_log(hash, log.text());
            kept.map_err(NotBuilt::ours("keep the build's log"))?;
        }
        made
    }

    /// Places a stored build among the tools of its recipe.
    fn placed(
        &self,
        recipe: &Recipe,
        hash: BuildHash,
        stored: StoredBuild,
    ) -> Result<PlacedBuild, NotBuilt> {
        let surroundings = Surroundings {
            toolchain: &recipe.toolchain,
            libraries: recipe.libraries.clone(),
            shows: placed::shows(self.toolchains, &recipe.decisive.language),
            hidden: installed::hidden(
                self.toolchains.languages(),
                &recipe.decisive,
                &recipe.toolchain,
            ),
            memory: self.memory,
        };
        placed::place(hash, stored, surroundings)
            .map_err(|error| NotBuilt::Infrastructure(error.to_string()))
    }
}

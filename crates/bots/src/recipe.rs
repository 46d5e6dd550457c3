//! Recipe to build and start one bot: the languages table and the manifest joined, every path
//! absolute as seen inside the sandbox.

mod commands;
mod cpp;
mod dotnet;
mod environment;
mod kitchen;
mod maven;
mod project;
mod sources;
mod start;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use super::detect::{Choice, Toolchain, Toolchains, VariantQuery};
use super::fetch::Passed;
use super::library_set::LibrarySet;
use super::manifest::Command;
use super::not_built::NotBuilt;
use super::system_program::SystemProgram;
use super::template::Values;
use super::{BotSource, SourceHash, SourceTree};
use joust_model::BuildHash;
use kitchen::Kitchen;
use project::MountedCache;
pub(super) use start::{Start, StartLibraries};
pub(super) use table::TableBuild;

/// Folder of a bot, in its build and in its turns.
pub const BOT: &str = "/bot";
/// Folder in which a build leaves its result; hidden, so no source can be there.
const OUT: &str = "/bot/.joust";
/// Name of that folder in the bot's folder.
pub const MADE: &str = ".joust";
/// Folder for those files of a build that are thrown away.
pub(super) const PRIVATE: &str = "/bot/.build";
/// Folders in which programs are searched when a manifest names them without a folder.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Network that a build reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BuildNetwork {
    /// It does not.
    None,
    /// It has the machine's.
    Open,
    /// It reaches registries, through a proxy of ours.
    Registries,
}

/// Provisions of an event for the builds of its bots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    /// Network that they reach.
    pub(super) network: BuildNetwork,
    /// Libraries for the bot's language.
    pub(super) libraries: Option<&'a LibrarySet>,
    /// Libraries fetched from the bot's own list.
    pub(super) own: Option<&'a LibrarySet>,
}

/// Commands that build and start one bot.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) toolchain: Arc<Toolchain>,
    pub(super) decisive: Decisive,
    /// Start of a turn, on any machine.
    pub(super) start: Start,
    /// Package caches of the machine.
    caches: Vec<MountedCache>,
    /// Organiser files that a build sees.
    pub(super) passed: Passed,
    /// Parts that the source asks for and this machine lacks, one line each.
    pub(super) lacking: Vec<String>,
    /// Libraries that the event provides.
    pub(super) libraries: Option<Folder>,
    /// Prepared part of the language's builds.
    pub(super) ready: Option<Ready>,
}

/// Prepared part of a build: it is made by the tools alone and does not change the result.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    /// Folder of the prepared part.
    pub(super) folder: Folder,
    /// The command with which the build begins.
    pub(super) begin: Command,
}

/// All of a recipe that decides what a build becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decisive {
    pub(super) language: String,
    pub(super) variant: String,
    pub(super) toolchain: String,
    pub(super) network: BuildNetwork,
    /// The content of the library set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) libraries: Option<BuildHash>,
    /// The content of the bot's own library set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own: Option<BuildHash>,
    pub(super) files: BTreeMap<String, String>,
    /// Folder in which commands of the build start.
    #[serde(default = "bot", skip_serializing_if = "is_bot")]
    pub(super) folder: String,
    pub(super) build: Vec<Command>,
    pub(super) optional: Vec<Command>,
    /// Builds to try one after the other while the one before made no program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) otherwise: Vec<Vec<Command>>,
    /// The file of the source that plays where every build failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shipped: Option<String>,
    pub(super) build_environment: BTreeMap<String, String>,
    /// The command of a turn; `{program}` and `{heap}` are still in it.
    pub(super) run: Command,
    /// Arguments after those of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) trailing: Vec<String>,
    pub(super) run_environment: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) program: Vec<String>,
    /// Programs of the system that the source names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<SystemProgram>,
}

/// The ordinary place is not told, so that builds keep their names.
fn is_bot(folder: &str) -> bool {
    folder == BOT
}

fn bot() -> String {
    BOT.to_owned()
}

impl Decisive {
    /// Returns what the tools say about their versions, and a line for each program of the
    /// system.
    pub(super) fn told_tools(&self) -> String {
        let system = self.system.iter().map(|program| format!("; {}", program.told()));
        self.toolchain.clone() + &system.collect::<String>()
    }

    /// Returns every command that the build may run.
    pub(super) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.build.iter().chain(&self.optional).chain(self.otherwise.iter().flatten())
    }

    /// Returns the identity of what this makes of a source.
    pub(super) fn key(&self, source: &SourceHash) -> BuildHash {
        let text = serde_json::to_vec(self).expect("plain data is JSON");
        BuildHash::of("joust-build-1", &[&source.0, &text])
    }
}

impl Recipe {
    /// Joins what the author says with what the table says.
    pub(super) fn new(
        bot: &BotSource,
        tree: &SourceTree,
        toolchains: &Toolchains,
        given: Given<'_>,
    ) -> Result<Self, NotBuilt> {
        let manifest = &bot.manifest;
        let unknown = || NotBuilt::Refused(format!("unknown language `{}`", manifest.language));
        let language = toolchains.languages().get(&manifest.language).ok_or_else(unknown)?;
        let wanted = VariantQuery { tree, project: manifest.project.as_ref() };
        let choice = toolchains.choose(&manifest.language, language, &wanted)?;
        let Choice { variant, toolchain, lacking } = choice;
        let mut values =
            Values { offline: given.network == BuildNetwork::None, ..Values::default() };
        let mut caches = project::caches(&mut values, variant, toolchains.machine());
        if let Some(own) = given.own {
            project::own_set(&mut values, own, &mut caches);
        }
        let (lacking, files) = (lacking.into_iter().collect(), BTreeMap::new());
        let mut kitchen =
            Kitchen { bot, tree, language, variant, toolchain, values, caches, lacking, files };
        kitchen.fill_values()?;
        let recipe = kitchen.cook(given.network)?;
        let mut recipe = match given.libraries {
            Some(set) => recipe.with_libraries(set),
            None => recipe,
        };
        recipe.decisive.own = given.own.map(|own| own.content);
        match recipe.start.is_of(&recipe.decisive) {
            true => Ok(recipe),
            false => Err(NotBuilt::Refused("its command has a character of number 0".to_owned())),
        }
    }

    /// Lets builds and turns find the libraries of a set.
    fn with_libraries(mut self, set: &LibrarySet) -> Self {
        let Some(variable) = set.variable.clone() else { return self };
        variable.add_to(&mut self.decisive.build_environment);
        variable.add_to(&mut self.decisive.run_environment);
        self.decisive.libraries = Some(set.content);
        self.start.libraries = Some(StartLibraries { set: set.hash, variable });
        self.libraries = Some(set.folder.clone());
        self
    }

    /// Returns the build's identity.
    pub(super) fn key(&self, source: &SourceHash) -> BuildHash {
        self.decisive.key(source)
    }

    /// Lays out, in the folder `work`, those caches of which builds see only a part.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written.
    pub(super) fn lay_out(&self, work: &Path) -> io::Result<Self> {
        let mut recipe = self.clone();
        for cache in &mut recipe.caches {
            if let Some(group) = cache.plugins_of.take() {
                let part = work.join("plugins");
                maven::copy_plugins(&cache.folder.host, &group, &part)?;
                cache.folder.host = part;
            }
        }
        Ok(recipe)
    }

    /// Returns the folders a build needs.
    pub(super) fn build_folders(&self) -> Vec<Folder> {
        let tools = self.toolchain.folders.iter().map(|(_, folder)| folder);
        let caches = self.caches.iter().map(|cache| &cache.folder);
        let ready = self.ready.iter().map(|ready| &ready.folder);
        tools.chain(caches).chain(&self.libraries).chain(ready).cloned().collect()
    }
}

#[cfg(test)]
impl Decisive {
    /// Makes the recipe of a program that needs no tools.
    pub(super) fn sample() -> Self {
        Self {
            language: "c".to_owned(),
            variant: "gcc".to_owned(),
            toolchain: "gcc 12".to_owned(),
            network: BuildNetwork::None,
            libraries: None,
            own: None,
            files: BTreeMap::new(),
            folder: bot(),
            build: Vec::new(),
            optional: Vec::new(),
            otherwise: Vec::new(),
            shipped: None,
            build_environment: BTreeMap::new(),
            run: vec!["{program}".to_owned(), "heap={heap}".to_owned()],
            trailing: Vec::new(),
            run_environment: [("PATH".to_owned(), SYSTEM.join(":"))].into(),
            program: vec!["bot".to_owned()],
            system: Vec::new(),
        }
    }
}

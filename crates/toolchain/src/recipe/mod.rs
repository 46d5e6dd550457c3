//! Recipe to build and start one bot: the languages table and the manifest joined, every path
//! absolute as seen inside the sandbox.

mod builder;
mod commands;
mod environment;
mod sources;
mod start;
mod table;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use crate::BOT;
use crate::build_error::NotBuilt;
use crate::detect::{Choice, Toolchain, Toolchains, VariantQuery};
use crate::legacy::maven;
use crate::library_set::LibrarySet;
use crate::system_program::SystemProgram;
use crate::template::PlaceholderValues;
use builder::{MountedCache, RecipeBuilder, mount_own_set, mounted_caches};
use joust_bots::{BotSource, SourceHash, SourceTree, manifest::Command};
use joust_model::BuildHash;
pub use start::{ResolvedStart, StartCommand, StartLibraries};
pub use table::TableBuild;

/// Network that a build reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BuildNetwork {
    /// No network.
    #[default]
    None,
    /// The machine's network.
    Open,
    /// Registries alone, through Joust's proxy.
    Registries,
}

/// Provisions of an event for the builds of its bots.
#[derive(Clone, Copy, Debug)]
pub struct EventProvisions<'a> {
    /// Network that they reach.
    pub network: BuildNetwork,
    /// Libraries for the bot's language.
    pub libraries: Option<&'a LibrarySet>,
    /// Libraries fetched from the bot's own list.
    pub own: Option<&'a LibrarySet>,
}

/// Commands that build and start one bot.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Tools of the build.
    pub toolchain: Arc<Toolchain>,
    /// All that decides what the build becomes.
    pub inputs: RecipeInputs,
    /// Start of a turn, on any machine.
    pub start: StartCommand,
    /// Package caches of the machine.
    caches: Vec<MountedCache>,
    /// Parts that the source asks for and this machine lacks, one line each.
    pub lacking: Vec<String>,
    /// Libraries that the event provides.
    pub libraries: Option<Folder>,
}

/// Inputs of a recipe: all of it that decides what a build becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeInputs {
    /// The language's id.
    pub language: String,
    /// Name of the language's variant, or of the result for commands of the table without a bot.
    pub variant: String,
    /// Version texts of the tools.
    pub toolchain: String,
    /// Network that the build reaches.
    pub network: BuildNetwork,
    /// The content of the library set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub libraries: Option<BuildHash>,
    /// The content of the bot's own library set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<BuildHash>,
    /// Files laid into the source, by path.
    pub files: BTreeMap<String, String>,
    /// Folder in which commands of the build start.
    #[serde(default = "bot", skip_serializing_if = "is_bot")]
    pub folder: String,
    /// Commands of the build.
    pub build: Vec<Command>,
    /// Commands after it that may fail.
    pub optional: Vec<Command>,
    /// Builds to try one after the other while the one before made no program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<Vec<Command>>,
    /// The file of the source that plays where every build failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped: Option<String>,
    /// Environment of the build.
    pub build_environment: BTreeMap<String, String>,
    /// The command of a turn; `{program}` and `{heap}` are still in it.
    pub run: Command,
    /// Arguments after those of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trailing: Vec<String>,
    /// Environment of a turn.
    pub run_environment: BTreeMap<String, String>,
    /// Globs of the program in the result; the first that matches counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program: Vec<String>,
    /// Programs of the system that the source names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<SystemProgram>,
}

/// Returns whether the folder is the default, which is not serialized so that hashes of builds
/// stay the same.
fn is_bot(folder: &str) -> bool {
    folder == BOT
}

fn bot() -> String {
    BOT.to_owned()
}

impl RecipeInputs {
    /// Returns the version texts of the tools, and a line for each program of the system.
    pub fn tool_versions(&self) -> String {
        let system = self.system.iter().map(|program| format!("; {}", program.description()));
        self.toolchain.clone() + &system.collect::<String>()
    }

    /// Returns every command that the build may run.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.build.iter().chain(&self.optional).chain(self.otherwise.iter().flatten())
    }

    /// Returns the identity of the build that this makes of a source.
    pub fn key(&self, source: &SourceHash) -> BuildHash {
        let text = serde_json::to_vec(self).expect("plain data is JSON");
        BuildHash::of("joust-build-1", &[&source.0, &text])
    }
}

impl Recipe {
    /// Makes the recipe from the manifest and the languages table.
    pub fn new(
        bot: &BotSource,
        tree: &SourceTree,
        toolchains: &Toolchains,
        given: EventProvisions<'_>,
    ) -> Result<Self, NotBuilt> {
        let manifest = &bot.manifest;
        let unknown = || NotBuilt::Refused(format!("unknown language `{}`", manifest.language));
        let language = toolchains.languages().get(&manifest.language).ok_or_else(unknown)?;
        let is_server = manifest.server.is_some();
        let wanted = VariantQuery { tree, project: manifest.project.as_ref(), is_server };
        let choice = toolchains.choose(&manifest.language, language, &wanted)?;
        let Choice { variant, toolchain, lacking } = choice;
        let mut values = PlaceholderValues {
            offline: given.network == BuildNetwork::None,
            ..PlaceholderValues::default()
        };
        let mut caches = mounted_caches(&mut values, variant, &toolchains.machine);
        if let Some(own) = given.own {
            mount_own_set(&mut values, own, &mut caches);
        }
        let (lacking, files) = (lacking.into_iter().collect(), BTreeMap::new());
        let mut builder = RecipeBuilder {
            bot,
            tree,
            language,
            variant,
            toolchain,
            values,
            caches,
            lacking,
            files,
        };
        builder.fill_values()?;
        let recipe = builder.build(given.network)?;
        let mut recipe = match given.libraries {
            Some(set) => recipe.with_libraries(set),
            None => recipe,
        };
        recipe.inputs.own = given.own.map(|own| own.content);
        match recipe.start.is_of(&recipe.inputs) {
            true => Ok(recipe),
            false => Err(NotBuilt::Refused("its command has a character of number 0".to_owned())),
        }
    }

    /// Lets builds and turns find the libraries of a set.
    fn with_libraries(mut self, set: &LibrarySet) -> Self {
        let Some(variable) = set.variable.clone() else { return self };
        variable.add_to(&mut self.inputs.build_environment);
        variable.add_to(&mut self.inputs.run_environment);
        self.inputs.libraries = Some(set.content);
        self.start.libraries = Some(StartLibraries { set: set.hash, variable });
        self.libraries = Some(set.folder.clone());
        self
    }

    /// Returns the build's identity.
    pub fn key(&self, source: &SourceHash) -> BuildHash {
        self.inputs.key(source)
    }

    /// Copies the visible part of caches that builds see only in part into the folder `work`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written.
    pub fn lay_out(&self, work: &Path) -> io::Result<Self> {
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
    pub fn build_folders(&self) -> Vec<Folder> {
        let tools = self.toolchain.folders.iter().map(|(_, folder)| folder);
        let caches = self.caches.iter().map(|cache| &cache.folder);
        tools.chain(caches).chain(&self.libraries).cloned().collect()
    }
}

#[cfg(test)]
mod tests;

//! Context of builds: the machine, the tools and the store, and the inputs of one build.

use joust_config::BuildLimits;
use joust_model::cancel::Cancel;
use joust_sandbox::{Folder, Host};

use crate::fetch::Overlays;
use crate::store::FolderStore;
use joust_bots::manifest::Command;
use joust_toolchain::{Recipe, Toolchains};

/// Machine, tools, store and limits with which builds are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildContext<'a> {
    /// Host that runs the builds.
    pub(crate) host: &'a Host,
    /// The tools.
    pub(crate) toolchains: &'a Toolchains,
    /// Store that keeps the builds.
    pub(crate) store: &'a FolderStore,
    /// Limits of a build.
    pub(crate) limits: &'a BuildLimits,
    /// Flag to stop, also in the middle of a build.
    pub(crate) cancel: &'a Cancel,
}

/// Recipe about to be built, with further inputs from this machine that do not affect the result.
#[derive(Clone, Debug)]
pub(crate) struct BuildJob {
    /// The recipe.
    pub(crate) recipe: Recipe,
    /// Files and variables of the organiser's.
    pub(crate) overlays: Overlays,
    /// Prepared part of the language's builds.
    pub(crate) prebuilt: Option<Prebuilt>,
}

/// Prepared part of a build: it is made by the tools alone and does not change the result.
#[derive(Clone, Debug)]
pub(crate) struct Prebuilt {
    /// Folder of the prepared part.
    pub(crate) folder: Folder,
    /// The command with which the build begins.
    pub(crate) begin: Command,
}

impl BuildJob {
    /// Makes the job of a recipe alone.
    pub(crate) fn new(recipe: Recipe) -> Self {
        Self { recipe, overlays: Overlays::default(), prebuilt: None }
    }

    /// Returns the folders that the build mounts.
    pub(crate) fn folders(&self) -> Vec<Folder> {
        let prebuilt = self.prebuilt.iter().map(|prebuilt| prebuilt.folder.clone());
        self.recipe.build_folders().into_iter().chain(prebuilt).collect()
    }
}

//! Context of builds: the machine, the tools and the store, and the inputs of one build, with a copy of
//! its source that cannot change under it.

use std::path::{Path, PathBuf};

use joust_bots::manifest::Command;
use joust_bots::{SourceTree, machine_error};
use joust_config::BuildLimits;
use joust_model::cancel::Cancel;
use joust_sandbox::{Folder, Host};
use joust_toolchain::{NotBuilt, Recipe, Toolchains};

use crate::fetch::Overlays;
use crate::store::FolderStore;

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

/// Copies the source aside, so that it cannot change under the build.
pub(crate) fn stage(tree: &SourceTree, recipe: &Recipe, work: &Path) -> Result<PathBuf, NotBuilt> {
    let ours = NotBuilt::of_files("copy the source");
    let staged = work.join("source");
    std::fs::create_dir(&staged).map_err(&ours)?;
    copy(tree, &staged)?;
    for (path, text) in &recipe.inputs.files {
        let path = staged.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(&ours)?;
        }
        std::fs::write(path, text).map_err(&ours)?;
    }
    Ok(staged)
}

/// Copies a source as it was read. A source that changes meanwhile, which is never the machine's
/// fault, keeps this bot from being built, and no other.
fn copy(tree: &SourceTree, to: &Path) -> Result<(), NotBuilt> {
    let changed = || {
        let reason = "its files changed while they were read: build it when nobody writes to them";
        NotBuilt::Refused(reason.to_owned())
    };
    let is_ours = |error: &std::io::Error| {
        machine_error::is_machine_error(error) || machine_error::is_name_error(error.raw_os_error())
    };
    tree.copy_to(to).map_err(|error| match is_ours(&error) {
        true => NotBuilt::of_files("copy the source")(error),
        // A file that is gone, or a folder or a pipe by now.
        false => changed(),
    })?;
    if SourceTree::read_all(to)?.hash() == tree.hash() { Ok(()) } else { Err(changed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_changes_while_it_is_read_is_its_own_fault() {
        let folder = tempfile::tempdir().unwrap();
        let (source, main) = (folder.path().join("bot"), folder.path().join("bot/main.py"));
        std::fs::create_dir(&source).unwrap();
        std::fs::write(&main, "print(1)").unwrap();
        let tree = SourceTree::read_all(&source).unwrap();
        let copied = |name: &str| {
            let to = folder.path().join(name);
            std::fs::create_dir(&to).unwrap();
            copy(&tree, &to)
        };
        assert!(copied("as-it-was").is_ok());
        std::fs::write(&main, "print(2)").unwrap();
        let changed = copied("changed").unwrap_err();
        std::fs::remove_file(&main).unwrap();
        let gone = copied("gone").unwrap_err();
        std::fs::create_dir(&main).unwrap();
        let folder = copied("folder").unwrap_err();
        for reason in [changed, gone, folder] {
            assert!(!reason.is_of_machine(), "{reason:?}");
            assert!(reason.summary().starts_with("its files changed while"), "{reason:?}");
        }
    }
}

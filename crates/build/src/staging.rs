//! Staging of a source: a copy of it that cannot change under the build.

use std::path::{Path, PathBuf};

use joust_bots::{SourceTree, machine_error};
use joust_toolchain::{NotBuilt, Recipe};

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

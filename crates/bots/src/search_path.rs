//! Search path: the folders of PATH from which programs are started outside the sandbox.
//!
//! Relative folders depend on where a program is started. An activated `.venv` or a
//! `node_modules/.bin` in the tournament's repository holds files that the author of a pull
//! request may write. Neither kind is searched.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the folders of a PATH that are absolute.
pub fn folders(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

/// Returns the folders outside the tree of `contributed`, a folder that other authors add files to.
/// The tree is the repository around it, unless that holds the organiser's whole home.
pub fn exclude_tree(
    mut folders: Vec<PathBuf>,
    contributed: &Path,
    home: Option<&Path>,
) -> Vec<PathBuf> {
    let Some(tree) = tree_of(contributed, home) else { return folders };
    folders.retain(|folder| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        !real.starts_with(&tree) && !folder.starts_with(&tree)
    });
    folders
}

fn tree_of(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let home = home.and_then(|home| home.canonicalize().ok());
    let holds_home = |tree: &Path| home.as_ref().is_some_and(|home| home.starts_with(tree));
    let repository = folder.ancestors().find(|tree| tree.join(".git").exists());
    let trees = repository.into_iter().chain([folder.as_path()]);
    trees.into_iter().find(|tree| !holds_home(tree)).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct TestFolders {
        root: tempfile::TempDir,
    }

    impl TestFolders {
        fn new(folders: &[&str]) -> Self {
            let root = tempfile::tempdir().unwrap();
            for folder in folders {
                fs::create_dir_all(root.path().join(folder)).unwrap();
            }
            Self { root }
        }

        fn path(&self, path: &str) -> PathBuf {
            self.root.path().canonicalize().unwrap().join(path)
        }

        fn left(&self, of: &[&str], contributed: &str, home: &str) -> Vec<PathBuf> {
            let folders = of.iter().map(|path| self.path(path)).collect();
            exclude_tree(folders, &self.path(contributed), Some(&self.path(home)))
        }
    }

    #[test]
    fn folders_of_the_repository_around_the_tournament_are_not_searched() {
        let world =
            TestFolders::new(&["home/bin", "home/cup/.git", "home/cup/.venv/bin", "home/cup/a"]);
        let left = world.left(&["home/cup/.venv/bin", "home/bin"], "home/cup/a", "home");
        assert_eq!(left, [world.path("home/bin")]);
    }

    #[test]
    fn a_link_into_it_is_not_searched_either() {
        let world = TestFolders::new(&["home/cup/node_modules/.bin"]);
        let link = world.path("home/tools");
        std::os::unix::fs::symlink(world.path("home/cup/node_modules/.bin"), link).unwrap();
        assert_eq!(world.left(&["home/tools"], "home/cup", "home"), Vec::<PathBuf>::new());
    }

    /// Keeps the tools of users whose home is a repository of settings.
    #[test]
    fn a_home_that_is_a_repository_is_searched_but_for_the_tournament() {
        let world = TestFolders::new(&["home/.git", "home/.cargo/bin", "home/cup/.venv/bin"]);
        let all = ["home/.cargo/bin", "home/cup/.venv/bin"];
        assert_eq!(world.left(&all, "home/cup", "home"), [world.path("home/.cargo/bin")]);
        assert_eq!(world.left(&all, "home", "home").len(), 2);
    }

    #[test]
    fn relative_folders_are_not_searched() {
        assert_eq!(folders(OsStr::new("bin::./x:/usr/bin")), [PathBuf::from("/usr/bin")]);
    }
}

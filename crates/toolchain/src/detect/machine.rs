//! Machine: where it keeps its programs.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::language::Program;
use joust_bots::{discover::expand, search_path};

/// Folders searched after those of PATH.
const ALWAYS: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin"];

/// Folders in which a machine keeps its programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub(super) path: Vec<PathBuf>,
    pub(super) home: Option<PathBuf>,
    pub(super) patience: Duration,
    pub(super) for_other_users: bool,
}

impl Machine {
    /// Returns this machine, by the environment's PATH and HOME. A tool that
    /// takes longer than half a minute to answer is missing.
    pub fn this() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::new(&path, std::env::var_os("HOME").map(PathBuf::from), Duration::from_secs(30))
    }

    /// Makes a machine with the given PATH and home; tools get `patience` to
    /// answer.
    pub fn new(path: &OsStr, home: Option<PathBuf>, patience: Duration) -> Self {
        let given = search_path::folders(path).into_iter();
        let path = given.chain(ALWAYS.map(PathBuf::from)).collect();
        Self { path, home, patience, for_other_users: false }
    }

    /// Skips tools in the tree of `contributed`, a folder that other authors add files to.
    #[must_use]
    pub fn excluding(mut self, contributed: &Path) -> Self {
        self.path = search_path::exclude_tree(self.path, contributed, self.home.as_deref());
        self
    }

    /// Passes over tools that other users than this process's may not use, if `wanted`.
    #[must_use]
    pub fn for_other_users(mut self, wanted: bool) -> Self {
        self.for_other_users = wanted;
        self
    }

    /// Returns its PATH.
    pub(super) fn search_path(&self) -> OsString {
        // A folder with a colon in its name was not one of PATH.
        std::env::join_paths(&self.path).unwrap_or_default()
    }

    /// Returns every place where the program may be, best first.
    pub(super) fn candidates(&self, program: &Program) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        for name in &program.find {
            all.extend(self.path.iter().map(|folder| folder.join(name)));
        }
        for glob in &program.also {
            all.extend(self.glob(glob));
        }
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|path| is_program(path) && seen.insert(path.clone()));
        all
    }

    /// Returns the first of some globs' matches that is a folder.
    pub fn folder(&self, globs: &[String]) -> Option<PathBuf> {
        globs.iter().flat_map(|glob| self.glob(glob)).find(|path| path.is_dir())
    }

    /// Returns the first of some globs' matches that is a file.
    pub fn file(&self, globs: &[String]) -> Option<PathBuf> {
        globs.iter().flat_map(|glob| self.glob(glob)).find(|path| path.is_file())
    }

    /// Returns the paths that match a glob, highest version first.
    fn glob(&self, glob: &str) -> Vec<PathBuf> {
        let home = self.home.as_deref().map(Path::to_string_lossy);
        let glob = match (glob.strip_prefix('~'), home) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            (Some(_), None) => return Vec::new(),
            (None, _) => glob.to_owned(),
        };
        let mut paths = expand(Path::new("/"), &glob).unwrap_or_default();
        paths.sort_by_cached_key(|path| std::cmp::Reverse(numbers(&path.to_string_lossy())));
        paths
    }
}

/// Returns the numbers in a text: 3.10 comes after 3.9.
pub(super) fn numbers(text: &str) -> Vec<u64> {
    text.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Returns whether `path` is a file that is executable for at least one user.
fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

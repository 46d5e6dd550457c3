//! The program `git`, started so that it reads objects and runs nothing.
//!
//! It gets the repository by `--git-dir` and starts in `/` with a fixed environment, so no
//! folder of a bot is ever taken for a repository. The commands used
//! (`rev-parse`, `merge-base`, `ls-tree`, `cat-file`) read neither the index nor the
//! working tree: there is nothing to filter, to convert or to refresh. What the
//! repository's own configuration could still start, such as hooks, monitors or the
//! fetching of missing objects, is switched off.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::GitError;
use crate::search_path;

/// Settings that are stronger than the repository's.
const SETTINGS: [&str; 11] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "protocol.allow=never",
    "maintenance.auto=false",
    "safe.bareRepository=explicit",
];

/// The whole environment, beside PATH.
const ENVIRONMENT: [(&str, &str); 10] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // No transport has this name: older versions have no other way to forbid them all.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
];

/// The program `git` on this machine.
#[derive(Clone, Debug)]
pub(super) struct GitProgram {
    file: PathBuf,
    path: OsString,
}

impl GitProgram {
    /// Finds it in the folders of PATH that are absolute and outside the tree of `contributed`.
    pub(super) fn find(contributed: &Path) -> Result<Self, GitError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let folders = search_path::folders(&path);
        let folders = search_path::exclude_tree(folders, contributed, home.as_deref());
        let file = folders.iter().map(|folder| folder.join("git")).find(|file| is_program(file));
        let path = std::env::join_paths(&folders).unwrap_or_default();
        Ok(Self { file: file.ok_or(GitError::NotInstalled)?, path })
    }

    /// Returns a command about the repository in `folder`, whose files lie beneath `top`.
    pub(super) fn command_for(&self, folder: &Path, top: &Path) -> Command {
        let mut command = Command::new(&self.file);
        command.env_clear().env("PATH", &self.path).envs(ENVIRONMENT).current_dir("/");
        command.arg("--git-dir").arg(folder).arg("--work-tree").arg(top);
        command.args(["--literal-pathspecs", "--no-pager"]);
        command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

//! Errors of a repository.

use std::io;
use std::path::PathBuf;

use super::repository::is_hash;

/// Reason why a repository cannot be read, or lacks the requested object.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program `git` is missing.
    #[error("git is not installed")]
    NotInstalled,
    /// The program cannot be started, or breaks off.
    #[error("git cannot be started")]
    NotStarted(#[source] io::Error),
    /// The tournament is not under version control.
    #[error("`{}` is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// Somebody else owns the repository around the tournament.
    #[error("the repository `{}` belongs to another user", .0.display())]
    Foreign(PathBuf),
    /// The name stands for no commit that is here.
    #[error("there is no commit `{name}` here")]
    NoCommit {
        /// The name.
        name: String,
        /// True if only a part of the history is here.
        shallow: bool,
        /// The remotes of the repository.
        remotes: Vec<String>,
    },
    /// A file of a commit is not here.
    #[error("the object {0} of the repository is not here")]
    NoObject(String),
    /// A commit stands for more files and folders than are read.
    #[error("a commit has too many files and folders: their list is longer than 64 MiB")]
    TooManyFiles,
    /// A submodule is not here, or not with the commit of the base.
    #[error("the submodule `{}` is not here as it was in the base", .0.display())]
    Submodule(PathBuf),
    /// A file cannot be laid out.
    #[error("`{}` cannot be laid out", path.display())]
    Write {
        /// The file, relative to the top.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A command failed.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// Message of git, on one line.
        message: String,
    },
}

impl GitError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotInstalled => "install git, or name the results before the change with \
                                   `--base-database`"
                .to_owned(),
            Self::NoRepository(_) => {
                "without git, name the results before the change with `--base-database`".to_owned()
            }
            Self::Foreign(_) => "a repository is read when it belongs to whom the tournament's \
                                 folder belongs to, to the user of this process or to root"
                .to_owned(),
            Self::NoCommit { name, shallow: true, .. } if name.contains(['^', '~', '@']) => {
                "this is a shallow clone: `git fetch --deepen=1 origin` brings one more commit of \
                 its history (actions/checkout: `fetch-depth: 2`)"
                    .to_owned()
            }
            Self::NoCommit { name, shallow: true, .. } if is_abbreviated(name) => {
                "this is a shallow clone: `git fetch --unshallow` brings its whole history"
                    .to_owned()
            }
            Self::NoCommit { name, shallow: true, remotes } => format!(
                "this is a shallow clone: `git fetch --depth=1 {}` brings the commit \
                 (actions/checkout: `fetch-depth: 2` and `--base HEAD^1`)",
                fetch_words(name, remotes)
            ),
            Self::NoCommit { shallow: false, .. } => {
                "`git branch --all` lists branches; a branch of the server is called `origin/...`"
                    .to_owned()
            }
            Self::NoObject(_) => "nothing is fetched here: in a clone with a filter, `git fetch \
                                  --refetch --no-filter origin` brings what is missing, and \
                                  `git fsck` says whether the repository is damaged"
                .to_owned(),
            Self::Submodule(path) => {
                let path = path.display();
                format!("`git submodule update --init {path}`, and fetch its earlier commits")
            }
            Self::NotStarted(_) | Self::Write { .. } | Self::Failed { .. } | Self::TooManyFiles => {
                return None;
            }
        })
    }
}

/// Returns whether `name` may be the beginning of a commit's hash, which no server looks up.
fn is_abbreviated(name: &str) -> bool {
    (4..40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the arguments of `git fetch --depth=1` that fetch the commit `name` under that name.
fn fetch_words(name: &str, remotes: &[String]) -> String {
    let of_remote = remotes
        .iter()
        .find_map(|remote| Some((remote, name.strip_prefix(remote.as_str())?.strip_prefix('/')?)));
    if let Some((remote, branch)) = of_remote {
        return format!("{remote} {branch}:refs/remotes/{name}");
    }
    let has_origin = remotes.is_empty() || remotes.iter().any(|remote| remote == "origin");
    let remote = if has_origin { "origin" } else { remotes[0].as_str() };
    match is_hash(name) {
        true => format!("{remote} {name}"),
        false => format!("{remote} {name}:{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fetch_brings_a_commit_under_the_name_that_was_asked_for() {
        let words = |name: &str, remotes: &[&str]| {
            fetch_words(name, &remotes.iter().map(|&one| one.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(words("origin/main", &["origin"]), "origin main:refs/remotes/origin/main");
        assert_eq!(words("up/a/b", &["origin", "up"]), "up a/b:refs/remotes/up/a/b");
        assert_eq!(words("feature/x", &["origin"]), "origin feature/x:feature/x");
        assert_eq!(words("main", &["up"]), "up main:main");
        assert_eq!(words("main", &[]), "origin main:main");
        assert_eq!(words("originals/x", &["origin"]), "origin originals/x:originals/x");
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(words(hash, &["origin"]), format!("origin {hash}"));
    }
}

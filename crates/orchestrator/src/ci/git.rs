//! The repository, asked through the program `git`.
//!
//! Only what the repository itself holds is read: nothing is fetched, and
//! nothing in the working tree or the index is touched.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Why git cannot tell what the base is.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no such program.
    #[error("git is not installed")]
    NotInstalled,
    /// The program cannot be started.
    #[error("git cannot be started")]
    NotStarted(#[source] io::Error),
    /// The tournament is not under version control.
    #[error("`{}` is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// The name stands for no commit that is here.
    #[error("there is no commit `{name}` here")]
    NoCommit {
        /// The name.
        name: String,
        /// Whether only a part of the history is here.
        shallow: bool,
    },
    /// A submodule is not here, or not with the commit of the base.
    #[error("the submodule `{}` is not here as it was in the base", .0.display())]
    Submodule(PathBuf),
    /// A command failed.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// What it said, on one line.
        message: String,
    },
}

impl GitError {
    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotInstalled => "install git, or name the results before the change with \
                                   `--base-database`"
                .to_owned(),
            Self::NoRepository(_) => {
                "without git, name the results before the change with `--base-database`".to_owned()
            }
            Self::NoCommit { name, shallow: true } => format!(
                "this is a shallow clone: `git fetch --depth=1 origin {name}` brings the commit \
                 (actions/checkout: `fetch-depth: 2` and `--base HEAD^1`)"
            ),
            Self::NoCommit { shallow: false, .. } => {
                "`git branch --all` lists branches; a branch of the server is called `origin/...`"
                    .to_owned()
            }
            Self::Submodule(path) => {
                let path = path.display();
                format!("`git submodule update --init {path}`, and fetch its earlier commits")
            }
            Self::NotStarted(_) | Self::Failed { .. } => return None,
        })
    }
}

/// A working tree with its repository.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The top of the working tree.
    pub root: PathBuf,
}

/// A commit's files, laid out in a folder.
#[derive(Debug)]
pub struct Tree {
    /// Where they lie.
    pub folder: PathBuf,
    /// Submodules whose files are not there, relative to the top.
    pub missing: Vec<PathBuf>,
}

impl Repository {
    /// Finds the repository that `folder` is in.
    ///
    /// # Errors
    ///
    /// [`GitError`] when there is none, or no git.
    pub fn of(folder: &Path) -> Result<Self, GitError> {
        let output = start(folder, None, ["rev-parse", "--show-toplevel"])?;
        if output.status.success() {
            return Ok(Self { root: path(trimmed(&output.stdout)) });
        }
        let message = one_line(&output.stderr);
        // Anything else, such as a doubtful owner, is for people to read.
        if message.contains("not a git repository") || message.contains("work tree") {
            return Err(GitError::NoRepository(folder.to_owned()));
        }
        Err(GitError::Failed { command: "rev-parse --show-toplevel".to_owned(), message })
    }

    /// Returns the commit to compare with: the last one that `name` and `HEAD`
    /// have in common, or `name` itself where the history is too short to tell.
    ///
    /// # Errors
    ///
    /// [`GitError::NoCommit`] when `name` stands for nothing that is here.
    pub fn base(&self, name: &str) -> Result<String, GitError> {
        let commit = self.commit(name)?;
        let common = start(&self.root, None, ["merge-base", commit.as_str(), "HEAD"])?;
        let text = String::from_utf8_lossy(trimmed(&common.stdout)).into_owned();
        let is_one = common.status.success() && !text.is_empty();
        Ok(if is_one { text } else { commit })
    }

    fn commit(&self, name: &str) -> Result<String, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let found = match name.starts_with('-') {
            true => None,
            false => Some(start(&self.root, None, ["rev-parse", "--verify", "--quiet", &wanted])?),
        };
        match found.filter(|output| output.status.success()) {
            Some(output) => Ok(String::from_utf8_lossy(trimmed(&output.stdout)).into_owned()),
            None => Err(GitError::NoCommit { name: name.to_owned(), shallow: self.is_shallow() }),
        }
    }

    fn is_shallow(&self) -> bool {
        let asked = self.ask(None, &["rev-parse", "--is-shallow-repository"]);
        asked.is_ok_and(|answer| answer.starts_with(b"true"))
    }

    /// Says whether files under version control differ from the last commit.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git fails.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        let listed = self.ask(None, &["status", "--porcelain", "-z", "--untracked-files=no"])?;
        Ok(!listed.is_empty())
    }

    /// Returns the files that differ between `commit` and the working tree, as
    /// far as they are under version control; relative to the top.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git fails.
    pub fn touched(&self, commit: &str) -> Result<Vec<PathBuf>, GitError> {
        let command = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", commit, "--"];
        let listed = self.ask(None, &command)?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(path).collect())
    }

    /// Lays the files of `commit` out in `folder`, as a checkout would.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git fails.
    pub fn lay_out(&self, commit: &str, folder: &Path) -> Result<Tree, GitError> {
        let index = folder.join("index");
        let tree = folder.join("tree");
        std::fs::create_dir_all(&tree).map_err(GitError::NotStarted)?;
        self.ask(Some(&index), &["read-tree", commit])?;
        let mut prefix = std::ffi::OsString::from("--prefix=");
        prefix.push(tree.as_os_str());
        prefix.push("/");
        let all: [&OsStr; 5] = [
            OsStr::new("checkout-index"),
            OsStr::new("--all"),
            OsStr::new("--force"),
            OsStr::new("--quiet"),
            &prefix,
        ];
        self.ask(Some(&index), &all)?;
        let mut missing = Vec::new();
        for (path, commit) in self.submodules(&index)? {
            missing.extend(self.lay_out_submodule(&path, &commit, &tree));
        }
        Ok(Tree { folder: tree, missing })
    }

    /// Returns the submodules with their commits.
    fn submodules(&self, index: &Path) -> Result<Vec<(PathBuf, String)>, GitError> {
        let listed = self.ask(Some(index), &["ls-files", "--stage", "-z"])?;
        let entries = listed.split(|byte| *byte == 0).filter(|line| line.starts_with(b"160000 "));
        Ok(entries
            .filter_map(|line| {
                let tab = line.iter().position(|byte| *byte == b'\t')?;
                let about = String::from_utf8_lossy(&line[..tab]).into_owned();
                let commit = about.split_whitespace().nth(1)?.to_owned();
                Some((path(&line[tab + 1..]), commit))
            })
            .collect())
    }

    /// Returns the submodules beneath and including `path` that are not here.
    fn lay_out_submodule(&self, path: &Path, commit: &str, tree: &Path) -> Vec<PathBuf> {
        let inner = Self { root: self.root.join(path) };
        let place = tree.join(path);
        let laid_out = inner.root.join(".git").exists().then(|| {
            let folder = tempfile::tempdir_in(tree.parent().unwrap_or(tree)).ok()?;
            let laid_out = inner.lay_out(commit, folder.path()).ok()?;
            std::fs::remove_dir(&place).ok();
            std::fs::rename(&laid_out.folder, &place).ok()?;
            Some(laid_out.missing.into_iter().map(|inner| path.join(inner)).collect::<Vec<_>>())
        });
        laid_out.flatten().unwrap_or_else(|| vec![path.to_owned()])
    }

    fn ask<S: AsRef<OsStr>>(&self, index: Option<&Path>, words: &[S]) -> Result<Vec<u8>, GitError> {
        let output = start(&self.root, index, words.iter().map(AsRef::as_ref))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let command: Vec<_> = words.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        Err(GitError::Failed { command: command.join(" "), message: one_line(&output.stderr) })
    }
}

fn start<S: AsRef<OsStr>>(
    folder: &Path,
    index: Option<&Path>,
    words: impl IntoIterator<Item = S>,
) -> Result<Output, GitError> {
    let mut command = Command::new("git");
    command.args(["-c", "core.quotePath=false"]).args(words).current_dir(folder);
    command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if folder.is_dir() => GitError::NotInstalled,
        _ => GitError::NotStarted(error),
    })
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_end()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    crate::model::escaped(&lines.join("; "))
}

//! Where a source lies in its git repository, and sources of a commit.
//!
//! Without `git`, or outside of a repository, there is simply nothing to tell.

use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::pack::unpack_tar;
use super::source::SourceTree;

/// Where a source lies in its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPlace {
    /// Its path within the repository, with `/`.
    pub place: String,
    /// The newest commit, when it has the source as it is now.
    pub commit: Option<String>,
}

/// Returns where `source`, a folder or a file, lies in its repository; `None`
/// when it is in none. The commit is told when it has every file of `tree`, which is
/// what belongs to the source.
#[must_use]
pub fn place_of(source: &Path, tree: &SourceTree) -> Option<GitPlace> {
    let folder = source.parent()?;
    let name = source.file_name()?.to_str()?;
    let prefix = said(&git(folder, &["rev-parse", "--show-prefix"])?)?;
    let place = format!("{prefix}{name}");
    let commit = said(&git(folder, &["rev-parse", "--verify", "HEAD"])?)
        .filter(|commit| is_hash(commit) && is_committed(tree));
    Some(GitPlace { place, commit })
}

/// How many files git is told of at once: a command line has an end.
const MOST_NAMED: usize = 500;

/// Says whether the newest commit has every file of the tree as it is now.
fn is_committed(tree: &SourceTree) -> bool {
    let names: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    let has = |command: &[&str], names: &[&str]| git(&tree.root, &[command, names].concat());
    let is_known = |names| has(&["ls-files", "--error-unmatch", "--"], names).is_some();
    let is_same = |names| has(&["diff", "--no-ext-diff", "--quiet", "HEAD", "--"], names).is_some();
    names.chunks(MOST_NAMED).all(|names| is_known(names) && is_same(names))
}

/// Writes the source that was at `place` in a commit of the repository around
/// `folder` into the existing, empty folder `to`, and returns where in it the source is
/// now: a folder, or a file. What may belong to a file of Python comes with it: what lies
/// in its folder, or beside the outermost package it lies in.
#[must_use]
pub fn write_source(folder: &Path, (commit, place): (&str, &str), to: &Path) -> Option<PathBuf> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !is_hash(commit) || !Path::new(place).components().all(is_plain) {
        return None;
    }
    let commit = Commit { folder, commit };
    let (above, name) = place.rsplit_once('/').unwrap_or(("", place));
    match commit.kind(place)?.as_str() {
        "blob" if name.ends_with(".py") => {
            let root = commit.search_root(above);
            commit.unpack(root, to)?;
            Some(to.join(place.strip_prefix(root)?.trim_start_matches('/')))
        }
        "blob" => {
            let file = git(folder, &["cat-file", "blob", &commit.object(place)])?;
            std::fs::write(to.join(name), file.stdout).ok().map(|()| to.join(name))
        }
        "tree" => {
            std::fs::create_dir(to.join(name)).ok()?;
            commit.unpack(place, &to.join(name)).map(|()| to.join(name))
        }
        _ => None,
    }
}

/// A commit of the repository around a folder.
struct Commit<'a> {
    folder: &'a Path,
    commit: &'a str,
}

impl Commit<'_> {
    fn object(&self, place: &str) -> String {
        format!("{}:{place}", self.commit)
    }

    fn kind(&self, place: &str) -> Option<String> {
        said(&git(self.folder, &["cat-file", "-t", &self.object(place)])?)
    }

    /// Returns `above`, or the first folder over it that is no package of Python.
    fn search_root<'p>(&self, above: &'p str) -> &'p str {
        let is_package = |folder: &str| {
            !folder.is_empty() && self.kind(&format!("{folder}/__init__.py")).is_some()
        };
        let mut root = above;
        while is_package(root) {
            root = root.rsplit_once('/').map_or("", |(over, _)| over);
        }
        root
    }

    fn unpack(&self, place: &str, to: &Path) -> Option<()> {
        let archive = git(self.folder, &["archive", "--format=tar", &self.object(place)])?;
        unpack_tar(archive.stdout.as_slice(), to).ok()
    }
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Runs git; `None` unless it ends well.
fn git(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false", "--literal-pathspecs"])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output)
}

/// Returns what a command printed, without the line's end.
fn said(output: &Output) -> Option<String> {
    let text = std::str::from_utf8(&output.stdout).ok()?;
    Some(text.strip_suffix('\n').unwrap_or(text).to_owned())
}

//! Sources in git: where one lies in the organiser's repository, and sources of a commit.
//!
//! Without `git`, or outside of a repository, there is no location. Only objects are read:
//! untrusted files can neither name a program nor be passed to one.

mod blobs;
mod error;
mod program;
mod repository;

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::source::{FileKind, SourceTree};
use joust_model::BuildHash;

pub use blobs::{Blob, Blobs, CommitWriter};
pub use error::GitError;
#[cfg(test)]
use program::GitProgram;
use repository::is_hash;
pub use repository::{EntryKind, Repository, TreeEntry};

/// The most bytes that a source of a commit may have.
const MOST_BYTES: u64 = 512 << 20;
/// The most files that a source of a commit may have.
const MOST_FILES: usize = 20_000;

/// Location of a source in its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitLocation {
    /// Its path within the repository, with `/`.
    pub place: String,
    /// The newest commit, when it has the source as it is now.
    pub commit: Option<String>,
}

/// Returns where `source`, a folder or a file, lies in the repository around the
/// tournament's folder; `None` when it is not in it. The commit is set when it has
/// every file of `tree`, the files of the source, byte for byte.
pub fn locate_source(tournament: &Path, source: &Path, tree: &SourceTree) -> Option<GitLocation> {
    let repository = Repository::of(tournament).ok()?;
    let folder = source.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let place = folder.join(source.file_name()?);
    let place = place.strip_prefix(&repository.root).ok()?.to_str()?.to_owned();
    let commit = repository.commit("HEAD").ok();
    let commit = commit.filter(|commit| has_all(&repository, commit, tree) == Some(true));
    Some(GitLocation { place, commit })
}

/// Returns whether a commit has every file of the tree as it is now.
fn has_all(repository: &Repository, commit: &str, tree: &SourceTree) -> Option<bool> {
    let top = tree.root.canonicalize().ok()?;
    let top = top.strip_prefix(&repository.root).ok()?;
    let entries = repository.entries(commit, Some(top.to_str()?)).ok()?;
    let entries: HashMap<&Path, &TreeEntry> =
        entries.iter().map(|entry| (entry.path.as_path(), entry)).collect();
    let mut blobs = repository.blobs().ok()?;
    for file in &tree.files {
        let Some(entry) = entries.get(top.join(&file.path).as_path()) else { return Some(false) };
        let is_same = match (&file.kind, entry.kind) {
            (FileKind::Plain { executable, hash }, EntryKind::Plain { executable: was }) => {
                *executable == was && *hash == hash_of(blobs.open(&entry.id).ok()?)?
            }
            (FileKind::Link(target), EntryKind::Link) => {
                let mut committed = Vec::new();
                let blob = blobs.open(&entry.id).ok()?;
                blob.take(target.len() as u64 + 1).read_to_end(&mut committed).ok()?;
                committed == target.as_bytes()
            }
            _ => false,
        };
        if !is_same {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns the SHA-256 of a content of at most 512 MiB.
fn hash_of(mut blob: Blob<'_>) -> Option<BuildHash> {
    let mut hash = Sha256::new();
    let is_read = blob.size() <= MOST_BYTES && std::io::copy(&mut blob, &mut hash).is_ok();
    is_read.then(|| BuildHash(hash.finalize().into()))
}

/// Location of a source in a commit.
#[derive(Clone, Copy, Debug)]
pub struct CommittedSource<'a> {
    /// The commit's hash.
    pub commit: &'a str,
    /// The path from the repository's top.
    pub place: &'a str,
}

/// Writes the source that was committed to the repository around the tournament's
/// `folder` into the existing, empty folder `to`, and returns where in it the
/// source is now: a folder, or a file. What may belong to a file of Python comes with it: what
/// lies in its folder, or beside the outermost package it lies in.
pub fn write_source(folder: &Path, source: CommittedSource<'_>, to: &Path) -> Option<PathBuf> {
    let CommittedSource { commit, place } = source;
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !is_hash(commit) || place.is_empty() || !Path::new(place).components().all(is_plain) {
        return None;
    }
    let repository = Repository::of(folder).ok()?;
    let entries = repository.entries(commit, None).ok()?;
    let commit = Commit { repository, entries };
    let (above, name) = place.rsplit_once('/').unwrap_or(("", place));
    if commit.has_file(place) && name.ends_with(".py") {
        let root = commit.search_root(above);
        commit.write(root, to)?;
        return Some(to.join(Path::new(place).strip_prefix(root).ok()?));
    }
    commit.write(place, &to.join(name))
}

/// A commit with its files.
struct Commit {
    repository: Repository,
    entries: Vec<TreeEntry>,
}

impl Commit {
    fn has_file(&self, place: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == Path::new(place))
    }

    /// Returns `above`, or the first folder over it that is no package of Python.
    fn search_root<'p>(&self, above: &'p str) -> &'p str {
        let mut root = above;
        while !root.is_empty() && self.has_file(&format!("{root}/__init__.py")) {
            root = root.rsplit_once('/').map_or("", |(over, _)| over);
        }
        root
    }

    /// Writes the file or the folder at `place` to `to`.
    fn write(&self, place: &str, to: &Path) -> Option<PathBuf> {
        let within = |entry: &&TreeEntry| entry.path.starts_with(place);
        let entries: Vec<&TreeEntry> = self.entries.iter().filter(within).collect();
        if entries.is_empty() || entries.len() > MOST_FILES {
            return None;
        }
        let (mut blobs, mut layout) = (self.repository.blobs().ok()?, CommitWriter::new(to));
        let mut bytes = 0;
        for entry in entries.into_iter().filter(|entry| entry.kind != EntryKind::Submodule) {
            let content = blobs.open(&entry.id).ok()?;
            bytes += content.size();
            if bytes > MOST_BYTES {
                return None;
            }
            let path = entry.path.strip_prefix(place).ok()?;
            layout.add(path, entry.kind, content).ok()?;
        }
        layout.finish().ok()?;
        Some(to.to_owned())
    }
}

#[cfg(test)]
mod tests;

//! Source tree of a bot: the files that belong to it, and their hash.
//!
//! Hidden files never belong to it, nor do the language's own left-overs, so
//! no hidden tool configuration is ever obeyed. Links may lead to places
//! inside the tree only.

mod walk;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::problem::BotProblem;
use super::tree_writer::TreeWriter;
use joust_config::open_plain;
use joust_model::BuildHash;
use walk::{SkipRules, SourceWalk, unreadable};

/// Largest number of files of a source tree.
const MOST_FILES: usize = 20_000;
/// Largest size of a source tree, bytes.
const MOST_BYTES: u64 = 512 << 20;
/// Deepest nesting of folders.
pub(super) const DEEPEST: usize = 64;

/// The hash of a source tree: paths, executable bits, links and contents.
pub type SourceHash = BuildHash;

/// One file of a source tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path within the tree, with `/`.
    pub path: String,
    /// Kind of the file.
    pub kind: FileKind,
}

/// Kind of a source tree's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// A plain file.
    Plain {
        /// True if it may be executed.
        executable: bool,
        /// The SHA-256 of its contents.
        hash: BuildHash,
    },
    /// A link to another place in the tree.
    Link(String),
}

/// A source tree, sorted by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTree {
    /// Folder of the tree.
    pub root: PathBuf,
    /// Its files.
    pub files: Vec<SourceFile>,
}

impl SourceTree {
    /// Returns a tree without a file.
    pub fn empty() -> Self {
        Self { root: PathBuf::new(), files: Vec::new() }
    }

    /// Reads the tree under `root`, without hidden files and without files and folders named in
    /// `ignore`.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a source.
    pub fn read(root: &Path, ignore: &[String]) -> Result<Self, BotProblem> {
        Self::walk(root, SkipRules { hidden: true, names: ignore, shipped: None })
    }

    /// As [`SourceTree::read`], with the files beside the file `run`, relative to
    /// `root`, where that is there in a folder that is left out otherwise: a program
    /// that was built before.
    ///
    /// # Errors
    ///
    /// As [`SourceTree::read`].
    pub fn read_with(root: &Path, ignore: &[String], run: &str) -> Result<Self, BotProblem> {
        let is_there = root.join(run).symlink_metadata().is_ok_and(|file| file.is_file());
        let folder = run.rsplit_once('/').map(|(folder, _)| folder).filter(|_| is_there);
        Self::walk(root, SkipRules { hidden: true, names: ignore, shipped: folder })
    }

    /// Reads everything under `root`, hidden files too: the result of a build.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a result.
    pub fn read_all(root: &Path) -> Result<Self, BotProblem> {
        Self::walk(root, SkipRules { hidden: false, names: &[], shipped: None })
    }

    fn walk(root: &Path, skip: SkipRules<'_>) -> Result<Self, BotProblem> {
        let mut walk = SourceWalk::new(root, skip)?;
        walk.folder("", 0)?;
        let mut files = walk.files;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files })
    }

    /// Makes a tree of the one file at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn of_file(path: &Path) -> Result<Self, BotProblem> {
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let root = beside.unwrap_or(Path::new("."));
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| BotProblem::new(path, "the file's name is not UTF-8"))?;
        let mut walk =
            SourceWalk::new(root, SkipRules { hidden: true, names: &[], shipped: None })?;
        walk.main(path, name.to_owned())?;
        Ok(Self { root: root.to_owned(), files: walk.files })
    }

    /// Makes a tree of the file at `path`, called `entry` in it, and of other files and
    /// folders, `beside`, relative to the tree's root as `entry` is.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a source.
    pub fn of_files(
        path: &Path,
        entry: &str,
        beside: &[String],
        ignore: &[String],
    ) -> Result<Self, BotProblem> {
        let absolute = std::path::absolute(path).map_err(|error| unreadable(path, &error))?;
        let root = absolute.ancestors().nth(entry.split('/').count());
        let root = root.ok_or_else(|| BotProblem::new(path, "it is in no folder"))?;
        let mut walk =
            SourceWalk::new(root, SkipRules { hidden: true, names: ignore, shipped: None })?;
        walk.main(path, entry.to_owned())?;
        for one in beside {
            let at = root.join(one);
            if let Some((folder, _)) = one.rsplit_once('/') {
                walk.ensure_without_links(&root.join(folder), folder)?;
            }
            let is_folder = at.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
            match is_folder {
                true => walk.folder(one, 0)?,
                false if at.is_symlink() => walk.link(&at, one.clone())?,
                false => walk.plain(&at, one.clone())?,
            }
        }
        let mut files = walk.files;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files })
    }

    /// Returns the tree's hash, which does not depend on its location.
    pub fn hash(&self) -> SourceHash {
        let mut fields: Vec<Vec<u8>> = Vec::new();
        for file in &self.files {
            let (kind, content) = match &file.kind {
                FileKind::Plain { executable: false, hash } => ("file", hash.0.to_vec()),
                FileKind::Plain { executable: true, hash } => ("program", hash.0.to_vec()),
                FileKind::Link(target) => ("link", target.clone().into_bytes()),
            };
            fields.extend([file.path.clone().into_bytes(), kind.into(), content]);
        }
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        SourceHash::of("joust-source-1", &fields)
    }

    /// Returns whether a file of that path is there.
    pub fn contains(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Copies the tree into the existing, empty folder `target`, readable for
    /// everybody.
    ///
    /// # Errors
    ///
    /// When reading or writing fails.
    pub fn copy_to(&self, target: &Path) -> std::io::Result<()> {
        let mut writer = TreeWriter::new(target);
        for file in &self.files {
            match &file.kind {
                FileKind::Link(link) => writer.link(&file.path, link),
                FileKind::Plain { executable, .. } => {
                    let mut from = open_plain(&self.root.join(&file.path))?;
                    let mut to = writer.file(file.path.as_ref(), *executable)?;
                    std::io::copy(&mut from, &mut to)?;
                }
            }
        }
        writer.finish().map_err(|(_, error)| error)
    }
}

/// Returns whether the link `inside` a folder stays in it, so that it can be part of a source.
pub(super) fn link_stays(folder: &Path, inside: &str) -> std::io::Result<bool> {
    Ok(walk::target_inside(&folder.canonicalize()?, &folder.join(inside))?.is_some())
}

/// Returns the SHA-256 of a file's contents.
pub(super) fn hash_file(path: &Path) -> std::io::Result<BuildHash> {
    let (mut file, mut hash) = (open_plain(path)?, Sha256::new());
    std::io::copy(&mut file, &mut hash)?;
    Ok(BuildHash(hash.finalize().into()))
}

#[cfg(test)]
mod tests;

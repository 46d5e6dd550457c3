//! The files of the base and of the working tree, compared byte for byte.
//!
//! Only what the repository itself holds is read: nothing is fetched, nothing is
//! converted or filtered, and nothing in the working tree or the index is touched.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use joust_bots::git::{Blobs, CommitWriter, EntryKind, GitError, Repository, TreeEntry};
use joust_config::read_start;

/// The largest file that is compared, bytes: larger ones differ.
const LARGEST: u64 = 512 << 20;
/// The largest file of a change that is compared with the working tree, bytes. Both versions are held in
/// memory, and the author of the change chooses their size.
const LARGEST_OF_CHANGE: u64 = 32 << 20;
/// The largest pointer text of a file that is stored elsewhere, bytes.
const LARGEST_POINTER: usize = 1024;

/// Files of a commit, exported to a folder, and their differences from the working tree.
#[derive(Debug, Default)]
pub(super) struct ExportedTree {
    /// Folder of the files.
    pub(super) folder: PathBuf,
    /// Its files, relative to the top.
    pub(super) files: BTreeSet<PathBuf>,
    /// Submodules whose files are missing, relative to the top.
    pub(super) missing: Vec<PathBuf>,
    /// Files under version control that differ between the commit and the last one or the working
    /// tree; relative to the top, sorted.
    pub(super) touched: Vec<PathBuf>,
    /// Files of the last commit that the base does not have, or has with other content.
    pub(super) committed: Vec<PathBuf>,
    /// Submodules of the last commit that are no submodules in the base.
    pub(super) new_submodules: BTreeSet<PathBuf>,
    /// True when files under version control differ from the last commit.
    pub(super) is_dirty: bool,
}

/// Exports the files of `commit` to `folder` and compares them with the working tree.
pub(super) fn export_commit(
    repository: &Repository,
    commit: &str,
    folder: &Path,
) -> Result<ExportedTree, GitError> {
    let tree = folder.join("tree");
    fs::create_dir_all(&tree).map_err(GitError::NotStarted)?;
    let head = match repository.commit("HEAD") {
        Ok(head) => repository.entries(&head, None)?,
        Err(_) => Vec::new(),
    };
    let mut comparison = TreeComparison {
        repository,
        blobs: repository.blobs()?,
        folders: HashMap::new(),
        layout: CommitWriter::new(&tree),
        exported: ExportedTree { folder: tree, ..ExportedTree::default() },
    };
    let base = repository.entries(commit, None)?;
    let now: HashMap<&Path, &TreeEntry> = by_path(&head);
    for entry in &base {
        comparison.of_base(entry, now.get(entry.path.as_path()).copied())?;
    }
    let before = by_path(&base);
    for entry in head.iter().filter(|entry| before.get(entry.path.as_path()) != Some(entry)) {
        comparison.exported.committed.push(entry.path.clone());
        let is_new = before.get(entry.path.as_path()).is_none_or(|was| was.kind != entry.kind);
        if is_new && entry.kind == EntryKind::Submodule {
            comparison.exported.new_submodules.insert(entry.path.clone());
        }
        comparison.of_head(entry)?;
    }
    let TreeComparison { layout, mut exported, .. } = comparison;
    layout.finish()?;
    exported.files = base.into_iter().map(|entry| entry.path).collect();
    exported.touched.extend(exported.committed.iter().cloned());
    exported.touched.sort();
    exported.touched.dedup();
    Ok(exported)
}

/// Returns the files that differ between two commits.
pub(super) fn changed_between(
    repository: &Repository,
    one: &str,
    other: &str,
) -> Result<Vec<PathBuf>, GitError> {
    if one == other {
        return Ok(Vec::new());
    }
    let (one, other) = (repository.entries(one, None)?, repository.entries(other, None)?);
    let (before, after) = (by_path(&one), by_path(&other));
    let is_changed = |entry: &&TreeEntry| {
        let path = entry.path.as_path();
        before.get(path) != after.get(path)
    };
    let changed = one.iter().chain(&other).filter(is_changed).map(|entry| entry.path.clone());
    let mut changed: Vec<PathBuf> = changed.collect();
    changed.sort();
    changed.dedup();
    Ok(changed)
}

/// Returns a text file of a commit; `None` where there is no such file.
pub(super) fn text_of(
    repository: &Repository,
    commit: &str,
    path: &Path,
) -> Result<Option<String>, GitError> {
    let entries = repository.entries(commit, None)?;
    let Some(entry) = entries.iter().find(|entry| entry.path == path) else { return Ok(None) };
    let bytes = repository.blobs()?.read(&entry.id)?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

fn by_path(entries: &[TreeEntry]) -> HashMap<&Path, &TreeEntry> {
    entries.iter().map(|entry| (entry.path.as_path(), entry)).collect()
}

struct TreeComparison<'a> {
    repository: &'a Repository,
    blobs: Blobs,
    /// Folders of the working tree; false for links and files.
    folders: HashMap<PathBuf, bool>,
    layout: CommitWriter,
    exported: ExportedTree,
}

impl TreeComparison<'_> {
    /// Exports a file of the base. A file that is the same in the last commit is exported as it is
    /// in the working tree, if that is a checkout of it: a checkout may have changed its line ends.
    fn of_base(&mut self, entry: &TreeEntry, head: Option<&TreeEntry>) -> Result<(), GitError> {
        let stayed = head == Some(entry);
        if entry.kind == EntryKind::Submodule {
            self.note(entry, stayed, stayed);
            return self.submodule(entry);
        }
        let Some(content) = self.blobs.read(&entry.id)? else {
            self.note(entry, stayed, stayed);
            return Ok(());
        };
        // Where the change has another file, it is read only as far as needed for the comparison.
        let most = if stayed { LARGEST } else { content.len() as u64 };
        let found = self.found(&entry.path, most);
        match found {
            Some(found) if stayed && found.is(entry.kind, &content) => {
                self.layout.add(&entry.path, found.kind, &found.bytes)
            }
            found => {
                let same = found.is_some_and(|found| found.is_exactly(entry.kind, &content));
                self.note(entry, stayed, same);
                self.layout.add(&entry.path, entry.kind, &content)
            }
        }
    }

    fn note(&mut self, entry: &TreeEntry, stayed: bool, same: bool) {
        if !same {
            self.exported.touched.push(entry.path.clone());
            self.exported.is_dirty |= stayed;
        }
    }

    /// Compares a file that is new or changed in the last commit with the working tree; a large one
    /// counts as unchanged there.
    fn of_head(&mut self, entry: &TreeEntry) -> Result<(), GitError> {
        let here = self.repository.root.join(&entry.path).symlink_metadata();
        let is_large = here.is_ok_and(|data| data.len() > LARGEST_OF_CHANGE);
        if is_large || entry.kind == EntryKind::Submodule || self.exported.is_dirty {
            return Ok(());
        }
        let found = self.found(&entry.path, LARGEST_OF_CHANGE);
        let content = self.blobs.read(&entry.id)?;
        let is_same = match (found, content) {
            (Some(found), Some(content)) => found.is(entry.kind, &content),
            (found, content) => found.is_some() && content.is_none(),
        };
        self.exported.is_dirty |= !is_same;
        Ok(())
    }

    fn submodule(&mut self, entry: &TreeEntry) -> Result<(), GitError> {
        let (path, tree) = (&entry.path, self.exported.folder.clone());
        let is_here = self.repository.root.join(path).join(".git").symlink_metadata().is_ok();
        let module = if is_here { self.repository.submodule(&entry.id)? } else { None };
        let Some(module) = module else {
            self.exported.missing.push(path.clone());
            return self.layout.add(path, entry.kind, &[]);
        };
        self.layout.add(path, entry.kind, &[])?;
        let mut layout = CommitWriter::new(&tree.join(path));
        let mut blobs = module.blobs()?;
        for inner in module.entries(&entry.id, None)? {
            let content = match inner.kind {
                EntryKind::Submodule => {
                    self.exported.missing.push(path.join(&inner.path));
                    Some(Vec::new())
                }
                _ => blobs.read(&inner.id)?,
            };
            if let Some(content) = content {
                layout.add(&inner.path, inner.kind, &content)?;
            }
        }
        layout.finish()
    }

    /// Reads a file of the working tree, at most `most` bytes and one more; `None` when it is neither a
    /// plain file nor a link, or its parents are not all folders.
    fn found(&mut self, path: &Path, most: u64) -> Option<WorkingFile> {
        let place = self.repository.root.join(path);
        let parents: Vec<_> = path.ancestors().skip(1).map(Path::to_owned).collect();
        let are_folders = parents.into_iter().all(|parent| {
            let is_folder = || {
                let metadata = self.repository.root.join(&parent).symlink_metadata();
                metadata.is_ok_and(|metadata| metadata.is_dir())
            };
            *self.folders.entry(parent.clone()).or_insert_with(is_folder)
        });
        if are_folders { WorkingFile::read(&place, most) } else { None }
    }
}

/// A file of the working tree.
struct WorkingFile {
    kind: EntryKind,
    bytes: Vec<u8>,
}

impl WorkingFile {
    fn read(place: &Path, most: u64) -> Option<Self> {
        let metadata = place.symlink_metadata().ok()?;
        if metadata.is_symlink() {
            let target = fs::read_link(place).ok()?;
            return Some(Self {
                kind: EntryKind::Link,
                bytes: target.as_os_str().as_bytes().to_vec(),
            });
        }
        if !metadata.is_file() {
            return None;
        }
        let bytes = read_start(place, most + 1).ok()?;
        let executable = metadata.permissions().mode() & 0o100 != 0;
        Some(Self { kind: EntryKind::Plain { executable }, bytes })
    }

    fn is_exactly(&self, kind: EntryKind, content: &[u8]) -> bool {
        self.kind == kind && self.bytes == content
    }

    /// Returns whether this can be the result of checking a file out: the same bytes, the same with
    /// other line ends, or the content behind a pointer of Git LFS. Some file systems have no
    /// permission to execute.
    fn is(&self, kind: EntryKind, content: &[u8]) -> bool {
        match (self.kind, kind) {
            (EntryKind::Plain { .. }, EntryKind::Plain { .. }) => {
                self.bytes == content
                    || is_pointer_to(content, &self.bytes)
                    || without_returns(&self.bytes).eq(without_returns(content))
            }
            _ => self.is_exactly(kind, content),
        }
    }
}

/// Returns the bytes with `\n` for every `\r\n`.
fn without_returns(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let next = bytes.iter().skip(1).map(Some).chain([None]);
    let is_return = |(byte, next): &(&u8, Option<&u8>)| **byte == b'\r' && *next == Some(&b'\n');
    bytes.iter().zip(next).filter(move |pair| !is_return(pair)).map(|(byte, _)| *byte)
}

/// Returns true when a text is a pointer of Git LFS to these bytes.
fn is_pointer_to(text: &[u8], bytes: &[u8]) -> bool {
    if text.len() > LARGEST_POINTER || !text.starts_with(b"version https://git-lfs.github.com/") {
        return false;
    }
    let hash = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (hash, size) = (format!("oid sha256:{hash}"), format!("size {}", bytes.len()));
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    [hash, size].iter().all(|line| lines.contains(&line.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_a_checkout_made_of_it() {
        let plain = EntryKind::Plain { executable: false };
        let found = |bytes: &[u8]| WorkingFile { kind: plain, bytes: bytes.to_vec() };
        assert!(found(b"a\r\nb\r\n").is(plain, b"a\nb\n"));
        assert!(!found(b"a\r\nb\r\n").is_exactly(plain, b"a\nb\n"));
        assert!(!found(b"a\rb").is(plain, b"ab"));
        assert!(!found(b"a\nc").is(plain, b"a\nb"));
        assert!(!found(b"a").is(EntryKind::Link, b"a"));
    }

    #[test]
    fn a_pointer_stands_for_the_bytes_it_names_alone() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\n\
                        oid sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n\
                        size 1\n";
        assert!(is_pointer_to(pointer, b"a"));
        assert!(!is_pointer_to(pointer, b"b"));
        assert!(!is_pointer_to(b"size 1\n", b"a"));
    }
}

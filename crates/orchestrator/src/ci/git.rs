//! The files of the base and of the working tree, compared byte for byte.
//!
//! Only what the repository itself holds is read: nothing is fetched, nothing is
//! converted or filtered, and nothing in the working tree or the index is touched.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use joust_bots::git::{Blobs, CommitWriter, EntryKind, GitError, Repository, TreeEntry};
use joust_config::{LARGEST_FILE, open_plain};
use joust_model::cancel::Cancel;

use super::request::{CiError, insist_on_running};

/// The largest file that is compared, bytes: larger ones differ.
const LARGEST: u64 = 512 << 20;
/// The largest file of a change that is compared with the working tree, bytes: the author of the
/// change chooses its size.
const LARGEST_OF_CHANGE: u64 = 32 << 20;
/// The largest pointer text of a file that is stored elsewhere, bytes.
const LARGEST_POINTER: u64 = 1024;

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
    cancel: &Cancel,
) -> Result<ExportedTree, CiError> {
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
        insist_on_running(cancel)?;
        comparison.of_base(entry, now.get(entry.path.as_path()).copied())?;
    }
    let before = by_path(&base);
    for entry in head.iter().filter(|entry| before.get(entry.path.as_path()) != Some(entry)) {
        insist_on_running(cancel)?;
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
    let (mut blobs, mut text) = (repository.blobs()?, String::new());
    let blob = blobs.open(&entry.id)?;
    let is_text = blob.size() <= LARGEST_FILE && { blob }.read_to_string(&mut text).is_ok();
    Ok(is_text.then_some(text))
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
        let found = self.found(&entry.path);
        let content = self.blobs.open(&entry.id)?;
        if content.size() > LARGEST {
            self.note(entry, stayed, stayed);
            return Ok(());
        }
        let mut is_same = found.as_ref().is_some_and(|found| found.is_exactly(entry.kind, content));
        let found = found.filter(|_| stayed);
        if let Some(found) = found.as_ref().filter(|_| !is_same) {
            is_same = found.is_checkout_of(entry.kind, self.blobs.open(&entry.id)?);
        }
        self.note(entry, stayed, is_same);
        match found.filter(|_| is_same).and_then(|found| Some((found.kind, found.content().ok()?)))
        {
            Some((kind, content)) => self.layout.add(&entry.path, kind, content),
            None => self.layout.add(&entry.path, entry.kind, self.blobs.open(&entry.id)?),
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
        if entry.kind == EntryKind::Submodule || self.exported.is_dirty {
            return Ok(());
        }
        let found = self.found(&entry.path);
        let is_large = found.as_ref().is_some_and(|found| found.size > LARGEST_OF_CHANGE);
        let content = self.blobs.open(&entry.id)?;
        if is_large || content.size() > LARGEST_OF_CHANGE {
            return Ok(());
        }
        let is_same = match found {
            Some(found) if found.is_exactly(entry.kind, content) => true,
            Some(found) => found.is_checkout_of(entry.kind, self.blobs.open(&entry.id)?),
            None => false,
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
            return self.layout.add(path, entry.kind, io::empty());
        };
        self.layout.add(path, entry.kind, io::empty())?;
        let mut layout = CommitWriter::new(&tree.join(path));
        let mut blobs = module.blobs()?;
        for inner in module.entries(&entry.id, None)? {
            if inner.kind == EntryKind::Submodule {
                self.exported.missing.push(path.join(&inner.path));
                layout.add(&inner.path, inner.kind, io::empty())?;
                continue;
            }
            let content = blobs.open(&inner.id)?;
            if content.size() <= LARGEST {
                layout.add(&inner.path, inner.kind, content)?;
            }
        }
        layout.finish()
    }

    /// Finds a file of the working tree; `None` when it is neither a plain file nor a link, or its
    /// parents are not all folders.
    fn found(&mut self, path: &Path) -> Option<WorkingFile> {
        let place = self.repository.root.join(path);
        let parents: Vec<_> = path.ancestors().skip(1).map(Path::to_owned).collect();
        let are_folders = parents.into_iter().all(|parent| {
            let is_folder = || {
                let metadata = self.repository.root.join(&parent).symlink_metadata();
                metadata.is_ok_and(|metadata| metadata.is_dir())
            };
            *self.folders.entry(parent.clone()).or_insert_with(is_folder)
        });
        if are_folders { WorkingFile::find(place) } else { None }
    }
}

/// A file or a link of the working tree.
struct WorkingFile {
    kind: EntryKind,
    place: PathBuf,
    /// Its length, bytes.
    size: u64,
}

impl WorkingFile {
    fn find(place: PathBuf) -> Option<Self> {
        let metadata = place.symlink_metadata().ok()?;
        let executable = metadata.permissions().mode() & 0o100 != 0;
        let kind = match () {
            () if metadata.is_symlink() => EntryKind::Link,
            () if metadata.is_file() => EntryKind::Plain { executable },
            () => return None,
        };
        Some(Self { kind, place, size: metadata.len() })
    }

    /// Opens its content; that of a link is its target.
    fn content(&self) -> io::Result<Box<dyn Read>> {
        if self.kind == EntryKind::Link {
            let target = fs::read_link(&self.place)?.into_os_string().into_vec();
            return Ok(Box::new(io::Cursor::new(target)));
        }
        Ok(Box::new(open_plain(&self.place)?))
    }

    /// Returns whether it is of this kind and has this content.
    fn is_exactly(&self, kind: EntryKind, content: impl Read) -> bool {
        let are_equal = || are_equal(self.content()?, content);
        self.kind == kind && are_equal().unwrap_or(false)
    }

    /// Returns whether this can be the result of checking a plain file with this content out: the
    /// same with other line ends, or the content behind a pointer of Git LFS. Some file systems
    /// have no permission to execute.
    fn is_checkout_of(&self, kind: EntryKind, mut content: impl Read) -> bool {
        let is_plain = |kind| matches!(kind, EntryKind::Plain { .. });
        let mut start = Vec::new();
        let read = content.by_ref().take(LARGEST_POINTER + 1).read_to_end(&mut start);
        if read.is_err() || !is_plain(self.kind) || !is_plain(kind) || self.size > LARGEST {
            return false;
        }
        let is_short = start.len() as u64 <= LARGEST_POINTER;
        if is_short && std::str::from_utf8(&start).is_ok_and(|text| self.is_behind(text)) {
            return true;
        }
        let committed = without_returns(start.as_slice().chain(content));
        self.content().is_ok_and(|here| committed.eq(without_returns(here)))
    }

    /// Returns whether a text is a pointer of Git LFS to this file.
    fn is_behind(&self, text: &str) -> bool {
        if !text.starts_with("version https://git-lfs.github.com/") {
            return false;
        }
        let mut hash = Sha256::new();
        let read = self.content().and_then(|mut here| io::copy(&mut here, &mut hash));
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let size = read.map(|size| format!("size {size}")).unwrap_or_default();
        let lines: Vec<&str> = text.split('\n').collect();
        [format!("oid sha256:{hash}"), size].iter().all(|line| lines.contains(&&**line))
    }
}

/// Returns whether two contents are equal, byte for byte.
fn are_equal(one: impl Read, other: impl Read) -> io::Result<bool> {
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (here, there) = (one.fill_buf()?, other.fill_buf()?);
        let length = here.len().min(there.len());
        if length == 0 {
            return Ok(here.len() == there.len());
        }
        if here[..length] != there[..length] {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Returns the bytes with `\n` for every `\r\n`.
fn without_returns(content: impl Read) -> impl Iterator<Item = u8> {
    let mut bytes = BufReader::new(content).bytes().map_while(Result::ok).peekable();
    std::iter::from_fn(move || match bytes.next()? {
        b'\r' if bytes.peek() == Some(&b'\n') => bytes.next(),
        byte => Some(byte),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: EntryKind = EntryKind::Plain { executable: false };

    /// Returns whether a working file with these bytes passes `check`.
    fn of_file(bytes: &[u8], check: impl Fn(&WorkingFile) -> bool) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        fs::write(&place, bytes).unwrap();
        check(&WorkingFile::find(place).unwrap())
    }

    #[test]
    fn a_file_is_what_a_checkout_made_of_it() {
        let is = |here: &[u8], kind, committed: &[u8]| {
            of_file(here, |file| file.is_checkout_of(kind, committed))
        };
        let long = b"a\r\n".repeat(100_000);
        assert!(is(b"a\r\nb\r\n", PLAIN, b"a\nb\n"));
        assert!(is(&long, PLAIN, &b"a\n".repeat(100_000)));
        assert!(!is(&long, PLAIN, &b"a\n".repeat(99_999)));
        assert!(is(b"a", EntryKind::Plain { executable: true }, b"a"));
        assert!(!is(b"a\rb", PLAIN, b"ab"));
        assert!(!is(b"a\nc", PLAIN, b"a\nb"));
        assert!(!is(b"a", EntryKind::Link, b"a"));
    }

    #[test]
    fn a_file_is_exactly_its_kind_and_its_bytes() {
        let is = |here: &[u8], kind, committed: &[u8]| {
            of_file(here, |file| file.is_exactly(kind, committed))
        };
        let long = vec![7; 100_000];
        assert!(is(&long, PLAIN, &long));
        assert!(!is(&long, PLAIN, &long[1..]));
        assert!(!is(&long[1..], PLAIN, &long));
        assert!(!is(b"a", EntryKind::Plain { executable: true }, b"a"));
        assert!(!is(b"a\r\nb\r\n", PLAIN, b"a\nb\n"));
    }

    #[test]
    fn a_link_is_compared_by_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("link");
        std::os::unix::fs::symlink("away", &place).unwrap();
        let link = WorkingFile::find(place).unwrap();
        assert!(link.is_exactly(EntryKind::Link, &b"away"[..]));
        assert!(!link.is_exactly(EntryKind::Link, &b"here"[..]));
        assert!(!link.is_checkout_of(EntryKind::Link, &b"away"[..]));
    }

    #[test]
    fn a_pointer_stands_for_the_bytes_it_names_alone() {
        let pointer = "version https://git-lfs.github.com/spec/v1\n\
                       oid sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n\
                       size 1\n";
        let is = |here: &[u8], text: &str| of_file(here, |file| file.is_behind(text));
        assert!(is(b"a", pointer));
        assert!(!is(b"b", pointer));
        assert!(!is(b"a", "size 1\n"));
    }
}

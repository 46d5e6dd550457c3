//! Files that must not be new or changed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use joust_model::digest_number;

/// Folders that any program may be able to write to; only names in them are checked.
const SHARED: [&str; 14] = [
    "/", "/etc", "/tmp", "/var", "/var/tmp", "/dev", "/run", "/usr", "/usr/bin", "/usr/lib",
    "/root", "/home", "/opt", "/mnt",
];

/// Above this, times and length stand for the content.
const READ_BYTES: u64 = 1 << 20;

/// Enough of a file to see that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    mode: u32,
    links: u64,
    bytes: u64,
    changed: (i64, i64),
    content: u64,
}

/// Returns every file below `folders`, and the files with the run's name in the
/// shared folders.
pub(super) fn listing(folders: &[PathBuf], run: &str) -> BTreeMap<PathBuf, Fingerprint> {
    let mut found = trees(folders);
    for folder in SHARED {
        for name in names(Path::new(folder)).into_iter().filter(|name| name.contains(run)) {
            let path = Path::new(folder).join(name);
            if !folders.iter().any(|known| known.starts_with(&path)) {
                add(&path, &mut found);
            }
        }
    }
    found
}

/// Every file below `folders`.
pub(super) fn trees(folders: &[PathBuf]) -> BTreeMap<PathBuf, Fingerprint> {
    let mut found = BTreeMap::new();
    for folder in folders {
        add_tree(folder, &mut found);
    }
    found
}

/// The names in a folder; none when it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn add_tree(path: &Path, found: &mut BTreeMap<PathBuf, Fingerprint>) {
    let Some(metadata) = add(path, found) else { return };
    if !metadata.is_dir() {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        add_tree(&entry.path(), found);
    }
}

fn add(path: &Path, found: &mut BTreeMap<PathBuf, Fingerprint>) -> Option<Metadata> {
    let metadata = fs::symlink_metadata(path).ok()?;
    found.insert(path.to_owned(), fingerprint(path, &metadata));
    Some(metadata)
}

fn fingerprint(path: &Path, metadata: &Metadata) -> Fingerprint {
    Fingerprint {
        mode: metadata.mode(),
        links: metadata.nlink(),
        bytes: metadata.len(),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        content: content(path, metadata),
    }
}

fn content(path: &Path, metadata: &Metadata) -> u64 {
    let is_read = metadata.is_file() && metadata.len() <= READ_BYTES;
    let bytes = if is_read { fs::read(path).unwrap_or_default() } else { Vec::new() };
    digest_number("joust-clean-state-1", &[&bytes])
}

/// Adds what is new, gone or different.
pub(super) fn compare(
    before: &BTreeMap<PathBuf, Fingerprint>,
    after: &BTreeMap<PathBuf, Fingerprint>,
    wrong: &mut Vec<String>,
) {
    for (path, new) in after {
        match before.get(path) {
            None => wrong.push(format!("C2 new file `{}`", path.display())),
            Some(old) if old != new => wrong.push(format!("C2 changed file `{}`", path.display())),
            Some(_) => {}
        }
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        wrong.push(format!("C2 lost file `{}`", path.display()));
    }
}

/// Adds what is new; that a folder was used and emptied again is no harm.
pub(super) fn compare_names(
    before: &BTreeMap<PathBuf, Fingerprint>,
    after: &BTreeMap<PathBuf, Fingerprint>,
    wrong: &mut Vec<String>,
) {
    for path in after.keys().filter(|path| !before.contains_key(*path)) {
        wrong.push(format!("C2 new file `{}`", path.display()));
    }
}

//! Source tree of a bot: what belongs to it, and its hash.
//!
//! Hidden files never belong to it, nor do the language's own left-overs, so
//! no hidden tool configuration is ever obeyed. Links may lead to places
//! inside the tree only.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::problem::Problem;
use joust_model::BuildHash;

/// How many files a source tree may have.
const MOST_FILES: usize = 20_000;
/// How many bytes a source tree may have.
const MOST_BYTES: u64 = 512 << 20;
/// How deep folders may be nested.
const DEEPEST: usize = 64;

/// The hash of a source tree: paths, executable bits, links and contents.
pub type SourceHash = BuildHash;

/// One file of a source tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path within the tree, with `/`.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
}

/// What a file of a source tree is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// A plain file.
    Plain {
        /// Whether it may be executed.
        executable: bool,
        /// The SHA-256 of its contents.
        #[serde(with = "as_digits")]
        hash: [u8; 32],
    },
    /// A link to another place in the tree.
    Link(String),
}

/// A hash as the digits of a stored document.
mod as_digits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::BuildHash;

    pub(super) fn serialize<S: Serializer>(hash: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        BuildHash(*hash).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
        BuildHash::deserialize(from).map(|hash| hash.0)
    }
}

/// A source tree, sorted by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTree {
    /// Where it lies.
    pub root: PathBuf,
    /// Its files.
    pub files: Vec<SourceFile>,
}

impl SourceTree {
    /// Returns a tree without a file.
    #[must_use]
    pub(super) fn empty() -> Self {
        Self { root: PathBuf::new(), files: Vec::new() }
    }

    /// Reads the tree under `root`, without hidden files and what is called
    /// like one of `ignore`.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a source.
    pub fn read(root: &Path, ignore: &[String]) -> Result<Self, Problem> {
        Self::walk(root, Skip { hidden: true, names: ignore, shipped: None })
    }

    /// As [`SourceTree::read`], with the files beside the file `run`, relative to
    /// `root`, where that is there in a folder that is left out otherwise: a program
    /// that was built before.
    ///
    /// # Errors
    ///
    /// As [`SourceTree::read`].
    pub fn read_with(root: &Path, ignore: &[String], run: &str) -> Result<Self, Problem> {
        let is_there = root.join(run).symlink_metadata().is_ok_and(|file| file.is_file());
        let folder = run.rsplit_once('/').map(|(folder, _)| folder).filter(|_| is_there);
        Self::walk(root, Skip { hidden: true, names: ignore, shipped: folder })
    }

    /// Reads everything under `root`, hidden files too: the result of a build.
    ///
    /// # Errors
    ///
    /// The first file that cannot be part of a result.
    pub(super) fn read_all(root: &Path) -> Result<Self, Problem> {
        Self::walk(root, Skip { hidden: false, names: &[], shipped: None })
    }

    fn walk(root: &Path, skip: Skip<'_>) -> Result<Self, Problem> {
        let mut walk = Walk::new(root, skip)?;
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
    pub fn of_file(path: &Path) -> Result<Self, Problem> {
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let root = beside.unwrap_or(Path::new("."));
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| Problem::new(path, "the file's name is not UTF-8"))?;
        let mut walk = Walk::new(root, Skip { hidden: true, names: &[], shipped: None })?;
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
    ) -> Result<Self, Problem> {
        let absolute = std::path::absolute(path).map_err(|error| unreadable(path, &error))?;
        let root = absolute.ancestors().nth(entry.split('/').count());
        let root = root.ok_or_else(|| Problem::new(path, "it is in no folder"))?;
        let mut walk = Walk::new(root, Skip { hidden: true, names: ignore, shipped: None })?;
        walk.main(path, entry.to_owned())?;
        for one in beside {
            let at = root.join(one);
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

    /// Returns the tree's hash; where it lies plays no part.
    #[must_use]
    pub fn hash(&self) -> SourceHash {
        let mut fields: Vec<Vec<u8>> = Vec::new();
        for file in &self.files {
            let (kind, content) = match &file.kind {
                FileKind::Plain { executable: false, hash } => ("file", hash.to_vec()),
                FileKind::Plain { executable: true, hash } => ("program", hash.to_vec()),
                FileKind::Link(target) => ("link", target.clone().into_bytes()),
            };
            fields.extend([file.path.clone().into_bytes(), kind.into(), content]);
        }
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        SourceHash::of("joust-source-1", &fields)
    }

    /// Says whether a file of that path is there.
    #[must_use]
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
        for file in &self.files {
            let to = target.join(&file.path);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            match &file.kind {
                FileKind::Link(link) => std::os::unix::fs::symlink(link, &to)?,
                FileKind::Plain { executable, .. } => {
                    fs::copy(self.root.join(&file.path), &to)?;
                    let mode = if *executable { 0o755 } else { 0o644 };
                    fs::set_permissions(&to, fs::Permissions::from_mode(mode))?;
                }
            }
        }
        Ok(())
    }
}

/// What a walk leaves out.
struct Skip<'a> {
    hidden: bool,
    names: &'a [String],
    /// A folder whose own files are taken all the same.
    shipped: Option<&'a str>,
}

struct Walk<'a> {
    root: &'a Path,
    canonical: PathBuf,
    skip: Skip<'a>,
    files: Vec<SourceFile>,
    bytes: u64,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, skip: Skip<'a>) -> Result<Self, Problem> {
        let canonical = root.canonicalize().map_err(|error| unreadable(root, &error))?;
        Ok(Self { root, canonical, skip, files: Vec::new(), bytes: 0 })
    }

    fn folder(&mut self, inside: &str, depth: usize) -> Result<(), Problem> {
        let folder = self.root.join(inside);
        if depth > DEEPEST {
            return Err(Problem::new(&folder, format!("more than {DEEPEST} folders deep")));
        }
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            self.entry(&entry, inside, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &fs::DirEntry, inside: &str, depth: usize) -> Result<(), Problem> {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str();
        let name = name.ok_or_else(|| Problem::new(&path, "the file's name is not UTF-8"))?;
        if self.skip.hidden && name.starts_with('.') {
            return Ok(());
        }
        let relative = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
        if self.skip.names.iter().any(|ignored| ignored == name) {
            return self.shipped(&relative);
        }
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() {
            self.folder(&relative, depth + 1)
        } else if kind.is_symlink() {
            self.link(&path, relative)
        } else {
            self.plain(&path, relative)
        }
    }

    /// Takes the files that were shipped somewhere beneath the folder `left_out`.
    fn shipped(&mut self, left_out: &str) -> Result<(), Problem> {
        let Some(inside) = self.skip.shipped else { return Ok(()) };
        if !Path::new(inside).starts_with(left_out) {
            return Ok(());
        }
        let folder = self.root.join(inside);
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.filter(|name| !name.starts_with('.'));
            let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            if let Some(name) = name.filter(|_| is_plain) {
                self.plain(&path, format!("{inside}/{name}"))?;
            }
        }
        Ok(())
    }

    fn link(&mut self, path: &Path, relative: String) -> Result<(), Problem> {
        let target = fs::read_link(path).map_err(|error| unreadable(path, &error))?;
        let real = path.canonicalize();
        let stays = target.is_relative()
            && real.is_ok_and(|real| real.starts_with(&self.canonical) && !leads_up(path, &real));
        match target.to_str().filter(|_| stays) {
            Some(target) => self.keep(relative, FileKind::Link(target.to_owned())),
            None => Err(Problem::new(path, "a link that does not stay inside the bot's folder")),
        }
    }

    /// Takes the file that is the bot; where it is a link that stays in the folder, what it
    /// leads to.
    fn main(&mut self, path: &Path, relative: String) -> Result<(), Problem> {
        let real = path.canonicalize().ok().filter(|real| real.starts_with(&self.canonical));
        match real.filter(|_| path.is_symlink()) {
            Some(real) => self.plain(&real, relative),
            None => self.plain(path, relative),
        }
    }

    fn plain(&mut self, path: &Path, relative: String) -> Result<(), Problem> {
        let metadata = path.symlink_metadata().map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            return Err(Problem::new(path, "neither a plain file nor a folder"));
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        if self.bytes > MOST_BYTES {
            let message = format!("the bot has more than {} MiB", MOST_BYTES >> 20);
            return Err(Problem::new(self.root, message));
        }
        let hash = hash_file(path).map_err(|error| unreadable(path, &error))?;
        let executable = metadata.permissions().mode() & 0o111 != 0;
        self.keep(relative, FileKind::Plain { executable, hash })
    }

    fn keep(&mut self, path: String, kind: FileKind) -> Result<(), Problem> {
        if self.files.len() == MOST_FILES {
            let message = format!("the bot has more than {MOST_FILES} files");
            return Err(Problem::new(self.root, message));
        }
        self.files.push(SourceFile { path, kind });
        Ok(())
    }
}

/// Says whether a link leads to a folder it lies in: a loop for whoever walks.
fn leads_up(link: &Path, real: &Path) -> bool {
    link.parent()
        .and_then(|parent| parent.canonicalize().ok())
        .is_none_or(|at| at.starts_with(real))
}

/// Returns the SHA-256 of a file's contents.
pub(super) fn hash_file(path: &Path) -> std::io::Result<[u8; 32]> {
    let (mut file, mut hash) = (fs::File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            read => hash.update(&buffer[..read]),
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::io(path, "read", error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn hash(folder: &tempfile::TempDir) -> SourceHash {
        SourceTree::read(folder.path(), &[]).unwrap().hash()
    }

    #[test]
    fn a_program_that_was_built_before_is_taken_with_what_lies_beside_it() {
        let files =
            ["bot.cs", "bin/Debug/Bot.exe", "bin/Debug/J.dll", "bin/x", "bin/Debug/en/J.dll"];
        let folder = folder(&files.map(|path| (path, "")));
        let ignore = ["bin".to_owned()];
        let paths = |run: &str| -> Vec<String> {
            let tree = SourceTree::read_with(folder.path(), &ignore, run).unwrap();
            tree.files.into_iter().map(|file| file.path).collect()
        };
        assert_eq!(paths("bin/Debug/Bot.exe"), ["bin/Debug/Bot.exe", "bin/Debug/J.dll", "bot.cs"]);
        assert_eq!(paths("bin/Release/Bot.exe"), ["bot.cs"]);
    }

    #[test]
    fn equal_trees_in_different_places_have_one_hash() {
        let files = [("a.py", "1"), ("lib/b.py", "2")];
        assert_eq!(hash(&folder(&files)), hash(&folder(&files)));
    }

    #[test]
    fn content_path_and_executable_bit_change_the_hash() {
        let base = hash(&folder(&[("a", "1")]));
        assert_ne!(base, hash(&folder(&[("a", "2")])));
        assert_ne!(base, hash(&folder(&[("b", "1")])));
        let other = folder(&[("a", "1")]);
        let path = other.path().join("a");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        assert_ne!(base, hash(&other));
    }

    #[test]
    fn hidden_and_ignored_files_are_not_part_of_it() {
        let all = folder(&[("a", "1"), (".git/config", "x"), ("lib/target/b", "2")]);
        let tree = SourceTree::read(all.path(), &["target".to_owned()]).unwrap();
        assert_eq!(tree.hash(), hash(&folder(&[("a", "1")])));
    }

    #[test]
    fn a_link_inside_is_kept_and_one_that_leaves_is_refused() {
        let tree = folder(&[("lib/b", "2")]);
        symlink("lib/b", tree.path().join("b")).unwrap();
        let read = SourceTree::read(tree.path(), &[]).unwrap();
        assert_eq!(read.files[0].kind, FileKind::Link("lib/b".to_owned()));
        for target in ["/etc/passwd", "../outside", "lib/../../x", "nowhere", "."] {
            let tree = folder(&[("lib/b", "2")]);
            symlink(target, tree.path().join("c")).unwrap();
            let problem = SourceTree::read(tree.path(), &[]).unwrap_err();
            assert!(problem.message.starts_with("a link that"), "{target}: {problem}");
        }
    }

    #[test]
    fn a_bot_that_is_a_link_is_what_it_leads_to_in_its_folder() {
        let tree = folder(&[("real.py", "1"), ("agent.py.d/x", "")]);
        symlink("real.py", tree.path().join("agent.py")).unwrap();
        symlink("/etc/passwd", tree.path().join("far.py")).unwrap();
        let read = SourceTree::of_file(&tree.path().join("agent.py")).unwrap();
        assert_eq!(read.hash(), hash(&folder(&[("agent.py", "1")])));
        let copy = folder(&[]);
        read.copy_to(copy.path()).unwrap();
        assert_eq!(hash(&copy), read.hash());
        assert!(SourceTree::of_file(&tree.path().join("far.py")).is_err());
    }

    #[test]
    fn a_socket_is_refused() {
        let tree = folder(&[]);
        let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("s")).unwrap();
        let problem = SourceTree::read(tree.path(), &[]).unwrap_err();
        assert_eq!(problem.message, "neither a plain file nor a folder");
    }

    #[test]
    fn a_copy_has_the_same_hash() {
        let (tree, copy) = (folder(&[("a", "1"), ("lib/b", "2")]), folder(&[]));
        symlink("a", tree.path().join("c")).unwrap();
        let read = SourceTree::read(tree.path(), &[]).unwrap();
        read.copy_to(copy.path()).unwrap();
        assert_eq!(hash(&copy), read.hash());
    }
}

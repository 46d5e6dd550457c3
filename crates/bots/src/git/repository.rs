//! The organiser's repository: the one around the tournament's file.
//!
//! It is found by its `.git` alone, from the tournament's folder upwards. A folder that
//! merely looks like a repository is none, and a `.git` beneath the tournament's folder,
//! such as a bot's, is never looked at.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::GitError;
use super::blobs::Blobs;
use super::program::GitProgram;

/// Longest list of a commit's files and folders, bytes: a million of usual paths.
const LONGEST_LIST: u64 = 64 << 20;

/// A repository with its working tree.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The top of the working tree.
    pub root: PathBuf,
    folder: PathBuf,
    program: GitProgram,
}

/// Kind of a commit's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A plain file.
    Plain {
        /// True if it may be executed.
        executable: bool,
    },
    /// A link.
    Link,
    /// A commit of another repository.
    Submodule,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Its object.
    pub id: String,
    /// Path relative to the top; nothing but names.
    pub path: PathBuf,
}

impl Repository {
    /// Finds the repository that `folder` is in.
    ///
    /// # Errors
    ///
    /// [`GitError`] when there is no repository, another user owns it, or git is missing.
    pub fn of(folder: &Path) -> Result<Self, GitError> {
        let program = GitProgram::find(folder)?;
        let none = || GitError::NoRepository(folder.to_owned());
        let start = folder.canonicalize().map_err(|_| none())?;
        let found = start.ancestors().find_map(|root| Some((root, git_folder(root)?)));
        let (root, folder) = found.ok_or_else(none)?;
        if !is_trusted(&folder, &start) || !is_trusted(&root.join(".git"), &start) {
            return Err(GitError::Foreign(root.to_owned()));
        }
        Ok(Self { root: root.to_owned(), folder, program })
    }

    /// Returns the commit to compare with: the last one that `name` and `HEAD`
    /// have in common, or `name` itself where the history is too short to tell.
    ///
    /// # Errors
    ///
    /// [`GitError::NoCommit`] when `name` stands for nothing that is here.
    pub fn base(&self, name: &str) -> Result<String, GitError> {
        let commit = self.commit(name)?;
        let common = self.start(&["merge-base", &commit, "HEAD"])?;
        let text = line(&common.stdout);
        Ok(if common.status.success() && is_hash(&text) { text } else { commit })
    }

    /// Returns the commit that `name` stands for.
    ///
    /// # Errors
    ///
    /// [`GitError::NoCommit`] when the repository has no such commit.
    pub fn commit(&self, name: &str) -> Result<String, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let found = match name.starts_with('-') {
            true => None,
            false => Some(self.start(&["rev-parse", "--verify", "--quiet", &wanted])?),
        };
        match found.filter(|output| output.status.success()).map(|output| line(&output.stdout)) {
            Some(commit) if is_hash(&commit) => Ok(commit),
            _ => Err(GitError::NoCommit {
                name: name.to_owned(),
                shallow: self.is_shallow(),
                remotes: self.remotes(),
            }),
        }
    }

    fn remotes(&self) -> Vec<String> {
        let names = self.ask(&["remote"]).unwrap_or_default();
        String::from_utf8_lossy(&names).lines().map(str::to_owned).collect()
    }

    fn is_shallow(&self) -> bool {
        let asked = self.ask(&["rev-parse", "--is-shallow-repository"]);
        asked.is_ok_and(|answer| answer.starts_with(b"true"))
    }

    /// Returns the files of a commit, sorted by path; those beneath `place` if it is given.
    /// Paths that no working tree may hold, such as `..` or `.git`, are left out.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git fails, or the list of the files and folders has more than 64 MiB: a
    /// commit of some kilobytes can stand for any number of them.
    pub fn entries(&self, commit: &str, place: Option<&str>) -> Result<Vec<TreeEntry>, GitError> {
        // Folders are listed, too, because git reads each: a list of empty ones would have no end.
        let mut words = vec!["ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--"];
        words.extend(place.filter(|place| !place.is_empty()));
        let listed = self.list(&words)?;
        Ok(listed.split(|byte| *byte == 0).filter_map(parse_entry).collect())
    }

    /// Returns a reader of contents.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git cannot be started.
    pub fn blobs(&self) -> Result<Blobs, GitError> {
        let mut command = self.command();
        command.args(["cat-file", "--batch"]);
        Blobs::start(command)
    }

    /// Returns the repository of a submodule that has `commit`: one that lies in this
    /// one's own folder, never what lies in the working tree.
    ///
    /// # Errors
    ///
    /// [`GitError`] when git fails.
    pub fn submodule(&self, commit: &str) -> Result<Option<Self>, GitError> {
        let common = self.ask(&["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        let places = [self.folder.clone(), path(common.trim_ascii_end())];
        for folder in places.iter().flat_map(|place| modules(&place.join("modules"))) {
            let module = Self { folder, ..self.clone() };
            if module.commit(commit).is_ok() {
                return Ok(Some(module));
            }
        }
        Ok(None)
    }

    fn command(&self) -> Command {
        self.program.command_for(&self.folder, &self.root)
    }

    fn start(&self, words: &[&str]) -> Result<Output, GitError> {
        self.command().args(words).output().map_err(GitError::NotStarted)
    }

    /// Runs a command that may print any amount.
    fn list(&self, words: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut command = self.command();
        command.args(words).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::NotStarted)?;
        let mut listed = Vec::new();
        let read = child.stdout.take().expect("a pipe").take(LONGEST_LIST + 1);
        let read = io::BufReader::new(read).read_to_end(&mut listed);
        let is_cut = listed.len() as u64 > LONGEST_LIST;
        if is_cut {
            // It may have ended already.
            let _ = child.kill();
        }
        let status = child.wait().map_err(GitError::NotStarted)?;
        match read.map_err(GitError::NotStarted)? {
            _ if is_cut => Err(GitError::TooManyFiles),
            _ if status.success() => Ok(listed),
            // The second call returns git's message in its error.
            _ => self.ask(words),
        }
    }

    fn ask(&self, words: &[&str]) -> Result<Vec<u8>, GitError> {
        let output = self.start(words)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(GitError::Failed { command: words.join(" "), message: one_line(&output.stderr) })
    }
}

/// Returns the repositories beneath a folder.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let is_content =
        |name: &OsStr| ["objects", "refs", "logs", "hooks"].iter().any(|no| name == *no);
    let walk = walkdir::WalkDir::new(folder).min_depth(1).max_depth(12).into_iter();
    let walk = walk.filter_entry(|entry| !is_content(entry.file_name()));
    let found = walk.filter_map(Result::ok).map(walkdir::DirEntry::into_path);
    found.filter(|place| is_git_folder(place)).collect()
}

/// Returns the repository of the working tree `root`, if it is the top of one.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let place = root.join(".git");
    if place.is_dir() {
        return place.canonicalize().ok().filter(|folder| is_git_folder(folder));
    }
    let told = gitdir_of(&place).ok()?;
    root.join(told).canonicalize().ok().filter(|folder| is_git_folder(folder))
}

/// Reads the `.git` of a linked working tree or of a submodule.
fn gitdir_of(file: &Path) -> io::Result<PathBuf> {
    let mut bytes = Vec::new();
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    File::open(file)?.take(4096).read_to_end(&mut bytes)?;
    let told = bytes.strip_prefix(b"gitdir:").ok_or(io::ErrorKind::InvalidData)?;
    Ok(path(told.trim_ascii()))
}

fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").symlink_metadata().is_ok()
        && (folder.join("objects").is_dir() || folder.join("commondir").is_file())
}

/// Returns whether the owner of `place` is the owner of the tournament's folder, this process's
/// user or root.
fn is_trusted(place: &Path, tournament: &Path) -> bool {
    let owner = |path: &Path| fs::metadata(path).map(|data| data.uid()).ok();
    let Some(owned) = owner(place) else { return false };
    owned == 0 || Some(owned) == owner(tournament) || Some(owned) == owner(Path::new("/proc/self"))
}

/// Reads `MODE TYPE ID\tPATH`; `None` for a folder.
fn parse_entry(line: &[u8]) -> Option<TreeEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut about = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
    let (mode, object, id) = (about.next()?, about.next()?, about.next()?);
    let kind = match mode {
        "120000" => EntryKind::Link,
        "160000" => EntryKind::Submodule,
        _ => EntryKind::Plain { executable: mode == "100755" },
    };
    let path = path(&line[tab + 1..]);
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    let is_plain = path.components().all(is_plain) && path.file_name().is_some();
    (is_plain && object != "tree").then(|| TreeEntry { kind, id: id.to_owned(), path })
}

/// Returns whether a text is the whole name of an object.
pub(super) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned()
}

fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    joust_model::escaped(&lines.join("; "))
}

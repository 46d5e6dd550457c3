//! Content of a referee's folder: the files that determine its rules, and their hash.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use joust_referee::{RefereeHash, sha256};

use super::super::plain_file::{PlainFileError, read_plain};

/// Patterns of files that do not count unless a game's file selects them.
const NOT_COUNTED: [&str; 11] = [
    "**/*.md",
    "bots/**",
    "site/**",
    "joust-ci/**",
    "tournament.yaml",
    "**/*.db",
    "**/*.db[-.]*",
    "**/__pycache__/**",
    "node_modules/**",
    "target/**",
    "**/*.pyc",
];

const TOO_LARGE: &str = "the folder is too large; `files` says what counts";
const MOST_FILES: usize = 20_000;

/// Bytes of a file or folder that is looked at, beside its content.
const BYTES_OF_AN_ENTRY: u64 = 256;

/// Bytes that may still be read of the folders of a tournament's games: one folder can be that of
/// many games.
pub(super) struct ContentBudget(Cell<u64>);

impl Default for ContentBudget {
    fn default() -> Self {
        Self(Cell::new(256 << 20))
    }
}

impl ContentBudget {
    fn take(&self, bytes: u64) -> io::Result<()> {
        let left = self.0.get().checked_sub(bytes).ok_or_else(|| content_error(TOO_LARGE))?;
        self.0.set(left);
        Ok(())
    }
}

/// Files that count.
pub(super) enum FileSelection {
    /// Files that these patterns select.
    Selected(GlobSet),
    /// All files but these.
    AllBut(GlobSet),
}

impl FileSelection {
    /// Makes the choice of these patterns; of none, the usual one.
    ///
    /// # Errors
    ///
    /// The invalid pattern, and the reason.
    pub(super) fn of(patterns: &[&str]) -> Result<Self, globset::Error> {
        if patterns.is_empty() {
            return build_glob_set(NOT_COUNTED.iter().copied()).map(Self::AllBut);
        }
        build_glob_set(patterns.iter().copied()).map(Self::Selected)
    }

    fn counts(&self, path: &str) -> bool {
        match self {
            Self::Selected(set) => set.is_match(path),
            Self::AllBut(set) => !set.is_match(path),
        }
    }
}

fn build_glob_set<'a>(patterns: impl Iterator<Item = &'a str>) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        // `*.py` are files beside the game's own, and not those of bots.
        builder.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
    }
    builder.build()
}

/// Files of a folder that count, and their hash.
pub(super) struct RefereeContent {
    pub(super) hash: RefereeHash,
    /// The files, relative to the folder, sorted.
    pub(super) files: Vec<String>,
}

/// Returns the files of a folder that count; `file` always does.
///
/// # Errors
///
/// The file that cannot be read, or the limit that is exceeded.
pub(super) fn read_content(
    folder: &Path,
    file: &Path,
    counted: &FileSelection,
    budget: &ContentBudget,
) -> io::Result<RefereeContent> {
    let mut walk = ContentWalk { counted, file, found: Vec::new(), budget };
    walk.add_folder(folder, "")?;
    walk.found.sort();
    let mut all = b"joust-referee-1".to_vec();
    for (path, content) in &walk.found {
        all.extend((path.len() as u64).to_le_bytes());
        all.extend(path.as_bytes());
        all.extend(content);
    }
    let files = walk.found.into_iter().map(|(path, _)| path).collect();
    Ok(RefereeContent { hash: RefereeHash(sha256(&all)), files })
}

struct ContentWalk<'a> {
    counted: &'a FileSelection,
    file: &'a Path,
    found: Vec<(String, [u8; 32])>,
    budget: &'a ContentBudget,
}

impl ContentWalk<'_> {
    #[expect(clippy::disallowed_methods, reason = "a referee is known by the hash of its files")]
    fn add_folder(&mut self, folder: &Path, below: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            self.budget.take(BYTES_OF_AN_ENTRY)?;
            let name = entry.file_name();
            let name = name.to_str().ok_or_else(|| content_error("a file's name is not UTF-8"))?;
            if name.starts_with('.') {
                continue;
            }
            let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            match () {
                () if kind.is_dir() => self.add_folder(&entry.path(), &path)?,
                () if entry.path() == *self.file || self.counted.counts(&path) => {
                    self.add_file(&entry.path(), path, kind.is_symlink())?;
                }
                () => {}
            }
        }
        Ok(())
    }

    fn add_file(&mut self, at: &Path, path: String, is_link: bool) -> io::Result<()> {
        let content = match is_link {
            true => fs::read_link(at)?.to_string_lossy().into_owned().into_bytes(),
            false => {
                let content =
                    read_plain(at, self.budget.0.get()).map_err(|unread| match unread {
                        PlainFileError::TooLong(_) => content_error(TOO_LARGE),
                        other => content_error(&format!("`{path}`: {other}")),
                    })?;
                self.budget.take(content.len() as u64)?;
                if self.found.len() >= MOST_FILES {
                    return Err(content_error(TOO_LARGE));
                }
                if at == self.file { without_viewer(&content) } else { content }
            }
        };
        self.found.push((path, sha256(&content)));
        Ok(())
    }
}

/// Returns a game's file without its viewer hints, which are no rules: without the lines from
/// `viewer:` to the next key.
fn without_viewer(file: &[u8]) -> Vec<u8> {
    let mut is_viewer = false;
    let lines = file.split_inclusive(|byte| *byte == b'\n').filter(|line| {
        if !line.first().is_some_and(|first| b" \t#\r\n".contains(first)) {
            is_viewer = line.starts_with(b"viewer:");
        }
        !is_viewer
    });
    lines.flatten().copied().collect()
}

fn content_error(what: &str) -> io::Error {
    io::Error::other(what)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests write what is read")]
mod tests {
    use super::*;

    fn hash_of(files: &[(&str, &str)], patterns: &[&str]) -> RefereeHash {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let counted = FileSelection::of(patterns).unwrap();
        let file = folder.path().join("game.yaml");
        read_content(folder.path(), &file, &counted, &ContentBudget::default()).unwrap().hash
    }

    #[test]
    fn a_page_and_a_bot_are_no_rules() {
        let base = hash_of(&[("game.yaml", ""), ("a.py", "1")], &[]);
        let more = [
            "README.md",
            "docs/a.md",
            "bots/b/b.py",
            "results.db",
            "site/x",
            "joust-ci/replays/r.html",
            ".git/y",
        ];
        let more: Vec<_> = more.map(|path| (path, "z")).to_vec();
        assert_eq!(hash_of(&[&[("game.yaml", ""), ("a.py", "1")], &*more].concat(), &[]), base);
        assert_ne!(hash_of(&[("game.yaml", "x"), ("a.py", "1")], &[]), base);
        assert_ne!(hash_of(&[("game.yaml", ""), ("a.py", "2")], &[]), base);
    }

    #[test]
    fn viewer_keys_are_no_rules() {
        let base = hash_of(&[("game.yaml", "id: a\nseats: 2\n")], &[]);
        let hinted =
            "id: a\nviewer:\n  legend:\n\n    # walls\n    '#': { kind: wall }\nseats: 2\n";
        assert_eq!(hash_of(&[("game.yaml", hinted)], &[]), base);
        assert_eq!(hash_of(&[("game.yaml", "id: a\nseats: 2\nviewer: {open: true}")], &[]), base);
        assert_ne!(hash_of(&[("game.yaml", "id: a\nseats: 3\nviewer: {}\n")], &[]), base);
        // In another file it is a line like any other.
        let other = |text| hash_of(&[("game.yaml", ""), ("a.yaml", text)], &[]);
        assert_ne!(other("viewer: 1\n"), other(""));
    }

    #[test]
    fn a_pipe_in_the_folder_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        nix::unistd::mkfifo(&folder.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let counted = FileSelection::of(&[]).unwrap();
        let (file, budget) = (folder.path().join("game.yaml"), ContentBudget::default());
        let found = read_content(folder.path(), &file, &counted, &budget);
        assert_eq!(found.err().unwrap().to_string(), "`pipe`: this is a pipe, not a plain file");
    }

    #[test]
    fn a_folder_of_many_games_is_read_within_one_budget() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("data"), vec![0; 1000]).unwrap();
        let (file, budget) = (folder.path().join("game.yaml"), ContentBudget(Cell::new(3000)));
        let counted = FileSelection::of(&[]).unwrap();
        let read = || read_content(folder.path(), &file, &counted, &budget).is_ok();
        assert_eq!([read(), read(), read()], [true, true, false]);
    }

    #[test]
    fn counted_files_can_be_chosen() {
        let base = hash_of(&[("game.yaml", ""), ("a.py", "1")], &["*.py"]);
        assert_eq!(hash_of(&[("game.yaml", ""), ("a.py", "1"), ("data", "2")], &["*.py"]), base);
        assert_eq!(
            hash_of(&[("game.yaml", ""), ("a.py", "1"), ("bots/b.py", "2")], &["*.py"]),
            base
        );
        assert_ne!(hash_of(&[("game.yaml", "x"), ("a.py", "1")], &["*.py"]), base);
        let maps = |text| hash_of(&[("game.yaml", ""), ("maps/old/a", text)], &["maps/**"]);
        assert_ne!(maps("1"), maps("2"));
    }
}

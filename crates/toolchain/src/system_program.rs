//! System programs that a bot starts: a chess engine of the distribution, say.
//!
//! Such a program is no file of the bot, although it chooses the moves. A bot names it by its
//! whole path in one of the folders for games; every file of the bot that is not large is
//! searched for such paths. The program's content and its package's version are part of
//! the bot's build: another version is another bot. No program is started for this; the
//! package is found in dpkg's own files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use joust_bots::{SourceTree, source::FileKind};
use joust_config::read_plain;
use joust_referee::sha256;

/// Folders of the system's games, where a bot may name programs.
const FOLDERS: [&str; 2] = ["/usr/games/", "/usr/local/games/"];

/// The largest file of a bot that is searched, bytes.
const LARGEST: u64 = 256 * 1024;

/// The most programs that a bot's files may name; more do not count.
const MOST: usize = 16;

/// Folder in which dpkg keeps its files.
const DPKG: &str = "/var/lib/dpkg";

/// A program of the system that a bot names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemProgram {
    /// Its path.
    pub path: String,
    /// The SHA-256 of its content, in digits of base 16.
    pub sha256: String,
    /// The package that brought it and its version, `stockfish 15.1-4`; empty where dpkg
    /// does not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub package: String,
}

impl SystemProgram {
    /// Returns the programs that the files of a bot name and this machine has, sorted by path.
    pub fn of(tree: &SourceTree) -> Vec<Self> {
        let mut named = BTreeSet::new();
        for file in &tree.files {
            let path = tree.root.join(&file.path);
            let is_searched = matches!(file.kind, FileKind::Plain { .. });
            if is_searched && let Ok(bytes) = read_plain(&path, LARGEST) {
                named.extend(paths_in(&bytes));
            }
        }
        named.into_iter().take(MOST).filter_map(|path| Self::at(&path)).collect()
    }

    /// Returns the program at a path of this machine, if there is one.
    pub fn at(path: &str) -> Option<Self> {
        let file = fs::canonicalize(path).ok().filter(|file| file.is_file())?;
        let digits = |byte: u8| format!("{byte:02x}");
        let sha256 = sha256(&fs::read(&file).ok()?).into_iter().map(digits).collect();
        let owner =
            package(Path::new(DPKG), path).or_else(|| package(Path::new(DPKG), file.to_str()?));
        Some(Self { path: path.to_owned(), sha256, package: owner.unwrap_or_default() })
    }

    /// Returns whether a bot's files could name its path. The record of a build may come from
    /// another machine, so it is checked.
    pub fn is_of_games(&self) -> bool {
        paths_in(self.path.as_bytes()) == [self.path.as_str()]
    }

    /// Returns a line that describes it.
    pub fn description(&self) -> String {
        let hash = self.sha256.get(..16).unwrap_or(&self.sha256);
        match self.package.as_str() {
            "" => format!("{}, of no package, sha256 {hash}", self.path),
            package => format!("{} of {package}, sha256 {hash}", self.path),
        }
    }
}

/// Returns the paths in a text that lie in one of the folders.
fn paths_in(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    let of_folder = |folder: &'static str| {
        let after = text.match_indices(folder).map(|(place, _)| &text[place + folder.len()..]);
        let name = |rest: &str| rest.chars().take_while(|c| is_of_name(*c)).collect::<String>();
        let names: Vec<String> = after.map(name).collect();
        names
            .into_iter()
            .filter(|name| !matches!(&**name, "" | "." | ".."))
            .map(move |name| format!("{folder}{}", name.trim_end_matches('.')))
    };
    FOLDERS.into_iter().flat_map(of_folder).collect()
}

/// Returns name and version of the package that brought a file.
fn package(dpkg: &Path, file: &str) -> Option<String> {
    let lists = fs::read_dir(dpkg.join("info")).ok()?.flatten().map(|entry| entry.path());
    let brings = |list: &std::path::PathBuf| {
        let is_list = list.extension().is_some_and(|extension| extension == "list");
        is_list && fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| line == file))
    };
    let list = lists.into_iter().find(brings)?;
    let name = list.file_stem()?.to_str()?;
    let name = name.split(':').next().unwrap_or(name);
    let status = fs::read_to_string(dpkg.join("status")).ok()?;
    let own = status
        .split("\n\n")
        .find(|own| own.lines().any(|line| line.strip_prefix("Package: ") == Some(name)))?;
    let version = own.lines().find_map(|line| line.strip_prefix("Version: "))?;
    Some(format!("{name} {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_wherever_a_file_names_them() {
        let text =
            b"#!/bin/sh\n# not /usr/bin/env\nexec /usr/games/stockfish-15.1 --x=/usr/games/book.\n\
                     '/usr/local/games/own'; cd /usr/games/; ls /usr/games/..\n";
        let expected = ["/usr/games/stockfish-15.1", "/usr/games/book", "/usr/local/games/own"];
        assert_eq!(paths_in(text), expected);
        assert!(paths_in(b"\xff\xfe/usr/game").is_empty());
        let program = |path: &str| SystemProgram {
            path: path.to_owned(),
            sha256: String::new(),
            package: String::new(),
        };
        assert!(program("/usr/games/own").is_of_games());
        for path in
            ["/proc/kcore", "/usr/games/../../etc/shadow", "/usr/games/a b", "x/usr/games/a"]
        {
            assert!(!program(path).is_of_games(), "{path}");
        }
    }

    #[test]
    fn the_package_is_read_from_dpkgs_files() {
        let dpkg = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(dpkg.path().join("info")).expect("it is new");
        let write = |name: &str, text: &str| {
            fs::write(dpkg.path().join(name), text).expect("it can be written");
        };
        write("info/base:amd64.list", "/.\n/usr/bin/fish\n");
        write("info/fish:amd64.list", "/.\n/usr/games/fish\n");
        write(
            "status",
            "Package: fishing\nVersion: 9\n\nPackage: fish\nStatus: ok\nVersion: 1.2-3\n",
        );
        assert_eq!(package(dpkg.path(), "/usr/games/fish").as_deref(), Some("fish 1.2-3"));
        assert_eq!(package(dpkg.path(), "/usr/games/fis"), None);
        assert_eq!(package(&dpkg.path().join("none"), "/usr/games/fish"), None);
    }
}

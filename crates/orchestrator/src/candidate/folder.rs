//! Folders of tries: one for each event and bot, a database for each version.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use joust_config::Tournament;
use joust_model::{BuildHash, digest_text};

/// The list of versions, in the order they were tried in.
const LIST: &str = "versions";

/// Digits of a build that name a version.
const DIGITS: usize = 8;

/// The largest list that is read, bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// Folder of a bot's tries.
pub(super) struct TryFolder {
    folder: PathBuf,
}

impl TryFolder {
    /// Returns the folder of the bot called `bot` in an event.
    pub(super) fn of(tournament: &Tournament, event: &str, bot: &str) -> Self {
        let top = tournament.folder.strip_prefix(".").unwrap_or(&tournament.folder);
        let folder = top.join(".joust").join("try");
        Self { folder: folder.join(event).join(file_name(bot)) }
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.folder
    }

    /// Returns the database of a version.
    pub(super) fn database(&self, version: &str) -> PathBuf {
        self.folder.join(format!("{version}.db"))
    }

    /// Creates the folder, in which files can be made. Nothing in it is a bot's source.
    pub(super) fn create(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        tempfile::tempfile_in(&self.folder).map(drop)
    }

    /// Returns the version that was tried last before `version`, of those that are there.
    pub(super) fn last_before(&self, version: &str) -> Option<String> {
        let mut others = self.versions().into_iter().rev().filter(|other| other != version);
        others.find(|other| self.database(other).is_file())
    }

    /// Records that a version is tried, as the newest one.
    pub(super) fn note(&self, version: &str) -> io::Result<()> {
        if self.versions().last().is_some_and(|last| last == version) {
            return Ok(());
        }
        let mut list = OpenOptions::new().create(true).append(true).open(self.list())?;
        writeln!(list, "{version}")
    }

    fn list(&self) -> PathBuf {
        self.folder.join(LIST)
    }

    /// Reads the list of versions. Lines that are no version are skipped, because people may edit
    /// the file.
    fn versions(&self) -> Vec<String> {
        let list = self.list();
        let is_small = fs::metadata(&list).is_ok_and(|file| file.len() <= LARGEST_LIST);
        let text = if is_small { fs::read(&list).unwrap_or_default() } else { Vec::new() };
        let text = String::from_utf8_lossy(&text);
        let is_version =
            |line: &&str| line.len() == DIGITS && line.bytes().all(|byte| byte.is_ascii_hexdigit());
        text.lines().map(str::trim).filter(is_version).map(str::to_owned).collect()
    }
}

/// Returns the name of a version.
pub(super) fn version_of(build: BuildHash) -> String {
    let digits = build.to_string();
    digits[..DIGITS.min(digits.len())].to_owned()
}

/// Returns a bot's name as a folder's; different names have different folders.
fn file_name(bot: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    let plain: String = bot.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if plain == bot && bot.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return plain;
    }
    format!("{plain}-{}", digest_text("joust-try-1", &[bot.as_bytes()], DIGITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: PathBuf) -> TryFolder {
        TryFolder { folder }
    }

    #[test]
    fn the_last_version_is_the_one_tried_before_whatever_came_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = place(folder.path().join("ann"));
        place.create().expect("a folder");
        assert_eq!(place.last_before("aaaaaaaa"), None);
        for version in ["aaaaaaaa", "bbbbbbbb", "aaaaaaaa", "aaaaaaaa"] {
            place.note(version).expect("a line");
            fs::write(place.database(version), "").expect("a file");
        }
        assert_eq!(place.last_before("aaaaaaaa").as_deref(), Some("bbbbbbbb"));
        assert_eq!(place.last_before("cccccccc").as_deref(), Some("aaaaaaaa"));
        fs::remove_file(place.database("aaaaaaaa")).expect("it was there");
        assert_eq!(place.last_before("cccccccc").as_deref(), Some("bbbbbbbb"));
        assert_eq!(fs::read_to_string(place.list()).unwrap().lines().count(), 3);
    }

    #[test]
    fn a_folder_in_which_no_file_can_be_made_is_no_place() {
        assert!(place("/proc/self".into()).create().is_err());
    }

    #[test]
    fn a_list_of_rubbish_is_no_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = place(folder.path().to_owned());
        fs::write(place.list(), b"../../etc\n\xff\xfe\naaaa\nzzzzzzzz\n").expect("a file");
        assert_eq!(place.last_before("aaaaaaaa"), None);
    }

    #[test]
    fn names_that_no_folder_has_get_one_of_their_own() {
        assert_eq!(file_name("sniper-2.1"), "sniper-2.1");
        let names = ["Ann", "ann", "..", "ü", "ö", "a b", "a_b"].map(file_name);
        assert!(
            names.iter().all(|name| name.is_ascii() && !name.contains(['/', ' '])),
            "{names:?}"
        );
        let mut folded = names.map(|name| name.to_lowercase()).to_vec();
        folded.sort();
        folded.dedup();
        assert_eq!(folded.len(), 7, "{folded:?}");
    }
}

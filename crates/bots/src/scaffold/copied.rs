//! Starter for a custom game: a copy of a bot beside its referee.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use joust_config::{NodeValue, read_plain, yaml};

use super::{OWNER, ScaffoldError, Starter, name_of, refuse_filled};
use crate::new_files::NewFiles;

/// The largest manifest that is read, bytes.
const LARGEST: u64 = 256 << 10;
/// The file name of a bot's manifest.
const MANIFEST: &str = "bot.yaml";

/// Makes a starter of the bot in the wanted language that lies in `bots`, the folder
/// beside the referee, and returns the files written.
///
/// # Errors
///
/// [`ScaffoldError`]; nothing that was there is changed, and nothing of the bot stays.
pub fn copy(bots: &Path, starter: &Starter<'_>) -> Result<Vec<PathBuf>, ScaffoldError> {
    let name = name_of(starter.folder)?;
    let found = in_languages(bots);
    if found.is_empty() {
        return Err(ScaffoldError::Game(starter.game.to_owned()));
    }
    let from = found.get(starter.language).ok_or_else(|| ScaffoldError::Language {
        game: starter.game.to_owned(),
        language: starter.language.to_owned(),
        known: found.keys().cloned().collect(),
    })?;
    refuse_filled(starter.folder)?;
    let failed = |path: &Path, error| ScaffoldError::Write(path.to_owned(), error);
    let mut new = NewFiles::default();
    new.folder(starter.folder).map_err(|error| failed(starter.folder, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))?.flatten() {
        // Folders hold results of builds.
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let to = starter.folder.join(entry.file_name());
        let copied = match entry.file_name() == *MANIFEST {
            true => manifest(&entry.path(), &name, starter.author)
                .and_then(|text| new.create(&to)?.write_all(text.as_bytes())),
            false => copy_file(&entry.path(), &to, &mut new),
        };
        copied.map_err(|error| failed(&to, error))?;
    }
    let mut written = new.keep();
    written.sort();
    Ok(written)
}

/// Returns the languages of the bots in `bots`.
pub(super) fn languages(bots: &Path) -> Vec<String> {
    in_languages(bots).into_keys().collect()
}

/// Copies a file with the rights that it gives.
fn copy_file(from: &Path, to: &Path, new: &mut NewFiles) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mut copy = new.create(to)?;
    io::copy(&mut source, &mut copy)?;
    copy.set_permissions(source.metadata()?.permissions())
}

/// Returns the folder of the first bot in each language.
fn in_languages(bots: &Path) -> BTreeMap<String, PathBuf> {
    let mut folders: Vec<_> =
        fs::read_dir(bots).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut found = BTreeMap::new();
    for folder in folders {
        let text = text(&folder.join(MANIFEST)).unwrap_or_default();
        let manifest = yaml::read(&yaml::plain_lines(&text)).ok();
        let language = manifest.as_ref().and_then(|manifest| manifest.get("language"));
        if let Some(NodeValue::Text(language)) = language.map(|language| &language.value) {
            found.entry(language.clone()).or_insert(folder);
        }
    }
    found
}

fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_plain(path, LARGEST)?).map_err(io::Error::other)
}

/// Returns a manifest with another name and author, and without an owner.
fn manifest(path: &Path, name: &str, author: &str) -> io::Result<String> {
    let text = text(path)?;
    let is_kept =
        |line: &&str| !["name:", "author:", "owner:"].iter().any(|key| line.starts_with(key));
    let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    let json = |text: &str| serde_json::to_string(text).expect("a text is JSON");
    let author = match author {
        "" => String::new(),
        author => format!("author: {}\n", json(author)),
    };
    Ok(format!("name: {}\n{author}{kept}{OWNER}", json(name)))
}

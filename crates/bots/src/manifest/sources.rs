//! Sources without a manifest: a single file, whose extension determines the language, and a folder,
//! whose language the tournament sets.
//!
//! A compiler takes a class that a Java source names from the file of that name, so these files
//! belong to it. They are found in the text; nothing is run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use joust_config::read_plain;

use super::{Candidate, Format, Manifest};
use crate::problem::BotProblem;

/// A single source file.
pub(super) const SINGLE_FILE: Format = Format {
    name: "single-file",
    form: "a single source file whose extension names a language (`bot.py`, `bot.cpp` ...)",
    fits: |candidate| candidate.path.is_file() && language(candidate).is_some(),
    read,
};

/// A folder of sources.
pub(super) const FOLDER: Format = Format {
    name: "folder",
    form: "a folder whose entry in `bots:` says its language (`{ path: ..., language: java }`)",
    fits: |candidate| candidate.path.is_dir() && candidate.language.is_some(),
    read: |candidate| candidate.plain(candidate.language.unwrap_or_default()),
};

fn language<'a>(candidate: &Candidate<'a>) -> Option<&'a str> {
    candidate.language.or_else(|| candidate.languages.of_file(candidate.path))
}

fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let file = candidate.path.file_name().and_then(|name| name.to_str());
    let file =
        file.ok_or_else(|| vec![BotProblem::new(candidate.path, "the file's name is not UTF-8")])?;
    let language = language(candidate).unwrap_or_default();
    let beside = match language {
        "java" => find_companions(candidate.path, candidate.bots),
        _ => Vec::new(),
    };
    let entry = Some(file.to_owned());
    Ok(Manifest { entry, beside, ..candidate.plain(language)? })
}

/// The longest text that is looked through, bytes.
const LONGEST: u64 = 1 << 20;
/// Bytes of all texts that are looked through for one file.
const MOST_BYTES: u64 = 4 << 20;
/// Largest number of files that belong to one.
const MOST_FILES: usize = 1000;

/// Returns the files beside the one at `path` that it names, and that those name, sorted. Other
/// `bots` are left out, because each may name all others.
fn find_companions(path: &Path, bots: &BTreeSet<PathBuf>) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Some(own) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let mut there = classes(folder);
    if let Ok(folder) = std::path::absolute(folder) {
        there.retain(|class| !bots.contains(&folder.join(format!("{class}.java"))));
    }
    let (mut found, mut waiting) = (BTreeSet::new(), vec![own.to_owned()]);
    let mut left = MOST_BYTES;
    while let Some(file) = waiting.pop() {
        let named = named(&folder.join(&file), &there, &mut left);
        for file in named.into_iter().map(|class| format!("{class}.java")) {
            if file != own && found.len() < MOST_FILES && found.insert(file.clone()) {
                waiting.push(file);
            }
        }
    }
    found.into_iter().collect()
}

/// Returns the names of the Java files in a folder, without `.java`; links are left out.
fn classes(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = plain.filter_map(|entry| entry.file_name().into_string().ok());
    let visible = names.filter(|name| !name.starts_with('.'));
    visible.filter_map(|name| name.strip_suffix(".java").map(str::to_owned)).collect()
}

/// Returns the names of `there` that a text has as words; none of a text that is longer than what
/// is `left`.
fn named<'a>(path: &Path, there: &'a BTreeSet<String>, left: &mut u64) -> BTreeSet<&'a str> {
    let Ok(bytes) = read_plain(path, LONGEST.min(*left)) else { return BTreeSet::new() };
    *left -= bytes.len() as u64;
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$');
    let text = String::from_utf8_lossy(&bytes);
    text.split(|one| !is_part(one)).filter_map(|word| there.get(word)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_it_names_belong_to_it_and_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("Client.java", "class Client { Table<String, Spot> spots; Client other; }");
        put("Spot.java", "class Spot { Far far; }");
        put("Far.java", "\u{0} class Far { Client client; }");
        put("Spots.java", "");
        put("Table.txt", "");
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("Table.java")).unwrap();
        let find = |name: &str, bots: &[&str]| {
            let bots = bots.iter().map(|bot| folder.path().join(bot)).collect();
            find_companions(&folder.path().join(name), &bots)
        };
        assert_eq!(find("Client.java", &["Client.java"]), ["Far.java", "Spot.java"]);
        assert_eq!(
            find("Client.java", &["Spot.java"]),
            [""; 0],
            "another bot is not looked through"
        );
        assert_eq!(find("Spots.java", &[]), [""; 0]);
    }
}

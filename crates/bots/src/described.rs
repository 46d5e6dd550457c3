//! How a stored build is run, kept beside it, so that a disputed bout can be
//! played again when its source is no longer there.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use joust_sandbox::Folder;
use serde::{Deserialize, Serialize};

use super::store::MOST_RECORD;
use super::{Build, BuildStore, FolderStore};
use joust_config::read_plain;
use joust_model::BuildHash;

/// The file beside a build's files.
const FILE: &str = "run.json";

/// What is needed to run a build, beside its files. Texts are bytes: a path
/// need not be UTF-8.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    command: Vec<Vec<u8>>,
    #[serde(default)]
    trailing: Vec<Vec<u8>>,
    folders: Vec<(PathBuf, PathBuf)>,
    environment: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Keeps how `build` is run, unless that is kept already.
///
/// # Errors
///
/// When the store cannot be written.
pub fn keep(build: &Build) -> io::Result<()> {
    let Some(place) = place(&build.folder) else { return Ok(()) };
    if place.is_file() {
        return Ok(());
    }
    let bytes = |text: &OsString| text.as_bytes().to_vec();
    let folders = build.folders.iter().filter(|folder| folder.host != build.folder);
    let description = Description {
        command: build.command.iter().map(bytes).collect(),
        trailing: build.trailing.iter().map(bytes).collect(),
        folders: folders.map(|folder| (folder.host.clone(), folder.inside.clone())).collect(),
        environment: build.environment.iter().map(|(n, v)| (bytes(n), bytes(v))).collect(),
    };
    let text = serde_json::to_vec(&description).map_err(io::Error::other)?;
    let new = place.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, place)
}

/// Returns the build `hash` with how it is run, if both are kept.
#[must_use]
pub fn find(store: &FolderStore, hash: &BuildHash) -> Option<Build> {
    let stored = store.get(hash).ok()??;
    let text = read_plain(&place(&stored.tree)?, MOST_RECORD).ok()?;
    let description: Description = serde_json::from_slice(&text).ok()?;
    let folder = |(host, inside)| Folder { host, inside };
    let mut folders: Vec<Folder> = description.folders.into_iter().map(folder).collect();
    folders.push(Folder { host: stored.tree.clone(), inside: super::BOT.into() });
    let text = OsString::from_vec;
    Some(Build {
        hash: *hash,
        source: None,
        result: stored.record.result,
        folder: stored.tree,
        command: description.command.into_iter().map(text).collect(),
        trailing: description.trailing.into_iter().map(text).collect(),
        folders,
        environment: description.environment.into_iter().map(|(n, v)| (text(n), text(v))).collect(),
        language: stored.record.language,
        toolchain: stored.record.toolchain,
        log: stored.log,
        cached: true,
        took: stored.record.took,
    })
}

/// Returns a build's command with its paths as they are outside the sandbox,
/// for people who debug a bot.
#[must_use]
pub fn outside_command(build: &Build) -> Vec<OsString> {
    build.command.iter().map(|word| outside(build, word)).collect()
}

fn outside(build: &Build, word: &OsString) -> OsString {
    let path = Path::new(word);
    let found = build.folders.iter().find_map(|folder| {
        Some(folder.host.join(path.strip_prefix(&folder.inside).ok()?).into_os_string())
    });
    found.unwrap_or_else(|| word.clone())
}

fn place(tree: &Path) -> Option<PathBuf> {
    Some(tree.parent()?.join(FILE))
}

//! Python kept ready: its server, and the names of the modules that it preloads.

use std::ffi::OsStr;
use std::path::PathBuf;

use joust_sandbox::{Folder, WarmServer};

use super::{WarmLanguage, imports};
use crate::placed::PlacedBuild;

/// The variable that says where an interpreter looks for modules first.
pub(super) const PATH: &str = "PYTHONPATH";

pub(super) const PYTHON: WarmLanguage = WarmLanguage {
    id: "python",
    options: &[],
    // The module that an interpreter imports at the end of its own start.
    file: "sitecustomize.py",
    text: include_str!("sitecustomize.py"),
    variable: PATH,
    value: WarmServer::FOLDER,
    prefix: "PYTHON",
    harmless: &[
        PATH,
        "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONNOUSERSITE",
        "PYTHONUNBUFFERED",
        "PYTHONIOENCODING",
    ],
    folders: &[],
    refuses: |_| None,
    words,
};

/// Returns the folders of its path, and the modules and libraries that are preloaded.
fn words(build: &PlacedBuild) -> Vec<String> {
    let path = build.environment.iter().find(|(name, _)| name == PATH).map(|(_, value)| value);
    let folders = path.map(|path| format!("={}", path.to_string_lossy()));
    let mut words = vec![folders.unwrap_or_default()];
    let imported = imports::of(&build.folder, build.script());
    words.extend(imported.standard);
    let place = path.and_then(|path| library_place(build, path, imported.libraries.first()?));
    if let Some(place) = place {
        let word = |library| format!("{library}@{}", place.display());
        words.extend(imported.libraries.into_iter().map(word));
    }
    words
}

/// Returns the first folder of a path that has a library and belongs to no bot.
fn library_place(build: &PlacedBuild, path: &OsStr, library: &str) -> Option<PathBuf> {
    let has_it = |place: &PathBuf| {
        let on_host =
            |folder: &Folder| Some(folder.host.join(place.strip_prefix(&folder.inside).ok()?));
        let places = build.folders.iter().filter_map(on_host);
        build.is_of_tools(place) && places.clone().any(|it| it.join(library).is_dir())
    };
    std::env::split_paths(path).find(has_it)
}

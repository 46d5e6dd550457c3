//! Python kept ready: its server, and the names of the modules that it preloads: those that a bot
//! imports, found in its source without running it, standard ones and libraries that an event
//! provides.
//!
//! Only what stands at the beginning of a line counts, because it is imported in every turn, and
//! only names of a list: modules that start threads, draw entropy or keep something of the process
//! they were loaded in are loaded by each copy for itself.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use joust_config::read_plain;
use joust_sandbox::{Folder, WarmServer};

use super::WarmLanguage;
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
    let imported = imported_modules(&build.folder, build.script());
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

/// Modules that may be loaded before the copy is made, one a line, sorted. `random` draws again in
/// every copy.
const ALLOWED: &str = include_str!("python_modules.txt");
/// Libraries that may be loaded before the copy is made, where an event provides them. The copy
/// gives their generators of chance new seeds.
const LIBRARIES: [&str; 1] = ["numpy"];
/// A part of a library that it loads when it is first used, with what a source has that uses it.
const PARTS: [LibraryPart; 1] =
    [LibraryPart { of: "numpy", name: "numpy.random", used_by: ".random" }];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LibraryPart {
    of: &'static str,
    name: &'static str,
    used_by: &'static str,
}

/// Largest number of bytes read of a source, and of files read.
const LONGEST: u64 = 1 << 20;
const MOST_FILES: usize = 32;

/// Modules that a bot imports in every turn and that may be loaded before the copy is made, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ImportedModules {
    standard: BTreeSet<String>,
    pub(super) libraries: BTreeSet<&'static str>,
}

/// Returns the modules that the file loads, and those of the files beside it that it imports.
fn imported_modules(folder: &Path, script: &Path) -> ImportedModules {
    let beside = folder.join(script.parent().unwrap_or(Path::new("")));
    let mut waiting: Vec<PathBuf> = vec![folder.join(script.with_extension("py"))];
    let (mut seen, mut found) = (BTreeSet::new(), ImportedModules::default());
    let mut used: BTreeSet<LibraryPart> = BTreeSet::new();
    while let Some(file) = waiting.pop().filter(|_| seen.len() < MOST_FILES) {
        if !seen.insert(file.clone()) {
            continue;
        }
        let text = text(&file);
        used.extend(PARTS.iter().filter(|part| text.contains(part.used_by)));
        for name in names(&text) {
            let sibling = beside.join(&name).with_extension("py");
            let whole = name.split('.').next().unwrap_or_default();
            if ALLOWED.lines().any(|allowed| allowed == name) {
                found.standard.insert(name);
            } else if sibling.is_file() {
                waiting.push(sibling);
            } else if let Some(library) = LIBRARIES.iter().find(|library| **library == whole) {
                found.libraries.insert(library);
            }
        }
    }
    used.retain(|part| found.libraries.contains(part.of));
    found.libraries.extend(used.into_iter().map(|part| part.name));
    found
}

fn text(file: &Path) -> String {
    let bytes = read_plain(file, LONGEST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The modules that lines of a source import which are not indented.
fn names(source: &str) -> Vec<String> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
    };
    let mut found = Vec::new();
    for line in source.lines() {
        if let Some(rest) = line.strip_prefix("from ") {
            found.extend(rest.split_whitespace().next().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("import ") {
            let listed = rest.split(['#', ';']).next().unwrap_or_default().split(',');
            found.extend(listed.filter_map(|one| one.split_whitespace().next()).map(str::to_owned));
        }
    }
    found.retain(|name| is_name(name));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn imports_at_the_beginning_of_a_line_are_found() {
        let source = "import json, random as r  # both\nfrom collections import deque\n\
                      import sys; import os\n    import re\nimportant = 1\nfrom . import x\n";
        assert_eq!(names(source), ["json", "random", "collections", "sys", "."]);
    }

    #[test]
    fn modules_beside_the_script_are_followed_and_only_listed_ones_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("main.py", "import helper, threading, ssl\nimport math\nfrom helper import x\n");
        write("helper.py", "from heapq import heappush\nimport main\nimport secrets\n");
        let found = imported_modules(folder.path(), Path::new("main.pyc"));
        assert_eq!(found.standard.into_iter().collect::<Vec<_>>(), ["heapq", "math"]);
        assert!(found.libraries.is_empty());
    }

    #[test]
    fn libraries_are_found_with_the_parts_that_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let libraries = |text: &str| {
            fs::write(folder.path().join("main.py"), text).unwrap();
            imported_modules(folder.path(), Path::new("main.py"))
                .libraries
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(libraries("import numpy as np\nnp.zeros(3)\n"), ["numpy"]);
        assert_eq!(libraries("from numpy.linalg import norm\n"), ["numpy"]);
        assert_eq!(libraries("import numpy as np\nnp.random.rand()\n"), ["numpy", "numpy.random"]);
        assert!(libraries("import random\nx.random()\nimport torch\n").is_empty());
        fs::write(folder.path().join("numpy.py"), "").unwrap();
        assert!(libraries("import numpy\n").is_empty());
    }

    #[test]
    fn a_source_that_is_not_there_or_no_text_loads_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            imported_modules(folder.path(), Path::new("main.pyc")),
            ImportedModules::default()
        );
        fs::write(folder.path().join("main.py"), b"\xff\xfe\0import json").unwrap();
        assert_eq!(
            imported_modules(folder.path(), Path::new("main.pyc")),
            ImportedModules::default()
        );
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(ALLOWED.lines().is_sorted());
    }
}

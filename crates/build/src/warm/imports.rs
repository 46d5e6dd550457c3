//! Modules that a Python bot imports, found in its source without running it: standard ones, and
//! libraries that an event provides.
//!
//! Only what stands at the beginning of a line counts, because it is imported in every turn, and
//! only names of a list: modules that start threads, draw entropy or keep something of the process
//! they were loaded in are loaded by each copy for itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use joust_config::read_plain;

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
    pub(super) standard: BTreeSet<String>,
    pub(super) libraries: BTreeSet<&'static str>,
}

/// Returns the modules that the file loads, and those of the files beside it that it imports.
pub(super) fn of(folder: &Path, script: &Path) -> ImportedModules {
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
    use std::fs;

    use super::*;

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
        let found = of(folder.path(), Path::new("main.pyc"));
        assert_eq!(found.standard.into_iter().collect::<Vec<_>>(), ["heapq", "math"]);
        assert!(found.libraries.is_empty());
    }

    #[test]
    fn libraries_are_found_with_the_parts_that_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let libraries = |text: &str| {
            fs::write(folder.path().join("main.py"), text).unwrap();
            of(folder.path(), Path::new("main.py")).libraries.into_iter().collect::<Vec<_>>()
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
        assert_eq!(of(folder.path(), Path::new("main.pyc")), ImportedModules::default());
        fs::write(folder.path().join("main.py"), b"\xff\xfe\0import json").unwrap();
        assert_eq!(of(folder.path(), Path::new("main.pyc")), ImportedModules::default());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(ALLOWED.lines().is_sorted());
    }
}

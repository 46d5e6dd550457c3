//! Modules that a Ruby bot requires, found in its source without running it: of the standard
//! library alone.
//!
//! Only a `require` that is a whole line at its beginning counts, because it is executed in every
//! turn, and only names of a list: modules that draw entropy, start threads or keep something of
//! the process they were loaded in are loaded by each copy for itself. Nothing is preloaded for a
//! bot that could notice: one that uses the value of `require`, or changes the search path of Ruby.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use joust_config::read_plain;

/// Modules that may be loaded before the copy is made, one a line, sorted.
const ALLOWED: &str = include_str!("ruby_libraries.txt");
/// Names in a source that changes where Ruby looks for modules.
const PATHS: [&str; 3] = ["$:", "$LOAD_PATH", "$-I"];

/// Largest number of bytes read of a source, and of files read.
const LONGEST: u64 = 1 << 20;
const MOST_FILES: usize = 32;

/// Returns the modules that the file loads, and those of the files that it requires by a relative
/// path, in that order.
pub(super) fn of(folder: &Path, script: &Path) -> Vec<String> {
    let mut waiting: Vec<PathBuf> = vec![folder.join(script)];
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(file) = waiting.pop().filter(|_| seen.len() < MOST_FILES) {
        if !seen.insert(file.clone()) {
            continue;
        }
        let text = text(&file);
        if could_tell(&text) {
            return Vec::new();
        }
        let beside = file.parent().unwrap_or(folder);
        let relative = lines(&text, "require_relative").filter(|name| !name.contains(".."));
        waiting.extend(relative.map(|name| beside.join(name).with_extension("rb")));
        found.extend(lines(&text, "require").filter(|it| is_allowed(it)).map(str::to_owned));
    }
    let mut once = BTreeSet::new();
    found.retain(|name| once.insert(name.clone()));
    found
}

fn is_allowed(name: &str) -> bool {
    ALLOWED.lines().any(|allowed| allowed == name)
}

fn text(file: &Path) -> String {
    let bytes = read_plain(file, LONGEST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the names in lines that are nothing but one call with a text.
fn lines<'a>(source: &'a str, call: &str) -> impl Iterator<Item = &'a str> {
    source.lines().filter_map(move |line| named(line.strip_prefix(call)?))
}

/// The text after a call where nothing else follows.
fn named(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let (rest, closing) = match rest.strip_prefix('(') {
        Some(rest) => (rest.trim_start(), ")"),
        None => (rest, ""),
    };
    let quote = rest.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let (name, rest) = rest[1..].split_once(quote)?;
    let rest = rest.trim_start().strip_prefix(closing)?.trim();
    (rest.is_empty() || rest.starts_with('#')).then_some(name)
}

/// Returns whether a source could notice that something was loaded first.
fn could_tell(source: &str) -> bool {
    PATHS.iter().any(|path| source.contains(path)) || source.lines().any(uses_what_is_given)
}

/// Returns whether something stands before a `require` in its line.
fn uses_what_is_given(line: &str) -> bool {
    let is_word = |rest: &str| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    let mut calls =
        line.match_indices("require").filter(|(at, it)| is_word(&line[at + it.len()..]));
    let is_comment = line.trim_start().starts_with('#');
    !is_comment && calls.any(|(at, _)| !line[..at].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(main: &str, beside: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("main.rb"), main).unwrap();
        fs::write(folder.path().join("lib/helper.rb"), beside).unwrap();
        of(folder.path(), Path::new("main.rb"))
    }

    #[test]
    fn requires_of_whole_lines_are_found_in_order() {
        let main = "require 'set'\nrequire(\"json\") # both\n  require 'csv'\nrequire 'set'\n\
                    require 'date' if x\nrequire name\nrequired = 1\n# we require 'pp'\n";
        assert_eq!(found(main, ""), ["set", "json"]);
        assert!(found("require 'socket'\nrequire 'tempfile'\nrequire 'é'\n", "").is_empty());
    }

    #[test]
    fn files_beside_are_followed() {
        let main = "require_relative 'lib/helper'\nrequire_relative '../../x'\nrequire 'set'\n";
        assert_eq!(found(main, "require 'time'\nrequire_relative 'helper'\n"), ["set", "time"]);
    }

    #[test]
    fn nothing_is_loaded_first_for_a_bot_that_could_tell() {
        for line in ["p require 'json'", "x = (require 'set')", "$:.unshift '.'", "$LOAD_PATH << 1"]
        {
            assert!(found(&format!("require 'set'\n{line}\n"), "").is_empty(), "{line}");
            assert!(found("require 'set'\nrequire_relative 'lib/helper'\n", line).is_empty());
        }
    }

    #[test]
    fn a_source_that_is_not_there_or_no_text_loads_nothing() {
        assert!(of(Path::new("/none"), Path::new("main.rb")).is_empty());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.rb"), b"\xff\xfe\0require 'set'").unwrap();
        assert!(of(folder.path(), Path::new("main.rb")).is_empty());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(ALLOWED.lines().is_sorted());
    }
}

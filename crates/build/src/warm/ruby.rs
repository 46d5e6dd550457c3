//! Ruby kept ready: its server, which files can be started by it, and what it loads first: the
//! modules of the standard library that a bot requires, found in its source without running it.
//!
//! Only a `require` that is a whole line at its beginning counts, because it is executed in every
//! turn, and only names of a list: modules that draw entropy, start threads or keep something of
//! the process they were loaded in are loaded by each copy for itself. Nothing is preloaded for a
//! bot that could notice: one that uses the value of `require`, or changes the search path of Ruby.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use joust_config::{open_plain, read_plain};

use super::WarmLanguage;
use crate::placed::PlacedBuild;

pub(super) const RUBY: WarmLanguage = WarmLanguage {
    id: "ruby",
    options: &["--disable=gems"],
    file: "server.rb",
    text: include_str!("server.rb"),
    variable: "RUBYOPT",
    // In `WarmServer::FOLDER`.
    value: "-r/etc/warm/server.rb",
    prefix: "RUBY",
    harmless: &[],
    folders: &["RUBYLIB"],
    refuses,
    words: |build| {
        let loaded = required_modules(&build.folder, build.script());
        std::iter::once(String::new()).chain(loaded).collect()
    },
};

/// Longest first line that is read, bytes.
const LONGEST_LINE: u64 = 4096;
/// Options of a first line that change nothing of what an interpreter loads at its start.
const HARMLESS: [&str; 2] = ["-w", "-W"];

/// The versions whose next step after opening a file can be caught, as they name themselves.
const KNOWN: [&str; 4] = ["3.0.", "3.1.", "3.2.", "3.3."];

fn refuses(build: &PlacedBuild) -> Option<String> {
    refuses_version(&build.toolchain).or_else(|| refuses_line(build))
}

fn refuses_version(toolchain: &str) -> Option<String> {
    let version = toolchain.split_whitespace().skip_while(|word| *word != "ruby").nth(1)?;
    let is_known = KNOWN.iter().any(|known| version.starts_with(known));
    (!is_known).then(|| "only Ruby 3.0 to 3.3 can be kept warm".to_owned())
}

/// Ruby obeys options in the first line of a file.
fn refuses_line(build: &PlacedBuild) -> Option<String> {
    let mut line = Vec::new();
    let file = open_plain(&build.folder.join(build.script())).ok()?;
    BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    let options = line.strip_prefix("#!")?.split_once("ruby").map(|(_, options)| options);
    let are_harmless = |options: &str| options.split_whitespace().all(|it| HARMLESS.contains(&it));
    let is_harmless = options.is_some_and(are_harmless);
    (!is_harmless).then(|| "its first line has options of the interpreter".to_owned())
}

/// Modules that may be loaded before the copy is made, one a line, sorted.
const ALLOWED: &str = include_str!("ruby_libraries.txt");
/// Names in a source that changes where Ruby looks for modules.
const PATHS: [&str; 3] = ["$:", "$LOAD_PATH", "$-I"];

/// Largest number of bytes read of a source, and of files read.
const LONGEST: u64 = 1 << 20;
const MOST_FILES: usize = 32;

/// Returns the modules that the file loads, and those of the files that it requires by a relative
/// path, in that order.
fn required_modules(folder: &Path, script: &Path) -> Vec<String> {
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
    use super::*;
    use std::fs;

    #[test]
    fn a_ruby_whose_next_step_cannot_be_caught_is_cold() {
        assert_eq!(refuses_version("ruby 3.1.7p261 (2025-03-26 revision 0a3704f218)"), None);
        for other in ["ruby 3.4.1 (2024-12-25)", "ruby 2.7.8p225", "ruby 3.10.0"] {
            assert!(refuses_version(other).is_some(), "{other}");
        }
    }

    fn found(main: &str, beside: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("main.rb"), main).unwrap();
        fs::write(folder.path().join("lib/helper.rb"), beside).unwrap();
        required_modules(folder.path(), Path::new("main.rb"))
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
        assert!(required_modules(Path::new("/none"), Path::new("main.rb")).is_empty());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.rb"), b"\xff\xfe\0require 'set'").unwrap();
        assert!(required_modules(folder.path(), Path::new("main.rb")).is_empty());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(ALLOWED.lines().is_sorted());
    }
}

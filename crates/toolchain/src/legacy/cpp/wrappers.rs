//! Wrappers for headers that are named as Windows finds them: with `\`, or in another case.
//!
//! A wrapper has the name that the source uses, and includes the real file. Headers that the real
//! file includes are found beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::{SourceTree, text};
use crate::legacy::{beneath, folder_of};
use crate::{BOT, PRIVATE};

/// Longest name, bytes.
const LONGEST: usize = 255;
/// In how many folders of its own it may lie.
const DEEPEST: usize = 16;
/// Largest number of wrappers that are made.
const MOST: usize = 4096;
/// Largest number of names in folders that are looked up.
const MOST_NAMES: usize = 1 << 16;
/// In how many folders.
const MOST_FOLDERS: usize = 64;
/// The folder of wrappers for names in quotes, beneath the temporary folder.
const QUOTED: &str = "quoted";
/// The folder of those in angle brackets; system headers do not find the other ones.
const ANGLED: &str = "angled";

/// Wrappers by their paths, relative to the temporary folder.
#[derive(Debug, Default)]
pub(crate) struct Wrappers(BTreeMap<String, String>);

impl Wrappers {
    /// Finds the headers that the tree's files include and the compiler would not find; `folders`
    /// are the folders that it searches.
    pub(crate) fn of(tree: &SourceTree, folders: &[String]) -> Self {
        let (files, mut wrappers) = (IncludedPaths::of(tree), Self::default());
        let (mut all, mut seen) = (0, BTreeSet::new());
        for path in tree.files.iter().map(|file| file.path.as_str()).filter(is_code) {
            for (kind, name) in included(&text(tree, path)) {
                let is_new = seen.insert((folder_of(path), kind, name.clone()));
                all += usize::from(is_new);
                if all > MOST_NAMES || wrappers.0.len() == MOST {
                    return wrappers;
                }
                let beside = [folder_of(path)].into_iter();
                let places = beside.chain(folders.iter().map(String::as_str)).take(MOST_FOLDERS);
                let meant = Some(&name).filter(|_| is_new && is_plain(&name));
                if let Some(meant) = meant.and_then(|name| files.resolve_include(name, places)) {
                    wrappers.add(format!("{kind}/{name}"), meant);
                }
            }
        }
        wrappers
    }

    /// Adds a wrapper, unless it exists already or its folder would be the file of another one.
    fn add(&mut self, path: String, meant: &str) {
        let folder = format!("{path}/");
        let later = self.0.range(folder.clone()..).next();
        let is_folder = later.is_some_and(|(later, _)| later.starts_with(&folder));
        let is_taken = Path::new(&path).ancestors().filter_map(Path::to_str);
        let is_taken = is_taken.into_iter().any(|path| self.0.contains_key(path));
        if !is_folder && !is_taken {
            self.0.insert(path, format!("#include \"{BOT}/{meant}\"\n"));
        }
    }

    /// Returns the options with which the compiler of a project finds them: after `folders`, and
    /// before the system's headers.
    pub(crate) fn of_project(&self, folders: &[String]) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let own = folders.iter().map(|folder| format!("-iquote{BOT}/{folder}"));
        let wrappers = [format!("-iquote{PRIVATE}/{QUOTED}"), format!("-I{PRIVATE}/{ANGLED}")];
        own.chain(wrappers).collect()
    }

    /// Returns the options with which any other compiler finds them: after all other headers.
    pub(crate) fn after_all(&self) -> Vec<String> {
        let folders = [QUOTED, ANGLED].into_iter().filter(|_| !self.0.is_empty());
        folders.map(|folder| format!("-idirafter{PRIVATE}/{folder}")).collect()
    }

    /// Returns the files, relative to the bot's folder.
    pub(crate) fn into_files(self) -> impl Iterator<Item = (String, String)> {
        let private = PRIVATE.trim_start_matches(BOT).trim_start_matches('/');
        self.0.into_iter().map(move |(path, text)| (format!("{private}/{path}"), text))
    }
}

/// The paths of a tree, as they are and as Windows compares them.
struct IncludedPaths<'a> {
    exact: BTreeSet<&'a str>,
    by_lower: BTreeMap<String, &'a str>,
}

impl<'a> IncludedPaths<'a> {
    fn of(tree: &'a SourceTree) -> Self {
        let paths = tree.files.iter().map(|file| file.path.as_str());
        let mut by_lower = BTreeMap::new();
        for path in paths.clone().filter(|path| !path.contains(['"', '\\']) && is_printed(path)) {
            by_lower.entry(path.to_lowercase()).or_insert(path);
        }
        Self { exact: paths.collect(), by_lower }
    }

    /// Returns the file that a name means in the first of `places` that has one; `None` where
    /// a compiler finds it as it is.
    fn resolve_include<'b>(
        &self,
        name: &str,
        places: impl Iterator<Item = &'b str> + Clone,
    ) -> Option<&'a str> {
        let mut paths = places.filter_map(|folder| beneath(folder, name));
        let is_there = |path: String| self.exact.contains(path.as_str());
        if !name.contains('\\') && paths.clone().any(is_there) {
            return None;
        }
        paths.find_map(|path| self.by_lower.get(&path.to_lowercase()).copied())
    }
}

fn is_code(path: &&str) -> bool {
    let end = Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or_default();
    let all = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "ipp", "tcc"];
    all.contains(&&*end.to_ascii_lowercase())
}

/// Returns the headers that a text includes by names in quotes, and by names in angle brackets
/// with a `\`.
fn included(text: &str) -> Vec<(&'static str, String)> {
    static INCLUDE: LazyLock<Regex> = LazyLock::new(|| {
        let begin = r"(?m)^\u{FEFF}?[ \t]*#[ \t]*include[ \t]*";
        let names = r#"(?:"([^"\r\n]+)"|<([^>\r\n]*\\[^>\r\n]*)>)"#;
        Regex::new(&format!("{begin}{names}")).expect("a pattern")
    });
    let named = INCLUDE.captures_iter(text).filter_map(|found| {
        let quoted = found.get(1).map(|name| (QUOTED, name));
        quoted.or_else(|| found.get(2).map(|name| (ANGLED, name)))
    });
    named.map(|(kind, name)| (kind, name.as_str().to_owned())).collect()
}

/// Returns whether a name can be a relative path of a file within a folder.
fn is_plain(name: &str) -> bool {
    let mut parts = name.split('/');
    let is_short = name.len() <= LONGEST && parts.clone().nth(DEEPEST).is_none();
    is_short && is_printed(name) && !parts.any(|part| matches!(part, "" | "." | ".."))
}

fn is_printed(name: &str) -> bool {
    !name.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legacy::cpp::tests::tree;

    fn found(files: &[(&str, &str)], folders: &[&str]) -> Vec<(String, String)> {
        let (_root, tree) = tree(files);
        let folders: Vec<String> = folders.iter().map(ToString::to_string).collect();
        let all = Wrappers::of(&tree, &folders).0;
        let real = |text: &str| text.replace("#include \"/bot/", "").replace("\"\n", "");
        all.into_iter().map(|(path, text)| (path, real(&text))).collect()
    }

    fn names(files: &[(&str, &str)], folders: &[&str]) -> Vec<String> {
        found(files, folders).into_iter().map(|(path, real)| format!("{path} {real}")).collect()
    }

    #[test]
    fn names_of_windows_lead_to_the_real_file() {
        let text = "\u{feff}#include \"stdafx.h\"\r\n  # include\t\"json\\json.h\"\r\n\
            #include \"..\\Shared/a.h\"\n#include <json\\json.h>\n#include <STDAFX.H>\n";
        let files = [
            ("Bot/StdAfx.h", ""),
            ("Bot/bot.cpp", text),
            ("Bot/Json/json.h", ""),
            ("shared/A.h", ""),
        ];
        let expected = [
            "angled/json\\json.h Bot/Json/json.h",
            "quoted/..\\Shared/a.h shared/A.h",
            "quoted/json\\json.h Bot/Json/json.h",
            "quoted/stdafx.h Bot/StdAfx.h",
        ];
        assert_eq!(names(&files, &[]), expected);
    }

    #[test]
    fn found_and_missing_headers_need_no_wrapper() {
        let text = "#include \"a.h\"\n#include \"b/b.h\"\n#include \"gone\\x.h\"\n\
            #include \"../A.h\"\n#include \"/a.h\"\n#include \"c:\\a.h\"\n#include \"./A.h\"\n";
        let files = [("a.h", ""), ("inc/b/b.h", ""), ("inc/B/B.H", ""), ("x/x.cpp", text)];
        assert_eq!(names(&files, &["", "inc"]), [""; 0]);
        assert_eq!(names(&[("a.h", ""), ("x.txt", "#include \"A.h\"\n")], &[]), [""; 0]);
    }

    #[test]
    fn folders_are_looked_through_in_order_and_the_first_meaning_stays() {
        let text = "#include \"h.h\"\n#include \"x\"\n#include \"x/y\"\n";
        let files = [
            ("a/a.cpp", text),
            ("b/b.cpp", text),
            ("b/H.h", ""),
            ("i/H.h", ""),
            ("i/X", ""),
            ("j/X/y", ""),
        ];
        assert_eq!(names(&files, &["i", "j"]), ["quoted/h.h i/H.h", "quoted/x i/X"]);
    }

    #[test]
    fn names_that_no_file_can_have_are_left_out() {
        let long = format!("{}\\a.h", "d\\..\\".repeat(60));
        let deep = format!("{}a.h", ".\\/".repeat(16));
        let text =
            format!("#include \"{long}\"\n#include \"{deep}\"\n#include \"\u{1}\\..\\a.h\"\n");
        assert_eq!(names(&[("a.h", ""), ("b.cpp", &text)], &[]), [""; 0]);
    }

    #[test]
    fn compilers_get_options_only_for_existing_wrappers() {
        let folders = ["Bot".to_owned()];
        let mut wrappers = Wrappers::default();
        assert!(wrappers.of_project(&folders).is_empty() && wrappers.after_all().is_empty());
        wrappers.add("quoted/a.h".to_owned(), "Bot/A.h");
        let expected = ["-iquote/bot/Bot", "-iquote/bot/.build/quoted", "-I/bot/.build/angled"];
        assert_eq!(wrappers.of_project(&folders), expected);
        let files: Vec<_> = wrappers.into_files().collect();
        let text = "#include \"/bot/Bot/A.h\"\n".to_owned();
        assert_eq!(files, [(".build/quoted/a.h".to_owned(), text)]);
    }
}

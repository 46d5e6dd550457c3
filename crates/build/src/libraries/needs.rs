//! Dependencies of a bot, found in its files: whether there is something to fetch, and which
//! files the package manager gets for that. Only the package manager interprets a list.

use std::collections::BTreeMap;
use std::path::Path;

use globset::GlobMatcher;
use joust_config::{PlainFileError, read_plain};
use regex::Regex;

use joust_bots::{BotProblem, SourceTree};
use joust_toolchain::language::Libraries;

/// Largest size of a file for the package manager, bytes.
const LARGEST: u64 = 8 << 20;
/// Largest size of all its files together, bytes.
const MOST_BYTES: usize = 32 << 20;
/// Largest number of its files.
const MOST_FILES: usize = 2_000;
/// Largest number of characters of a name in a message.
const LONGEST_SHOWN: usize = 80;

/// Dependencies of a bot.
pub(super) enum BotDependencies {
    /// No dependencies to fetch.
    Nothing,
    /// Dependencies without a list.
    Unlisted(BotProblem),
    /// Dependencies in a list.
    Listed(ListedDependencies),
}

/// A list in the source of a bot.
pub(super) struct ListedDependencies {
    /// Its path in the source.
    pub(super) file: String,
    /// The folder it is in, empty or with a `/` at its end.
    pub(super) folder: String,
    /// Files that the package manager is given, by path.
    pub(super) files: BTreeMap<String, String>,
}

/// Finds what a bot depends on; its project is in `prefix`, which is empty or ends with `/`.
///
/// # Errors
///
/// The file that cannot be read, or is too large.
pub(super) fn find(
    libraries: &Libraries,
    tree: &SourceTree,
    prefix: &str,
) -> Result<BotDependencies, BotProblem> {
    let Some((file, name)) = needed(libraries, tree, prefix)? else {
        return Ok(BotDependencies::Nothing);
    };
    let folders = [prefix, ""];
    let ships = |folder: &&str| {
        let shipped = libraries.shipped.as_ref().map(|shipped| format!("{folder}{shipped}/"));
        shipped.is_some_and(|shipped| tree.files.iter().any(|file| file.path.starts_with(&shipped)))
    };
    if folders.iter().any(ships) {
        return Ok(BotDependencies::Nothing);
    }
    let folder = folders.into_iter().find(|folder| {
        let list = format!("{folder}{}", libraries.list);
        tree.contains(&list)
    });
    let Some(folder) = folder else { return Ok(unlisted(libraries, &file, name)) };
    let files = given(libraries, tree)?;
    Ok(BotDependencies::Listed(ListedDependencies {
        file: format!("{folder}{}", libraries.list),
        folder: folder.to_owned(),
        files,
    }))
}

fn unlisted(libraries: &Libraries, file: &str, name: Option<String>) -> BotDependencies {
    let Some(command) = &libraries.locks else { return BotDependencies::Nothing };
    let what = name.map_or("libraries".to_owned(), |name| format!("`{name}`"));
    let message = format!("it names {what}, and there is no `{}`", libraries.list);
    let hint = format!("`{command}` writes one; then run `joust bot fetch` again");
    BotDependencies::Unlisted(BotProblem::new(Path::new(file), message).hint(hint))
}

/// Returns the first file that names a dependency of the bot, and the dependency.
fn needed(
    libraries: &Libraries,
    tree: &SourceTree,
    prefix: &str,
) -> Result<Option<(String, Option<String>)>, BotProblem> {
    for pattern in &libraries.needs {
        let (glob, text) = match pattern.split_once(" | ") {
            Some((glob, text)) => (glob, Regex::new(text).ok()),
            None => (pattern.as_str(), None),
        };
        let glob = glob.replace("{project}", &globset::escape(prefix));
        let Some(glob) = matcher(&glob) else { continue };
        for file in tree.files.iter().filter(|file| glob.is_match(&file.path)) {
            let Some(text) = &text else { return Ok(Some((file.path.clone(), None))) };
            let read = read(tree, &file.path)?;
            if let Some(found) = text.captures(&read) {
                let name = found
                    .name("name")
                    .map(|name| name.as_str().trim().chars().take(LONGEST_SHOWN).collect());
                return Ok(Some((file.path.clone(), name)));
            }
        }
    }
    Ok(None)
}

fn given(libraries: &Libraries, tree: &SourceTree) -> Result<BTreeMap<String, String>, BotProblem> {
    let matchers = |globs: &[String]| -> Vec<GlobMatcher> {
        globs.iter().filter_map(|glob| matcher(glob)).collect()
    };
    let (whole, empty) = (matchers(&libraries.given), matchers(&libraries.named));
    let is_one = |globs: &[GlobMatcher], path: &str| globs.iter().any(|glob| glob.is_match(path));
    let (mut files, mut bytes) = (libraries.files.clone(), 0);
    for file in &tree.files {
        let text = match () {
            () if is_one(&whole, &file.path) => read(tree, &file.path)?,
            () if is_one(&empty, &file.path) => String::new(),
            () => continue,
        };
        bytes += text.len();
        if bytes > MOST_BYTES || files.len() == MOST_FILES {
            let message = format!(
                "the lists of libraries have more than {} MiB or {MOST_FILES} files",
                MOST_BYTES >> 20
            );
            return Err(BotProblem::new(Path::new(&file.path), message));
        }
        files.insert(file.path.clone(), text);
    }
    Ok(files)
}

fn matcher(glob: &str) -> Option<GlobMatcher> {
    let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
    Some(glob.ok()?.compile_matcher())
}

fn read(tree: &SourceTree, file: &str) -> Result<String, BotProblem> {
    let path = Path::new(file);
    let bytes = read_plain(&tree.root.join(file), LARGEST).map_err(|unread| match unread {
        PlainFileError::Io(error) => BotProblem::io(path, "read the list of libraries", &error),
        other => BotProblem::new(path, other.to_string()),
    })?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| BotProblem::new(path, "the file is not UTF-8").hint("save it as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_toolchain::Languages;

    /// Returns the message about a bot in a language with these files.
    fn said(language: &str, files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let languages = Languages::shipped();
        let libraries = languages.get(language).unwrap().libraries.as_ref().unwrap();
        let tree = SourceTree::read(folder.path(), &[]).unwrap();
        match find(libraries, &tree, "").unwrap() {
            BotDependencies::Nothing => "nothing".to_owned(),
            BotDependencies::Unlisted(problem) => problem.advice(),
            BotDependencies::Listed(list) => {
                list.files.keys().map(String::as_str).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn a_missing_list_is_reported_with_the_dependency_and_the_command_that_writes_it() {
        let cargo = "[package]\nname = \"bot\"\n\n[dependencies]\n# a comment\nrand = \"0.8\"\n";
        let message = said("rust", &[("Cargo.toml", cargo), ("src/main.rs", "fn main() {}")]);
        let expected = "it names `rand`, and there is no `Cargo.lock`";
        assert!(
            message.contains(expected) && message.contains("`cargo generate-lockfile`"),
            "{message}"
        );
        let npm = r#"{ "name": "js", "dependencies": { "left-pad": "1.3.0" } }"#;
        let message = said("javascript", &[("package.json", npm)]);
        assert!(
            message.contains("it names `left-pad`, and there is no `package-lock.json`"),
            "{message}"
        );
        for require in ["require a.example/b v1.0.0", "require (\n\ta.example/b v1.0.0\n)"] {
            let message =
                said("go", &[("go.mod", &format!("module bot\n\ngo 1.21\n\n{require}\n"))]);
            assert!(
                message.contains("it names `a.example/b`, and there is no `go.sum`"),
                "{message}"
            );
        }
        for table in [
            "[dependencies.rand]\nversion = \"0.8\"\n",
            "[target.'cfg(unix)'.dependencies]\nown = { path = \"own\" }\nrand = { version = \"0.8\" }\n",
            "[workspace.dependencies]\nrand = { features = [\"x\"], version = \"0.8\" }\n",
        ] {
            let message = said("rust", &[("Cargo.toml", table)]);
            assert!(message.contains("it names `rand`"), "{table}: {message}");
        }
    }

    #[test]
    fn bots_without_dependencies_or_with_shipped_ones_fetch_nothing() {
        for (language, files) in [
            (
                "rust",
                &[(
                    "Cargo.toml",
                    "[package]\nname = \"b\"\n[dependencies]\n[profile.dev]\nx = 1\n",
                )][..],
            ),
            ("rust", &[("Cargo.toml", "[dependencies]\nown = { path = \"own\" }\n")]),
            ("rust", &[("Cargo.toml", "[dev-dependencies]\nrand = \"1\"\n")]),
            ("javascript", &[("package.json", "{ \"dependencies\": {} }")]),
            (
                "javascript",
                &[("package.json", r#"{"dependencies": {"a": "1"}}"#), ("node_modules/a/x", "")],
            ),
            ("go", &[("go.mod", "module bot\n\ngo 1.21\n")]),
            ("python", &[("requirements.txt", "# nothing\n\n")]),
            ("python", &[("main.py", "")]),
            ("csharp", &[("bot.csproj", "<Project/>")]),
        ] {
            assert_eq!(said(language, files), "nothing", "{language}: {files:?}");
        }
    }

    #[test]
    fn the_package_manager_is_given_lists_and_no_sources() {
        let files = [
            ("Cargo.toml", "[dependencies]\nrand = \"0.8\"\n"),
            ("Cargo.lock", "version = 3\n"),
            ("src/main.rs", "fn main() {}"),
            ("src/secret.rs", ""),
            ("main.py", ""),
        ];
        assert_eq!(said("rust", &files), "Cargo.lock Cargo.toml src/main.rs");
        let files = [("requirements.txt", "numpy\n"), ("requirements-more.txt", ""), ("x.txt", "")];
        assert_eq!(said("python", &files), "requirements-more.txt requirements.txt");
    }
}

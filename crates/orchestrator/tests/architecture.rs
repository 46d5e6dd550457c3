//! What `Cargo.toml` cannot hold: a package has one home, unsafe code and the
//! starting of programs have theirs.

#[path = "architecture/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use source::{code_of, is_word};

/// A package and the only crates whose product may depend on it.
const HOMES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("comfy-table", &["report"]),
    ("indicatif", &["report"]),
    ("nalgebra", &["tables"]),
    ("saphyr-parser", &["config"]),
    ("serde_yaml", &["config", "bots"]),
    ("sqlx", &["store"]),
    ("tar", &["bots"]),
    ("zip", &["bots"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate is in a folder").to_owned()
}

/// Returns every Rust file below `folder` with its text, paths relative to it.
fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.expect("the source can be read").into_path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("source is UTF-8");
            (path.strip_prefix(folder).expect("it is below the folder").to_owned(), text)
        })
        .collect()
}

/// Returns the folder names of the crates, without the fuzz targets, which are a
/// workspace of their own.
fn names_of_crates() -> Vec<String> {
    let folders = std::fs::read_dir(crates()).expect("the crates are there");
    let folders = folders.map(|entry| entry.expect("the folder can be read").path());
    let folders =
        folders.filter(|path| path.join("Cargo.toml").exists() && !path.ends_with("fuzz"));
    let mut names: Vec<String> = folders
        .map(|path| path.file_name().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn manifest(name: &str) -> String {
    let path = crates().join(name).join("Cargo.toml");
    std::fs::read_to_string(path).expect("every crate has a manifest")
}

/// Returns the packages that a crate's product depends on.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().skip(1);
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Fails with all complaints, one a line.
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns every word of `code` with what follows it.
fn words(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_start = |at: usize| !code[..at].ends_with(is_word);
    let starts = code.char_indices().filter(|(_, c)| is_word(*c)).map(|(at, _)| at);
    starts.filter(move |at| is_start(*at)).map(|at| {
        let rest = &code[at..];
        rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
    })
}

#[test]
fn packages_stay_in_their_homes() {
    let mut complaints = Vec::new();
    let mut at_home = BTreeSet::new();
    for name in names_of_crates() {
        let manifest = manifest(&name);
        for dependency in dependencies(&manifest) {
            let Some((package, homes)) = HOMES.iter().find(|(package, _)| *package == dependency)
            else {
                continue;
            };
            match homes.contains(&name.as_str()) {
                true => _ = at_home.insert((*package, name.clone())),
                false => complaints.push(format!("{name}: {package} belongs to {homes:?}")),
            }
        }
    }
    assert_none(&complaints);
    let homes: usize = HOMES.iter().map(|(_, homes)| homes.len()).sum();
    assert_eq!(at_home.len(), homes, "a home that nobody needs: {at_home:?}");
}

#[test]
fn the_referee_has_no_runtime_dependency() {
    let manifest = manifest("referee");
    assert_eq!(dependencies(&manifest), Vec::<&str>::new());
}

#[test]
fn unsafe_code_is_in_one_place() {
    let is_home = |path: &str| path == "sandbox/src/sys.rs" || path.starts_with("sandbox/src/sys/");
    let files = rust_files(&crates()).into_iter();
    let files = files.filter(|(path, _)| !is_home(&path.to_string_lossy()));
    let guilty = files.filter(|(_, text)| words(&code_of(text)).any(|(word, _)| word == "unsafe"));
    let complaints: Vec<String> = guilty
        .map(|(path, _)| format!("{}: unsafe belongs to sandbox/src/sys", path.display()))
        .collect();
    assert_none(&complaints);
}

#[test]
fn the_other_libraries_forbid_unsafe_code() {
    let with_unsafe_code = ["sandbox", "cli"];
    let others = names_of_crates().into_iter();
    for name in others.filter(|name| !with_unsafe_code.contains(&name.as_str())) {
        let text = std::fs::read_to_string(crates().join(&name).join("src/lib.rs")).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name}/src/lib.rs");
    }
}

/// What starts a program, in Rust and in C.
const STARTS: [&str; 12] = [
    "Command::new(",
    "process::Command",
    "posix_spawn(",
    "execv(",
    "execve(",
    "execvp(",
    "execveat(",
    "fexecve(",
    "libc::system(",
    "popen(",
    "CommandExt",
    ".exec()",
];

#[test]
fn programs_outside_the_sandbox_are_started_where_the_table_says() {
    let page = crates().join("../.github/CONTRIBUTING.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let lines = page.lines().filter_map(|line| line.strip_prefix("| `crates/"));
    let told: BTreeSet<String> =
        lines.filter_map(|line| Some(line.split_once('`')?.0.to_owned())).collect();
    let starts = |code: &str| STARTS.iter().any(|start| code.contains(start));
    let found: BTreeSet<String> = rust_files(&crates())
        .into_iter()
        .map(|(path, text)| (path.display().to_string(), text))
        .filter(|(path, _)| path.contains("/src/") && !path.starts_with("testkit/"))
        .filter(|(path, text)| !path.ends_with("tests.rs") && starts(product_of(&code_of(text))))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(found, told, "found in the sources, and told in CONTRIBUTING.md");
}

/// Returns a file's code before its tests.
fn product_of(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

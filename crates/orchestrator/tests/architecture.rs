//! The arrows between modules and crates, checked against the source.

#[path = "architecture/arrows.rs"]
mod arrows;
#[path = "architecture/imports.rs"]
mod imports;
#[path = "architecture/readme.rs"]
mod readme;
#[path = "architecture/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrows::{CRATES, EXCEPTIONS, HOMES, MODULES, allowed};
use imports::imports;
use source::{code_of, is_word};

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

/// Returns the module of the orchestrator that a file of `src` belongs to.
fn module_of(path: &Path) -> String {
    let first = path.components().next().expect("a path has a part").as_os_str();
    first.to_string_lossy().trim_end_matches(".rs").to_owned()
}

fn orchestrator_files() -> Vec<(PathBuf, String)> {
    let files = rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 30, "the source was not found");
    files.into_iter().filter(|(path, _)| path != Path::new("lib.rs")).collect()
}

/// Fails with all complaints, one a line.
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_module_is_in_the_table() {
    let unknown =
        orchestrator_files().into_iter().filter(|(path, _)| allowed(&module_of(path)).is_none());
    let complaints: Vec<String> = unknown
        .map(|(path, _)| {
            format!("{}: module `{}` is not in the table", path.display(), module_of(&path))
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let wrong = wrong_arrows().into_iter().filter(|(file, name)| !is_exception(file, name));
    let complaints: Vec<String> = wrong
        .map(|(file, name)| {
            format!("{file}: {} may not import {name}", module_of(Path::new(&file)))
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn every_exception_is_needed() {
    let wrong = wrong_arrows();
    let is_there = |file: &str, name: &str| wrong.iter().any(|(f, n)| f == file && n == name);
    let idle = EXCEPTIONS.iter().filter(|(file, name, _)| !is_there(file, name));
    let complaints: Vec<String> = idle
        .map(|(file, name, _)| format!("{file} no longer imports {name}: remove the exception"))
        .collect();
    assert_none(&complaints);
}

fn is_exception(file: &str, name: &str) -> bool {
    EXCEPTIONS.iter().any(|(excused, import, _)| *excused == file && *import == name)
}

/// Returns every file with an import that the table does not allow.
fn wrong_arrows() -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    for (path, text) in orchestrator_files() {
        let module = module_of(&path);
        let allowed = allowed(&module).unwrap_or_default();
        let names = imports(&path, &text).into_iter();
        let names = names.filter(|name| *name != module && !allowed.contains(&name.as_str()));
        wrong.extend(names.map(|name| (path.display().to_string(), name)));
    }
    wrong
}

#[test]
fn the_table_has_no_cycle() {
    let mut left: Vec<_> = MODULES.to_vec();
    loop {
        let waiting: Vec<&str> = left.iter().map(|(name, _)| *name).collect();
        let before = left.len();
        left.retain(|(_, imports)| imports.iter().any(|name| waiting.contains(name)));
        if left.len() == before {
            break;
        }
    }
    assert!(left.is_empty(), "in or behind a cycle: {left:?}");
}

#[test]
fn packages_stay_in_their_homes() {
    let mut complaints = Vec::new();
    for (path, text) in orchestrator_files() {
        let (code, shown) = (code_of(&text), path.display().to_string());
        for (package, homes) in HOMES {
            let is_used =
                words(&code).any(|(word, after)| word == *package && after.starts_with("::"));
            if is_used && !homes.iter().any(|home| shown.starts_with(home)) {
                complaints.push(format!("{shown}: {package} belongs to {}", homes.join(", ")));
            }
        }
    }
    assert_none(&complaints);
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
fn crates_use_only_those_below_them() {
    let mut complaints = Vec::new();
    for (name, uses, tests_use) in CRATES {
        let manifest = std::fs::read_to_string(crates().join(name).join("Cargo.toml"))
            .expect("every crate has a manifest");
        for (section, dependency) in our_dependencies(&manifest) {
            let is_for_tests = section.ends_with("dev-dependencies");
            let is_allowed = uses.contains(&dependency.as_str())
                || is_for_tests && tests_use.contains(&dependency.as_str());
            if !is_allowed {
                complaints.push(format!(
                    "{name}/Cargo.toml: {name} may not use {dependency} in [{section}]"
                ));
            }
        }
    }
    assert_none(&complaints);
}

/// Returns section and name of every dependency on a crate of ours.
fn our_dependencies(manifest: &str) -> Vec<(String, String)> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        } else if let Some(rest) = line.strip_prefix("joust-")
            && section.ends_with("dependencies")
        {
            let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
            found.push((section.clone(), name));
        }
    }
    found
}

#[test]
fn every_crate_is_in_the_table() {
    let folders = std::fs::read_dir(crates()).expect("the crates are there");
    let folders = folders.map(|entry| entry.expect("the folder can be read").path());
    // Fuzz targets are a workspace of their own, which nobody uses.
    let is_ours = |path: &PathBuf| path.join("Cargo.toml").exists() && !path.ends_with("fuzz");
    for folder in folders.filter(is_ours) {
        let name = folder.file_name().expect("it has a name").to_string_lossy().into_owned();
        assert!(CRATES.iter().any(|(known, ..)| *known == name), "crate `{name}`");
    }
}

#[test]
fn the_referee_has_no_runtime_dependency() {
    let manifest = std::fs::read_to_string(crates().join("referee/Cargo.toml")).unwrap();
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().skip(1);
    let dependencies: Vec<&str> =
        lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
    assert!(dependencies.is_empty(), "{dependencies:?}");
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
    for name in ["referee", "orchestrator", "testkit"] {
        let text = std::fs::read_to_string(crates().join(name).join("src/lib.rs")).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name}/src/lib.rs");
    }
}

#[test]
fn the_table_is_the_one_people_read() {
    let text = std::fs::read_to_string(crates().join("README.md")).expect("crates/README.md");
    let mut complaints = Vec::new();
    let rows = readme::rows(&text);
    for (module, imports) in &rows {
        let Some(allowed) = allowed(module) else {
            complaints.push(format!("crates/README.md: `{module}` is not in the test's table"));
            continue;
        };
        let same = imports.len() == allowed.len()
            && imports.iter().all(|name| allowed.contains(&name.as_str()));
        if !same {
            complaints.push(format!(
                "crates/README.md: `{module}` may import {imports:?}, the test says {allowed:?}"
            ));
        }
    }
    assert_eq!(rows.len(), MODULES.len() - 1, "`pipeline` has no list, every other module has");
    assert_none(&complaints);
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
    let product = ["cli/src/", "orchestrator/src/", "referee/src/", "sandbox/src/"];
    let starts = |code: &str| STARTS.iter().any(|start| code.contains(start));
    let found: BTreeSet<String> = rust_files(&crates())
        .into_iter()
        .map(|(path, text)| (path.display().to_string(), text))
        .filter(|(path, _)| product.iter().any(|one| path.starts_with(one)))
        .filter(|(path, text)| !path.ends_with("tests.rs") && starts(product_of(&code_of(text))))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(found, told, "found in the sources, and told in CONTRIBUTING.md");
}

/// Returns a file's code before its tests.
fn product_of(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

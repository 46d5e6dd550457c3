//! Rules that `Cargo.toml` cannot hold: a package has one home, unsafe code, the
//! starting of programs and the names of channels and games have theirs.

#[path = "architecture/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use source::{code_of, is_word};

/// A package and the only crates whose product may depend on it.
const HOMES: &[(&str, &[&str])] = &[
    ("async-nats", &["cluster"]),
    ("axum", &["live"]),
    ("clap", &["cli"]),
    ("comfy-table", &["report"]),
    ("hyper", &["live"]),
    ("indicatif", &["report"]),
    ("serde_yaml", &["config"]),
    ("rawzip", &["bots"]),
    ("sqlx", &["store"]),
    ("tar", &["bots"]),
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

/// Returns every word of `code` with the text after it.
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
fn the_referee_depends_on_nothing_but_a_standard_hash() {
    let manifest = manifest("referee");
    assert_eq!(dependencies(&manifest), ["sha2"]);
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

/// Code that starts a program, in Rust and in C.
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

#[test]
fn every_fuzz_target_is_built_and_fed_at_night() {
    let read = |path: &str| std::fs::read_to_string(crates().join(path)).expect("it is there");
    let (nightly, manifest) = (read("../.github/workflows/nightly.yml"), read("fuzz/Cargo.toml"));
    let fed = nightly.lines().find_map(|line| line.trim().strip_prefix("target: ["));
    let fed: BTreeSet<&str> = fed.unwrap_or_default().trim_end_matches(']').split(", ").collect();
    let built = manifest.lines().filter_map(|line| line.strip_prefix("path = \"targets/"));
    let built: BTreeSet<&str> = built.map(|file| file.trim_end_matches(".rs\"")).collect();
    let targets = std::fs::read_dir(crates().join("fuzz/targets")).expect("the targets are there");
    let targets = targets.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let targets: BTreeSet<String> =
        targets.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    let targets: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
    assert_eq!(built, targets, "fuzz/Cargo.toml");
    assert_eq!(fed, targets, "nightly.yml");
}

/// Calls that read a file of any kind: a pipe or a device for ever.
const READS: [&str; 4] = ["fs::read(", "fs::read_to_string(", "File::open(", "fs::copy("];

/// Files of strangers are read where these crates find, build and compare them; these files read
/// none.
const OWN_READERS: [(&str, &str); 10] = [
    ("bots/src/archive/mod.rs", "what was unpacked before"),
    ("toolchain/src/detect/probe.rs", "the organiser's tools"),
    ("bots/src/git/repository.rs", "the organiser's repository"),
    ("toolchain/src/installed.rs", "the organiser's tools"),
    ("bots/src/pack.rs", "the store"),
    ("toolchain/src/legacy/maven/plugins.rs", "the organiser's Maven repository"),
    ("bots/src/scaffold/author.rs", "the organiser's settings"),
    ("bots/src/scaffold/copied.rs", "plain files, when somebody makes a starter"),
    ("build/src/store/export.rs", "the store"),
    ("toolchain/src/system_program.rs", "programs of the system"),
];

#[test]
fn a_stranger_s_file_is_read_by_who_waits_for_no_pipe() {
    let is_looked_at = |path: &str| {
        let homes =
            ["bots/src/", "build/src/", "config/src/", "orchestrator/src/ci/", "toolchain/src/"];
        let is_product = !path.ends_with("tests.rs");
        homes.iter().any(|home| path.starts_with(home)) && is_product
    };
    let reads = |code: &str| READS.iter().any(|read| code.contains(read));
    let found: BTreeSet<String> = rust_files(&crates())
        .into_iter()
        .map(|(path, text)| (path.display().to_string(), text))
        .filter(|(path, text)| is_looked_at(path) && reads(product_of(&code_of(text))))
        .map(|(path, _)| path)
        .collect();
    let known = OWN_READERS.map(|(path, _)| path.to_owned());
    assert_eq!(
        found,
        known.into(),
        "`config::read_plain` and `open_plain` read files of strangers"
    );
}

#[test]
fn no_channel_s_name_is_compared_outside_the_list_of_channels() {
    // Games contain their own name, the list contains all of them, and tests may contain any.
    let is_home = |path: &str| {
        path == "play/src/channel/spec.rs"
            || path.starts_with("referee/src/")
            || !path.contains("/src/")
            || path.ends_with("tests.rs")
    };
    let names: Vec<_> = joust_play::channel::ALL.iter().map(|channel| channel.name).collect();
    let mut complaints = Vec::new();
    for (path, text) in rust_files(&crates()) {
        let path = path.display().to_string();
        let product = product_of(&text).lines().enumerate();
        for (at, line) in product.filter(|(_, line)| !is_home(&path) && compares(line, &names)) {
            complaints.push(format!("{path}:{}: {}", at + 1, line.trim()));
        }
    }
    assert_none(&complaints);
}

/// Returns whether a line of code compares or uses one of the channels' names, or decides by
/// the name that a game gives.
fn compares(line: &str, names: &[&str]) -> bool {
    if line.trim_start().starts_with("//") {
        return false;
    }
    let is_key = |name: &str| !name.contains('-');
    let is_told = names.iter().any(|name| {
        let literal = format!("\"{name}\"");
        let Some((before, after)) = line.split_once(&literal) else { return false };
        let is_compared = ["==", "!=", "matches!", "&str = "].iter().any(|it| before.contains(it))
            || ["==", "!=", "=>", "|"].iter().any(|it| after.trim_start().starts_with(it));
        // A word like `files` is a key of several documents too.
        is_compared || !is_key(name)
    });
    let after_call = line.split(".spec().channel").skip(1).map(str::trim_start);
    let is_decided = |rest: &str| ["==", "!=", "{"].iter().any(|it| rest.starts_with(it));
    is_told || after_call.into_iter().any(is_decided)
}

#[test]
fn comparisons_of_a_channel_s_name_are_seen() {
    let names = ["argv", "tcp-line"];
    let guilty = [
        "if channel == \"argv\" {",
        "\"argv\" => open(),",
        "const OVER_TCP: &str = \"tcp-line\";",
        "open(\"tcp-line\")",
        "matches!(name, \"argv\")",
        "if game.spec().channel != other {",
        "match game.spec().channel {",
    ];
    for line in guilty {
        assert!(compares(line, &names), "{line}");
    }
    for line in ["keys.get(\"argv\")", "open(&game.spec().channel, opening)", "// \"argv\" => "] {
        assert!(!compares(line, &names), "{line}");
    }
}

#[test]
fn no_crate_but_the_referee_decides_anything_by_a_game_s_name() {
    let games = joust_referee::Catalogue::built_in();
    let is_elsewhere = |path: &str| {
        let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
        let is_test = is_test || !path.contains("/src/");
        !is_test && !["referee/", "testkit/", "fuzz/"].iter().any(|home| path.starts_with(home))
    };
    let mut complaints = Vec::new();
    for (path, text) in rust_files(&crates()) {
        let path = path.display().to_string();
        let product = product_of(&text).lines().enumerate();
        for (at, line) in
            product.filter(|(_, line)| is_elsewhere(&path) && knows(line, &games.ids()))
        {
            complaints.push(format!("{path}:{}: {}", at + 1, line.trim()));
        }
    }
    assert_none(&complaints);
}

/// Returns whether a line of code names a game, or a module that only one game has. Examples for
/// people may.
fn knows(line: &str, games: &[&str]) -> bool {
    let is_named = |game: &&str| line.contains(&format!("\"{game}\""));
    let line = line.trim_start();
    let is_code = !line.starts_with("//") && !line.starts_with("#[schemars(");
    is_code && (games.iter().any(is_named) || line.contains("joust_referee::games"))
}

#[test]
fn names_of_games_are_seen() {
    let games = ["battlebots", "uwcs-bomberman"];
    let guilty = [
        "if game.id() == \"battlebots\" {",
        "matches!(game, \"battlebots\" | \"uwcs-bomberman\")",
        "use joust_referee::games::battlebots::Battlebots;",
        "const GAME: &str = \"uwcs-bomberman\";",
    ];
    for line in guilty {
        assert!(knows(line, &games), "{line}");
    }
    let innocent = [
        "hint(\"for instance `- { game: battlebots, bots: [a] }`\")",
        "    #[schemars(example = &\"battlebots\")]",
        "// as \"battlebots\"",
    ];
    for line in innocent {
        assert!(!knows(line, &games), "{line}");
    }
}

/// Returns a file's code before its tests.
fn product_of(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

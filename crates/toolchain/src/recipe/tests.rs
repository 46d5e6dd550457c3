use std::fs;

use super::sources::class_of;
use super::*;
use crate::detect::Machine;
use crate::language::Languages;
use crate::{PATH_VARIABLE, PORT_VARIABLE};
use joust_bots::{Manifest, manifest::ServerKeys};

fn kit() -> Toolchains {
    let text = "kit: { title: Kit, extensions: [kit], entry: [main.kit], \
        environment: { KIT_HOME: '{sh.home}', KIT_CACHE: '{tmp}/cache', KIT_PORT: '-p={port}' }, variants: [{ name: kit, \
        install: apt install kit, programs: { sh: { find: [sh] }, cp: { find: [cp] } }, \
        build: [['{cp}', '{sources}', '{out}']], run: ['{sh}', '{entry}', 'heap={heap}'] }] }";
    let languages = Languages::with(&joust_config::yaml::from_str(text).unwrap()).unwrap();
    Toolchains::new(Arc::new(languages), Machine::this())
}

fn recipe(files: &[&str], manifest: Manifest) -> Result<Recipe, NotBuilt> {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "package a.b;\n").unwrap();
    }
    let language =
        if manifest.language.is_empty() { "kit".to_owned() } else { manifest.language.clone() };
    let manifest = Manifest { language, ..manifest };
    let bot = BotSource::new(manifest, folder.path(), folder.path());
    let tree = SourceTree::read(folder.path(), &[]).unwrap();
    Recipe::new(
        &bot,
        &tree,
        &kit(),
        EventProvisions { network: BuildNetwork::None, libraries: None, own: None },
    )
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_table_gives_build_and_run_with_absolute_paths() {
    let recipe = recipe(&["main.kit", "lib/x.kit", "notes.txt"], Manifest::default()).unwrap();
    let build = &recipe.inputs.build[0];
    assert!(build[0].ends_with("/cp") && build[0].starts_with('/'), "{build:?}");
    assert_eq!(build[1..], words("/bot/lib/x.kit /bot/main.kit /bot/.joust"));
    assert_eq!(recipe.inputs.run[1..], words("/bot/main.kit heap={heap}"));
}

#[test]
fn the_environment_is_fixed_and_complete() {
    let recipe = recipe(&["main.kit"], Manifest::default()).unwrap();
    let run = &recipe.inputs.run_environment;
    assert_eq!(run["LC_ALL"], "C.UTF-8");
    assert_eq!(run["HOME"], "/scratch");
    assert!(!run.contains_key("KIT_HOME"), "stands for nothing");
    assert!(!run.contains_key("KIT_CACHE"), "only builds have a temporary folder");
    assert_eq!(recipe.inputs.build_environment["KIT_CACHE"], "/bot/.build/cache");
}

#[test]
fn a_web_server_finds_its_port_in_variables_of_its_turns() {
    let server = ServerKeys { port: None, path: String::new() };
    let run = Some(words("sh main.kit $PORT"));
    let manifest = Manifest { run, server: Some(server), ..Manifest::default() };
    let inputs = recipe(&["main.kit"], manifest.clone()).unwrap().inputs;
    assert_eq!(inputs.run[1..], words("main.kit $PORT"));
    assert_eq!(inputs.run_environment["KIT_PORT"], "-p=$PORT");
    assert!(!inputs.build_environment.contains_key("KIT_PORT"), "nothing listens in a build");
    assert!(!inputs.run_environment.contains_key(PORT_VARIABLE), "its channel chooses one");
    let keys = ServerKeys { port: Some(8080), path: "/ann".to_owned() };
    let fixed = recipe(&["main.kit"], Manifest { server: Some(keys), ..manifest }).unwrap().inputs;
    assert_eq!(fixed.run_environment[PORT_VARIABLE], "8080");
    assert_eq!(fixed.run_environment[PATH_VARIABLE], "/ann");
    let other = recipe(&["main.kit"], Manifest::default()).unwrap().inputs;
    assert!(!other.run_environment.contains_key("KIT_PORT"), "it is no server");
}

#[test]
fn the_only_source_is_the_entry_and_none_is_refused() {
    let one = recipe(&["odd.kit"], Manifest::default()).unwrap();
    assert_eq!(one.inputs.run[1], "/bot/odd.kit");
    let none = recipe(&["a.kit", "b.kit"], Manifest::default()).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no main file: none of `main.kit` is there, and `entry` names none"
    );
}

#[test]
fn a_python_bot_with_a_build_of_its_own_runs_its_source() {
    let python = |build: Option<Vec<Vec<String>>>| {
        let manifest = Manifest { language: "python".to_owned(), build, ..Manifest::default() };
        recipe(&["main.py"], manifest).unwrap().inputs.run[1].clone()
    };
    assert_eq!(python(None), "/bot/main.pyc");
    assert_eq!(python(Some(vec![words("python3 make.py")])), "/bot/main.py");
}

#[test]
fn an_entry_that_is_not_there_is_refused() {
    let manifest = Manifest { entry: Some("gone.kit".to_owned()), ..Manifest::default() };
    let refused = recipe(&["main.kit"], manifest).unwrap_err();
    assert_eq!(refused.to_string(), "the entry `gone.kit` is not there");
    for folder in ["src", "src/"] {
        let manifest = Manifest { entry: Some(folder.to_owned()), ..Manifest::default() };
        let refused = recipe(&["src/main.kit"], manifest).unwrap_err().to_string();
        assert_eq!(refused, format!("the entry `{folder}` is a folder: name a file in it"));
    }
}

#[test]
fn an_entry_that_does_not_count_is_not_said_to_be_gone() {
    let manifest = Manifest { entry: Some(".hidden.kit".to_owned()), ..Manifest::default() };
    let refused = recipe(&[".hidden.kit", "main.kit"], manifest).unwrap_err().to_string();
    let told = "the entry `.hidden.kit` is there, but not among the files that count";
    assert_eq!(refused, told);
}

#[test]
fn an_authors_program_is_a_tool_a_file_of_the_bot_or_one_of_the_system() {
    let with = |command: &str| {
        let manifest = Manifest { run: Some(words(command)), ..Manifest::default() };
        recipe(&["main.kit"], manifest).map(|recipe| recipe.inputs.run.join(" "))
    };
    assert_eq!(with("./run.sh $(x) ; y").unwrap(), "/bot/run.sh $(x) ; y");
    let shell = with("sh main.kit").unwrap();
    assert!(shell.starts_with('/') && shell.ends_with("sh main.kit"), "{shell}");
    assert!(with("ls").unwrap().starts_with('/'));
    assert_eq!(with("../x").unwrap_err().to_string(), "`../x` leaves the bot's folder");
    assert_eq!(with("/home/x").unwrap_err().word(), "build-refused");
    assert_eq!(with("no-such-program").unwrap_err().word(), "not built");
}

#[test]
fn a_class_has_its_package() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.java");
    fs::write(&file, "// hello\npackage org.example ; class Main {}").unwrap();
    assert_eq!(class_of(&file, "src/Main.java").unwrap(), "org.example.Main");
    fs::write(&file, "class Main {}").unwrap();
    assert_eq!(class_of(&file, "Main.java").unwrap(), "Main");
    assert!(class_of(&file, "my main.java").is_err());
}

#[test]
fn source_recipe_and_arguments_change_the_key() {
    let plain = recipe(&["main.kit"], Manifest::default()).unwrap();
    let args = Manifest { args: words("-v"), ..Manifest::default() };
    let other = recipe(&["main.kit"], args).unwrap();
    let (one, two) = (SourceHash::of("x", &[b"1"]), SourceHash::of("x", &[b"2"]));
    assert_eq!(plain.key(&one), plain.key(&one));
    assert_ne!(plain.key(&one), plain.key(&two));
    assert_ne!(plain.key(&one), other.key(&one));
}

/// Returns the inputs of a program that needs no tools.
fn sample() -> RecipeInputs {
    let inputs = serde_json::json!({
        "language": "c", "variant": "gcc", "toolchain": "gcc 12", "network": "None",
        "files": {}, "build": [], "optional": [], "build_environment": {},
        "run": ["{program}"], "run_environment": {}, "program": ["bot"],
    });
    serde_json::from_value(inputs).unwrap()
}

#[test]
fn another_version_of_an_engine_of_the_system_is_another_build() {
    let engine = |sha256: &str, package: &str| SystemProgram {
        path: "/usr/games/engine".to_owned(),
        sha256: sha256.repeat(32),
        package: package.to_owned(),
    };
    let source = SourceHash::of("x", &[]);
    let of = |system: Vec<SystemProgram>| RecipeInputs { system, ..sample() };
    let (old, new) = (of(vec![engine("ab", "engine 1-1")]), of(vec![engine("cd", "engine 1-2")]));
    assert_ne!(old.key(&source), new.key(&source));
    assert_ne!(old.key(&source), of(Vec::new()).key(&source));
    assert_eq!(
        old.tool_versions(),
        "gcc 12; /usr/games/engine of engine 1-1, sha256 abababababababab"
    );
    assert_eq!(of(Vec::new()).tool_versions(), "gcc 12");
}

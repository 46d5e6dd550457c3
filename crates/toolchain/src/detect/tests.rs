use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;
use joust_bots::{
    SourceTree,
    manifest::Project,
    source::{FileKind, SourceFile},
};

/// A home only its owner enters, with an interpreter and a shim before it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
        Self(home)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn program(&self, path: &str, script: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn detect(&self, variant: &str) -> Result<Toolchain, NoTools> {
        let path = self.path().join("shims");
        let machine = Machine::new(path.as_os_str(), Some(self.path()), Duration::from_secs(5));
        detect(&variant_of(variant), &machine)
    }
}

fn variant_of(programs: &str) -> Variant {
    let text = format!("{{ name: v, install: apt install it, run: [x], programs: {programs} }}");
    joust_config::yaml::from_str(&text).unwrap()
}

const ASKED: &str = "{ lang: { find: [lang], ask: [where], folders: { home: 'home =' }, \
    program: '{home}/bin/lang', version: [version], accept: Lang } }";

#[test]
fn a_tool_is_asked_where_no_stranger_has_files() {
    let home = Home::new();
    home.program("shims/lang", "echo Lang at $(pwd) for ${PWD} ${OLDPWD:-nothing} $GOTOOLCHAIN");
    let toolchain = home.detect("{ lang: { find: [lang], version: [version], accept: Lang } }");
    assert_eq!(toolchain.unwrap().version, "Lang at / for / nothing local");
}

#[test]
fn what_a_tool_says_counts_though_a_child_of_it_holds_its_pipes() {
    let home = Home::new();
    home.program("shims/lang", "sleep 10 & echo Lang 1");
    let toolchain = home.detect("{ lang: { find: [lang], version: [version], accept: Lang } }");
    assert_eq!(toolchain.unwrap().version, "Lang 1");
}

#[test]
fn tools_get_only_the_listed_variables() {
    let home = Home::new();
    let out = home.path().join("told");
    home.program("shims/lang", &format!("env >{}; echo Lang 1", out.display()));
    home.detect("{ lang: { find: [lang], version: [version], accept: Lang } }").unwrap();
    let told = fs::read_to_string(out).unwrap();
    let names: Vec<_> = told.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    for wanted in ["PATH", "HOME", "LC_ALL", "GOTOOLCHAIN"] {
        assert!(names.contains(&wanted), "{wanted}: {told}");
    }
    // Cargo sets these for this very test.
    for unwanted in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "LD_LIBRARY_PATH"] {
        assert!(!names.contains(&unwanted), "{unwanted}");
    }
}

#[test]
fn a_tool_in_the_tournament_s_own_tree_is_not_asked() {
    let home = Home::new();
    home.program("cup/.venv/bin/lang", "echo Lang of a stranger");
    home.program("bin/lang", "echo Lang of the organiser");
    let path = std::env::join_paths([home.path().join("cup/.venv/bin"), home.path().join("bin")]);
    let machine = Machine::new(&path.unwrap(), Some(home.path()), Duration::from_secs(5));
    let variant = variant_of("{ lang: { find: [lang], version: [version], accept: Lang } }");
    let found = detect(&variant, &machine.excluding(&home.path().join("cup"))).unwrap();
    assert_eq!(found.version, "Lang of the organiser");
}

#[test]
fn a_shim_is_followed_to_the_real_program_in_a_closed_home() {
    let home = Home::new();
    let real = home.program(
        "versions/1.2/bin/lang",
        "[ $1 = where ] && echo \"  home = $(cd $(dirname $0)/.. && pwd)\" || echo Lang 1.2",
    );
    home.program("shims/lang", &format!("exec {} \"$@\"", real.display()));
    let toolchain = home.detect(ASKED).unwrap();
    assert_eq!(toolchain.values["lang"], "/toolchains/lang/bin/lang");
    assert_eq!(toolchain.values["lang.home"], "/toolchains/lang");
    assert_eq!(toolchain.version, "Lang 1.2");
    assert_eq!(toolchain.programs["lang"], real);
    let folder =
        Folder { host: home.path().join("versions/1.2"), inside: "/toolchains/lang".into() };
    assert_eq!(toolchain.folders, [("lang".to_owned(), folder)]);
}

#[test]
fn a_shim_of_a_manager_is_asked_which_program_it_stands_for() {
    let home = Home::new();
    let real = home.program("versions/2/bin/lang", "echo Lang 2");
    home.program("shims/manager", &format!("echo {}", real.display()));
    home.program("shims/lang", "exec manager exec lang \"$@\"");
    let toolchain = home.detect("{ lang: { find: [lang], up: 2, version: [-v] } }").unwrap();
    assert_eq!(toolchain.programs["lang"], real);
    assert_eq!(toolchain.values["lang.home"], "/toolchains/lang");
}

#[test]
fn links_are_followed_and_reported_tools_share_their_folder() {
    let home = Home::new();
    let real = home.program("kit/bin/compile", "echo 1");
    home.program("kit/bin/start", "echo 1");
    fs::create_dir_all(home.path().join("shims")).unwrap();
    symlink(real, home.path().join("shims/compile")).unwrap();
    let variant = "{ a: { at: '{compile.home}/bin/start' }, compile: { find: [compile], up: 2 } }";
    let toolchain = home.detect(variant).unwrap();
    assert_eq!(toolchain.values["a"], "/toolchains/compile/bin/start");
    assert_eq!(toolchain.folders.len(), 1);
}

#[test]
fn a_program_that_goes_by_its_name_keeps_it() {
    let home = Home::new();
    home.program("kit/bin/compile", "echo 1");
    fs::create_dir_all(home.path().join("shims")).unwrap();
    symlink("compile", home.path().join("kit/bin/compile++")).unwrap();
    symlink("../kit/bin/compile++", home.path().join("shims/compile++")).unwrap();
    let toolchain = home.detect("{ c: { find: ['compile++'], up: 2 } }").unwrap();
    assert_eq!(toolchain.values["c"], "/toolchains/c/bin/compile++");
}

#[test]
fn a_broken_shim_gives_way_to_the_next_place() {
    let home = Home::new();
    home.program("shims/lang", "echo 'lang: command not found' >&2; exit 127");
    home.program("more/9/bin/lang", "echo Lang 9");
    home.program("more/10/bin/lang", "echo Lang 10");
    let variant =
        "{ lang: { find: [lang], also: ['~/more/*/bin/lang'], version: [-v], accept: Lang } }";
    assert_eq!(home.detect(variant).unwrap().version, "Lang 10");
}

#[test]
fn a_tool_that_hangs_fails_or_is_another_one_is_missing_with_the_reason() {
    let cases = [
        ("sleep 20", "gives no answer within"),
        ("echo went wrong; exit 3", "fails with exit status: 3: went wrong"),
        ("echo Other 1", "is not a version of `Lang`"),
    ];
    for (script, reason) in cases {
        let home = Home::new();
        home.program("shims/lang", script);
        let machine =
            Machine::new(home.path().join("shims").as_os_str(), None, Duration::from_millis(500));
        let variant = variant_of("{ lang: { find: [lang], version: [-v], accept: Lang } }");
        let Err(NoTools::Missing(missing)) = detect(&variant, &machine) else { panic!("{script}") };
        assert!(missing.reason.contains(reason), "{missing}");
        assert_eq!(missing.install, "apt install it");
    }
}

#[test]
fn a_tool_that_says_how_it_is_set_up_is_not_to_be_installed() {
    let home = Home::new();
    let script = "echo 'error: no default is configured.' >&2\n\
        echo \"help: run 'lang default stable' to choose one\" >&2; exit 1";
    home.program("shims/lang", script);
    let missing = home.detect("{ lang: { find: [lang], version: [-v], accept: Lang } }");
    let Err(NoTools::Missing(missing)) = missing else { panic!("{missing:?}") };
    assert!(
        missing.to_string().ends_with("help: run 'lang default stable' to choose one"),
        "{missing}"
    );
}

#[test]
fn the_newest_of_several_is_taken_where_the_table_says_so() {
    let home = Home::new();
    home.program("shims/lang", "echo Lang 9.9");
    home.program("opt/a/bin/lang", "echo Lang 10.2");
    home.program("opt/b/bin/lang", "echo Lang 10.12");
    home.program("opt/c/bin/lang", "echo Lang 99; exit 1");
    let mut variant = variant_of(
        "{ lang: { find: [lang], also: ['~/opt/*/bin/lang'], version: [version], accept: Lang } }",
    );
    let path = home.path().join("shims");
    let machine = Machine::new(path.as_os_str(), Some(home.path()), Duration::from_secs(5));
    assert_eq!(detect(&variant, &machine).unwrap().version, "Lang 9.9");
    variant.newest = vec!["lang".to_owned()];
    assert_eq!(detect(&variant, &machine).unwrap().version, "Lang 10.12");
}

#[test]
fn a_tool_that_is_nowhere_is_missing() {
    let missing = Home::new().detect("{ lang: { find: [no-such-lang] } }").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "`no-such-lang` was not found (install it with `apt install it`)"
    );
}

#[test]
fn a_tool_in_a_closed_home_is_passed_over_where_bots_are_other_users() {
    let (closed, open) = (Home::new(), Home::new());
    fs::set_permissions(open.path(), fs::Permissions::from_mode(0o755)).unwrap();
    closed.program("bin/lang", "echo 1");
    let variant = variant_of("{ lang: { find: [lang] } }");
    let found = |folders: &[&Home], wanted| {
        let path = std::env::join_paths(folders.iter().map(|home| home.path().join("bin")));
        let machine = Machine::new(&path.unwrap(), None, Duration::from_secs(5));
        detect(&variant, &machine.for_other_users(wanted))
    };
    let homes = [&closed, &open];
    assert_eq!(found(&homes, false).unwrap().programs["lang"], closed.path().join("bin/lang"));
    let missing = found(&homes, true).unwrap_err().to_string();
    let barrier = format!("other users may not enter `{}`", closed.path().display());
    assert!(missing.contains(&barrier), "{missing}");
    let second = open.program("bin/lang", "echo 2");
    assert_eq!(found(&homes, true).unwrap().programs["lang"], second);
}

#[test]
fn a_home_is_never_mounted_as_a_whole() {
    let home = Home::new();
    home.program("bin/lang", "echo 1");
    let machine = Machine::new(
        home.path().join("bin").as_os_str(),
        Some(home.path()),
        Duration::from_secs(5),
    );
    let variant = variant_of("{ lang: { find: [lang], up: 2 } }");
    let toolchain = detect(&variant, &machine).unwrap();
    assert_eq!(toolchain.folders.len(), 1);
    assert_eq!(toolchain.folders[0].1.host, home.path().join("bin"));
    assert_eq!(toolchain.values["lang"], "/toolchains/lang/lang");
}

#[test]
fn what_every_sandbox_shows_is_not_mounted() {
    let machine = Machine::new(OsStr::new("/usr/bin"), None, Duration::from_secs(5));
    let variant = variant_of("{ sh: { find: [sh] } }");
    let toolchain = detect(&variant, &machine).unwrap();
    assert!(toolchain.folders.is_empty());
    assert!(
        toolchain.values["sh"].starts_with("/usr/") || toolchain.values["sh"].starts_with("/bin/")
    );
}

#[test]
fn files_of_the_source_choose_the_variant() {
    let languages = Languages::shipped();
    let home = tempfile::tempdir().unwrap();
    let names = |id: &str, files: &[&str]| -> Vec<String> {
        fitting_names(&languages, id, &tree(home.path(), files), None)
    };
    assert_eq!(names("java", &["Main.java", "pom.xml"]), ["maven"]);
    assert_eq!(names("java", &["Main.java", "sub/pom.xml"]), ["javac"]);
    assert_eq!(names("python", &["bot.py"]), ["cpython"]);
    assert_eq!(names("python", &["bot.py", "requirements.txt"]), ["pip"]);
    assert_eq!(names("rust", &["Cargo.toml", "src/main.rs"]), ["cargo"]);
    assert_eq!(names("rust", &["main.rs"]), ["rustc"]);
    assert_eq!(names("csharp", &["Bot.cs"]), ["mono", "dotnet-single"]);
    assert_eq!(names("csharp", &["Bot.cs", "Bot.csproj"]), ["dotnet", "mono", "dotnet-single"]);
}

#[test]
fn a_project_has_variants_of_its_own_and_falls_back_on_the_others() {
    let languages = Languages::shipped();
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("package.json"), "{ \"dependencies\": {} }").unwrap();
    let project = Project { folder: "sub".to_owned(), ..Project::default() };
    let names = |id: &str, files: &[&str]| -> Vec<String> {
        fitting_names(&languages, id, &tree(home.path(), files), Some(&project))
    };
    assert_eq!(names("java", &["sub/pom.xml", "Main.java"]), ["project-maven"]);
    assert_eq!(names("javascript", &["bot.js"]), ["project-node"]);
    assert_eq!(names("javascript", &["bot.js", "package.json"]), ["project-npm"]);
    assert_eq!(names("python", &["bot.py"]), ["cpython"]);
    assert_eq!(names("python", &["bot.py", "requirements.txt"]), ["project-pip"]);
    assert_eq!(names("go", &["src/sub/main.go"]), ["project-gopath"]);
    assert_eq!(names("cpp", &["sub/main.cpp"]), ["project-g++"]);
}

#[test]
fn a_web_server_has_variants_of_its_own_and_falls_back_on_the_others() {
    let languages = Languages::shipped();
    let home = tempfile::tempdir().unwrap();
    let names = |id: &str, files: &[&str], is_server: bool| -> Vec<String> {
        let wanted = VariantQuery { tree: &tree(home.path(), files), project: None, is_server };
        let variants = fitting::fitting_variants(languages.get(id).unwrap(), &wanted);
        variants.iter().map(|variant| variant.name.clone()).collect()
    };
    assert_eq!(names("javascript", &["index.js", "package.json"], true), ["server-npm"]);
    assert_eq!(names("javascript", &["index.js", "package.json"], false), ["node"]);
    assert_eq!(names("javascript", &["index.js"], true), ["node"]);
    assert_eq!(names("go", &["go.mod"], true), ["module"]);
    assert_eq!(names("cpp", &["CMakeLists.txt", "main.cpp"], true), ["server-cmake"]);
    assert_eq!(names("cpp", &["CMakeLists.txt", "main.cpp"], false), ["g++"]);
}

fn tree(root: &Path, files: &[&str]) -> SourceTree {
    let kind = FileKind::Plain { executable: false, hash: joust_model::BuildHash([0; 32]) };
    let file = |path: &&str| SourceFile { path: (*path).to_owned(), kind: kind.clone() };
    SourceTree { root: root.to_owned(), files: files.iter().map(file).collect() }
}

fn fitting_names(
    languages: &Languages,
    id: &str,
    tree: &SourceTree,
    project: Option<&Project>,
) -> Vec<String> {
    let wanted = VariantQuery { tree, project, is_server: false };
    let variants = fitting::fitting_variants(languages.get(id).unwrap(), &wanted);
    variants.iter().map(|variant| variant.name.clone()).collect()
}

#[test]
fn an_older_release_is_taken_where_the_source_asks_for_it() {
    let home = Home::new();
    home.program("shims/javac", "[ $1 = ask ] && echo \"home = $(dirname $0)\" || echo javac 17");
    home.program("jdk8/jre/bin/java", "");
    home.program(
        "jdk8/bin/javac",
        "[ $1 = ask ] && echo \"home = $(dirname $0)/../jre\" || echo javac 1.8.0_412",
    );
    let text = "{ title: J, variants: [{ name: v, install: x, run: [x], programs: { javac: { \
        find: [javac], also: ['~/jdk*/bin/javac'], ask: [ask], folders: { home: 'home =' }, \
        program: '{home}/bin/javac', version: [-v], accept: javac, older: { accept: 'javac 1.8', \
        when: ['pom.xml | <source>1\\.[1-6]<'], unless: ['**/*.java | new'], lacking: old } } } }] }";
    fs::create_dir_all(home.path().join("shims/bin")).unwrap();
    fs::copy(home.path().join("shims/javac"), home.path().join("shims/bin/javac")).unwrap();
    let extra = joust_config::yaml::from_str(&format!("j: {text}")).unwrap();
    let languages = Arc::new(Languages::with(&extra).unwrap());
    let path = home.path().join("shims");
    let machine = Machine::new(path.as_os_str(), Some(home.path()), Duration::from_secs(5));
    let chosen = |pom: &str, also: &str| {
        let source = tempfile::tempdir().unwrap();
        fs::write(source.path().join("pom.xml"), pom).unwrap();
        fs::write(source.path().join("A.java"), also).unwrap();
        let tree = SourceTree::read(source.path(), &[]).unwrap();
        let tools = Toolchains::new(Arc::clone(&languages), machine.clone());
        let language = languages.get("j").unwrap();
        let choice = tools
            .choose("j", language, &VariantQuery { tree: &tree, project: None, is_server: false })
            .unwrap();
        (choice.toolchain.version.clone(), choice.lacking)
    };
    assert_eq!(chosen("<source>1.8<", ""), ("javac 17".to_owned(), None));
    assert_eq!(chosen("<source>1.6<", ""), ("javac 1.8.0_412".to_owned(), None));
    assert_eq!(chosen("<source>1.6<", "new"), ("javac 17".to_owned(), None));
    fs::remove_file(home.path().join("jdk8/bin/javac")).unwrap();
    let (version, lacking) = chosen("<source>1.6<", "");
    assert_eq!((&*version, lacking.as_deref()), ("javac 17", Some("old")));
}

#[test]
fn old_compilers_and_libraries_ask_for_java_8() {
    let languages = Languages::shipped();
    let source = tempfile::tempdir().unwrap();
    let asks = |pom: &str, java: &str| {
        fs::write(source.path().join("pom.xml"), pom).unwrap();
        fs::write(source.path().join("A.java"), java).unwrap();
        let tree = SourceTree::read(source.path(), &[]).unwrap();
        let wanted = VariantQuery { tree: &tree, project: None, is_server: false };
        older_for(&languages.get("java").unwrap().variants[0], &wanted).is_some()
    };
    for (pom, java) in [
        ("<source>1.6</source>", ""),
        ("<scala.version>2.11.8</scala.version> scala-library", ""),
        ("<kotlin.version>1.1.51</kotlin.version>", ""),
        ("", "package a;\nimport javafx.scene.Node;\n"),
        ("", "import sun.misc.BASE64Encoder;\n"),
    ] {
        assert!(asks(pom, java), "{pom} {java}");
    }
    for (pom, java) in [
        ("<source>1.8</source>", "import java.util.List;\n"),
        ("<scala.version>2.13.8</scala.version> scala-library", ""),
        ("<version>2.11.0</version>", ""),
        ("<maven.compiler.release>11</maven.compiler.release>", "import javafx.scene.Node;\n"),
    ] {
        assert!(!asks(pom, java), "{pom} {java}");
    }
}

#[test]
fn a_tool_that_is_there_and_cannot_be_started_is_not_missing() {
    let home = Home::new();
    let path = home.program("shims/lang", "echo 1");
    // A program that is being written cannot be started.
    let writing = fs::OpenOptions::new().append(true).open(path).unwrap();
    let shims = home.path().join("shims");
    let machine = Machine::new(shims.as_os_str(), None, Duration::from_secs(5));
    let variant = variant_of("{ lang: { find: [lang], version: [-v] } }");
    let toolchains = Toolchains::new(Arc::new(Languages::shipped()), machine);
    let trouble = toolchains.find("x", &variant).unwrap_err();
    assert!(matches!(&trouble, NoTools::Machine(reason) if reason.contains("busy")), "{trouble}");
    drop(writing);
    assert!(toolchains.find("x", &variant).is_ok(), "it is asked for again");
}

//! Maven projects in the styles that were published for the Entelect Challenge.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use joust_toolchain::{Languages, Machine, NotBuilt, Toolchains};

use crate::fixture::{Fixture, moved};
use crate::projects::{JAVA, build, manifest, moves};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_maven_project_is_assembled_from_the_cache", assembled),
    ("a_maven_jar_without_its_main_class_is_a_failed_build", without_main),
    ("an_artefact_that_lies_in_the_machine_s_repository_is_no_bot_s", of_machine),
];

/// Further forms of one project.
pub(crate) const LONG_TESTS: &[Test] = &[
    ("a_maven_plugin_that_is_only_managed_still_assembles", managed),
    ("a_maven_assembly_bound_to_package_is_not_spoilt", bound),
    ("a_maven_project_without_assembly_and_level_is_packaged", plain),
    ("a_maven_run_file_chooses_among_the_jars", chosen),
    ("a_jar_in_target_plays_where_maven_fails", shipped),
    ("a_failed_maven_build_says_the_reason_first", reason),
];

/// Makes a project file of the elements beneath `build`.
fn pom(levels: &str, build: &str) -> String {
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.joust</groupId>\
         <artifactId>sample</artifactId><version>1.0</version><packaging>jar</packaging>\
         <properties>{levels}</properties><build>{build}</build></project>"
    )
}

const LEVELS: &str = "<maven.compiler.source>1.8</maven.compiler.source>\
    <maven.compiler.target>1.8</maven.compiler.target>";

const MANIFEST: &str = "<archive><manifest><mainClass>Main</mainClass></manifest></archive>";

fn assembly(configuration: &str, executions: &str) -> String {
    format!(
        "<plugin><artifactId>maven-assembly-plugin</artifactId><configuration><descriptorRefs>\
         <descriptorRef>jar-with-dependencies</descriptorRef></descriptorRefs>{configuration}\
         </configuration>{executions}</plugin>"
    )
}

fn jar_plugin(configuration: &str) -> String {
    format!(
        "<plugin><artifactId>maven-jar-plugin</artifactId><configuration>{configuration}\
         </configuration></plugin>"
    )
}

const WITH_ALL: &str = "target\\\\sample-1.0-jar-with-dependencies.jar";
const ALONE: &str = "target\\\\sample-1.0.jar";

/// Returns the machine's repository.
fn repository() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    home.join(".m2/repository")
}

/// Returns whether the cache has the plugins of Maven itself.
fn is_cached() -> bool {
    let plugins = repository().join("org/apache/maven/plugins");
    let all = ["maven-assembly-plugin", "maven-clean-plugin"];
    let there = all.into_iter().all(|plugin| plugins.join(plugin).is_dir());
    if !there {
        println!("  left out: `~/.m2/repository` is not filled");
    }
    there
}

fn plays(pom: &str, run_file: &str) {
    if is_cached() {
        let files = [("pom.xml", pom), ("src/main/java/Main.java", JAVA)];
        moves(&manifest("Java", "", run_file), &files, "6");
    }
}

/// Returns why a project is not built; `None` where Maven is not here.
fn failure(pom: &str, java: &str, run_file: &str) -> Option<NotBuilt> {
    if !is_cached() {
        return None;
    }
    let manifest = manifest("Java", "", run_file);
    let files = [("bot.json", &*manifest), ("pom.xml", pom), ("src/main/java/Main.java", java)];
    match Fixture::new().build_project("bot", &files) {
        Err(NotBuilt::MissingToolchain(_)) => None,
        Err(other) => Some(other),
        Ok(_) => panic!("it cannot be built"),
    }
}

fn assembled() {
    if !is_cached() {
        return;
    }
    let pom = pom(LEVELS, &format!("<plugins>{}</plugins>", assembly(MANIFEST, "")));
    let files = [("Sample/pom.xml", &*pom), ("Sample/src/main/java/Main.java", JAVA)];
    let run_file = format!("Sample\\\\{WITH_ALL}");
    moves(&manifest("Java", "Sample", &run_file), &files, "6");
}

fn managed() {
    let executions = "<executions><execution><phase>package</phase><goals><goal>single</goal></goals>\
        </execution></executions>";
    let plugins = format!("{}{}", jar_plugin(MANIFEST), assembly(MANIFEST, executions));
    let pom = format!("<pluginManagement><plugins>{plugins}</plugins></pluginManagement>");
    plays(&self::pom(LEVELS, &pom), WITH_ALL);
}

/// Run on its own, the goal ignores the configuration of the phase: it makes a jar of the same name
/// without a main class.
fn bound() {
    let executions = format!(
        "<executions><execution><id>all</id><phase>package</phase><goals><goal>single</goal></goals>\
         <configuration>{MANIFEST}</configuration></execution></executions>"
    );
    plays(&pom(LEVELS, &format!("<plugins>{}</plugins>", assembly("", &executions))), WITH_ALL);
}

fn plain() {
    plays(&pom("", &format!("<plugins>{}</plugins>", jar_plugin(MANIFEST))), ALONE);
}

/// Both jars can be started; `RunFile` names one.
fn chosen() {
    if !is_cached() {
        return;
    }
    let plugins = format!("<plugins>{}{}</plugins>", jar_plugin(MANIFEST), assembly(MANIFEST, ""));
    let pom = pom(LEVELS, &plugins);
    let files = [("pom.xml", &*pom), ("src/main/java/Main.java", JAVA)];
    let Some((_fixture, build)) = build(&manifest("Java", "", "TARGET/Sample-1.0.JAR"), &files)
    else {
        return;
    };
    assert_eq!(build.command.last().unwrap(), "/bot/target/sample-1.0.jar");
    assert_eq!(moved(&build), "6");
}

fn without_main() {
    let pom = pom(LEVELS, "");
    let Some(why) = failure(&pom, JAVA, ALONE) else { return };
    let text = why.to_string();
    assert!(text.contains("made `target/sample-1.0.jar`, which has no `Main-Class`"), "{text}");
    let Some(why) = failure(&pom, JAVA, "target/other.jar") else { return };
    let text = why.to_string();
    assert!(text.contains("made nothing that matches `target/other.jar`"), "{text}");
    assert!(text.contains("it made `target/sample-1.0.jar`"), "{text}");
}

fn shipped() {
    if !is_cached() {
        return;
    }
    let pom = pom(LEVELS, &format!("<plugins>{}</plugins>", jar_plugin(MANIFEST)));
    let files = [("pom.xml", &*pom), ("src/main/java/Main.java", JAVA)];
    let manifest = manifest("Java", "", ALONE);
    let Some((_made, made)) = build(&manifest, &files) else { return };
    let jar = std::fs::read(made.folder.join("target/sample-1.0.jar")).unwrap();
    let fixture = Fixture::new();
    let files = [("bot.json", &*manifest), ("pom.xml", "<project/>"), ("target/classes/x", "")];
    let folder = fixture.write("shipped", &files);
    std::fs::write(folder.join("target/sample-1.0.jar"), jar).unwrap();
    assert_eq!(moved(&fixture.build_project("shipped", &[]).unwrap()), "6");
}

fn reason() {
    let pom = pom(LEVELS, &format!("<plugins>{}</plugins>", jar_plugin(MANIFEST)));
    let Some(why) = failure(&pom, "public class Main { Nothing x; }\n", ALONE) else { return };
    let text = why.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].contains("Main.java:[1,21] cannot find symbol"), "{text}");
    assert!(!text.contains("Help 1") && !text.contains("\u{1b}"), "{text}");
}

/// Links to all files beneath `from` in the same folders beneath `to`.
fn link_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => link_all(&path, &target),
            false => symlink(&path, &target).unwrap(),
        }
    }
}

fn of_machine() {
    if !is_cached() {
        return;
    }
    let fixture = Fixture::new();
    let home = fixture.folder.path().join("home");
    link_all(&repository(), &home.join(".m2/repository"));
    let own = home.join(".m2/repository/org/secret/secret/1.0");
    std::fs::create_dir_all(&own).unwrap();
    let coordinates = "<groupId>org.secret</groupId><artifactId>secret</artifactId>\
        <version>1.0</version>";
    let project = format!("<project><modelVersion>4.0.0</modelVersion>{coordinates}</project>");
    std::fs::write(own.join("secret-1.0.pom"), project).unwrap();
    // An archive without a file.
    let empty = [&b"PK\x05\x06"[..], &[0; 18]].concat();
    std::fs::write(own.join("secret-1.0.jar"), empty).unwrap();
    let plugins = format!("<plugins>{}</plugins>", jar_plugin(MANIFEST));
    let needs =
        format!("<dependencies><dependency>{coordinates}</dependency></dependencies><build>");
    let pom = pom(LEVELS, &plugins).replace("<build>", &needs);
    let files = [
        ("bot.yaml", "name: bot\nlanguage: java\n"),
        ("pom.xml", &*pom),
        ("src/main/java/Main.java", JAVA),
    ];
    let path = fixture.write("bot", &files);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let machine = Machine::new(&paths, Some(home), Duration::from_secs(30));
    let tools = Toolchains::new(Arc::new(Languages::shipped()), machine);
    let why = match fixture.builder(&tools).build(&fixture.read(&path, &tools)) {
        Err(NotBuilt::MissingToolchain(_)) => return,
        built => built.unwrap_err().to_string(),
    };
    assert!(why.contains("org.secret:secret:jar:1.0"), "{why}");
    assert!(why.contains("what `pom.xml` names was not fetched: `joust bot fetch"), "{why}");
}

//! Compiler level of Maven projects, and plugins of Maven.
//!
//! A project without a level gets the default of its compiler plugin: Java 5 for the plugins of the
//! contests' time, which no JDK after 8 compiles.

mod plugins;
mod pom;

use std::sync::LazyLock;

use joust_config::read_start;
use regex::Regex;

use joust_bots::SourceTree;

pub(crate) use plugins::copy as copy_plugins;

/// Largest size of a project file that is read, bytes.
const LARGEST: u64 = 256 << 10;
/// Largest number of project files that are read.
const MOST: usize = 64;

/// Returns the arguments that give Maven the lowest level that the JDK compiles,
/// where the projects set none or, by a property, a lower one.
pub(crate) fn levels(tree: &SourceTree, toolchain: &str) -> Vec<String> {
    let is_project = |path: &&str| *path == "pom.xml" || path.ends_with("/pom.xml");
    let paths = tree.files.iter().map(|file| file.path.as_str()).filter(is_project);
    let texts = paths.take(MOST).filter_map(|path| read(tree, path)).collect::<Vec<_>>();
    let lowest = jdk(toolchain).and_then(lowest_of);
    let Some(lowest) = lowest.filter(|lowest| wants(&texts, *lowest)) else { return Vec::new() };
    ["source", "target"].map(|one| format!("-Dmaven.compiler.{one}=1.{lowest}")).to_vec()
}

fn read(tree: &SourceTree, path: &str) -> Option<String> {
    let bytes = read_start(&tree.root.join(path), LARGEST).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex("(?s)<!--.*?-->"));
    Some(COMMENT.replace_all(&text, "").into_owned())
}

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are tested")
}

/// Returns the release in `javac 17.0.15` or `javac 1.8.0_412`.
fn jdk(toolchain: &str) -> Option<u32> {
    static RELEASE: LazyLock<Regex> = LazyLock::new(|| regex(r"javac (?:1\.)?(\d+)"));
    RELEASE.captures(toolchain)?[1].parse().ok()
}

/// Returns the lowest level a JDK compiles; `None` for one that compiles Java 5.
fn lowest_of(jdk: u32) -> Option<u32> {
    match jdk {
        0..9 => None,
        9..12 => Some(6),
        12..20 => Some(7),
        20.. => Some(8),
    }
}

/// Returns whether the level has to be given.
fn wants(projects: &[String], lowest: u32) -> bool {
    static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
        let name =
            r"maven\.compiler\.(?:source|target|release)|source|target|release|java\.version";
        // A place-holder has no `<`: one without its end would be followed to the end of the text,
        // once for every level after it.
        regex(&format!(r"<({name})>\s*(?:(?:1\.)?(\d+)|\$\{{[^}}<]*\}})\s*<"))
    });
    let mut said = projects.iter().flat_map(|text| LEVEL.captures_iter(text)).peekable();
    if said.peek().is_none() {
        return !is_parent_elsewhere(projects);
    }
    said.any(|level| {
        let number = level.get(2).and_then(|number| number.as_str().parse::<u32>().ok());
        level[1].starts_with("maven.") && number.is_some_and(|number| number < lowest)
    })
}

/// Returns whether a project inherits from one that is not in the source, which may set a level.
fn is_parent_elsewhere(projects: &[String]) -> bool {
    static PARENT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?s)<parent>.*?<artifactId>\s*([^<]*?)\s*</artifactId>.*?</parent>")
    });
    let own: Vec<_> = projects.iter().map(|text| PARENT.replace(text, "")).collect();
    projects.iter().filter_map(|text| PARENT.captures(text)).any(|parent| {
        let named = format!("<artifactId>{}</artifactId>", &parent[1]);
        !own.iter().any(|text| text.contains(&named))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(projects: &[&str], toolchain: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in projects.iter().enumerate() {
            let path =
                folder.path().join(if number == 0 { ".".into() } else { number.to_string() });
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("pom.xml"), text).unwrap();
        }
        levels(&SourceTree::read(folder.path(), &[]).unwrap(), toolchain)
    }

    #[test]
    fn a_place_holder_without_an_end_is_followed_once() {
        let many = "<source>${<source>1<".repeat(12_000);
        assert!(given(&[&many], NEW).is_empty());
        assert_eq!(given(&[&format!("{many}<maven.compiler.source>${{a}}<")], NEW), [""; 0]);
        let low = format!("{many}<maven.compiler.source>1.5<");
        assert_eq!(given(&[&low], NEW).len(), 2);
    }

    const OLD: &str = "javac 1.8.0_412; Apache Maven 3.8.7";
    const NEW: &str = "javac 17.0.15; Apache Maven 3.8.7";

    #[test]
    fn a_project_without_a_level_gets_the_lowest_the_jdk_has() {
        let bare = "<project><build><plugins/></build></project>";
        assert_eq!(
            given(&[bare], NEW),
            ["-Dmaven.compiler.source=1.7", "-Dmaven.compiler.target=1.7"]
        );
        assert_eq!(given(&[bare], "javac 25")[0], "-Dmaven.compiler.source=1.8");
        assert_eq!(given(&[bare], "javac 11.0.2")[0], "-Dmaven.compiler.source=1.6");
        assert!(given(&[bare], OLD).is_empty());
    }

    #[test]
    fn a_project_that_says_a_level_keeps_it() {
        for said in [
            "<configuration><source> 1.8 </source><target>1.8</target></configuration>",
            "<maven.compiler.release>11</maven.compiler.release>",
            "<maven.compiler.source>1.7</maven.compiler.source>",
            "<source>${jdk}</source>",
            "<parent><artifactId>spring-boot-starter-parent</artifactId></parent>",
        ] {
            assert!(given(&[said], NEW).is_empty(), "{said}");
        }
        let child = "<parent><artifactId>top</artifactId></parent><artifactId>low</artifactId>";
        let top = "<artifactId>top</artifactId><release>17</release>";
        assert!(given(&[child, top], NEW).is_empty());
    }

    #[test]
    fn lookalikes_of_levels_are_ignored() {
        for other in [
            "<source>src/generated</source>",
            "<!-- <source>1.8</source> -->",
            "<version>1.8</version>",
        ] {
            assert!(!given(&[other], NEW).is_empty(), "{other}");
        }
        let child = "<parent><artifactId>top</artifactId></parent><artifactId>low</artifactId>";
        assert!(!given(&[child, "<artifactId>top</artifactId>"], NEW).is_empty());
    }

    #[test]
    fn a_property_too_low_for_the_jdk_is_raised() {
        let low = "<maven.compiler.source>1.5</maven.compiler.source>";
        assert_eq!(given(&[low], NEW)[0], "-Dmaven.compiler.source=1.7");
    }
}

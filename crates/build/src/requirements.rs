//! Requirements of an event for a bot's language and for the dependencies that it brings.

use joust_bots::{BotSource, SourceTree};
use joust_config::{Dependencies, Requirements};
use joust_toolchain::{Missing, NotBuilt, Toolchains};

/// Refuses a bot that does not meet the requirements of its event.
pub(crate) fn check_requirements(
    requirements: &Requirements,
    bot: &BotSource,
    tree: &SourceTree,
    toolchains: &Toolchains,
    found: &str,
) -> Result<(), NotBuilt> {
    let id = &bot.manifest.language;
    let language = toolchains.languages().get(id);
    let wanted = requirements.versions.get(id);
    if let Some(wanted) = wanted.filter(|wanted| !is_version(found, wanted)) {
        return Err(NotBuilt::MissingToolchain(Missing {
            program: language.map_or(id, |language| &language.title).clone(),
            reason: format!("is here as `{found}`, but the event requires version {wanted}"),
            install: format!("your system's packages for version {wanted}"),
        }));
    }
    let globs = language.map(|language| language.dependencies.as_slice()).unwrap_or_default();
    match requirements.dependencies {
        Dependencies::Allowed => Ok(()),
        Dependencies::Forbidden => refuse_dependencies(tree, globs),
    }
}

/// Returns whether one of the version numbers in `found` is `wanted`, or begins with it: `3.11`
/// asks for 3.11.7, not for 3.1 or 3.110.
fn is_version(found: &str, wanted: &str) -> bool {
    let part = |one: char| one.is_ascii_digit() || one == '.';
    found.split(|one: char| !part(one)).any(|number| {
        let rest = number.strip_prefix(wanted.trim());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn refuse_dependencies(tree: &SourceTree, globs: &[String]) -> Result<(), NotBuilt> {
    for glob in globs {
        let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
        let matcher = glob.map_err(|error| NotBuilt::Refused(error.to_string()))?.compile_matcher();
        if let Some(file) = tree.files.iter().find(|file| matcher.is_match(&file.path)) {
            let reason = format!("the event forbids dependencies, and `{}` is one", file.path);
            return Err(NotBuilt::Refused(reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_met_by_its_own_and_longer_ones() {
        assert!(is_version("Python 3.11.7", "3.11"));
        assert!(is_version("javac 17.0.15", "17"));
        assert!(is_version("v20.20.2", "20"));
        assert!(is_version("go version go1.26.8 linux/amd64", "1.26"));
        assert!(!is_version("Python 3.11.7", "3.1"));
        assert!(!is_version("Python 3.11.7", "3.12"));
    }

    #[test]
    fn forbidden_dependencies_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        std::fs::write(folder.path().join("lib/x.jar"), "").unwrap();
        let tree = SourceTree::read(folder.path(), &[]).unwrap();
        let refused = refuse_dependencies(&tree, &["**/*.jar".to_owned()]).unwrap_err();
        assert_eq!(refused.to_string(), "the event forbids dependencies, and `lib/x.jar` is one");
        assert_eq!(refuse_dependencies(&tree, &["*.jar".to_owned()]), Ok(()));
    }
}

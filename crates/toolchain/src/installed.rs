//! Installed libraries: those that the owner of a machine added to a language's own.
//!
//! They come from no bot and no event, yet some languages find them by themselves, and may even
//! run their code at every start. Turns of most bots see empty
//! folders instead, where the sandbox can show them; `doctor` and `calibrate` name the code.

use std::fs;
use std::path::{Path, PathBuf};

use regex::bytes::Regex;

use crate::detect::Toolchain;
use crate::language::{Installed, Languages, Variant};
use joust_bots::discover::expand;
use joust_sandbox::Folder;

/// Returns the folders that turns of a build by this variant of a language find empty, as they see
/// them.
pub fn hidden(
    languages: &Languages,
    language: &str,
    variant: &str,
    toolchain: &Toolchain,
) -> Vec<PathBuf> {
    let Some(language) = languages.get(language) else { return Vec::new() };
    let hides = |one: &&Variant| one.name == variant && one.hides_installed;
    match (&language.installed, language.variants.iter().find(hides)) {
        (Some(installed), Some(_)) => {
            folders(installed, toolchain).into_iter().map(|folder| folder.inside).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the files of this machine that run code at every start of the language.
pub(super) fn code_at_start(installed: &Installed, toolchain: &Toolchain) -> Vec<PathBuf> {
    let found = folders(installed, toolchain).into_iter().flat_map(|folder| {
        let matches = installed.code.iter().flat_map(move |one| matching(&folder.host, one));
        matches.collect::<Vec<_>>()
    });
    let mut found: Vec<PathBuf> = found.collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the folders in which something is installed.
fn folders(installed: &Installed, toolchain: &Toolchain) -> Vec<Folder> {
    let found = installed.folders.iter().flat_map(|template| places(template, toolchain));
    let mut found: Vec<Folder> = found.filter(|place| !is_empty(&place.host)).collect();
    found.sort_by(|one, other| one.inside.cmp(&other.inside));
    found.dedup_by(|one, other| one.inside == other.inside);
    found
}

/// Returns what a glob beneath a folder of a tool matches.
fn places(template: &str, toolchain: &Toolchain) -> Vec<Folder> {
    let split = template.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    let Some((name, glob)) = split else { return Vec::new() };
    let Some(inside) = toolchain.values.get(name).map(Path::new) else { return Vec::new() };
    let host = toolchain.host_path(inside);
    let found = expand(&host, glob.trim_start_matches('/')).unwrap_or_default();
    let place = |path: PathBuf| {
        let inside = inside.join(path.strip_prefix(&host).ok()?);
        path.symlink_metadata()
            .is_ok_and(|data| data.is_dir())
            .then_some(Folder { host: path, inside })
    };
    found.into_iter().filter_map(place).collect()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Returns the files of a folder that fit `GLOB` or `GLOB | REGEX`.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let (glob, text) = match pattern.split_once(" | ") {
        Some((glob, text)) => (glob, Regex::new(text).ok()),
        None => (pattern, None),
    };
    let mut files = expand(folder, glob).unwrap_or_default();
    let holds = |file: &PathBuf, text: &Regex| fs::read(file).is_ok_and(|it| text.is_match(&it));
    files.retain(|file| file.is_file() && text.as_ref().is_none_or(|text| holds(file, text)));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python_at(home: &Path) -> Toolchain {
        let folder = Folder { host: home.to_owned(), inside: "/toolchains/python".into() };
        Toolchain {
            values: [("python.home".to_owned(), "/toolchains/python".to_owned())].into(),
            folders: vec![("python".to_owned(), folder)],
            ..Toolchain::default()
        }
    }

    /// A Python with a library and two `.pth` files, one of them a list of folders.
    fn installation() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let site = home.path().join("lib/python3.11/site-packages");
        fs::create_dir_all(&site).unwrap();
        fs::create_dir_all(home.path().join("lib/python3.12/site-packages")).unwrap();
        fs::write(site.join("numpy.py"), "").unwrap();
        fs::write(site.join("folders.pth"), "/srv/important\n").unwrap();
        fs::write(site.join("code.pth"), "# x\nimport certifi_win32\n").unwrap();
        fs::write(site.join("sitecustomize.py"), "").unwrap();
        home
    }

    #[test]
    fn python_does_not_see_what_is_installed_beside_its_own_library() {
        let (home, languages) = (installation(), Languages::shipped());
        let found = hidden(&languages, "python", "cpython", &python_at(home.path()));
        assert_eq!(found, [Path::new("/toolchains/python/lib/python3.11/site-packages")]);
    }

    #[test]
    fn python_with_requirements_sees_what_is_installed() {
        let (home, languages) = (installation(), Languages::shipped());
        assert!(hidden(&languages, "python", "pip", &python_at(home.path())).is_empty());
    }

    #[test]
    fn files_that_run_code_at_every_start_are_found_and_lists_of_folders_are_not() {
        let (home, languages) = (installation(), Languages::shipped());
        let installed = languages.get("python").unwrap().installed.as_ref().unwrap();
        let found = code_at_start(installed, &python_at(home.path()));
        let site = home.path().join("lib/python3.11/site-packages");
        assert_eq!(found, [site.join("code.pth"), site.join("sitecustomize.py")]);
    }
}

//! Sources of a bot: the compiled files, the main file, and its class.

use std::fs::FileType;
use std::path::{Component, Path};

use joust_config::read_start;

use super::builder::RecipeBuilder;
use crate::BOT;
use crate::build_error::NotBuilt;
use crate::legacy::cpp;
use crate::legacy::cpp::wrappers::Wrappers;
use joust_bots::manifest::Project;

impl RecipeBuilder<'_> {
    /// Returns the main file: the manifest's, one with a usual name, or the only source file.
    pub(super) fn entry(&self) -> Result<Option<String>, NotBuilt> {
        if let Some(entry) = &self.bot.manifest.entry {
            if self.tree.contains(entry) {
                return Ok(Some(entry.clone()));
            }
            return Err(self.no_such_entry(entry));
        }
        let usual = self.language.entry.iter().find(|name| self.tree.contains(name));
        let only = match &self.values.lists["sources"][..] {
            [only] => only.strip_prefix("/bot/"),
            _ => None,
        };
        Ok(usual.map(String::as_str).or(only).map(str::to_owned))
    }

    fn no_such_entry(&self, entry: &str) -> NotBuilt {
        let inside = format!("{}/", entry.trim_end_matches('/'));
        // A referee's folder also holds files that were not selected.
        let places = [&self.tree.root, &self.bot.found];
        let kind = places.into_iter().find_map(|root| kind_of(root, entry));
        let has_files = || self.tree.files.iter().any(|file| file.path.starts_with(&inside));
        NotBuilt::Refused(match () {
            () if kind.is_some_and(|kind| kind.is_dir()) || has_files() => {
                format!("the entry `{entry}` is a folder: name a file in it")
            }
            () if kind.is_some_and(|kind| kind.is_file()) => {
                format!("the entry `{entry}` is there, but not among the files that count")
            }
            () => format!("the entry `{entry}` is not there"),
        })
    }

    pub(super) fn no_entry(&self) -> NotBuilt {
        let usual = self.language.entry.join("`, `");
        NotBuilt::Refused(format!(
            "no main file: none of `{usual}` is there, and `entry` names none"
        ))
    }

    pub(super) fn sources(&self) -> Vec<String> {
        let is_source = |path: &&str| {
            let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|found| self.language.extensions.iter().any(|one| one == found))
        };
        let project = self.bot.manifest.project.as_ref().filter(|_| self.variant.project);
        let prefix = project.map(Project::prefix).unwrap_or_default();
        let paths = self.tree.files.iter().map(|file| file.path.as_str());
        let paths = paths.filter(|path| path.starts_with(&prefix)).filter(is_source);
        let paths = match project.filter(|_| self.bot.manifest.language == "cpp") {
            Some(project) => cpp::sources(self.tree, project, paths.collect()),
            None => paths.map(str::to_owned).collect(),
        };
        paths.into_iter().map(|path| format!("{BOT}/{path}")).collect()
    }

    /// Returns the options for further folders of headers of a C++ source, and adds wrappers to the
    /// files of the build for headers that are named as on Windows.
    pub(super) fn includes(&mut self) -> Vec<String> {
        if !self.mentions("includes") {
            return Vec::new();
        }
        let project = self.bot.manifest.project.as_ref().filter(|_| self.variant.project);
        let folders = project.map(|project| cpp::include_folders(self.tree, project));
        let folders = folders.unwrap_or_default();
        let mut arguments = project
            .map(|project| cpp::include_arguments(self.tree, project, &folders))
            .unwrap_or_default();
        let own = project.map(|project| project.folder.clone());
        let folders: Vec<String> = own.into_iter().chain(folders).collect();
        let wrappers = Wrappers::of(self.tree, &folders);
        arguments.extend(match project {
            Some(_) => wrappers.of_project(&folders),
            None => wrappers.after_all(),
        });
        self.files.extend(wrappers.into_files());
        arguments
    }

    /// Returns the options that define the names of a C++ project file.
    pub(super) fn defines(&self) -> Vec<String> {
        let project = self.bot.manifest.project.as_ref().filter(|_| self.mentions("defines"));
        project.map(|project| cpp::defined_names(self.tree, project)).unwrap_or_default()
    }
}

/// Returns the type of the file at `entry` beneath `root`; `None` behind a link, whose target is
/// not the bot's own.
fn kind_of(root: &Path, entry: &str) -> Option<FileType> {
    let (mut path, mut kind) = (root.to_owned(), None);
    for part in Path::new(entry).components() {
        let Component::Normal(name) = part else { return None };
        path.push(name);
        kind = Some(path.symlink_metadata().ok()?.file_type()).filter(|kind| !kind.is_symlink());
        kind?;
    }
    kind
}

/// Returns package and name of the class in the main file, by its `package`
/// line and the file's name.
pub(super) fn class_of(file: &Path, entry: &str) -> Result<String, NotBuilt> {
    let bytes = read_start(file, 64 << 10)
        .map_err(|error| NotBuilt::Refused(format!("cannot read `{entry}`: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let package = text.lines().map(str::trim).find_map(|line| line.strip_prefix("package "));
    let package = package.map(|rest| rest.split([';', '{', '/']).next().unwrap_or(rest).trim());
    let stem = Path::new(entry).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let class = package.map_or(stem.to_owned(), |package| format!("{package}.{stem}"));
    let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | '.');
    if class.chars().all(plain) && !stem.is_empty() {
        return Ok(class);
    }
    Err(NotBuilt::Refused(format!("`{entry}` is not named after a class")))
}

//! Lock files and lists of requirements: what a bot's own list names, read without running
//! anything.
//!
//! A list is a stranger's. What is made of it is a clean folder of names, versions and
//! hashes, the only thing of a bot that a package manager with a network ever sees. An
//! address in a list (of a server, a repository, a file, a path) is refused with its
//! place; whose registry is asked is the organiser's decision alone.

mod cargo;
mod go;
mod maven;
mod npm;
mod nuget;
mod pip;
mod places;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use joust_config::{Unread, read_plain};
use serde::Deserialize;

use super::problem::Problem;
use super::source::SourceTree;

/// What a list may weigh, bytes.
const LARGEST: u64 = 8 << 20;
/// How many packages a list may name.
const MOST: usize = 5_000;
/// How many things that are wrong with a list are told.
const MOST_WRONG: usize = 20;
/// How long the name of a package may be.
const LONGEST_NAME: usize = 214;

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `requirements.txt`.
    Pip,
    /// `package-lock.json`.
    Npm,
    /// `Cargo.lock`.
    Cargo,
    /// `go.mod` with `go.sum`.
    Go,
    /// `pom.xml`.
    Maven,
    /// `packages.lock.json`.
    Nuget,
}

/// One package that a list names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, as its registry knows it.
    pub name: String,
    /// Its version; `None` where the list leaves it open.
    pub version: Option<String>,
    /// What its file is known by, such as `sha512-…`; `None` where the list says none.
    pub hash: Option<String>,
    /// Where it stands, line and column from 1.
    pub place: (usize, usize),
}

/// What is fetched: names, versions and hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The packages, as they stand.
    pub packages: Vec<Package>,
    /// The files that a package manager is given, by path.
    pub folder: BTreeMap<String, String>,
}

/// One thing that is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Line and column, from 1.
    pub place: (usize, usize),
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl Wrong {
    fn new(place: (usize, usize), message: impl Into<String>, hint: &'static str) -> Self {
        Self { place, message: message.into(), hint }
    }
}

/// The texts of a list.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The list itself.
    pub list: &'a str,
    /// The file beside it, for the forms that have two; empty where it is not there.
    pub beside: &'a str,
    /// The lists of the project's modules, for the forms that have such.
    pub modules: &'a [String],
}

/// A list in the source of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lock {
    /// Its path in the source.
    pub(super) file: String,
    /// What it names.
    pub(super) list: List,
}

impl Form {
    /// Returns the name of the list.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Self::Pip => "requirements.txt",
            Self::Npm => "package-lock.json",
            Self::Cargo => "Cargo.lock",
            Self::Go => "go.mod",
            Self::Maven => "pom.xml",
            Self::Nuget => "packages.lock.json",
        }
    }

    /// Returns the name of the file beside it that is read, too.
    fn beside(self) -> Option<&'static str> {
        (self == Self::Go).then_some("go.sum")
    }

    /// Returns the folder in which a bot ships what its list names.
    fn shipped(self) -> Option<&'static str> {
        match self {
            Self::Npm => Some("node_modules/"),
            Self::Go | Self::Cargo => Some("vendor/"),
            _ => None,
        }
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with places.
    pub fn read(self, texts: Texts<'_>) -> Result<List, Vec<Wrong>> {
        let list = match self {
            Self::Pip => pip::read(texts.list),
            Self::Npm => npm::read(texts.list),
            Self::Cargo => cargo::read(texts.list),
            Self::Go => go::read(texts),
            Self::Maven => maven::read(texts),
            Self::Nuget => nuget::read(texts.list),
        }
        .map_err(first_ones)?;
        if list.packages.len() > MOST {
            let message = format!("it names {} packages; at most {MOST}", list.packages.len());
            return Err(vec![Wrong::new((1, 1), message, "ship what the bot needs")]);
        }
        Ok(list)
    }

    /// Returns the clean folder of packages that an organiser names.
    pub(super) fn of_names(self, names: &[String]) -> BTreeMap<String, String> {
        [(self.file().to_owned(), names.join("\n") + "\n")].into()
    }

    /// Finds and reads the list in a source, in `folder`, which is empty or ends with `/`.
    /// `None` when there is none, it names nothing, or the bot ships what it names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub(super) fn find(
        self,
        tree: &SourceTree,
        folder: &str,
    ) -> Result<Option<Lock>, Vec<Problem>> {
        let file = format!("{folder}{}", self.file());
        let is_shipped = |shipped: &str| {
            let shipped = format!("{folder}{shipped}");
            tree.files.iter().any(|file| file.path.starts_with(&shipped))
        };
        if !tree.contains(&file) || self.shipped().is_some_and(is_shipped) {
            return Ok(None);
        }
        let beside = self.beside().map(|name| format!("{folder}{name}"));
        let beside = beside.filter(|beside| tree.contains(beside));
        let list = read_text(&tree.root, &file).map_err(|problem| vec![problem])?;
        let beside = beside.map(|file| read_text(&tree.root, &file)).transpose();
        let beside = beside.map_err(|problem| vec![problem])?.unwrap_or_default();
        let modules = match self {
            Self::Maven => maven::modules(tree, folder, &list),
            _ => Vec::new(),
        };
        let list = self.read(Texts { list: &list, beside: &beside, modules: &modules });
        let problem = |wrong: Wrong| {
            Problem::new(Path::new(&file), wrong.message).at(Some(wrong.place)).hint(wrong.hint)
        };
        let list = list.map_err(|all| all.into_iter().map(problem).collect::<Vec<_>>())?;
        Ok((!list.packages.is_empty()).then_some(Lock { file, list }))
    }

    /// Returns a package's name as two spellings of it are compared.
    fn comparable(self, name: &str) -> String {
        match self {
            Self::Pip => name.to_lowercase().replace(['_', '.'], "-"),
            Self::Cargo => name.replace('_', "-"),
            Self::Nuget => name.to_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// Says whether a name is one of `names`, of which one that ends with `*` stands for all that
    /// begin so.
    pub(super) fn is_among(self, name: &str, names: &[String]) -> bool {
        let name = self.comparable(name);
        names.iter().any(|one| match one.strip_suffix('*') {
            Some(start) => name.starts_with(&self.comparable(start)),
            None => name == self.comparable(one),
        })
    }
}

fn read_text(root: &Path, file: &str) -> Result<String, Problem> {
    let path = Path::new(file);
    let bytes = read_plain(&root.join(file), LARGEST).map_err(|unread| match unread {
        Unread::Io(error) => Problem::io(path, "read the list of libraries", &error),
        other => Problem::new(path, other.to_string()),
    })?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Problem::new(path, "the list is not UTF-8").hint("save it as UTF-8"))
}

/// Leaves out what nobody would read to its end.
fn first_ones(mut wrong: Vec<Wrong>) -> Vec<Wrong> {
    if let Some(next) = wrong.get(MOST_WRONG) {
        let message = format!("and {} more are wrong", wrong.len() - MOST_WRONG);
        let last = Wrong::new(next.place, message, next.hint);
        wrong.truncate(MOST_WRONG);
        wrong.push(last);
    }
    wrong
}

/// Says whether a version names one version and nothing else.
fn is_version(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._+-".contains(one);
    let begins = |first: char| first.is_ascii_alphanumeric();
    text.starts_with(begins) && text.len() <= 100 && text.chars().all(is_plain)
}

/// Says whether a name is made of plain parts: letters and digits, and these between them.
fn is_name(text: &str, between: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || between.contains(one);
    let begins = |first: char| first.is_ascii_alphanumeric() || first == '_';
    text.len() <= LONGEST_NAME && text.starts_with(begins) && text.chars().all(is_plain)
}

/// Returns a stranger's text short enough for a message.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

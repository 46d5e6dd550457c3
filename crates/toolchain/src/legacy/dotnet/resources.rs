//! Resources of a C# project: files that its program carries with it, under the names that the
//! Windows tools give them.

use super::xml::{ProjectFile, ProjectItem};
use crate::legacy::{beneath, name_of};

/// Longest name of a resource, bytes. Every file that the project embeds has one.
const LONGEST: usize = 1024;

/// Sources of resources, which another tool would have to translate.
const TRANSLATED: [&str; 2] = [".resx", ".restext"];

/// A file that the program carries; its path is relative to the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) path: String,
    /// Name of it in the program.
    pub(crate) name: String,
}

/// Parts of the names of a project's resources.
pub(super) struct ResourceNames<'a> {
    /// The folder of the project.
    folder: &'a str,
    /// The name of its file.
    stem: &'a str,
    assembly: &'a str,
    /// Prefix of the names.
    root: String,
}

impl<'a> ResourceNames<'a> {
    /// Reads the parts of names from the project file at `path`.
    pub(super) fn of(project: &'a ProjectFile, path: &'a str) -> Self {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.strip_suffix(".csproj").unwrap_or(file);
        let said = |name| project.values(name).filter(|value| !value.is_empty()).last();
        let assembly = said("AssemblyName")
            .filter(|name| !is_open(name) && name.len() <= LONGEST)
            .unwrap_or(stem);
        let mut names = Self { folder, stem, assembly, root: stem.replace(' ', "_") };
        if let Some(root) = said("RootNamespace").and_then(|root| names.filled(root, "", "")) {
            names.root = root;
        }
        names
    }

    /// Returns the resource for the file at `path`, which matched an item's `include`; `None` for a
    /// file that cannot be embedded as it is.
    pub(super) fn resource(
        &self,
        item: &ProjectItem,
        include: &str,
        path: &str,
    ) -> Option<Resource> {
        let lower = path.to_lowercase();
        if TRANSLATED.iter().any(|end| lower.ends_with(end)) {
            return None;
        }
        let filled = |text: &Option<String>| self.filled(text.as_deref()?, include, path);
        let usual = || {
            let link = filled(&item.link).and_then(|link| beneath("", &link));
            let place = link.unwrap_or_else(|| self.place(include, path));
            format!("{}.{}", self.root, dotted(&place))
        };
        let name = filled(&item.logical_name).unwrap_or_else(usual);
        // The compiler separates both with a comma and knows no way to write another.
        let is_plain = |text: &str| !text.contains([',', '"', '\0']);
        (is_plain(path) && is_plain(&name)).then(|| Resource { path: path.to_owned(), name })
    }

    /// Returns a file's place in the project. The part that the project names keeps the project's
    /// spelling; a file outside the project has no folder there.
    fn place(&self, include: &str, path: &str) -> String {
        let said = match include.find(['*', '?']) {
            Some(at) => &include[..include[..at].rfind(['/', '\\']).unwrap_or(0)],
            None => include,
        };
        let said = beneath(self.folder, said).unwrap_or_default();
        let said = said.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let found = path.split('/').skip(said.len());
        let whole = said.iter().copied().chain(found).collect::<Vec<_>>().join("/");
        if self.folder.is_empty() {
            return whole;
        }
        let inside = whole.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or_else(|| name_of(&whole)).to_owned()
    }

    /// Fills in what a name says of the project and of the file; `None` when nothing is said,
    /// something that is not known here, or too much.
    fn filled(&self, text: &str, include: &str, path: &str) -> Option<String> {
        if text.len() > LONGEST {
            return None;
        }
        let name = name_of(path);
        let (stem, extension) = name.split_at(name.rfind('.').unwrap_or(name.len()));
        let deeper = self.deeper(include, path);
        let known = [
            ("%(Filename)", stem),
            ("%(Extension)", extension),
            ("%(RecursiveDir)", deeper.as_str()),
            ("$(RootNamespace)", self.root.as_str()),
            ("$(AssemblyName)", self.assembly),
            ("$(MSBuildProjectName)", self.stem),
        ];
        let filled = known.iter().try_fold(text.to_owned(), |text, (name, value)| {
            let text = if text.contains(name) { text.replace(name, value) } else { text };
            (text.len() <= LONGEST).then_some(text)
        })?;
        (!filled.is_empty() && !is_open(&filled)).then_some(filled)
    }

    /// Returns the folders that `**` of `include` stands for, with a `\` after each.
    fn deeper(&self, include: &str, path: &str) -> String {
        let before = include.find("**").and_then(|at| beneath(self.folder, &include[..at]));
        let rest = before.and_then(|before| path.strip_prefix(&before));
        let rest = rest.map_or("", |rest| rest.trim_start_matches('/'));
        rest[..rest.len() - name_of(rest).len()].replace('/', "\\")
    }
}

/// Returns whether a text has place-holders.
fn is_open(text: &str) -> bool {
    text.contains("$(") || text.contains("%(")
}

/// Returns a path as a name: folders become identifiers, the file's name stays.
fn dotted(path: &str) -> String {
    let mut parts: Vec<String> = path.split('/').map(folder_name).collect();
    if let Some(last) = parts.last_mut() {
        name_of(path).clone_into(last);
    }
    parts.join(".")
}

/// Returns a folder's name as a part of a resource's name: each part of it an identifier.
fn folder_name(folder: &str) -> String {
    let name = folder.split('.').map(identifier).collect::<Vec<_>>().join(".");
    if name == "_" { "__".to_owned() } else { name }
}

fn identifier(part: &str) -> String {
    let fits = |one: char| one.is_alphanumeric() || one == '_';
    let begins_with_digit = part.starts_with(char::is_numeric);
    let kept = part.chars().map(|one| if fits(one) { one } else { '_' });
    begins_with_digit.then_some('_').into_iter().chain(kept).collect()
}

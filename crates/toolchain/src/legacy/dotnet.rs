//! C# projects of the Windows tools, by what their files say: sources, references,
//! resources, constants. Only what the compiler needs is read, and nothing is run:
//! no target, no task, no restore.
//!
//! Sources of referenced projects are compiled into the same program, without
//! their assembly attributes. Settings that hold for `Debug` alone are left out.

mod resources;
pub(crate) mod xml;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use joust_config::read_plain;

use super::{beneath, folder_of, name_of};
use joust_bots::{SourceTree, manifest::Project};
use resources::{Resource, ResourceNames};
use xml::{ProjectFile, ProjectItem};

/// The largest project file that is read, bytes.
const LARGEST: u64 = 8 << 20;
/// Largest number of projects that may refer to each other.
const MOST_PROJECTS: usize = 32;
/// Largest number of paths with `*` in all of them.
const MOST_PATTERNS: usize = 256;
/// Frameworks a package's library may be made for, best first.
const FRAMEWORKS: [&str; 10] = [
    "net45",
    "net452",
    "net451",
    "net46",
    "net461",
    "net40",
    "net35",
    "net20",
    "netstandard1.0",
    "netstandard2.0",
];

/// Inputs of a compiler; paths are relative to the source, but for those of `cached`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compilation {
    pub(crate) sources: Vec<String>,
    /// Libraries of the bot.
    pub(crate) libraries: Vec<String>,
    /// Libraries of the packages that were fetched, relative to their folder.
    pub(crate) cached: Vec<String>,
    /// Libraries of the runtime.
    pub(crate) system: Vec<String>,
    /// Files that the program carries, each name once.
    pub(crate) resources: Vec<Resource>,
    /// Further arguments.
    pub(crate) arguments: Vec<String>,
    /// Packages that are neither in the source nor fetched, each `<id>/<version>`.
    pub(crate) packages: Vec<String>,
    /// Other missing parts that the project refers to, a sentence each.
    pub(crate) lacking: Vec<String>,
}

/// Folders of libraries from elsewhere.
pub(crate) struct Libraries<'a> {
    /// The runtime's own.
    pub(crate) system: &'a Path,
    /// Folder of what was fetched from the bot's own list, packages as
    /// `<id>/<version>/lib/<framework>/<name>.dll`.
    pub(crate) fetched: Option<&'a Path>,
}

/// Returns the project file that a bot is built from: the one whose folder the
/// file to run lies deepest in, or the only one in the project's folder.
pub(crate) fn project_file(tree: &SourceTree, project: &Project) -> Option<String> {
    let all = || {
        tree.files.iter().map(|file| file.path.as_str()).filter(|path| path.ends_with(".csproj"))
    };
    let folder = |path: &str| {
        path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
    };
    let above = all().filter(|path| project.run_file.starts_with(&folder(path)));
    let stem = project.program_name();
    let named =
        |path: &str| path.ends_with(&format!("/{stem}.csproj")) || path == format!("{stem}.csproj");
    above
        .max_by_key(|path| (folder(path).len(), named(path)))
        .or_else(|| all().find(|path| path.starts_with(&project.prefix())))
        .map(str::to_owned)
}

/// Reads the compiler's inputs from the project file at `path`.
///
/// # Errors
///
/// A message for the bot's author.
pub(crate) fn compilation(
    tree: &SourceTree,
    path: &str,
    libraries: &Libraries<'_>,
) -> Result<Compilation, String> {
    let mut reader = ProjectReader {
        tree,
        files: ProjectTree::of(tree),
        libraries,
        found: Compilation::default(),
        sources: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    reader.project(path)?;
    reader.take_fetched();
    let mut found = reader.found;
    found.sources = reader.sources.into_iter().collect();
    for list in [&mut found.libraries, &mut found.cached, &mut found.system, &mut found.packages] {
        list.sort();
        list.dedup();
    }
    Ok(found)
}

struct ProjectReader<'a> {
    tree: &'a SourceTree,
    files: ProjectTree<'a>,
    libraries: &'a Libraries<'a>,
    found: Compilation,
    sources: BTreeSet<String>,
    seen: BTreeSet<String>,
}

impl ProjectReader<'_> {
    fn project(&mut self, path: &str) -> Result<(), String> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        if self.seen.len() > MOST_PROJECTS {
            return Err(format!("more than {MOST_PROJECTS} projects refer to each other"));
        }
        let is_first = self.seen.len() == 1;
        let file = self.tree.root.join(path);
        let bytes =
            read_plain(&file, LARGEST).map_err(|error| format!("cannot read `{path}`: {error}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let project = ProjectFile::read(&text).map_err(|reason| format!("`{path}`: {reason}"))?;
        let folder = folder_of(path);
        self.sources(&project, folder, is_first)?;
        if is_first {
            self.arguments(&project);
        }
        self.resources(&project, path)?;
        for item in project.items.iter().filter(|item| item.kind == "Reference") {
            self.reference(item, folder);
        }
        for item in project.items.iter().filter(|item| item.kind == "PackageReference") {
            self.package(&item.include, &item.version);
        }
        for item in project.items.iter().filter(|item| item.kind == "ProjectReference") {
            let other = beneath(folder, &item.include);
            let other = other.and_then(|path| self.files.named(&path).next().map(str::to_owned));
            let missing = || format!("`{path}` refers to `{}`, which is not there", item.include);
            self.project(&other.ok_or_else(missing)?)?;
        }
        Ok(())
    }

    fn sources(
        &mut self,
        project: &ProjectFile,
        folder: &str,
        is_first: bool,
    ) -> Result<(), String> {
        let mut includes: Vec<&str> = project.includes("Compile").collect();
        if includes.is_empty() {
            includes.push("**\\*.cs");
        }
        for include in includes {
            let pattern = beneath(folder, include);
            let pattern = pattern.ok_or_else(|| format!("`{include}` leaves the bot's folder"))?;
            let matching = self.files.matching(&pattern)?.into_iter();
            let wanted =
                matching.filter(|path| path.ends_with(".cs") && (is_first || !is_attributes(path)));
            self.sources.extend(wanted.map(str::to_owned));
        }
        if is_first && self.sources.is_empty() {
            return Err("the project has no source that is there".to_owned());
        }
        Ok(())
    }

    /// Takes the files that are embedded in the program. A missing one is left out: the program
    /// that reads it prints a better error.
    fn resources(&mut self, project: &ProjectFile, path: &str) -> Result<(), String> {
        let names = ResourceNames::of(project, path);
        let folder = folder_of(path);
        let mut known: BTreeSet<String> =
            self.found.resources.iter().map(|one| one.name.clone()).collect();
        for item in project.items.iter().filter(|item| item.kind == "EmbeddedResource") {
            for include in item.includes() {
                let Some(pattern) = beneath(folder, include) else { continue };
                let files = self.files.matching(&pattern)?.into_iter();
                let all = files.filter_map(|file| names.resource(item, include, file));
                let new = all.filter(|one| known.insert(one.name.clone()));
                self.found.resources.extend(new);
            }
        }
        Ok(())
    }

    fn arguments(&mut self, project: &ProjectFile) {
        let constants: Vec<&str> = project
            .values("DefineConstants")
            .flat_map(|text| text.split([';', ',', ' ']))
            .collect();
        let plain = |name: &&str| {
            !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_')
        };
        for constant in constants.into_iter().filter(plain) {
            self.found.arguments.push(format!("-define:{constant}"));
        }
        if project.values("AllowUnsafeBlocks").any(|text| text.eq_ignore_ascii_case("true")) {
            self.found.arguments.push("-unsafe".to_owned());
        }
        let main = project.values("StartupObject").last().filter(|main| !main.is_empty());
        self.found.arguments.extend(main.map(|main| format!("-main:{main}")));
    }

    /// Finds a library: at the path in the project, anywhere in the source, or in the runtime. A
    /// missing library is left out: a source that needs it fails to compile with a better message.
    fn reference(&mut self, item: &ProjectItem, folder: &str) {
        let name = item.include.split(',').next().unwrap_or_default().trim();
        let hinted = item.hint.as_deref().and_then(|hint| beneath(folder, hint));
        let file = format!("{name}.dll");
        if let Some(path) = hinted.and_then(|path| self.files.named(&path).next()) {
            self.found.libraries.push(path.to_owned());
        } else if self.libraries.system.join(&file).is_file() {
            self.found.system.push(file);
        } else if let Some(path) = self.files.library(&file) {
            self.found.libraries.push(path.to_owned());
        } else if let Some((id, version)) = item.hint.as_deref().and_then(package_of) {
            self.package(&id, &version);
        } else if name.starts_with("System.") {
            let package = format!("libmono-{}4.0-cil", name.to_lowercase().replace('.', "-"));
            let lacking = format!("`{name}` is not here (`apt install {package}`)");
            self.found.lacking.push(lacking);
        }
    }

    /// Notes a package that the project refers to, unless it was fetched, in whatever version.
    fn package(&mut self, id: &str, version: &str) {
        let fetched = self.libraries.fetched.map(|folder| folder.join(id.to_lowercase()));
        if !fetched.is_some_and(|folder| is_plain(id) && folder.is_dir()) {
            self.found.packages.push(format!("{id}/{version}"));
        }
    }

    /// Takes the libraries of every package that was fetched: those for the best framework.
    fn take_fetched(&mut self) {
        let Some(folder) = self.libraries.fetched else { return };
        for id in names_in(folder) {
            for version in names_in(&folder.join(&id)) {
                let package = PathBuf::from(&id).join(version).join("lib");
                let made_for = FRAMEWORKS.iter().map(|framework| package.join(framework));
                let best = { made_for }.find(|made_for| folder.join(made_for).is_dir());
                let Some(best) = best else { continue };
                let libraries = names_in(&folder.join(&best)).into_iter();
                let libraries = libraries.filter(|name| name.ends_with(".dll"));
                let paths = libraries.map(|name| best.join(name).to_string_lossy().into_owned());
                self.found.cached.extend(paths);
            }
        }
    }
}

/// Paths of a source as Windows compares them. A project file may name any of them any number of
/// times, so that they are looked up.
struct ProjectTree<'a> {
    /// By the whole path in lower case.
    paths: BTreeMap<String, Vec<&'a str>>,
    /// By the name of the file in lower case.
    names: BTreeMap<String, Vec<&'a str>>,
    /// Patterns that may still be compared with all paths.
    patterns: Cell<usize>,
}

impl<'a> ProjectTree<'a> {
    fn of(tree: &'a SourceTree) -> Self {
        let mut paths: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for path in tree.files.iter().map(|file| file.path.as_str()) {
            let lower = path.to_lowercase();
            names.entry(name_of(&lower).to_owned()).or_default().push(path);
            paths.entry(lower).or_default().push(path);
        }
        Self { paths, names, patterns: Cell::new(MOST_PATTERNS) }
    }

    /// Returns the files that a path means.
    fn named(&self, path: &str) -> impl Iterator<Item = &'a str> {
        self.paths.get(&path.to_lowercase()).into_iter().flatten().copied()
    }

    /// Returns the files that a path with `*` and `**` means.
    fn matching(&self, pattern: &str) -> Result<Vec<&'a str>, String> {
        if !pattern.contains(['*', '?', '[', '{', '!']) {
            return Ok(self.named(pattern).collect());
        }
        let left = self.patterns.get().checked_sub(1);
        let too_many = || format!("a project has more than {MOST_PATTERNS} paths with `*`");
        self.patterns.set(left.ok_or_else(too_many)?);
        let mut glob = globset::GlobBuilder::new(pattern);
        let glob = glob.literal_separator(true).case_insensitive(true).build();
        let Ok(matcher) = glob.map(|glob| glob.compile_matcher()) else { return Ok(Vec::new()) };
        let paths = self.paths.values().flatten().copied();
        Ok(paths.filter(|path| matcher.is_match(path)).collect())
    }

    /// Returns the library of this name that is made for the best framework.
    fn library(&self, file: &str) -> Option<&'a str> {
        let rank = |path: &&str| {
            let part = |framework: &&str| path.split('/').any(|part| part == *framework);
            FRAMEWORKS.iter().position(part).unwrap_or(FRAMEWORKS.len())
        };
        self.names.get(&file.to_lowercase())?.iter().copied().min_by_key(rank)
    }
}

/// Returns the names in a folder; none where there is no folder.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Returns whether a name stays within its folder.
fn is_plain(name: &str) -> bool {
    !name.contains(['/', '\\']) && name != ".." && name != "."
}

fn is_attributes(path: &str) -> bool {
    path.ends_with("AssemblyInfo.cs") || path.ends_with("AssemblyAttributes.cs")
}

/// Returns id and version of the package in a hint such as
/// `..\packages\Newtonsoft.Json.9.0.1\lib\net45\Newtonsoft.Json.dll`.
fn package_of(hint: &str) -> Option<(String, String)> {
    let hint = hint.replace('\\', "/");
    let folder = hint.split('/').skip_while(|part| *part != "packages").nth(1)?;
    let is_version = |part: &str| part.starts_with(|one: char| one.is_ascii_digit());
    let at =
        folder.match_indices('.').map(|(at, _)| at).find(|at| is_version(&folder[at + 1..]))?;
    Some((folder[..at].to_owned(), folder[at + 1..].to_owned()))
}

#[cfg(test)]
mod tests;

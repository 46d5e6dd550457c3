//! Modules beside a Python file that it imports, found by reading its text: nothing is run, and
//! imports without a file are ignored.
//!
//! The original put the folder of an agent's file on the search path, or the
//! folder above the packages it lies in. So modules beside it, packages beside it and
//! what they import in turn belong to it; other agents' files that it does not name do not.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::str::Lines;

use joust_config::read_plain;

/// The file that makes a folder a package.
pub(super) const PACKAGE: &str = "__init__.py";
/// Modules of others that a build fetches.
const REQUIREMENTS: &str = "requirements.txt";
/// The longest text that is searched for imports, bytes.
const LONGEST: u64 = 4 << 20;
/// Bytes of all texts that are searched for one file.
const MOST_BYTES: u64 = 16 << 20;
/// The longest name of a module, bytes.
const LONGEST_NAME: usize = 255;
/// Largest number of modules that are looked for.
const MOST_MODULES: usize = 10_000;
/// Largest number of packages that a file may be nested in.
const DEEPEST: usize = 8;
/// Largest number of files that are searched.
const MOST_FILES: usize = 1000;

/// A Python file with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closure {
    /// The file, relative to the folder that is on the search path.
    pub(super) entry: String,
    /// The other files and folders, relative to the same, sorted.
    pub(super) beside: Vec<String>,
}

/// Finds what belongs to the file at `path`; `None` when its name is not UTF-8. Other `bots` are
/// not searched, as each of them may import all others.
pub(super) fn closure(path: &Path, bots: &BTreeSet<PathBuf>) -> Option<Closure> {
    let (root, entry) = search_root(path)?;
    let real = root.canonicalize().ok()?;
    let mut found = Collector {
        root,
        real,
        beside: BTreeSet::new(),
        waiting: vec![entry.clone()],
        modules: BTreeSet::new(),
        left: MOST_BYTES,
    };
    found.packages_of(&entry);
    let mut seen = BTreeSet::new();
    while let Some(file) = found.waiting.pop() {
        let is_another = file != entry && bots.contains(&found.root.join(&file));
        if !is_another && seen.len() < MOST_FILES && seen.insert(file.clone()) {
            found.follow(&file);
        }
    }
    found.beside.remove(&entry);
    if found.root.join(REQUIREMENTS).is_file() {
        found.beside.insert(REQUIREMENTS.to_owned());
    }
    Some(Closure { entry, beside: found.outermost() })
}

/// Returns the first folder upwards that is no package, and the file relative to it.
fn search_root(path: &Path) -> Option<(PathBuf, String)> {
    let mut entry = path.file_name()?.to_str()?.to_owned();
    let mut folder = std::path::absolute(path).ok()?.parent()?.to_owned();
    for _ in 0..DEEPEST {
        if !folder.join(PACKAGE).is_file() {
            break;
        }
        entry = format!("{}/{entry}", folder.file_name()?.to_str()?);
        folder = folder.parent()?.to_owned();
    }
    Some((folder, entry))
}

struct Collector {
    root: PathBuf,
    /// The same without links.
    real: PathBuf,
    beside: BTreeSet<String>,
    /// Files whose imports are still to be followed.
    waiting: Vec<String>,
    /// Modules that were looked for.
    modules: BTreeSet<String>,
    /// Bytes that may still be searched.
    left: u64,
}

impl Collector {
    /// Takes the files that make the folders around a file packages.
    fn packages_of(&mut self, file: &str) {
        let mut folder = file;
        while let Some((above, _)) = folder.rsplit_once('/') {
            self.take_file(&join(above, PACKAGE));
            folder = above;
        }
    }

    /// Returns the place in the tree that the link at `place` leads to; `None` where
    /// there is no link, or the link leaves the tree.
    fn linked(&self, place: &str) -> Option<String> {
        let target = fs::read_link(self.root.join(place)).ok()?;
        let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        if !folder.is_empty() && !self.is_plain(folder) {
            return None;
        }
        for part in target.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_str()?),
                Component::CurDir => {}
                Component::ParentDir => drop(parts.pop()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let target = parts.join("/");
        // A link to a link would have to be followed for ever.
        self.is_plain(&target).then_some(target)
    }

    /// Returns whether no link leads to a place: a link may lead to another bot's files.
    fn is_plain(&self, place: &str) -> bool {
        let real = self.root.join(place).canonicalize();
        real.is_ok_and(|real| real == self.real.join(place))
    }

    fn take_file(&mut self, file: &str) -> bool {
        let is_file = self.root.join(file).is_file();
        let is_linked = is_file && self.linked(file).is_some_and(|target| self.take_file(&target));
        let is_there = is_linked || is_file && self.is_plain(file);
        if is_there && self.beside.insert(file.to_owned()) {
            self.waiting.push(file.to_owned());
        }
        is_there
    }

    /// Takes a whole folder: files of a package beside its modules are its data.
    fn take_folder(&mut self, folder: &str) -> bool {
        let at = self.root.join(folder);
        let modules = modules(&at);
        let is_linked = self.linked(folder).is_some_and(|target| self.take_folder(&target));
        if modules.is_empty() || !is_linked && !self.is_plain(folder) {
            return false;
        }
        if self.beside.insert(folder.to_owned()) {
            self.waiting.extend(modules.iter().map(|name| join(folder, name)));
        }
        true
    }

    fn follow(&mut self, file: &str) {
        let path = self.root.join(file);
        let Ok(bytes) = read_plain(&path, LONGEST.min(self.left)) else { return };
        self.left -= bytes.len() as u64;
        let package = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for import in imports(&String::from_utf8_lossy(&bytes)) {
            let Some(start) = import.start(package) else { continue };
            // `from . import x` names modules, and `from .x import y` may.
            let module = join(&start, &import.module.replace('.', "/"));
            let names = import.names.iter().map(|name| join(&module, name));
            let module = Some(module.clone()).filter(|_| !import.module.is_empty());
            module.into_iter().chain(names).for_each(|one| self.take_module(&one));
        }
    }

    /// Takes the module of a dotted name, or the first folder of the name that does not contain the
    /// importing file.
    fn take_module(&mut self, module: &str) {
        debug_assert!(!module.is_empty(), "the search path itself is nothing to import");
        if self.modules.len() == MOST_MODULES || !self.modules.insert(module.to_owned()) {
            return;
        }
        let ends = module.match_indices('/').map(|(at, _)| at).chain([module.len()]);
        for end in ends {
            let folder = &module[..end];
            let is_around = self.beside.contains(&join(folder, PACKAGE));
            if !is_around && self.take_folder(folder) {
                break;
            }
        }
        if self.take_file(&format!("{module}.py")) {
            self.packages_of(module);
        }
    }

    /// Removes files in folders that are taken whole.
    fn outermost(self) -> Vec<String> {
        let all = &self.beside;
        let is_inside = |one: &str| {
            let ends = one.match_indices('/').map(|(at, _)| at);
            ends.into_iter().any(|end| all.contains(&one[..end]))
        };
        all.iter().filter(|one| !is_inside(one)).cloned().collect()
    }
}

/// Returns the names of the Python files in a folder.
fn modules(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.ends_with(".py") && !name.starts_with('.')).collect()
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", only) | (only, "") => only.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// One module that a text imports.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    /// Number of dots before its name.
    dots: usize,
    /// Its name, with dots inside.
    module: String,
    /// Names imported from it, each of which may be a module of its own.
    names: Vec<String>,
}

impl Import {
    /// Returns the folder that the name begins in; `None` above the search path.
    fn start(&self, package: &str) -> Option<String> {
        if self.dots == 0 {
            return Some(String::new());
        }
        let parts: Vec<&str> = package.split('/').filter(|part| !part.is_empty()).collect();
        let length = parts.len().checked_sub(self.dots - 1)?;
        Some(parts[..length].join("/"))
    }
}

/// Returns the modules that the text's `import` and `from` lines name, at any indentation.
fn imports(text: &str) -> Vec<Import> {
    let mut imports: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        for part in whole_statement(line.trim(), &mut lines).split(';') {
            read_statement(part, &mut imports);
        }
    }
    let as_import = |((dots, module), names): ((usize, String), BTreeSet<String>)| Import {
        dots,
        module,
        names: names.into_iter().collect(),
    };
    imports.into_iter().map(as_import).collect()
}

fn is_import(statement: &str) -> bool {
    statement.starts_with("from ") || statement.starts_with("import ")
}

/// Returns the statement that `line` begins. Of names in parentheses, or with a backslash at the
/// end, the next lines have more.
fn whole_statement<'t>(line: &'t str, lines: &mut Lines<'t>) -> Cow<'t, str> {
    if !is_import(line) {
        return line.into();
    }
    let mut statement = Cow::from(strip_comment(line));
    let mut is_open = statement.contains('(') && !statement.contains(')');
    while is_open || statement.ends_with('\\') {
        let Some(next) = lines.next().map(strip_comment) else { break };
        let whole = statement.to_mut();
        whole.truncate(whole.trim_end_matches('\\').len());
        whole.push(' ');
        whole.push_str(next);
        is_open = (is_open || next.contains('(')) && !next.contains(')');
    }
    statement
}

fn strip_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn read_statement(part: &str, imports: &mut BTreeMap<(usize, String), BTreeSet<String>>) {
    let part = strip_comment(part);
    // `try: import x` and the like.
    let part = part.rsplit_once(": ").map_or(part, |(_, after)| after.trim());
    if let Some(rest) = part.strip_prefix("import ") {
        for module in rest.split(',').filter_map(name) {
            imports.entry((0, module)).or_default();
        }
    } else if let Some(rest) = part.strip_prefix("from ")
        && let Some((module, names)) = rest.split_once("import")
    {
        let bare = module.trim().trim_start_matches('.');
        let dots = module.trim().len() - bare.len();
        let names = names.trim().trim_matches(['(', ')']).split(',').filter_map(name);
        let is_name = |text: &str| text.is_empty() || name(text).is_some();
        if is_name(bare) {
            imports.entry((dots, bare.to_owned())).or_default().extend(names);
        }
    }
}

/// Returns the dotted name that a text begins with, without `as ...`.
fn name(text: &str) -> Option<String> {
    let name = text.split_whitespace().next()?;
    let is_name = name.chars().all(|one| one.is_alphanumeric() || one == '_' || one == '.');
    let is_short = name.len() <= LONGEST_NAME;
    (is_short && is_name && !name.starts_with('.') && !name.ends_with('.') && !name.contains(".."))
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests;

//! Toolchains: the tools of a language, found as the real programs, behind whatever shims and
//! links, and the folders they need.
//!
//! A tool is searched on PATH and in the places that its table entry names. It is asked for its
//! real location, and from then on has an absolute path. Folders that a sandbox does not show
//! anyway are mounted read-only under `/toolchains`.

mod fitting;
mod machine;
mod probe;
mod tool_mounts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_sandbox::Folder;
use parking_lot::Mutex;

pub use fitting::VariantQuery;
pub use machine::Machine;
pub use tool_mounts::closed_folder;

use crate::language::{Language, Languages, Older, Program, Variant};
use probe::ProbeError;
use tool_mounts::ToolMounts;

/// The tools of one variant of a language, ready for use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// Values of the tools' place-holders inside a sandbox: `python` is a program, `python.home` a
    /// folder.
    pub values: BTreeMap<String, String>,
    /// Folders to mount, with the name of the tool they belong to.
    pub folders: Vec<(String, Folder)>,
    /// Folders with shared libraries of mounted tools, as seen inside.
    pub libraries: Vec<String>,
    /// Version texts of the tools, joined by `; `.
    pub version: String,
    /// Path of each tool on this machine.
    pub programs: BTreeMap<String, PathBuf>,
}

impl Toolchain {
    /// Returns the path on this machine of a place inside the sandbox.
    pub fn host_path(&self, inside: &Path) -> PathBuf {
        tool_mounts::host_location(&self.folders, inside)
    }
}

/// A tool that is missing, or does not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{program}` {reason}{}", hint(install))]
pub struct Missing {
    /// The program that was looked for.
    pub program: String,
    /// Reason why it cannot be used.
    pub reason: String,
    /// The command that installs it.
    pub install: String,
}

/// Reason why there are no tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTools {
    /// A tool is missing, or does not work.
    #[error("{0}")]
    Missing(Missing),
    /// The machine could not start one now; the tool itself may exist.
    #[error("{0}")]
    Machine(String),
}

fn hint(install: &str) -> String {
    if install.is_empty() { String::new() } else { format!(" (install it with `{install}`)") }
}

/// Result of the search for one variant's tools. A tool that the machine could not start is
/// searched again; all others are looked up once.
type CachedToolchain = Arc<Mutex<Option<Result<Arc<Toolchain>, Missing>>>>;

/// The tools of every language on this machine, each looked for once, when it
/// is first needed.
#[derive(Debug)]
pub struct Toolchains {
    languages: Arc<Languages>,
    /// The machine they are looked for on.
    pub machine: Machine,
    known: Mutex<BTreeMap<(String, String), CachedToolchain>>,
}

impl Toolchains {
    /// Makes an empty table: nothing is looked for yet.
    pub fn new(languages: Arc<Languages>, machine: Machine) -> Self {
        Self { languages, machine, known: Mutex::default() }
    }

    /// Returns the languages.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// Returns the tools of one variant of the language called `id`.
    ///
    /// # Errors
    ///
    /// The first tool that is missing, or that the machine cannot start now.
    pub fn find(&self, id: &str, variant: &Variant) -> Result<Arc<Toolchain>, NoTools> {
        let key = (id.to_owned(), variant.name.clone());
        let cell = {
            let mut known = self.known.lock();
            Arc::clone(known.entry(key).or_default())
        };
        let mut cell = cell.lock();
        if let Some(known) = &*cell {
            return known.clone().map_err(NoTools::Missing);
        }
        let found = match detect(variant, &self.machine) {
            Ok(found) => Ok(Arc::new(found)),
            Err(NoTools::Missing(missing)) => Err(missing),
            Err(trouble @ NoTools::Machine(_)) => return Err(trouble),
        };
        cell.insert(found).clone().map_err(NoTools::Missing)
    }

    /// Returns the tools of one variant that report `version`, also where that is an older release;
    /// the tools of the variant itself when no tool reports it.
    ///
    /// # Errors
    ///
    /// As [`Toolchains::find`].
    pub fn of_version(
        &self,
        id: &str,
        variant: &Variant,
        version: &str,
    ) -> Result<Arc<Toolchain>, NoTools> {
        let usual = self.find(id, variant);
        if usual.as_ref().is_ok_and(|found| found.version == version) {
            return usual;
        }
        let older = older(variant, |_| true).map(|older| self.find(id, &older.variant));
        match older {
            Some(Ok(found)) if found.version == version => Ok(found),
            _ => usual,
        }
    }

    /// Checks that this machine has tools of the language `id` with the version text `version`, in
    /// any variant.
    ///
    /// # Errors
    ///
    /// The version texts of the tools here; empty when there are none.
    pub fn check_version(&self, id: &str, version: &str) -> Result<(), Vec<String>> {
        let variants = self.languages.get(id).into_iter().flat_map(|entry| &entry.variants);
        let mut others = Vec::new();
        for variant in variants {
            let Ok(found) = self.of_version(id, variant, version) else { continue };
            if found.version == version {
                return Ok(());
            }
            if !others.contains(&found.version) {
                others.push(found.version.clone());
            }
        }
        Err(others)
    }

    /// Returns the first variant of the language that fits a source and whose
    /// tools are there. Variants that name files go first; when
    /// one of them fits, the others are not asked. Where the source asks for an older
    /// release of a tool, that one is taken if it is there.
    ///
    /// # Errors
    ///
    /// The first missing tool of the first variant that fits; what the machine cannot start
    /// now makes no other variant the right one.
    pub fn choose<'a>(
        &self,
        id: &str,
        language: &'a Language,
        wanted: &VariantQuery<'_>,
    ) -> Result<Choice<'a>, NoTools> {
        let mut missing = None;
        for variant in fitting::fitting_variants(language, wanted) {
            let older = older_for(variant, wanted);
            match older.as_ref().map(|older| self.find(id, &older.variant)) {
                Some(Ok(toolchain)) => return Ok(Choice { variant, toolchain, lacking: None }),
                Some(Err(trouble @ NoTools::Machine(_))) => return Err(trouble),
                Some(Err(NoTools::Missing(_))) | None => {}
            }
            match self.find(id, variant) {
                Ok(toolchain) => {
                    let lacking = older.map(|older| older.lacking);
                    return Ok(Choice { variant, toolchain, lacking });
                }
                Err(NoTools::Missing(reason)) => missing = missing.or(Some(reason)),
                Err(trouble @ NoTools::Machine(_)) => return Err(trouble),
            }
        }
        Err(NoTools::Missing(missing.unwrap_or_else(|| no_variant(language, wanted))))
    }
}

/// Way to build a source.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    /// The way.
    pub variant: &'a Variant,
    /// Its tools.
    pub toolchain: Arc<Toolchain>,
    /// Part that the source asks for and this machine lacks, if a build without it fails.
    pub lacking: Option<String>,
}

/// A variant with older releases of its tools.
struct OlderVariant {
    variant: Variant,
    lacking: String,
}

/// Returns the variant with the older releases that the source asks for, if it does.
fn older_for(variant: &Variant, wanted: &VariantQuery<'_>) -> Option<OlderVariant> {
    let any = |patterns: &[String]| patterns.iter().any(|one| fitting::matches(one, wanted));
    older(variant, |older| any(&older.when) && !any(&older.unless))
}

/// Returns the variant with the older releases that are asked for, if any is.
fn older(variant: &Variant, is_asked_for: impl Fn(&Older) -> bool) -> Option<OlderVariant> {
    let mut variant = variant.clone();
    let mut lacking = None;
    for program in variant.programs.values_mut() {
        let Some(older) = program.older.as_ref().filter(|older| is_asked_for(older)) else {
            continue;
        };
        lacking = Some(older.lacking.clone());
        program.accept = Some(older.accept.clone());
    }
    // Tools are looked for once under each name.
    variant.name.push_str(" (older)");
    Some(OlderVariant { variant, lacking: lacking? })
}

fn no_variant(language: &Language, wanted: &VariantQuery<'_>) -> Missing {
    let expected = fitting::expected(language, wanted);
    let expected: Vec<String> = expected.iter().map(|file| format!("`{file}`")).collect();
    Missing {
        program: language.title.clone(),
        reason: format!("has no way to build this: none of {} is there", expected.join(", ")),
        install: String::new(),
    }
}

/// Finds the tools of one variant.
///
/// # Errors
///
/// The first tool that is missing, or that the machine cannot start now.
pub fn detect(variant: &Variant, machine: &Machine) -> Result<Toolchain, NoTools> {
    let mut search =
        Detection { machine, places: ToolMounts::new(machine), found: Toolchain::default() };
    let (asked, told): (Vec<_>, Vec<_>) =
        variant.programs.iter().partition(|(_, program)| program.at.is_none());
    let mut versions = Vec::new();
    for (name, program) in asked.into_iter().chain(told) {
        let preference =
            if variant.newest.contains(name) { Preference::Newest } else { Preference::First };
        let version = search.program(name, program, preference).map_err(|error| {
            let program = program.find.first().unwrap_or(name).clone();
            match error {
                ProbeError::Tool(reason) => {
                    // An installed tool that prints advice about its setup need not be installed
                    // again.
                    let is_set_up = reason.contains(probe::OWN_ADVICE);
                    let install = if is_set_up { String::new() } else { variant.install.clone() };
                    NoTools::Missing(Missing { program, reason, install })
                }
                ProbeError::Machine(reason) => NoTools::Machine(format!("`{program}` {reason}")),
            }
        })?;
        versions.extend(version);
    }
    search.found.version = versions.join("; ");
    Ok(search.places.into_toolchain(search.found))
}

/// A tool found, before its folders are given their places.
struct FoundTool {
    real: PathBuf,
    folders: BTreeMap<String, PathBuf>,
    version: Option<String>,
}

impl FoundTool {
    /// Returns the numbers of its version.
    fn numbers(&self) -> Vec<u64> {
        machine::numbers(self.version.as_deref().unwrap_or_default())
    }
}

/// Choice between several installations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preference {
    First,
    Newest,
}

struct Detection<'a> {
    machine: &'a Machine,
    places: ToolMounts,
    found: Toolchain,
}

impl Detection<'_> {
    /// Finds one tool, notes its places and returns its version.
    fn program(
        &mut self,
        name: &str,
        program: &Program,
        preference: Preference,
    ) -> Result<Option<String>, ProbeError> {
        let found = match (&program.at, preference) {
            (Some(at), _) => self.find_reported(at, program)?,
            (None, Preference::First) => self.search(program)?,
            (None, Preference::Newest) => self.find_newest(program)?,
        };
        for (folder, path) in home_first(&found.folders) {
            let key = format!("{name}.{folder}");
            if let Some(inside) = self.places.folder(name, folder, path) {
                self.found.values.insert(key, inside);
            }
        }
        let inside = self.places.program(name, &found.real);
        self.found.values.insert(name.to_owned(), inside);
        self.found.programs.insert(name.to_owned(), found.real);
        Ok(found.version)
    }

    /// Takes a tool from a place in the folder of another tool.
    fn find_reported(&self, at: &str, program: &Program) -> Result<FoundTool, ProbeError> {
        let real = self.places.host_path(at, &self.found.values);
        let real = real.ok_or_else(|| format!("is looked for at `{at}`, which is unknown"))?;
        if !real.is_file() {
            return Err(format!("is not at `{}`", real.display()).into());
        }
        let version = probe::version(self.machine, &real, program)?;
        Ok(FoundTool { real, folders: BTreeMap::new(), version })
    }

    /// Asks all that the machine has at the same time, and takes the one of the highest
    /// version; among equals the one that would be first.
    fn find_newest(&self, program: &Program) -> Result<FoundTool, ProbeError> {
        let mut candidates = self.machine.candidates(program);
        let mut seen = BTreeSet::new();
        candidates.retain(|path| path.canonicalize().is_ok_and(|real| seen.insert(real)));
        let asked = std::thread::scope(|scope| {
            let ask = |candidate| move || self.probe_candidate(candidate, program);
            let threads: Vec<_> =
                candidates.iter().map(|candidate| scope.spawn(ask(candidate))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
        });
        let mut best: Option<FoundTool> = None;
        for found in asked.into_iter().flatten() {
            let is_newer = |best: &FoundTool| found.numbers() > best.numbers();
            if best.as_ref().is_none_or(is_newer) {
                best = Some(found);
            }
        }
        // Without a result the usual search makes the error.
        best.map_or_else(|| self.search(program), Ok)
    }

    fn probe_candidate(
        &self,
        candidate: &Path,
        program: &Program,
    ) -> Result<FoundTool, ProbeError> {
        resolve_candidate(self.machine, candidate, program)
            .and_then(|found| self.check_access(found))
    }

    fn search(&self, program: &Program) -> Result<FoundTool, ProbeError> {
        let mut reason = None;
        for candidate in self.machine.candidates(program) {
            match self.probe_candidate(&candidate, program) {
                Ok(found) => return Ok(found),
                Err(ProbeError::Machine(why)) => {
                    let why = format!("is at `{}`, but {why}", candidate.display());
                    return Err(ProbeError::Machine(why));
                }
                Err(ProbeError::Tool(why)) => {
                    let why = format!("was found at `{}`, but {why}", candidate.display());
                    reason = reason.or(Some(why));
                }
            }
        }
        Err(reason.unwrap_or_else(|| "was not found".to_owned()).into())
    }

    fn check_access(&self, found: FoundTool) -> Result<FoundTool, ProbeError> {
        let barrier =
            || found.folders.values().chain([&found.real]).find_map(|place| closed_folder(place));
        let closed_by = if self.machine.for_other_users { barrier() } else { None };
        closed_by.map_or(Ok(found), |barrier| Err(closed_folder_error(&barrier).into()))
    }
}

/// Returns the error of a tool in a folder that bots may not enter; it counts as missing.
fn closed_folder_error(barrier: &Path) -> String {
    format!(
        "other users may not enter `{}`, and bots are other users in tier C (`chmod o+x` opens it)",
        barrier.display()
    )
}

fn home_first(folders: &BTreeMap<String, PathBuf>) -> impl Iterator<Item = (&str, &Path)> {
    let home = folders.iter().filter(|(name, _)| *name == "home");
    let rest = folders.iter().filter(|(name, _)| *name != "home" && *name != "program");
    home.chain(rest).map(|(name, path)| (name.as_str(), path.as_path()))
}

/// Follows a candidate to the real program.
fn resolve_candidate(
    machine: &Machine,
    candidate: &Path,
    program: &Program,
) -> Result<FoundTool, ProbeError> {
    let mut folders = probe::folders(machine, candidate, program)?;
    let told = match (folders.get("program"), &program.program) {
        (Some(told), _) => told.clone(),
        (None, Some(template)) => resolve_in_kit(template, &mut folders)?,
        (None, None) => probe::resolve_shim(machine, candidate)?,
    };
    let real = probe::follow_links(&told).map_err(|error| {
        let what = format!("its real program `{}` is unusable", told.display());
        ProbeError::of(&error, &what)
    })?;
    if program.up > 0
        && let Some(home) = real.ancestors().nth(program.up)
    {
        folders.entry("home".to_owned()).or_insert_with(|| home.to_owned());
    }
    let version = probe::version(machine, &real, program)?;
    Ok(FoundTool { real, folders, version })
}

/// Returns the real program beneath the home that a tool reported. The compiler of Java 8
/// reports the runtime inside its kit.
fn resolve_in_kit(
    template: &str,
    folders: &mut BTreeMap<String, PathBuf>,
) -> Result<PathBuf, String> {
    let program = fill_folders(template, folders)?;
    let kit = folders.get("home").filter(|home| home.ends_with("jre")).and_then(|jre| jre.parent());
    if program.is_file() || kit.is_none() {
        return Ok(program);
    }
    let kit = kit.map(Path::to_owned);
    folders.extend(kit.map(|kit| ("home".to_owned(), kit)));
    fill_folders(template, folders)
}

fn fill_folders(template: &str, folders: &BTreeMap<String, PathBuf>) -> Result<PathBuf, String> {
    let mut path = template.to_owned();
    for (name, folder) in folders {
        path = path.replace(&format!("{{{name}}}"), &folder.to_string_lossy());
    }
    if path.contains('{') {
        Err("it does not tell where it lies".to_owned())
    } else {
        Ok(path.into())
    }
}

#[cfg(test)]
mod tests;

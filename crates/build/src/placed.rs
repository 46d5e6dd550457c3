//! Placed build: a build on this machine, ready to be started.
//!
//! A [`Build`](crate::Build) names the places of tools and the hash of its library set; placing it
//! finds both here. Its tools must report the versions of those that it was made with: with others
//! it would be another build under the same hash.
//! The seat of a bot is its sandbox, from a placed build and the configured limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use joust_bots::SourceHash;
use joust_model::{BuildHash, Limits};
use joust_sandbox::{
    Bytes, Children, Folder, HostSockets, Network, ScratchUse, SeatLimits, SeatSpec,
};
use joust_toolchain::{
    BOT, NoTools, RecipeInputs, SystemProgram, Toolchain, Toolchains, installed, place_inside,
};

use crate::build::{Damage, short};
use crate::store::{FolderStore, StoreError, StoredBuild};

/// A build that lies on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedBuild {
    /// Its identity.
    pub hash: BuildHash,
    /// The hash of the source it was made from.
    pub source: SourceHash,
    /// The hash of its files.
    pub result: SourceHash,
    /// Its files on the host; they appear at [`BOT`], read-only.
    pub folder: PathBuf,
    /// The command of a turn, paths as inside; what the game passes comes after it.
    pub command: Vec<OsString>,
    /// Arguments after those of the game, where it allows them.
    pub trailing: Vec<OsString>,
    /// Mounts of a turn: the files and the folders of its tools.
    pub folders: Vec<Folder>,
    /// Folders among them, or of the system, that a turn finds empty.
    pub hidden: Vec<PathBuf>,
    /// The environment of a turn, but for `JOUST_SEED`.
    pub environment: Vec<(OsString, OsString)>,
    /// The language's id.
    pub language: String,
    /// Version text of the tools.
    pub toolchain: String,
    /// Programs of the system that it starts, a line each.
    pub system: Vec<String>,
    /// The build's log.
    pub log: PathBuf,
    /// True if it was there already.
    pub cached: bool,
    /// Time that the build took, now or when it was made.
    pub took: Duration,
    /// A line for each build file in its folder that the build did not use, such as a `Makefile`.
    pub unused_files: Vec<String>,
}

impl PlacedBuild {
    /// Returns the version texts of its tools, and a line for each program of the system that it
    /// starts.
    pub fn tool_versions(&self) -> String {
        let system = self.system.iter().map(|program| format!("; {program}"));
        self.toolchain.clone() + &system.collect::<String>()
    }
}

/// Reason why a build that is stored here cannot be started here.
#[derive(Debug, thiserror::Error)]
pub enum NotPlaced {
    /// It, or its library set, is not the one it is said to be, or cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its language is not in the languages table, or is built in other ways there.
    #[error("`{language}` has no variant `{variant}` in the languages table")]
    UnknownLanguage {
        /// The language's id.
        language: String,
        /// The variant it was built by.
        variant: String,
    },
    /// A tool is not here.
    #[error(transparent)]
    Tools(#[from] NoTools),
    /// The tools here are others.
    #[error("{language}: `{here}` here, `{built}` when it was built")]
    OtherTools {
        /// The language's id.
        language: String,
        /// Version text of the tools here.
        here: String,
        /// Version text of the tools that it was built with.
        built: String,
    },
    /// A tool has no such place here.
    #[error("{language}: the tools here have no `{place}`")]
    NoPlace {
        /// The language's id.
        language: String,
        /// The place, as the languages table names it.
        place: String,
    },
    /// Its command starts a program of the system that is not here.
    #[error("`{0}` is not on this machine")]
    NoProgram(String),
    /// A program of the system that it starts is another one here, or is not here.
    #[error("`{path}` is {here}, and was {built} when it was built")]
    OtherProgram {
        /// The program's path.
        path: String,
        /// Description of the program here.
        here: String,
        /// Description of the program at build time.
        built: String,
    },
    /// Its library set is not here.
    #[error("its library set {} is not here", short(.0))]
    NoLibraries(BuildHash),
}

/// Store, tools and memory with which stored builds are placed on this machine.
#[derive(Clone, Copy, Debug)]
pub struct BuildPlacer<'a> {
    /// Store that keeps the builds.
    pub store: &'a FolderStore,
    /// The tools.
    pub toolchains: &'a Toolchains,
    /// Memory of the bot; some runtimes get it as an option.
    pub memory: joust_model::Bytes,
}

/// Tools, libraries and folders around a build.
pub(crate) struct PlacementContext<'a> {
    /// Its tools.
    pub(crate) toolchain: &'a Toolchain,
    /// Its library set.
    pub(crate) libraries: Option<Folder>,
    /// Folders of the machine that its language shows, under their own names.
    pub(crate) shows: Vec<Folder>,
    /// Folders that its turns find empty.
    pub(crate) hidden: Vec<PathBuf>,
    /// Memory of the bot.
    pub(crate) memory: joust_model::Bytes,
}

impl BuildPlacer<'_> {
    /// Places the build `hash`; `None` when the store does not have it.
    ///
    /// # Errors
    ///
    /// [`NotPlaced`]: it is here and cannot be started.
    pub fn find(&self, hash: &BuildHash) -> Result<Option<PlacedBuild>, NotPlaced> {
        let Some(stored) = self.store.find(hash).map_err(StoreError::Io)? else { return Ok(None) };
        let toolchain = self.toolchain(&stored)?;
        for program in &stored.build.recipe.system {
            if !program.is_of_games() {
                return Err(NotPlaced::NoProgram(program.path.clone()));
            }
            is_here(program)?;
        }
        let surroundings = PlacementContext {
            toolchain: &toolchain,
            libraries: self.libraries(&stored)?,
            shows: shows(self.toolchains, stored.build.language()),
            hidden: hidden(self.toolchains, &stored.build.recipe, &toolchain),
            memory: self.memory,
        };
        place_build(*hash, stored, surroundings).map(Some)
    }

    /// Returns the tools that it was made with, at their places here; none for a program that needs
    /// none.
    fn toolchain(&self, stored: &StoredBuild) -> Result<Toolchain, NotPlaced> {
        let build = &stored.build;
        if build.start.tools.is_empty() {
            return Ok(Toolchain::default());
        }
        let (language, variant) = (&build.recipe.language, &build.recipe.variant);
        let entry = self.toolchains.languages().get(language);
        let known = entry.and_then(|entry| entry.variants.iter().find(|one| one.name == *variant));
        let Some(known) = known else {
            let (language, variant) = (language.clone(), variant.clone());
            return Err(NotPlaced::UnknownLanguage { language, variant });
        };
        let found = self.toolchains.of_version(language, known, build.toolchain())?;
        if found.version == build.toolchain() {
            return Ok((*found).clone());
        }
        Err(NotPlaced::OtherTools {
            language: language.clone(),
            here: found.version.clone(),
            built: build.toolchain().to_owned(),
        })
    }

    fn libraries(&self, stored: &StoredBuild) -> Result<Option<Folder>, NotPlaced> {
        let Some(hash) = stored.build.library_set() else { return Ok(None) };
        let set = self.store.find(&hash).map_err(StoreError::Io)?;
        let set = set.ok_or(NotPlaced::NoLibraries(hash))?;
        if let Some(played) = stored.build.library_content().filter(|one| *one != set.build.result)
        {
            let damage = Damage::Result { here: set.build.result, played };
            return Err(StoreError::Damaged { build: hash, damage }.into());
        }
        let inside = place_inside(stored.build.language());
        Ok(Some(Folder { host: set.tree, inside }))
    }
}

/// Checks that a program of the system is the one that was there when a bot was built.
fn is_here(program: &SystemProgram) -> Result<(), NotPlaced> {
    let here = SystemProgram::at(&program.path);
    if here.as_ref().is_some_and(|here| here.sha256 == program.sha256) {
        return Ok(());
    }
    let here = here.map_or_else(|| "not on this machine".to_owned(), |here| here.description());
    Err(NotPlaced::OtherProgram { path: program.path.clone(), here, built: program.description() })
}

/// Returns the folders of this machine that turns of a language see, where they are there.
pub(crate) fn shows(toolchains: &Toolchains, language: &str) -> Vec<Folder> {
    let shown = toolchains.languages().get(language).into_iter().flat_map(|entry| &entry.shows);
    let places = shown.map(PathBuf::from).filter(|place| place.is_dir());
    places.map(|place| Folder { host: place.clone(), inside: place }).collect()
}

/// Returns the folders that turns of a build find empty.
pub(crate) fn hidden(
    toolchains: &Toolchains,
    recipe: &RecipeInputs,
    toolchain: &Toolchain,
) -> Vec<PathBuf> {
    installed::hidden(toolchains.languages(), &recipe.language, &recipe.variant, toolchain)
}

/// Fills in what a build finds around it.
pub(crate) fn place_build(
    hash: BuildHash,
    stored: StoredBuild,
    surroundings: PlacementContext<'_>,
) -> Result<PlacedBuild, NotPlaced> {
    let StoredBuild { build, tree, log } = stored;
    let PlacementContext { toolchain, libraries, shows, hidden, memory } = surroundings;
    let system = build.recipe.system.iter().map(SystemProgram::description).collect();
    let unused_files = crate::build_files::unused(&tree, build.recipe.commands());
    let language = build.recipe.language;
    let filled = build.start.fill(toolchain);
    let filled =
        filled.map_err(|place| NotPlaced::NoPlace { language: language.clone(), place })?;
    if let Some(program) = filled.command.first().filter(|program| is_gone(program)) {
        return Err(NotPlaced::NoProgram(program.clone()));
    }
    let heap = (memory.0 >> 20) * 3 / 4;
    let program = build.program.map(|program| format!("{BOT}/{program}")).unwrap_or_default();
    let word = |word: &String| {
        word.replace("{heap}", &heap.to_string()).replace("{program}", &program).into()
    };
    let tools = toolchain.folders.iter().filter(|(tool, _)| build.start.tools.contains(tool));
    let mut folders: Vec<Folder> = tools.map(|(_, folder)| folder.clone()).collect();
    folders.extend(shows.into_iter().chain(libraries));
    folders.push(Folder { host: tree.clone(), inside: BOT.into() });
    Ok(PlacedBuild {
        hash,
        source: build.source,
        result: build.result,
        folder: tree,
        command: filled.command.iter().map(word).collect(),
        trailing: build.recipe.trailing.iter().map(OsString::from).collect(),
        folders,
        hidden,
        environment: as_environment(&filled.environment),
        language,
        toolchain: build.recipe.toolchain,
        system,
        log,
        cached: true,
        took: build.took,
        unused_files,
    })
}

/// Returns whether a command starts a program that every sandbox shows and this machine lacks.
fn is_gone(program: &str) -> bool {
    let of_system = ["/usr/", "/bin/"].iter().any(|folder| program.starts_with(folder));
    let looked_for = std::fs::metadata(program);
    of_system && looked_for.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Returns variables as a sandbox takes them.
pub(crate) fn as_environment(variables: &BTreeMap<String, String>) -> Vec<(OsString, OsString)> {
    variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

impl PlacedBuild {
    /// Returns the command with its paths as they are outside the sandbox, for people who
    /// debug a bot.
    pub fn outside_command(&self) -> Vec<OsString> {
        self.command.iter().map(|word| self.outside(word)).collect()
    }

    fn outside(&self, word: &OsString) -> OsString {
        let path = Path::new(word);
        let found = self.folders.iter().find_map(|folder| {
            Some(folder.host.join(path.strip_prefix(&folder.inside).ok()?).into_os_string())
        });
        found.unwrap_or_else(|| word.clone())
    }
}

/// Folder in which a bot may write.
pub const SCRATCH: &str = "/scratch";

/// Multiple of the kept standard error that a bot may write before it is stopped.
const STDERR_FACTOR: u64 = 64;

/// Returns the sandbox of a bot: its tools read-only, its files under a layer that takes what it
/// writes, its fixed environment with `seed` as `JOUST_SEED`, a scratch that is new in every turn,
/// no network, the given processors.
pub fn seat_spec(build: &PlacedBuild, limits: &Limits, cores: &[usize], seed: u64) -> SeatSpec {
    let mut environment = build.environment.clone();
    environment.push(("JOUST_SEED".into(), seed.to_string().into()));
    SeatSpec {
        folders: build.folders.clone(),
        hidden: build.hidden.clone(),
        written: Some(BOT.into()),
        environment,
        scratch: SCRATCH.into(),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: seat_limits(limits),
        network: Network::None,
        children: Children::Allowed,
        cores: cores.to_vec(),
        host_sockets: HostSockets::default(),
        warm: build.warm(limits),
    }
}

/// Returns the limits of a seat.
pub fn seat_limits(limits: &Limits) -> SeatLimits {
    SeatLimits {
        memory: Bytes(limits.memory.0),
        processes: limits.processes,
        descriptors: limits.descriptors,
        disk: Bytes(limits.disk.0),
        files: limits.files,
        stdout: Bytes(limits.output.0),
        stderr: Bytes(limits.stderr.0),
        stderr_hard: Bytes(limits.stderr.0.saturating_mul(STDERR_FACTOR)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_does_not_start_with_another_engine_or_without_one() {
        let program = |path: &str| SystemProgram {
            path: path.to_owned(),
            sha256: "ab".repeat(32),
            package: "engine 1-1".to_owned(),
        };
        let gone = is_here(&program("/usr/games/none-such")).expect_err("it is not here");
        assert_eq!(
            gone.to_string(),
            "`/usr/games/none-such` is not on this machine, and was \
             /usr/games/none-such of engine 1-1, sha256 abababababababab when it was built"
        );
        let file = tempfile::NamedTempFile::new().expect("a file can be made");
        let path = file.path().to_str().expect("its name is text");
        let here = SystemProgram::at(path).expect("it is here");
        is_here(&here).expect("it is the same");
        assert!(is_here(&program(path)).is_err(), "its content is another one");
    }
}

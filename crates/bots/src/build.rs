//! Builds bots: inside the sandbox, into the store, each once.
//!
//! A build's key is its source, its recipe and its tools' versions. The source
//! is copied into the scratch of a seat that has no network, no caches and an
//! empty home; the recipe's commands run there; what they made is copied out,
//! checked and stored by one rename. Interpreted languages are built too: their
//! commands check the syntax.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use joust_sandbox::{Folder, Host};

use super::detect::Toolchains;
use super::jar;
use super::manifest::Command;
use super::not_built::{self, NotBuilt};
use super::problem::Fault;
use super::recipe::{BOT, BuildNetwork, Given, Recipe};
use super::requirements::Requirements;
use super::source::{FileKind, SourceTree};
use super::store::{BuildRecord, BuildStore, FolderStore, NewBuild, StoredBuild};
use super::workshop::Workshop;
use super::{BotSource, build_log::BuildLog, reasons, trouble};
use joust_config::{BuildLimits, Event, Network};
use joust_model::cancel::Cancel;
use joust_model::{BuildHash, Bytes};

/// What is said of a file that Python 3 cannot read and Python 2 can.
const IS_PYTHON_2: &str = "; it looks like Python 2: `language: python2` in its manifest or in its \
    entry of `bots:` (`{ path: ..., language: python2 }`) says so";

/// The runnable result of one source with one recipe and its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its identity.
    pub hash: BuildHash,
    /// The hash of the source it was made from; `None` when it was found by its
    /// hash.
    pub source: Option<BuildHash>,
    /// The hash of its files.
    pub result: BuildHash,
    /// Its files on the host; they appear at [`BOT`], read-only.
    pub folder: PathBuf,
    /// The command of a turn, paths as inside; what the game passes comes after it.
    pub command: Vec<OsString>,
    /// Arguments after those of the game, where it allows them.
    pub trailing: Vec<OsString>,
    /// All that a turn mounts: the files and the folders of its tools.
    pub folders: Vec<Folder>,
    /// The environment of a turn, but for `JOUST_SEED`.
    pub environment: Vec<(OsString, OsString)>,
    /// The language's id.
    pub language: String,
    /// What the tools say about their versions.
    pub toolchain: String,
    /// The build's log.
    pub log: PathBuf,
    /// Whether it was there already.
    pub cached: bool,
    /// How long making it took, now or when it was made.
    pub took: Duration,
}

/// Builds bots. Several threads may build at the same time; two builds of one
/// key wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    /// Where builds run.
    pub host: &'a Host,
    /// The tools.
    pub toolchains: &'a Toolchains,
    /// Where builds are kept.
    pub store: &'a FolderStore,
    /// What a build may use.
    pub limits: &'a BuildLimits,
    /// What the bot will have; some runtimes are told.
    pub memory: Bytes,
    /// What the event asks of a bot's language.
    pub requirements: Requirements<'a>,
    /// Whether to stop, also in the middle of a build.
    pub cancel: &'a Cancel,
}

impl<'a> Builder<'a> {
    /// Makes the builder of an event's bots.
    #[must_use]
    pub fn of_event(
        host: &'a Host,
        toolchains: &'a Toolchains,
        store: &'a FolderStore,
        event: &'a Event,
        cancel: &'a Cancel,
    ) -> Self {
        let requirements = Requirements::of_event(event);
        let (limits, memory) = (&event.build, event.limits.memory);
        Self { host, toolchains, store, limits, memory, requirements, cancel }
    }

    /// Builds a bot, or finds its build in the store.
    ///
    /// # Errors
    ///
    /// [`NotBuilt`]: all but `Infrastructure` are for the bot's author.
    pub fn build(&self, bot: &BotSource) -> Result<Build, NotBuilt> {
        self.build_announced(bot, || {})
    }

    /// As [`Builder::build`]; calls `making` first if the bot is not in the store.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub fn build_announced(
        &self,
        bot: &BotSource,
        making: impl FnOnce(),
    ) -> Result<Build, NotBuilt> {
        if self.cancel.is_cancelled() {
            return Err(NotBuilt::Stopped);
        }
        let tree = bot.tree(self.toolchains.languages())?;
        let recipe = self.recipe(bot, &tree)?;
        let hash = recipe.key(&tree.hash());
        let _lock = self.store.lock(&hash).map_err(NotBuilt::ours("lock the build"))?;
        let found = self.store.get(&hash).map_err(NotBuilt::ours("read the store"))?;
        let cached = found.is_some();
        let stored = match found {
            Some(stored) => stored,
            None => {
                making();
                self.make(&recipe, &tree, &hash)?
            }
        };
        self.describe(&recipe, (hash, tree.hash()), stored, cached)
    }

    /// Returns the hash the bot's build has or would have.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn key(&self, bot: &BotSource) -> Result<BuildHash, NotBuilt> {
        let tree = bot.tree(self.toolchains.languages())?;
        Ok(self.recipe(bot, &tree)?.key(&tree.hash()))
    }

    /// Returns the version of the tools, as they say it.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn toolchain(&self, bot: &BotSource) -> Result<String, NotBuilt> {
        let tree = bot.tree(self.toolchains.languages())?;
        Ok(self.recipe(bot, &tree)?.decisive.toolchain)
    }

    /// Returns where the log of a bot's last failed build is, if it has one.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn failed_log(&self, bot: &BotSource) -> Result<Option<PathBuf>, NotBuilt> {
        let path = self.store.failed_log(&self.key(bot)?);
        Ok(path.is_file().then_some(path))
    }

    fn recipe(&self, bot: &BotSource, tree: &SourceTree) -> Result<Recipe, NotBuilt> {
        let network = match self.limits.network {
            Network::None => BuildNetwork::None,
            Network::Open => BuildNetwork::Open,
        };
        let libraries = self.libraries(&bot.manifest.language, || {})?;
        let given = Given { network, libraries: libraries.as_deref() };
        let recipe = Recipe::new(bot, tree, self.toolchains, given)?;
        self.requirements.check(bot, tree, self.toolchains, &recipe.decisive.toolchain)?;
        Ok(recipe)
    }

    pub(super) fn make(
        &self,
        recipe: &Recipe,
        tree: &SourceTree,
        hash: &BuildHash,
    ) -> Result<StoredBuild, NotBuilt> {
        let begun = Instant::now();
        let work = self.store.work().map_err(NotBuilt::ours("make a folder to build in"))?;
        let staged = stage(tree, recipe, work.path())?;
        let mut log = BuildLog::new(self.limits.output.0);
        let shop = Shop { builder: self, recipe, staged: &staged, work: work.path(), begun };
        let made = shop.first_that_plays(&mut log).and_then(|made| {
            let build = NewBuild { record: &made.record, tree: &made.tree, log: log.text() };
            self.store.put(hash, &build).map_err(NotBuilt::of_files("store the build"))
        });
        if matches!(&made, Err(reason) if *reason != NotBuilt::Stopped) {
            let kept = self.store.keep_log(hash, log.text());
            kept.map_err(NotBuilt::ours("keep the build's log"))?;
        }
        made
    }

    /// A command that failed may have met what the machine lacks; limits are the bot's own.
    fn whose(&self, reason: NotBuilt) -> NotBuilt {
        let NotBuilt::Failed { command, .. } = &reason else { return reason };
        match trouble::of(self.host, self.store.root()) {
            Some(trouble) => {
                let command = not_built::shown(command);
                NotBuilt::Infrastructure(format!("{trouble}; `{command}` failed meanwhile"))
            }
            None => reason,
        }
    }

    fn describe(
        &self,
        recipe: &Recipe,
        (hash, source): (BuildHash, BuildHash),
        stored: StoredBuild,
        cached: bool,
    ) -> Result<Build, NotBuilt> {
        let record = stored.record;
        let heap = (self.memory.0 >> 20) * 3 / 4;
        let program = record.program.map(|program| format!("{BOT}/{program}")).unwrap_or_default();
        let fill = |word: &String| {
            word.replace("{heap}", &heap.to_string()).replace("{program}", &program).into()
        };
        let mut folders = recipe.run_folders();
        folders.push(Folder { host: stored.tree.clone(), inside: BOT.into() });
        Ok(Build {
            hash,
            source: Some(source),
            result: record.result,
            folder: stored.tree,
            command: recipe.decisive.run.iter().map(fill).collect(),
            trailing: recipe.decisive.trailing.iter().map(OsString::from).collect(),
            folders,
            environment: as_environment(&recipe.decisive.run_environment),
            language: record.language,
            toolchain: record.toolchain,
            log: stored.log,
            cached,
            took: record.took,
        })
    }
}

pub(super) fn as_environment(variables: &BTreeMap<String, String>) -> Vec<(OsString, OsString)> {
    variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Copies the source aside, so that it cannot change under the build.
fn stage(tree: &SourceTree, recipe: &Recipe, work: &Path) -> Result<PathBuf, NotBuilt> {
    let ours = NotBuilt::of_files("copy the source");
    let staged = work.join("source");
    std::fs::create_dir(&staged).map_err(&ours)?;
    tree.copy_to(&staged).map_err(&ours)?;
    if SourceTree::read_all(&staged)?.hash() != tree.hash() {
        return Err(NotBuilt::Infrastructure("the source changed while it was read".to_owned()));
    }
    for (path, text) in &recipe.decisive.files {
        let path = staged.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(&ours)?;
        }
        std::fs::write(path, text).map_err(&ours)?;
    }
    Ok(staged)
}

/// A source, laid out to be built.
struct Shop<'a> {
    builder: &'a Builder<'a>,
    recipe: &'a Recipe,
    staged: &'a Path,
    work: &'a Path,
    begun: Instant,
}

/// What a build made.
struct Made {
    tree: PathBuf,
    record: BuildRecord,
}

impl Shop<'_> {
    /// Tries the recipe's builds, each from the source anew, until one makes the
    /// program of a turn; after all of them, what the source brings.
    fn first_that_plays(&self, log: &mut BuildLog) -> Result<Made, NotBuilt> {
        let decisive = &self.recipe.decisive;
        let builds = [&decisive.build].into_iter().chain(&decisive.otherwise);
        let mut failure: Option<NotBuilt> = None;
        for (number, commands) in builds.enumerate() {
            let built = self.build(commands, &self.work.join(format!("result-{number}")), log);
            match built.map_err(|reason| self.builder.whose(reason)) {
                Ok(made) => return Ok(made),
                Err(reason @ NotBuilt::Failed { .. }) => {
                    log.line(&reason.first_line());
                    failure = Some(telling(failure, reason));
                }
                Err(other) => return Err(other),
            }
        }
        let failure = failure.expect("there is a build");
        let Some(shipped) = &decisive.shipped else { return Err(self.told(failure)) };
        log.line(&format!("every build failed; `{shipped}` of the source plays"));
        let tree = self.staged.to_owned();
        self.record(&tree).map(|record| Made { tree, record }).map_err(|_| self.told(failure))
    }

    fn build(
        &self,
        commands: &[Command],
        result: &Path,
        log: &mut BuildLog,
    ) -> Result<Made, NotBuilt> {
        let tree = self.run(commands, result, log)?;
        let record = self.record(&tree)?;
        Ok(Made { tree, record })
    }

    /// Adds to a failure what the source asked for and did not get.
    fn told(&self, failure: NotBuilt) -> NotBuilt {
        match failure {
            NotBuilt::Failed { command, mut status, lines } => {
                self.recipe.lacking.iter().for_each(|one| status.push_str(&format!("; {one}")));
                if self.recipe.decisive.language == "python" && reasons::is_python_2(&lines) {
                    status.push_str(IS_PYTHON_2);
                }
                NotBuilt::Failed { command, status, lines }
            }
            other => other,
        }
    }

    /// Runs commands and returns the folder with their result.
    fn run(
        &self,
        commands: &[Command],
        result: &Path,
        log: &mut BuildLog,
    ) -> Result<PathBuf, NotBuilt> {
        let decisive = &self.recipe.decisive;
        if commands.is_empty() && decisive.optional.is_empty() {
            log.line("nothing to build");
            return Ok(self.staged.to_owned());
        }
        let inside = decisive.folder.trim_start_matches(BOT).trim_start_matches('/');
        if !self.staged.join(inside).is_dir() {
            let reason = format!("the project's folder `{}` is not there", decisive.folder);
            return Err(NotBuilt::Refused(reason));
        }
        let end = self.begun + self.builder.limits.time;
        let mut workshop = Workshop::open(self.builder, self.recipe, self.staged, end)?;
        for command in commands {
            workshop.run(command, log)?;
        }
        for command in &decisive.optional {
            match workshop.run(command, log) {
                Ok(()) | Err(NotBuilt::Failed { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        workshop.collect(result, log)?;
        Ok(result.to_owned())
    }

    /// Checks a result and writes down what is known about it.
    fn record(&self, result: &Path) -> Result<BuildRecord, NotBuilt> {
        let decisive = &self.recipe.decisive;
        let failed = |status: String| NotBuilt::Failed {
            command: decisive.build.last().cloned().unwrap_or_default(),
            status,
            lines: Vec::new(),
        };
        let tree = SourceTree::read_all(result).map_err(|problem| {
            if problem.fault == Fault::Machine {
                return problem.into();
            }
            let place = problem.file.strip_prefix(result).unwrap_or(&problem.file).to_owned();
            failed(format!("made `{}`: {}", place.display(), problem.message))
        })?;
        let program = first_match(&tree, &decisive.program).map_err(failed)?;
        if let Some(reason) = missing_program(self.recipe, &tree) {
            return Err(failed(reason));
        }
        if let Some(program) = program.as_ref().filter(|_| decisive.run.contains(&"-jar".into())) {
            let checked = jar::check(&result.join(program));
            checked.map_err(|reason| failed(format!("made `{program}`, which {reason}")))?;
        }
        Ok(BuildRecord {
            result: tree.hash(),
            language: decisive.language.clone(),
            toolchain: decisive.toolchain.clone(),
            program,
            took: self.begun.elapsed(),
        })
    }
}

/// Returns the later of two failures; where no command said why, with what one said
/// in the first.
fn telling(first: Option<NotBuilt>, mut later: NotBuilt) -> NotBuilt {
    if let Some(NotBuilt::Failed { lines: before, .. }) = first
        && let NotBuilt::Failed { lines, .. } = &mut later
        && lines.is_empty()
    {
        *lines = before;
    }
    later
}

/// Returns the file of the first glob that matches any; `None` when nothing is
/// looked for.
fn first_match(tree: &SourceTree, globs: &[String]) -> Result<Option<String>, String> {
    for glob in globs {
        if let Some(found) = only_match(tree, glob)? {
            return Ok(Some(found));
        }
    }
    match globs {
        [] => Ok(None),
        globs => {
            let made = alike(tree, &globs[0]);
            Err(format!("made nothing that matches `{}`{made}", globs.join("` or `")))
        }
    }
}

/// Names files that end like what was looked for.
fn alike(tree: &SourceTree, wanted: &str) -> String {
    let extension = |path: &str| Path::new(path).extension().map(|end| end.to_ascii_lowercase());
    let wanted = extension(wanted);
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let same = paths.filter(|path| wanted.is_some() && extension(path) == wanted);
    let same: Vec<String> = same.take(4).map(|path| format!("`{path}`")).collect();
    if same.is_empty() { String::new() } else { format!("; it made {}", same.join(", ")) }
}

/// Returns the file that matches, if need be in another case.
fn only_match(tree: &SourceTree, glob: &str) -> Result<Option<String>, String> {
    for any_case in [false, true] {
        let mut builder = globset::GlobBuilder::new(glob);
        let glob_matcher = builder.literal_separator(true).case_insensitive(any_case).build();
        let matcher = glob_matcher.map_err(|error| error.to_string())?.compile_matcher();
        let mut found = tree.files.iter().filter(|file| matcher.is_match(&file.path));
        match (found.next(), found.next()) {
            (Some(one), None) => return Ok(Some(one.path.clone())),
            (None, _) => {}
            (Some(_), Some(_)) => {
                return Err(format!("made more than one file that matches `{glob}`"));
            }
        }
    }
    Ok(None)
}

/// Says what is wrong with the program of a turn, if that is a file of the bot.
fn missing_program(recipe: &Recipe, tree: &SourceTree) -> Option<String> {
    let program = recipe.decisive.run.first()?.strip_prefix(BOT)?.trim_start_matches('/');
    let file = tree.files.iter().find(|file| file.path == program);
    match file.map(|file| &file.kind) {
        None => Some(format!("made no `{program}`")),
        Some(FileKind::Link(_)) => Some(format!("made `{program}`, which is a link")),
        Some(FileKind::Plain { executable: false, .. }) => {
            Some(format!("made `{program}`, which may not be executed"))
        }
        Some(FileKind::Plain { .. }) => None,
    }
}

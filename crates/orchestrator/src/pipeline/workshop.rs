//! The machine made ready: sandbox, languages, builds and calibrations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use joust_referee::GameKind;
use joust_sandbox::{Host, HostOptions, ProbeError, Tier};
use nix::sys::resource::{Resource, getrlimit};

use joust_bots::scaffold::{self, Starter};
use joust_bots::threads;
use joust_bots::{
    self, BotSource, Builder, FolderStore, LanguageError, Languages, Machine, NotBuilt, NotPlaced,
    PerOwner, PlacedBuild, Placing, Problem, Search, Toolchains,
};
use joust_config::{ConfigErrors, Event, Tournament};
use joust_model::cancel::Cancel;
use joust_model::clock::{Clock, SystemClock};
use joust_model::notices::{Listener, Notice};
use joust_model::{BuildHash, Bytes, Calibration};
use joust_play::calibrate::{Bench, NotCalibrated, measure};
use joust_play::channel::live::{Reach, is_doubtful, reach};
use joust_play::channel::{self, Answered, ChannelError, Limiting, Opening, Port};
use joust_play::executor::{self, Equipment};

/// Languages of the sample opponent, the fastest first.
const SAMPLE_LANGUAGES: [&str; 4] = ["c", "bash", "python", "javascript"];

/// What a program needs for its stack, bytes.
const LEAST_STACK: u64 = 1 << 20;

/// How long the machine gets to recover before what it was at fault for is tried again.
const BEFORE_ANOTHER_TRY: Duration = Duration::from_millis(500);

/// Whether a machine without isolation may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// It may not.
    Required,
    /// It may; results are marked.
    Unsafe,
    /// This tier and no other, even where a better one works.
    Only(Tier),
}

/// A build, or why there is none.
pub type Built = Result<Arc<PlacedBuild>, NotBuilt>;

/// Why the machine cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum WorkshopError {
    /// There is no sandbox.
    #[error("this machine cannot hold a bot in a sandbox")]
    Sandbox(#[source] ProbeError),
    /// An event provides libraries for a language that has no library sets.
    #[error("{0}")]
    Provides(ConfigErrors),
    /// The tournament's `languages:` are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Languages(Vec<LanguageError>),
    /// Builds cannot be kept.
    #[error("the folder for builds `{}` cannot be used", folder.display())]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Bots inherit the stack that this process may have.
    #[error("only {0} KiB of stack are allowed, and bots inherit that: 1 MiB is needed")]
    Stack(u64),
    /// Builds are kept where bots cannot get at them.
    #[error(
        "bots are other users in tier C and cannot use builds in `{}`: `{}` is closed to other users",
        folder.display(), barrier.display()
    )]
    ClosedCache {
        /// The folder.
        folder: PathBuf,
        /// What on the way to it keeps others out.
        barrier: PathBuf,
    },
}

/// Refuses to charge bots with a stack that is too small.
fn check_stack() -> Result<(), WorkshopError> {
    let (soft, _) = getrlimit(Resource::RLIMIT_STACK).unwrap_or((LEAST_STACK, LEAST_STACK));
    if soft < LEAST_STACK { Err(WorkshopError::Stack(soft >> 10)) } else { Ok(()) }
}

/// Says whether bots meet this machine's own files, as users without rights of this
/// process's.
#[must_use]
pub fn are_other_users(host: &Host) -> bool {
    host.tier() == Tier::C
}

/// A bot to run on one view.
pub struct OneTurn<'a> {
    /// How it is played.
    pub event: &'a Event,
    /// What is run.
    pub build: &'a PlacedBuild,
    /// What is added to the limits.
    pub calibration: Calibration,
    /// What the bot finds in `JOUST_SEED`.
    pub seed: u64,
    /// Where it sits.
    pub seat: u8,
    /// What it is asked.
    pub request: channel::Request<'a>,
}

/// The machine made ready.
pub struct Workshop {
    /// The sandbox.
    pub host: Host,
    /// The languages and their tools here.
    pub toolchains: Toolchains,
    /// This machine's name in results.
    pub machine: String,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    store: FolderStore,
    folder: PathBuf,
    cancel: Cancel,
}

impl Workshop {
    /// Probes the sandbox and reads the languages table.
    ///
    /// # Errors
    ///
    /// [`WorkshopError`] when there is no sandbox, a language is wrong or
    /// builds cannot be kept in `cache`.
    pub fn open(
        tournament: &Tournament,
        cache: &Path,
        isolation: Isolation,
    ) -> Result<Self, WorkshopError> {
        check_stack()?;
        let languages = Languages::with(&tournament.languages).map_err(WorkshopError::Languages)?;
        let without = languages.without_library_sets(tournament);
        if !without.is_empty() {
            return Err(WorkshopError::Provides(ConfigErrors(without)));
        }
        let options = HostOptions {
            unsafe_allowed: isolation == Isolation::Unsafe,
            tier: match isolation {
                Isolation::Only(tier) => Some(tier),
                Isolation::Required | Isolation::Unsafe => None,
            },
            ..HostOptions::default()
        };
        let host = Host::probe(&options).map_err(WorkshopError::Sandbox)?;
        let store = FolderStore::open(cache)
            .map_err(|source| WorkshopError::Cache { folder: cache.to_owned(), source })?;
        let others = are_other_users(&host);
        if let Some(barrier) = joust_bots::barrier(cache).filter(|_| others) {
            return Err(WorkshopError::ClosedCache { folder: cache.to_owned(), barrier });
        }
        Ok(Self {
            host,
            toolchains: Toolchains::new(
                Arc::new(languages),
                Machine::this().for_other_users(others),
            ),
            machine: super::machine::name(),
            clock: Arc::new(SystemClock),
            store,
            folder: tournament.folder.clone(),
            cancel: Cancel::default(),
        })
    }

    /// Lets `cancel` stop builds and measurements.
    #[must_use]
    pub fn stopped_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Returns the languages table.
    #[must_use]
    pub fn languages(&self) -> &Languages {
        self.toolchains.languages()
    }

    /// Finds the bots of an event, sorted by name.
    ///
    /// # Errors
    ///
    /// Every problem of every bot.
    pub fn discover(
        &self,
        tournament: &Tournament,
        event: &Event,
    ) -> Result<Vec<BotSource>, Vec<Problem>> {
        let per_owner = if event.one_per_owner { PerOwner::One } else { PerOwner::Any };
        let (bots, problems) = self.look_for_bots(tournament, event, per_owner);
        if problems.is_empty() { Ok(bots) } else { Err(problems) }
    }

    /// Finds the bots of an event, sorted by name, however many an owner has, and
    /// every problem beside them.
    #[must_use]
    pub fn survey(&self, tournament: &Tournament, event: &Event) -> (Vec<BotSource>, Vec<Problem>) {
        self.look_for_bots(tournament, event, PerOwner::Any)
    }

    fn look_for_bots(
        &self,
        tournament: &Tournament,
        event: &Event,
        per_owner: PerOwner,
    ) -> (Vec<BotSource>, Vec<Problem>) {
        let archives = self.store.archives();
        joust_bots::survey(&Search {
            file: &tournament.file,
            folder: &tournament.folder,
            globs: &joust_bots::discover::globs(event),
            game: event.game.id(),
            languages: self.languages(),
            per_owner,
            cache: &archives,
        })
    }

    /// Reads the one bot at `path`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read_bot(&self, path: &Path, game: &dyn GameKind) -> Result<BotSource, Vec<Problem>> {
        let archives = self.store.archives();
        let search = Search {
            file: path,
            folder: &self.folder,
            globs: &[],
            game: game.id(),
            languages: self.languages(),
            per_owner: PerOwner::Any,
            cache: &archives,
        };
        joust_bots::read_bot(&search, path)
    }

    /// Fetches what the event provides to bots, unless it is here. Nothing is said of what goes
    /// wrong: it is told of each bot that cannot be built.
    pub(super) fn provide(&self, sources: &[BotSource], event: &Event, listener: &dyn Listener) {
        let languages: BTreeSet<&str> =
            sources.iter().map(|source| source.manifest.language.as_str()).collect();
        for language in languages {
            let mut is_fetched = false;
            let set = self.builder(event).libraries(language, || {
                is_fetched = true;
                listener.notice(&Notice::LibrariesStarted { language: language.to_owned() });
            });
            if let (true, Ok(Some(set))) = (is_fetched, set) {
                let libraries = set.libraries.iter();
                let libraries =
                    libraries.map(|one| format!("{} {}", one.name, one.version)).collect();
                let language = language.to_owned();
                listener.notice(&Notice::LibrariesFetched { language, libraries });
            }
        }
    }

    /// Builds every bot, as many at once as there are cores. What the machine was at
    /// fault for is tried once more, one bot after the other.
    pub fn build(
        &self,
        sources: &[BotSource],
        event: &Event,
        listener: &dyn Listener,
    ) -> Vec<Built> {
        let builder = self.builder(event);
        let mut all = build_side_by_side(&builder, sources, listener);
        let is_of_machine = |built: &Built| matches!(built, Err(why) if why.is_of_machine());
        if all.iter().any(is_of_machine) && !self.cancel.is_cancelled() {
            thread::sleep(BEFORE_ANOTHER_TRY);
        }
        for (source, built) in sources.iter().zip(&mut all) {
            if is_of_machine(built) && !self.cancel.is_cancelled() {
                *built = build_one(&builder, source, listener);
            }
            if let Err(reason @ NotBuilt::Infrastructure(_)) = built {
                let (bot, reason) = (source.name().to_owned(), reason.to_string());
                listener.notice(&Notice::NotBuilt { bot, reason });
            }
        }
        all
    }

    /// Returns the hash a bot's build has or would have; nothing is built.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn key(&self, source: &BotSource, event: &Event) -> Result<BuildHash, NotBuilt> {
        self.builder(event).key(source)
    }

    /// Returns the version of the tools that a bot would be built or run with, as they
    /// say it.
    ///
    /// # Errors
    ///
    /// Why the bot would not even come to a build.
    pub fn toolchain(&self, source: &BotSource, event: &Event) -> Result<String, NotBuilt> {
        self.builder(event).toolchain(source)
    }

    /// Returns where the whole log of a bot's last failed build is, if it has one.
    #[must_use]
    pub fn failed_log_file(&self, source: &BotSource, event: &Event) -> Option<PathBuf> {
        self.builder(event).failed_log(source).ok().flatten()
    }

    /// Returns the whole log of a bot's last failed build, if it has one.
    #[must_use]
    pub fn failed_log(&self, source: &BotSource, event: &Event) -> Option<String> {
        let bytes = std::fs::read(self.failed_log_file(source, event)?).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns a build that was made before, ready to be started with `memory`.
    ///
    /// # Errors
    ///
    /// [`NotPlaced`]: it is here and cannot be started.
    pub fn stored_build(
        &self,
        hash: &BuildHash,
        memory: Bytes,
    ) -> Result<Option<PlacedBuild>, NotPlaced> {
        Placing { store: &self.store, toolchains: &self.toolchains, memory }.find(hash)
    }

    /// Returns the tournament's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns where builds are kept.
    pub(super) fn builds(&self) -> &FolderStore {
        &self.store
    }

    /// Builds the sample opponent of a game: its starter bot in the first
    /// language that works here.
    #[must_use]
    pub fn sample(&self, event: &Event) -> Option<Arc<PlacedBuild>> {
        SAMPLE_LANGUAGES.iter().find_map(|language| {
            let home = tempfile::tempdir().ok()?;
            let folder = home.path().join("sample");
            let starter = Starter { game: event.game.id(), language, folder: &folder, author: "" };
            scaffold::make(&starter).ok()?;
            let source = self.read_bot(&folder, event.game).ok()?;
            let build = self.builder(event).build(&source).ok()?;
            Some(Arc::new(build))
        })
    }

    fn builder<'a>(&'a self, event: &'a Event) -> Builder<'a> {
        Builder::of_event(&self.host, &self.toolchains, &self.store, event, &self.cancel)
    }

    /// Measures a do-nothing bot for an event; nothing else may run meanwhile.
    ///
    /// # Errors
    ///
    /// [`NotCalibrated`] when the language cannot be measured.
    pub fn calibrate(
        &self,
        language: &str,
        event: &Event,
        runs: u32,
    ) -> Result<Calibration, NotCalibrated> {
        let builder = self.builder(event);
        let cores = executor::available();
        let wanted = event.limits.cores_per_bot.max(1) as usize;
        let bench = Bench {
            builder: &builder,
            game: event.game,
            rules: &event.rules,
            options: &event.options,
            limits: &event.limits,
            cores: &cores[..wanted.min(cores.len())],
            runs,
            folder: &self.folder,
            now: self.clock.now(),
            machine: &self.machine,
        };
        measure(&bench, language)
    }

    /// Runs a bot on one view; a bot that would live as long as its bout is started
    /// for it, and its answer is in `parts`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn one_turn(&self, turn: &OneTurn<'_>) -> Result<Answered, ChannelError> {
        let event = turn.event;
        let calibration = turn.calibration.clone();
        let mut opening = self.opening((event, turn.build), calibration, turn.seed);
        opening.seat = turn.seat;
        channel::ask_once(event.game.channel(), opening, &turn.request)
    }

    fn opening(
        &self,
        (event, build): (&Event, &PlacedBuild),
        calibration: Calibration,
        seed: u64,
    ) -> Opening {
        let cores = executor::available();
        Opening {
            host: self.host.clone(),
            spec: joust_bots::seat_spec(build, &event.limits, &cores[..1], seed),
            command: build.command.clone(),
            trailing: build.trailing.clone(),
            folder: joust_bots::BOT.into(),
            seat: 0,
            limits: event.limits.clone(),
            calibration,
            limiting: Limiting::Configured,
        }
    }

    /// Finds out why a bot that connects to a port of its game cannot be run here, if it
    /// cannot: where seats have no network of their own it has to come to one it is told.
    /// Nothing else may run meanwhile.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn why_not_run(
        &self,
        event: &Event,
        build: &PlacedBuild,
    ) -> Result<Option<String>, ChannelError> {
        let channel = channel::find(event.game.channel())?;
        if channel.port == Port::None || !is_doubtful(self.host.tier()) {
            return Ok(None);
        }
        let mut reason = None;
        // A machine that is slow for a moment makes nobody stay away twice.
        for _ in 0..2 {
            let opening = self.opening((event, build), Calibration::default(), 0);
            match reach(channel.name, opening, &|| self.cancel.is_cancelled())? {
                Reach::Comes => return Ok(None),
                Reach::StaysAway { reason: why } => reason = Some(why),
            }
        }
        Ok(reason)
    }

    /// Returns all that bouts on this machine need.
    #[must_use]
    pub fn equip(
        &self,
        builds: impl IntoIterator<Item = Arc<PlacedBuild>>,
        calibrations: impl IntoIterator<Item = Calibration>,
        cancel: Cancel,
    ) -> Equipment {
        let builds: HashMap<BuildHash, Arc<PlacedBuild>> =
            builds.into_iter().map(|build| (build.hash, build)).collect();
        let calibrations = calibrations
            .into_iter()
            .map(|found| ((found.language.clone(), found.game.clone()), found))
            .collect();
        Equipment {
            host: self.host.clone(),
            builds,
            calibrations,
            machine: self.machine.clone(),
            clock: Arc::clone(&self.clock),
            cancel,
        }
    }
}

/// Returns the languages of `builds`, each once, in order.
#[must_use]
pub fn languages_of<'a>(builds: impl IntoIterator<Item = &'a Arc<PlacedBuild>>) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = builds.into_iter().map(|build| build.language.clone());
    let mut languages: Vec<_> = all.filter(|language| seen.insert(language.clone())).collect();
    languages.sort_unstable();
    languages
}

fn claim(next: &AtomicUsize, end: usize) -> Option<usize> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    (index < end).then_some(index)
}

fn build_side_by_side(
    builder: &Builder<'_>,
    sources: &[BotSource],
    listener: &dyn Listener,
) -> Vec<Built> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Built>> = sources.iter().map(|_| OnceLock::new()).collect();
    threads::side_by_side(executor::available().len().min(sources.len()), || {
        while let Some(index) = claim(&next, sources.len()) {
            results[index].get_or_init(|| build_one(builder, &sources[index], listener));
        }
    });
    let built = |result: OnceLock<Built>| result.into_inner().expect("every bot was claimed");
    results.into_iter().map(built).collect()
}

/// Builds a bot and tells of it, unless the machine is at fault.
fn build_one(
    builder: &Builder<'_>,
    source: &BotSource,
    listener: &dyn Listener,
) -> Result<Arc<PlacedBuild>, NotBuilt> {
    let bot = source.name().to_owned();
    let making = || listener.notice(&Notice::BuildStarted { bot: bot.clone() });
    match builder.build_announced(source, making) {
        Ok(build) => {
            let (cached, took) = (build.cached, build.took);
            listener.notice(&Notice::Built { bot, cached, took });
            Ok(Arc::new(build))
        }
        Err(reason @ (NotBuilt::Stopped | NotBuilt::Infrastructure(_))) => Err(reason),
        Err(reason) => {
            listener.notice(&Notice::NotBuilt { bot, reason: reason.to_string() });
            Err(reason)
        }
    }
}

//! The machine made ready: sandbox, languages, builds and calibrations.

mod building;
pub mod default_tournament;
mod game_trial;
mod rebuild;
mod referees;
mod trial;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::{fs, io, thread};

use joust_bots::{BotProblem, BotSearch, BotSource, Candidate, PerOwner};
use joust_build::{Builder, FolderStore, PlacedBuild};
use joust_config::{ConfigErrors, Event, Tournament};
use joust_model::cancel::Cancel;
use joust_model::{BuildHash, Calibration, Limits, ScheduleKind, StartMode, digest_text};
use joust_play::executor::{Equipment, available};
use joust_play::external::LastWords;
use joust_referee::{Catalogue, Game};
use joust_sandbox::{Host, HostOptions, ProbeError, Tier};
use joust_toolchain::{LanguageError, Languages, Toolchains};
use nix::sys::resource::{Resource, getrlimit};

pub use building::BuildOutcome;
pub use game_trial::{GameTrial, Perturbation, RepeatOutcome};
pub use rebuild::{BuildOrigin, BuildQuery, BuildSources, FoundBuild, MissingBuild};
pub use trial::OneTurn;

/// Returns whether bots meet this machine's own files, as users without rights of this process's.
pub fn are_other_users(host: &Host) -> bool {
    host.tier() == Tier::C
}

/// Returns the sandbox's tier as results name it.
pub(crate) fn recorded_tier(host: &Host) -> joust_model::Tier {
    match host.tier() {
        Tier::A => joust_model::Tier::A,
        Tier::B => joust_model::Tier::B,
        Tier::C => joust_model::Tier::C,
        Tier::D => joust_model::Tier::D,
    }
}

/// The machine made ready.
pub struct Machine {
    /// The games there are.
    pub games: Catalogue,
    /// The sandbox.
    pub host: Host,
    /// The languages and their tools here.
    pub toolchains: Toolchains,
    /// This machine's name in results.
    pub name: String,
    pub(crate) store: FolderStore,
    pub(crate) folder: PathBuf,
    cancel: Cancel,
    /// Referees of the tournament's own games, by the games' ids.
    referees: BTreeMap<String, Arc<PlacedBuild>>,
    /// Last output of referees that failed.
    pub last_words: LastWords,
}

impl Machine {
    /// Probes the sandbox, reads the languages table and builds the tournament's own games.
    /// `cancel` stops this and later builds and measurements.
    ///
    /// # Errors
    ///
    /// [`MachineError`] when there is no sandbox, a language is wrong or
    /// builds cannot be kept in `cache`.
    pub fn open(
        tournament: &Tournament,
        cache: &Path,
        isolation: &HostOptions,
        cancel: &Cancel,
    ) -> Result<Self, MachineError> {
        check_stack()?;
        let languages = Languages::with(&tournament.languages).map_err(MachineError::Languages)?;
        let without = languages.without_library_sets(tournament);
        if !without.is_empty() {
            return Err(MachineError::Provides(ConfigErrors(without)));
        }
        let host = Host::probe(isolation).map_err(MachineError::Sandbox)?;
        // One folder may have hundreds of thousands of files. The next command removes the rest.
        let left = unless_cancelled(cancel, {
            let host = host.clone();
            move || host.remove_left_overs()
        });
        tracing::debug!(?left, "left-overs of killed commands");
        if cancel.is_cancelled() {
            return Err(MachineError::Interrupted);
        }
        let store = FolderStore::open(cache)
            .map_err(|source| MachineError::Cache { folder: cache.to_owned(), source })?;
        let others = are_other_users(&host);
        if let Some(barrier) = joust_toolchain::closed_folder(cache).filter(|_| others) {
            return Err(MachineError::ClosedCache { folder: cache.to_owned(), barrier });
        }
        let mut machine = Self {
            games: tournament.games.clone(),
            host,
            toolchains: Toolchains::new(
                Arc::new(languages),
                joust_toolchain::Machine::this()
                    .for_other_users(others)
                    .excluding(&tournament.folder),
            ),
            name: machine_name(),
            store,
            folder: tournament.folder.clone(),
            cancel: cancel.clone(),
            referees: BTreeMap::new(),
            last_words: LastWords::default(),
        };
        machine.bring_games(tournament)?;
        Ok(machine)
    }

    /// Returns an event's limits as they apply here: bots that cannot be kept warm are started
    /// cold, and the results record that.
    pub fn limits(&self, event: &Event) -> Limits {
        let starts = match self.why_not_warm(event) {
            None => event.limits.starts,
            Some(_) => StartMode::Cold,
        };
        Limits { starts, ..event.limits.clone() }
    }

    /// Returns the reason why bots of an event are started cold here though the event wants them
    /// warm, if they are.
    pub fn why_not_warm(&self, event: &Event) -> Option<String> {
        if event.limits.starts.is_cold() { None } else { self.host.why_not_warm() }
    }

    /// Returns an event's game as it can be played here.
    fn game_of<'a>(&'a self, event: &'a Event) -> &'a Game {
        self.games.find(event.game.id()).unwrap_or(&event.game)
    }

    /// Returns the languages table.
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
    ) -> Result<Vec<BotSource>, Vec<BotProblem>> {
        let (bots, problems) = self.find_entries(tournament, event);
        if problems.is_empty() { Ok(bots) } else { Err(problems) }
    }

    /// Finds the bots of an event, sorted by name, and every problem beside them, under the
    /// event's rules.
    pub fn find_entries(
        &self,
        tournament: &Tournament,
        event: &Event,
    ) -> (Vec<BotSource>, Vec<BotProblem>) {
        let per_owner = if event.one_per_owner { PerOwner::One } else { PerOwner::Any };
        self.find_bots(tournament, event, per_owner)
    }

    /// Finds the bots of an event, sorted by name, and every problem beside them.
    pub(crate) fn find_bots(
        &self,
        tournament: &Tournament,
        event: &Event,
        per_owner: PerOwner,
    ) -> (Vec<BotSource>, Vec<BotProblem>) {
        let archives = self.store.archives();
        let (bots, mut problems) = joust_bots::survey(&BotSearch {
            file: &tournament.file,
            folder: &tournament.folder,
            globs: &event.bots,
            game: event.game.spec(),
            languages: self.languages().sources(),
            per_owner,
            cache: &archives,
            cancel: &self.cancel,
        });
        problems.extend(unknown_scheduled_names(tournament, event, &bots));
        (bots, problems)
    }

    /// Reads the one bot at `path`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read_bot(&self, path: &Path, game: &Game) -> Result<BotSource, Vec<BotProblem>> {
        let candidate = Candidate::new(path, game.spec(), self.languages().sources());
        joust_bots::read_bot(&candidate, &self.store.archives())
    }

    /// Returns what judges a game that the tournament brings.
    pub(crate) fn referee_build(&self, game: &str) -> Option<&Arc<PlacedBuild>> {
        self.referees.get(game)
    }

    /// Returns what builds the bots of an event.
    pub(crate) fn builder<'a>(&'a self, event: &'a Event) -> Builder<'a> {
        Builder::of_event(&self.host, &self.toolchains, &self.store, event, &self.cancel)
    }

    /// Returns all that bouts on this machine need.
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
            games: self.games.clone(),
            host: self.host.clone(),
            builds,
            calibrations,
            machine: self.name.clone(),
            cancel,
        }
    }
}

/// Runs `work` in a new thread and returns its result. Returns `None` if no thread can be started,
/// if `work` panics, or as soon as `cancel` is cancelled; the cancelled thread is not stopped.
fn unless_cancelled<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, end) = mpsc::channel();
    let stopped = sender.clone();
    let _registration = cancel.on_cancel(move || _ = stopped.send(None));
    // A panic is an end, too.
    let work = move || _ = sender.send(panic::catch_unwind(AssertUnwindSafe(work)).ok());
    thread::Builder::new().spawn(work).ok()?;
    end.recv().ok().flatten()
}

/// A language and the way its bots are started: the unit of a calibration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LanguageStart {
    /// The language's id.
    pub language: String,
    /// Kind of start of its bots.
    pub starts: StartMode,
}

impl LanguageStart {
    /// Returns the name under which it is measured.
    pub fn name(&self) -> String {
        self.starts.of_language(&self.language)
    }

    /// Returns `event` with limits for bots that are started this way.
    pub fn event(&self, event: &Event) -> Event {
        let mut event = event.clone();
        event.limits.starts = self.starts;
        event
    }
}

/// Returns the ways in which `builds` are started under limits, each once, in order. Each has a
/// cold start, too, because a program that is kept warm is started cold when that fails.
pub fn language_starts<'a>(
    builds: impl IntoIterator<Item = &'a Arc<PlacedBuild>>,
    limits: &Limits,
) -> BTreeSet<LanguageStart> {
    let of = |build: &Arc<PlacedBuild>| LanguageStart {
        language: build.language.clone(),
        starts: build.starts(limits),
    };
    let warm: BTreeSet<LanguageStart> = builds.into_iter().map(of).collect();
    let cold = |one: &LanguageStart| LanguageStart { starts: StartMode::Cold, ..one.clone() };
    warm.iter().map(cold).chain(warm.iter().cloned()).collect()
}

/// Returns a name that is the same on every run. It distinguishes the results of two machines
/// without revealing the machine's own name: processor count and eight digits of a hash of machine
/// id, host name and processor model.
pub fn machine_name() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let model = processor.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
    let (id, host) = (read("/etc/machine-id"), read("/proc/sys/kernel/hostname"));
    let fields = [id.as_bytes(), host.as_bytes(), model.as_bytes()];
    let hash = digest_text("joust-machine-1", &fields, 8);
    let processors = available().len();
    format!("{}-{processors}cpu-{hash}", std::env::consts::ARCH)
}

/// Returns the names in an event's schedule that no bot has.
fn unknown_scheduled_names(
    tournament: &Tournament,
    event: &Event,
    bots: &[BotSource],
) -> Vec<BotProblem> {
    let ScheduleKind::Gauntlet { bots: named } = &event.schedule else { return Vec::new() };
    let nobody = named.iter().filter(|name| !bots.iter().any(|bot| bot.name() == **name));
    let place = event.schedule_place.map(|place| (place.line, place.column));
    let known: Vec<&str> = bots.iter().map(BotSource::name).collect();
    let problem = |name: &String| {
        let message =
            format!("`{}`: the schedule names `{name}`, which no bot is called", event.id);
        let hint = format!("bots of this event are {}", known.join(", "));
        BotProblem::new(&tournament.file, message).at(place).hint(hint)
    };
    nobody.map(problem).collect()
}

/// Stack space that a program needs, bytes.
const LEAST_STACK: u64 = 1 << 20;

/// Reason why the machine cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// There is no sandbox.
    #[error("this machine cannot hold a bot in a sandbox")]
    Sandbox(#[source] ProbeError),
    /// An event provides libraries for a language that has no library sets.
    #[error("{0}")]
    Provides(ConfigErrors),
    /// The tournament's `languages:` are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Languages(Vec<LanguageError>),
    /// A game's referee cannot be built.
    #[error("the referee of `{game}` in `{}` is not built: {reason}", folder.display())]
    Referee {
        /// The game.
        game: String,
        /// Folder of the referee.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// Builds cannot be kept.
    #[error("the folder for builds `{}` cannot be used", folder.display())]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A signal stopped it.
    #[error("interrupted")]
    Interrupted,
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
        /// Folder on the way to it that keeps others out.
        barrier: PathBuf,
    },
}

/// Refuses to charge bots with a stack that is too small.
fn check_stack() -> Result<(), MachineError> {
    let (soft, _) = getrlimit(Resource::RLIMIT_STACK).unwrap_or((LEAST_STACK, LEAST_STACK));
    if soft < LEAST_STACK { Err(MachineError::Stack(soft >> 10)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_is_left_when_the_run_is_stopped() {
        let (hold, held) = mpsc::channel::<()>();
        let (cancel, stopping) = (Cancel::default(), Cancel::default());
        assert_eq!(unless_cancelled(&cancel, || 7), Some(7));
        assert_eq!(unless_cancelled(&cancel, || -> u8 { panic!("on purpose") }), None);
        let stop = stopping.clone();
        let work = move || {
            stop.cancel();
            held.recv()
        };
        assert_eq!(unless_cancelled(&stopping, work), None);
        drop(hold);
    }
}

//! Host of a worker: this machine, as coordinators see it.
//!
//! A stage is checked before anything is fetched for it: all differences from the coordinator are
//! reported at once. Then its builds are stored, under hashes that are computed again, and each
//! language is measured with all other cores of the worker busy, as they are when it plays.

mod fitness;
mod processors;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use joust_build::{FolderStore, PlacedBuild};
use joust_cluster::{
    MachineOffer, PreparedStage, Refusal, RequiredBuild, SpectatorFeed, Stage, Work, WorkerHost,
    WorkerNotice,
};
use joust_config::{Event, ExternalGame, Tournament};
use joust_model::cancel::Cancel;
use joust_model::{BuildHash, Bytes, Calibration, StartMode, clock, escaped};
use joust_play::calibrate::is_calibrated;
use joust_play::executor::{Local, Sharing};
use joust_referee::Catalogue;
use joust_sandbox::HostOptions;
use parking_lot::Mutex;

use super::coordinator::described;
use super::language_hashes;
use crate::machine::{LanguageStart, Machine, MachineError};
use fitness::MachineDifferences;
pub(super) use processors::ClaimedProcessors;
use processors::LoadGenerator;
pub use processors::ProcessorError;

/// Age up to which a calibration is used again.
const CALIBRATION_AGE: Duration = Duration::from_secs(30 * 60);

/// Folder of the cache with builds that coordinators sent.
const RECEIVED: &str = "received";

/// Least time for which a machine plays before it measures again.
const SHORTEST_SHIFT: Duration = Duration::from_secs(60);

/// Settings of a host.
pub(super) struct HostSettings {
    /// Folder of the builds.
    pub(super) cache: PathBuf,
    /// Most space that builds may take there.
    pub(super) most_kept: Bytes,
    /// Permission to play on a machine without isolation.
    pub(super) isolation: HostOptions,
    /// Languages that are played; `None` for all.
    pub(super) languages: Option<BTreeSet<String>>,
    /// A tournament with this worker's own languages table.
    pub(super) own: Tournament,
    /// The processors.
    pub(super) processors: ClaimedProcessors,
    /// Callback for the worker's news.
    pub(super) on_news: Box<dyn Fn(WorkerNotice) + Send + Sync>,
}

/// This machine.
pub(super) struct LocalWorkerHost {
    settings: HostSettings,
    /// Builds that coordinators sent. They are kept apart from builds that were made here, because
    /// their names do not vouch for their files.
    received: FolderStore,
    games: Catalogue,
    /// The machine, before anything is known of a stage.
    bare: Machine,
    /// Cancels the preparation of a stage.
    preparing: Cancel,
    seen: Mutex<Option<Arc<ExaminedStage>>>,
    /// Measured costs of languages, by language and game.
    calibrations: Mutex<HashMap<(String, String), Calibration>>,
}

/// A stage that was looked at.
struct ExaminedStage {
    work: Work,
    version: String,
    /// The games there are, with the one that it brings.
    games: Catalogue,
    /// The game that it brings.
    brought: Option<ExternalGame>,
    /// The machine, and the event that it plays; `None` where the version alone keeps it from
    /// playing.
    machine: Option<(Machine, Event)>,
    differences: MachineDifferences,
}

impl LocalWorkerHost {
    /// Makes the machine ready for whatever comes.
    pub(super) fn open(settings: HostSettings, preparing: Cancel) -> Result<Self, MachineError> {
        let games = Catalogue::built_in();
        let cache = &settings.cache;
        let bare = Machine::open(&settings.own, cache, &settings.isolation, &preparing)?;
        let folder = cache.join(RECEIVED);
        let received =
            FolderStore::open(&folder).map_err(|source| MachineError::Cache { folder, source })?;
        let (seen, calibrations) = (Mutex::default(), Mutex::default());
        Ok(Self { settings, received, games, bare, preparing, seen, calibrations })
    }

    /// Returns the machine's name in results.
    pub(super) fn name(&self) -> &str {
        &self.bare.name
    }

    /// Returns the machine's offer without any build.
    pub(super) fn bare_offer(&self) -> MachineOffer {
        let cores = self.settings.processors.numbers.len();
        MachineOffer { cores, tier: self.bare.host.tier(), toolchains: BTreeSet::new() }
    }

    fn examine_stage(&self, stage: &Stage) -> Arc<ExaminedStage> {
        let mut seen = self.seen.lock();
        let is_same =
            |it: &&Arc<ExaminedStage>| it.work == stage.work && it.version == stage.version;
        if let Some(known) = seen.as_ref().filter(is_same) {
            return Arc::clone(known);
        }
        let fresh = Arc::new(self.examine(stage));
        *seen = Some(Arc::clone(&fresh));
        fresh
    }

    fn examine(&self, stage: &Stage) -> ExaminedStage {
        let (work, version) = (stage.work.clone(), stage.version.clone());
        let (brought, mut unread) = match brought(&work).transpose() {
            Ok(brought) => (brought, Vec::new()),
            Err(why) => (None, vec![why]),
        };
        let games = brought.iter().try_fold(self.games.clone(), |games, it| {
            games.with(it.game.clone()).map_err(|taken| unread.push(taken.to_string()))
        });
        let games = games.unwrap_or_else(|()| self.games.clone());
        let mut of_machine = fitness::of_version(stage, &games);
        of_machine.extend(unread);
        let mut differences = MachineDifferences { of_machine, ..Default::default() };
        let mut machine = None;
        match self.machine(&work, &games) {
            Ok(found) => {
                let own = self.differences(&work, &found.0);
                differences.of_machine.extend(own.of_machine);
                differences.of_languages = own.of_languages;
                machine = Some(found);
            }
            // A coordinator of another version may have other games and languages.
            Err(_) if !differences.of_machine.is_empty() => {}
            Err(why) => differences.of_machine.push(why),
        }
        let jobs = self.settings.processors.numbers.len();
        differences.of_machine.extend(fitness::bouts_in_memory(&work, jobs).err());
        ExaminedStage { work, version, games, brought, machine, differences }
    }

    fn differences(&self, work: &Work, machine: &Machine) -> MachineDifferences {
        let table = language_hashes(&self.settings.own.languages);
        fitness::of_machine(work, machine, &table, self.settings.languages.as_ref())
    }

    fn machine(&self, work: &Work, games: &Catalogue) -> Result<(Machine, Event), String> {
        let HostSettings { cache, isolation, .. } = &self.settings;
        let (tournament, event) = fitness::tournament(work, &self.settings.own, games)?;
        let machine = Machine::open(&tournament, cache, isolation, &self.preparing);
        Ok((machine.map_err(|error| error.to_string())?, event))
    }

    /// Places the builds that can be played and measures their languages.
    fn prepare_stage(&self, seen: &ExaminedStage) -> Result<PreparedStage, Refusal> {
        let refused = |why: String| Refusal(vec![why]);
        let (machine, event) =
            seen.machine.as_ref().ok_or_else(|| refused("another version".into()))?;
        let mut differences = seen.differences.clone();
        let calibrations = self.measure(&seen.work, machine, event, &mut differences);
        if differences.keep_from_all(&seen.work) {
            return Err(Refusal(differences.all()));
        }
        let mut builds = Vec::new();
        for needed in &seen.work.builds {
            if !differences.of_languages.contains_key(&needed.language) {
                let memory = seen.work.limits.memory;
                let build = self.stored("build", needed, memory, machine).map_err(refused)?;
                builds.push(Arc::new(build));
            }
        }
        if !differences.of_languages.is_empty() {
            (self.settings.on_news)(WorkerNotice::Without(differences.all().join("; ")));
        }
        self.make_room(&seen.work);
        let processors = self.settings.processors.numbers.clone();
        let jobs = fitness::bouts_in_memory(&seen.work, processors.len()).map_err(refused)?;
        let measured: Vec<Calibration> = calibrations.into_values().collect();
        let valid_for = validity(&measured, self.clock());
        let mut equipment = machine.equip(builds, measured, Cancel::default());
        if let (Some(game), Some(referee)) = (&seen.brought, &seen.work.referee) {
            let (what, memory) = ("the referee's build", game.limits.memory);
            let build = self.stored(what, &referee.build, memory, machine).map_err(refused)?;
            equipment.games = seen.games.replacing(&machine.judged_by(game, build));
        }
        let offer = equipment.offer(processors.len());
        let local = Local::on(processors, Arc::new(equipment), Some(jobs), Sharing::OneBotACore);
        let spectator_feed = Arc::<SpectatorFeed>::default();
        let executor = Box::new(local.watched_by(spectator_feed.clone()));
        Ok(PreparedStage { executor, offer, valid_for, spectator_feed })
    }

    /// Returns a build that was fetched, ready to be started with `memory`; `what` names it.
    fn stored(
        &self,
        what: &str,
        needed: &RequiredBuild,
        memory: Bytes,
        machine: &Machine,
    ) -> Result<PlacedBuild, String> {
        let hash = &needed.build;
        match machine.build_of(&self.received, hash, memory) {
            Ok(Some(build)) => Ok(build),
            Ok(None) => Err(format!("{what} {hash} did not stay here")),
            Err(error) => Err(format!("{what} {hash}: {error}")),
        }
    }

    /// Returns the costs of the languages that are played; one that cannot be measured is a
    /// difference.
    fn measure(
        &self,
        work: &Work,
        machine: &Machine,
        event: &Event,
        differences: &mut MachineDifferences,
    ) -> BTreeMap<String, Calibration> {
        let mut measured = BTreeMap::new();
        if !is_calibrated(event.game.spec()) {
            return measured;
        }
        let languages: BTreeSet<&String> = work.builds.iter().map(|one| &one.language).collect();
        for language in languages {
            if differences.of_languages.contains_key(language) {
                continue;
            }
            match self.measure_starts(language, event, machine) {
                Ok(found) => {
                    measured.extend(found.into_iter().map(|one| (one.language.clone(), one)));
                }
                Err(why) => {
                    let text = format!("{language}: {}", self.with_advice(why));
                    differences.of_languages.insert(language.clone(), text);
                }
            }
        }
        measured
    }

    /// Measures a language with the event's way of starting it, and also with a cold start where
    /// that differs, because not every bot of a language can be kept warm.
    fn measure_starts(
        &self,
        language: &str,
        event: &Event,
        machine: &Machine,
    ) -> Result<Vec<Calibration>, String> {
        let starts = BTreeSet::from([StartMode::Cold, machine.limits(event).starts]);
        let one = |starts| LanguageStart { language: language.to_owned(), starts };
        starts.into_iter().map(|starts| self.calibration(&one(starts), event, machine)).collect()
    }

    fn calibration(
        &self,
        one: &LanguageStart,
        event: &Event,
        machine: &Machine,
    ) -> Result<Calibration, String> {
        let key = (one.name(), event.game.id().to_owned());
        let now = self.clock();
        let is_fresh = |it: &&Calibration| {
            !remaining_validity(it, now).is_zero() && it.runs >= event.calibration_runs
        };
        if let Some(known) = self.calibrations.lock().get(&key).filter(is_fresh) {
            return Ok(known.clone());
        }
        let processors = &self.settings.processors.numbers;
        let wanted = (event.limits.cores_per_bot.max(1) as usize).min(processors.len());
        let (own, others) = processors.split_at(wanted);
        let busy = LoadGenerator::on(others);
        let runs = event.calibration_runs;
        let measured = machine.calibrate_on(own, &one.language, &one.event(event), runs);
        drop(busy);
        let measured = measured.map_err(|error| error.to_string())?;
        self.calibrations.lock().insert(key, measured.clone());
        Ok(measured)
    }

    /// Returns why something failed here, with what to do where the disk is full.
    fn with_advice(&self, why: String) -> String {
        let full = io::Error::from(nix::errno::Errno::ENOSPC).to_string();
        match why.contains(&full) {
            true => format!("{why}: make room where `{}` is", self.settings.cache.display()),
            false => why,
        }
    }

    /// Removes builds that were not used for the longest time.
    fn make_room(&self, work: &Work) {
        let in_use: Vec<BuildHash> = work.needed().map(|one| one.build).collect();
        match self.received.shrink(&in_use, self.settings.most_kept) {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "builds removed from the cache"),
            Err(error) => tracing::warn!(%error, "the cache is not made smaller"),
        }
    }
}

impl WorkerHost for LocalWorkerHost {
    fn check_stage(&self, stage: &Stage) -> Result<(), Refusal> {
        let seen = tokio::task::block_in_place(|| self.examine_stage(stage));
        match seen.differences.keep_from_all(&stage.work) {
            true => Err(Refusal(seen.differences.all())),
            false => Ok(()),
        }
    }

    fn missing_builds(&self, stage: &Stage) -> io::Result<Vec<BuildHash>> {
        let seen = self.examine_stage(stage);
        let is_played =
            |one: &&RequiredBuild| !seen.differences.of_languages.contains_key(&one.language);
        let mut missing = Vec::new();
        for needed in stage.work.needed().filter(is_played) {
            if self.received.find_with_files(&needed.build, &needed.result)?.is_none() {
                missing.push(needed.build);
            }
        }
        Ok(missing)
    }

    fn store_build(&self, build: &BuildHash, packed: &[u8]) -> io::Result<()> {
        let seen = self.seen.lock().clone();
        let needed = seen.as_ref().and_then(|it| it.work.needed().find(|it| it.build == *build));
        let result = needed.map(|it| it.result);
        let taken = tokio::task::block_in_place(|| self.received.unpack(build, packed, result));
        taken.map_err(|error| io::Error::other(self.with_advice(error.to_string())))
    }

    async fn prepare_stage(&self, stage: &Stage) -> Result<PreparedStage, Refusal> {
        let seen = self.examine_stage(stage);
        tokio::task::block_in_place(|| self.prepare_stage(&seen))
    }

    async fn self_test(&self) -> Result<(), String> {
        tokio::task::block_in_place(|| self.bare.host.self_test())
            .map_err(|error| error.to_string())
    }

    fn clock(&self) -> i64 {
        clock::now()
    }

    fn notify(&self, notice: WorkerNotice) {
        (self.settings.on_news)(notice);
    }
}

/// Returns how much longer a calibration may be used; `now` in milliseconds since 1970. One of
/// the future was measured by another clock.
fn remaining_validity(calibration: &Calibration, now: i64) -> Duration {
    let age = u64::try_from(now.saturating_sub(calibration.measured_at)).map(Duration::from_millis);
    age.map_or(Duration::ZERO, |age| CALIBRATION_AGE.saturating_sub(age))
}

/// Returns how long a machine can play until a language is measured again.
fn validity(measured: &[Calibration], now: i64) -> Option<Duration> {
    measured
        .iter()
        .map(|one| remaining_validity(one, now))
        .min()
        .map(|rest| rest.max(SHORTEST_SHIFT))
}

/// Returns the game that the work brings; on its own it cannot be started here.
fn brought(work: &Work) -> Option<Result<ExternalGame, String>> {
    let told = |problems: Vec<joust_config::Problem>| {
        let all: Vec<_> = problems.iter().map(ToString::to_string).collect();
        escaped(&format!("its game cannot be read here: {}", all.join("; ")))
    };
    let referee = work.referee.as_ref()?;
    Some(described(referee, &work.game).map_err(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_measured_again_after_half_an_hour_and_when_the_clock_was_put_back() {
        let measured = |minute: i64| {
            let measured_at = minute * 60_000;
            Calibration { measured_at, ..Calibration::default() }
        };
        let two = [measured(100), measured(110)];
        let rest = |now: i64| validity(&two, now * 60_000).map(|rest| rest.as_secs() / 60);
        assert_eq!([110, 120, 129, 140].map(rest), [Some(20), Some(10), Some(1), Some(1)]);
        assert_eq!(remaining_validity(&two[0], 130 * 60_000), Duration::ZERO);
        assert_eq!(remaining_validity(&two[0], 99 * 60_000), Duration::ZERO);
        assert_eq!(validity(&[], 0), None);
    }
}

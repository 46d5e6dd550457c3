//! CoordinatorSession of a run whose bouts workers play: its connection to the server, and the
//! executor of each event.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use joust_build::{FolderStore, PlacedBuild};
use joust_cluster::transport::nats::{Address, NatsCoordinator};
use joust_cluster::transport::{CoordinatorTransport, TransportError};
use joust_cluster::{
    Coordinator, CoordinatorConfig, RequiredBuild, RequiredReferee, Stage, Work, beat_of,
};
use joust_config::{Event, ExternalGame, RemoteGame, Tournament, read_remote_game};
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice, relay};
use joust_model::{BuildHash, Shard, clock, digest_text};
use joust_play::executor::Executor;
use joust_referee::RefereeHash;

use super::result_validator::RejudgingValidator;
use super::{VERSION, WorkersOptions, language_hashes, usual_name};
use crate::machine::{Machine, recorded_tier};

/// A run's connection to its workers.
pub(crate) struct CoordinatorSession {
    transport: Arc<NatsCoordinator>,
    options: WorkersOptions,
    /// Under which name plans and results travel.
    name: String,
    title: String,
    languages: BTreeMap<String, BuildHash>,
}

/// An event to be played by workers.
pub(crate) struct EventDispatch<'a> {
    /// The event.
    pub(crate) event: &'a Event,
    /// Its referee, where that is a program of its own.
    pub(crate) referee: Option<RequiredReferee>,
    /// Builds that are run.
    pub(crate) builds: Vec<Arc<PlacedBuild>>,
    /// The coordinator's machine.
    pub(crate) machine: &'a Machine,
    /// Listener to workers.
    pub(crate) listener: Arc<dyn Listener>,
    /// Signal to stop.
    pub(crate) cancel: Cancel,
}

impl CoordinatorSession {
    /// Connects to the server.
    pub(crate) async fn open(
        tournament: &Tournament,
        shard: Option<Shard>,
        options: &WorkersOptions,
    ) -> Result<Self, TransportError> {
        let shard = shard.map(|shard| shard.to_string()).unwrap_or_default();
        let seed = tournament.seed.0.to_le_bytes();
        let fields = [tournament.name.as_bytes(), &seed, shard.as_bytes()];
        let name = digest_text("joust-tournament-1", &fields, 12);
        let address = Address {
            url: &options.url,
            credentials: options.credentials.as_deref(),
            name: &format!("run-on-{}", usual_name()),
        };
        let transport = NatsCoordinator::connect(&address, &name).await?;
        Ok(Self {
            transport: Arc::new(transport),
            options: options.clone(),
            name,
            title: tournament.name.clone(),
            languages: language_hashes(&tournament.languages),
        })
    }

    /// Returns the executor of an event's bouts.
    pub(crate) fn executor(
        &self,
        dispatch: EventDispatch<'_>,
    ) -> std::io::Result<Box<dyn Executor>> {
        let stage = self.stage(&dispatch)?;
        let EventDispatch { machine, listener, cancel, .. } = dispatch;
        let validator = RejudgingValidator::new(machine, listener);
        let terms = CoordinatorConfig { beat: beat_of(stage.lease), stage, cancel };
        Ok(Box::new(Coordinator::new(Arc::clone(&self.transport), Arc::new(validator), terms)))
    }

    fn stage(&self, dispatch: &EventDispatch<'_>) -> std::io::Result<Stage> {
        let EventDispatch { event, builds, machine, .. } = dispatch;
        let mut with_referee = builds.clone();
        with_referee.extend(machine.referee_build(event.game.id()).cloned());
        let work = Work {
            event: event.id.clone(),
            game: event.game.id().to_owned(),
            revision: event.game.spec().revision,
            rules: event.rules.clone(),
            options: event.options.clone(),
            limits: machine.limits(event),
            seats: event.players_per_match,
            tier: recorded_tier(&machine.host),
            calibration_runs: event.calibration_runs,
            own_languages: self.languages.clone(),
            builds: needed(builds),
            library_sets: library_sets(&with_referee, &machine.store)?,
            referee: dispatch.referee.clone(),
        };
        Ok(Stage {
            tournament: self.name.clone(),
            title: self.title.clone(),
            epoch: clock::now().unsigned_abs(),
            version: VERSION.to_owned(),
            lease: self.options.lease,
            work,
            classes: Vec::new(),
            is_watched: false,
            excluded: BTreeSet::new(),
        })
    }

    /// Returns who passes on to `inner` what happens in a run, and lets the server forget results
    /// that are stored.
    pub(crate) fn wrap_listener(&self, inner: Arc<dyn Listener>) -> Arc<dyn Listener> {
        let transport = Arc::clone(&self.transport);
        relay(inner, move |notice, inner| {
            if let Notice::BoutFinished(result) = notice {
                transport.mark_settled(result.bout);
            }
            inner.notice(notice);
        })
    }

    /// Takes back the bouts that no worker has taken; results that are on their way stay there for
    /// the next run.
    pub(crate) async fn leave(&self) {
        if let Err(error) = self.transport.recall_batches().await {
            tracing::warn!(%error, "what waits is not taken back");
        }
    }

    /// Clears the tournament's room at the server.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.transport.close_tournament().await {
            tracing::warn!(%error, "the server keeps its streams");
        }
    }
}

/// Returns what workers need of a referee that is a program of its own; `None` for one that
/// cannot do without its folder.
pub(crate) fn needed_referee(
    brought: &ExternalGame,
    build: &Arc<PlacedBuild>,
) -> Option<RequiredReferee> {
    let spec = brought.game.spec();
    let needed = RequiredReferee {
        build: needed(std::slice::from_ref(build)).pop()?,
        hash: BuildHash(spec.referee()?.0),
        own_id: brought.own_id.clone(),
        file: brought.text.clone(),
        rules: spec.rules_text.clone(),
    };
    let there = described(&needed, brought.game.id()).ok()?;
    (there.game.spec() == spec).then_some(needed)
}

/// Returns the game that a coordinator describes.
pub(crate) fn described(
    needed: &RequiredReferee,
    id: &str,
) -> Result<ExternalGame, Vec<joust_config::Problem>> {
    read_remote_game(&RemoteGame {
        id,
        own_id: &needed.own_id,
        text: &needed.file,
        rules: &needed.rules,
        hash: RefereeHash(needed.hash.0),
    })
}

/// Returns the builds that workers need, each once.
fn needed(builds: &[Arc<PlacedBuild>]) -> Vec<RequiredBuild> {
    let mut all: Vec<RequiredBuild> = builds
        .iter()
        .map(|build| RequiredBuild {
            build: build.hash,
            result: build.result,
            language: build.language.clone(),
            toolchain: build.toolchain.clone(),
        })
        .collect();
    all.sort_by_key(|one| one.build);
    all.dedup_by_key(|one| one.build);
    all
}

/// Returns the library sets beside those builds, each once.
fn library_sets(
    builds: &[Arc<PlacedBuild>],
    store: &FolderStore,
) -> std::io::Result<Vec<RequiredBuild>> {
    let mut all: Vec<RequiredBuild> = Vec::new();
    for build in builds {
        let stored = store.find(&build.hash)?;
        let Some(set) = stored.and_then(|stored| stored.build.library_set()) else { continue };
        let is_new = !all.iter().any(|one| one.build == set);
        if let Some(stored) = store.find(&set)?.filter(|_| is_new) {
            all.push(as_needed(set, &stored.build));
        }
    }
    Ok(all)
}

fn as_needed(hash: BuildHash, build: &joust_build::Build) -> RequiredBuild {
    RequiredBuild {
        build: hash,
        result: build.result,
        language: build.language().to_owned(),
        toolchain: build.toolchain().to_owned(),
    }
}

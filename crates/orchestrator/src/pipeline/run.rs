//! The main job: build, calibrate, play what has no result yet.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::estimate::{Estimate, EventEstimate, estimate};
use super::field::{Field, Made};
use super::league::{Contended, Ended, Executors, League};
use super::plans::{EventPlans, Player};
use super::table;
use super::workshop::{Isolation, Workshop, WorkshopError, languages_of};
use crate::bots::calibrate::{NotCalibrated, is_calibrated};
use crate::bots::{BotSource, Build, NotBuilt, Problem};
use crate::cancel::Cancel;
use crate::channel::ChannelError;
use crate::config::{Event, Examples, Tournament};
use crate::executor::{Equipment, Local, Sharing};
use crate::model::{BoutId, Calibration, EventSettings, PlanKey, Shard};
use crate::notices::{Listener, Notice};
use crate::store::{
    Access, BuildRow, Committer, GroupCommitter, Place, Reconciled, Store, StoreError,
    TournamentRow,
};

/// How old a calibration may be to be used again.
const CALIBRATION_AGE: Duration = Duration::from_secs(24 * 3600);

/// What is to be run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Only these events; empty for all.
    pub events: Vec<String>,
    /// Only the matches of these bots; empty for all.
    pub only: Vec<String>,
    /// Only the bouts of this shard; `None` for all.
    pub shard: Option<Shard>,
    /// Bouts at once; `None` for as many as there are cores.
    pub jobs: Option<usize>,
    /// Whether bouts may exceed the cores.
    pub sharing: Sharing,
    /// When to stop, counted from the beginning.
    pub budget: Option<Duration>,
    /// Whether bouts that have a result are played again.
    pub replay: Replay,
    /// What a bot that cannot be built does to the run.
    pub strictness: Strictness,
    /// Whether a machine without isolation may be used.
    pub isolation: Isolation,
    /// Whether anything is played.
    pub mode: Mode,
    /// Where builds are kept.
    pub cache: PathBuf,
}

/// Whether bouts that have a result are played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// They are not.
    Unfinished,
    /// They are.
    Everything,
}

/// What a bot that cannot be built does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// It loses its place.
    Lenient,
    /// It ends the run before anything is played.
    Strict,
}

/// Whether anything is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Yes.
    Play,
    /// Everything is made ready and an estimate is made.
    DryRun,
}

/// Why a run ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No event has this name.
    #[error("the tournament has no event `{0}`")]
    NoSuchEvent(String),
    /// No bot has this name.
    #[error("no event has a bot `{0}`")]
    NoSuchBot(String),
    /// The bots cannot be used.
    #[error("{}", .0.iter().map(|problem| format!("error: {problem}")).collect::<Vec<_>>().join("\n"))]
    Discover(Vec<Problem>),
    /// The machine cannot be made ready.
    #[error(transparent)]
    Workshop(#[from] WorkshopError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `--strict` met a bot that cannot be built.
    #[error("{} could not be built: {}", count_bots(.0.len()), .0.join(", "))]
    NotBuilt(Vec<String>),
    /// The machine failed before anything was played.
    #[error("clients cannot be tried")]
    Trial(#[from] ChannelError),
    /// The run was stopped before anything was played.
    #[error("interrupted")]
    Interrupted,
    /// A language cannot be measured.
    #[error("language `{language}` cannot be calibrated for `{game}`")]
    Calibrate {
        /// The language.
        language: String,
        /// The game.
        game: String,
        /// Why.
        #[source]
        source: Box<NotCalibrated>,
    },
}

fn count_bots(count: usize) -> String {
    if count == 1 { "1 bot".to_owned() } else { format!("{count} bots") }
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// How it ended.
    pub ended: Ended,
    /// Each event, in the tournament's order.
    pub events: Vec<EventReport>,
    /// What is left to do, for a dry run.
    pub estimate: Option<Estimate>,
}

/// What a run did for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventReport {
    /// The event.
    pub event: String,
    /// Bouts of the whole event.
    pub bouts: u64,
    /// Bouts that this run was to play: all of them, or its shard's.
    pub share: u64,
    /// Of these, bouts without a result.
    pub missing: u64,
    /// Bouts of other shards without a result.
    pub elsewhere: u64,
    /// Bots that could not be built, with the reason.
    pub not_built: Vec<(String, String)>,
    /// The same, not yet in words.
    pub failed: Vec<(String, NotBuilt)>,
}

/// Runs a tournament.
///
/// # Errors
///
/// [`RunError`] before anything is played, or when the database fails. Faults
/// of the machine while playing are part of the report.
pub async fn run(
    tournament: &Tournament,
    options: &RunOptions,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let began = Instant::now();
    let workshop = Workshop::open(tournament, &options.cache, options.isolation)?;
    let sources = discover(&workshop, tournament, &chosen(tournament, &options.events)?)?;
    let found = Found { sources, began, announcement: Announcement::LeftOut };
    run_found(tournament, options, workshop.stopped_by(&cancel), found, (listener, cancel)).await
}

/// Runs a tournament between bots that were found before: those of each chosen
/// event, sorted by name. What will be played is told before it is.
///
/// # Errors
///
/// As [`run`].
pub async fn run_with(
    tournament: &Tournament,
    options: &RunOptions,
    sources: Vec<Vec<BotSource>>,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let began = Instant::now();
    let workshop = Workshop::open(tournament, &options.cache, options.isolation)?;
    let found = Found { sources, began, announcement: Announcement::Made };
    run_found(tournament, options, workshop.stopped_by(&cancel), found, (listener, cancel)).await
}

/// The bots of each chosen event, and when they began to be looked for.
struct Found {
    sources: Vec<Vec<BotSource>>,
    began: Instant,
    announcement: Announcement,
}

async fn run_found(
    tournament: &Tournament,
    options: &RunOptions,
    workshop: Workshop,
    found: Found,
    (listener, cancel): (Arc<dyn Listener>, Cancel),
) -> Result<RunReport, RunError> {
    let events = chosen(tournament, &options.events)?;
    let known: Vec<&str> = found.sources.iter().flatten().map(BotSource::name).collect();
    if let Some(unknown) = options.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(RunError::NoSuchBot(unknown.clone()));
    }
    let store = Store::open(&tournament.database, Access::CreateOrOpen).await?;
    let lock = store.lock_for_run()?;
    let left = workshop.host.remove_left_overs();
    tracing::debug!(?left, "left-overs of killed runs");
    let row = TournamentRow { name: tournament.name.clone(), seed: tournament.seed };
    store.put_tournament(&row).await?;
    let run = Run {
        tournament,
        options,
        listener,
        cancel,
        store,
        workshop,
        until: options.budget.map(|budget| found.began + budget),
        announcement: found.announcement,
    };
    let report = run.all(events, found.sources).await;
    run.store.close().await;
    drop(lock);
    report
}

/// Finds the bots of every event; every problem is told at once.
fn discover(
    workshop: &Workshop,
    tournament: &Tournament,
    events: &[&Event],
) -> Result<Vec<Vec<BotSource>>, RunError> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for event in events {
        match workshop.discover(tournament, event) {
            Ok(sources) => found.push(sources),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(RunError::Discover(problems)) }
}

fn chosen<'a>(tournament: &'a Tournament, wanted: &[String]) -> Result<Vec<&'a Event>, RunError> {
    if wanted.is_empty() {
        return Ok(tournament.events.iter().collect());
    }
    let find = |id: &String| {
        let found = tournament.events.iter().find(|event| event.id == *id);
        found.ok_or_else(|| RunError::NoSuchEvent(id.clone()))
    };
    wanted.iter().map(find).collect()
}

struct Run<'a> {
    tournament: &'a Tournament,
    options: &'a RunOptions,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
    store: Store,
    workshop: Workshop,
    until: Option<Instant>,
    announcement: Announcement,
}

/// Whether what will be played is told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announcement {
    Made,
    LeftOut,
}

/// An event made ready to play.
struct Ready<'a> {
    event: &'a Event,
    field: Field,
    calibrations: Vec<Calibration>,
    /// Bouts that are not played, with the key of their result.
    finished: HashMap<BoutId, PlanKey>,
    /// Bouts that are played again although they have a result.
    replaced: HashMap<BoutId, PlanKey>,
}

impl<'a> Run<'a> {
    async fn all(
        &self,
        events: Vec<&'a Event>,
        sources: Vec<Vec<BotSource>>,
    ) -> Result<RunReport, RunError> {
        let mut ready = Vec::new();
        for (event, sources) in events.into_iter().zip(sources) {
            ready.push(self.make_ready(event, sources).await?);
        }
        self.insist_on_builds(&ready)?;
        if self.options.mode == Mode::DryRun {
            return self.dry_run(&ready).await;
        }
        if self.announcement == Announcement::Made {
            for event in &ready {
                self.announce(event).await?;
            }
        }
        let committer = GroupCommitter::start(&self.store);
        let mut ended = Ended::Complete;
        for event in &ready {
            if ended == Ended::Complete {
                ended = self.play(event, committer.committer()).await?;
            }
        }
        committer.finish().await;
        let mut events = Vec::new();
        for event in &ready {
            events.push(self.event_report(event).await?);
        }
        Ok(RunReport { ended, events, estimate: None })
    }

    async fn make_ready(
        &self,
        event: &'a Event,
        sources: Vec<BotSource>,
    ) -> Result<Ready<'a>, RunError> {
        let known = self.store.bots(&event.id).await?;
        let mut field = Field::build(&self.workshop, event, sources, &known, &*self.listener);
        // What was not built because of the stop is no news about the field.
        if self.cancel.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        if event.deadline.is_some_and(|deadline| self.workshop.clock.now() > deadline) {
            let stored = |hash| self.workshop.stored_build(hash).map(Arc::new);
            field.close_entries(&known, stored, &*self.listener);
        }
        if event.examples == Examples::Retire {
            field.retire_examples(&*self.listener);
        }
        let there = self.store.finished(&event.id).await?;
        let (finished, replaced) = match self.options.replay {
            Replay::Unfinished => (there, HashMap::new()),
            Replay::Everything => (HashMap::new(), there),
        };
        let players = field.players();
        let plans = self.plans(event, &players);
        let missing = plans.unfinished(&finished);
        field.build_for_bouts(&self.workshop, event, missing, &*self.listener);
        let why = |build: &Build| self.workshop.why_not_run(event, build);
        field.set_aside_those_who_cannot_run(why, &*self.listener)?;
        if self.cancel.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        self.store.put_event(&settings(event)).await?;
        self.store.put_bots(&event.id, &field.rows(&known)).await?;
        for build in field.builds() {
            self.store.put_build(&build_row(build, self.workshop.clock.now())).await?;
        }
        self.keep_sources(&field).await?;
        let calibrations = self.calibrations(event, &field).await?;
        Ok(Ready { event, field, calibrations, finished, replaced })
    }

    /// Keeps what every build was made from, so that it can be made again where a
    /// bout is disputed.
    async fn keep_sources(&self, field: &Field) -> Result<(), RunError> {
        for entrant in &field.entrants {
            let Made::Build(build) = &entrant.made else { continue };
            if self.store.has_source(&build.hash).await? {
                continue;
            }
            if let Some(source) = super::sources::row(&entrant.source, build, &self.workshop) {
                self.store.put_source(&source).await?;
            }
        }
        Ok(())
    }

    async fn calibrations(
        &self,
        event: &Event,
        field: &Field,
    ) -> Result<Vec<Calibration>, RunError> {
        if !is_calibrated(event.game) {
            return Ok(Vec::new());
        }
        let stored = self.store.calibrations(&self.workshop.machine).await?;
        let mut calibrations = Vec::new();
        for language in languages_of(field.builds()) {
            let game = event.game.id();
            if let Some(fresh) = stored.iter().find(|one| self.is_fresh(one, &language, game)) {
                calibrations.push(fresh.clone());
                continue;
            }
            let measured = self.calibrate(event, &language)?;
            self.store.put_calibration(&measured).await?;
            calibrations.push(measured);
        }
        Ok(calibrations)
    }

    fn is_fresh(&self, one: &Calibration, language: &str, game: &str) -> bool {
        let age = self.workshop.clock.now() - one.measured_at;
        let most = i64::try_from(CALIBRATION_AGE.as_millis()).unwrap_or(i64::MAX);
        one.language == language && one.game == game && (0..most).contains(&age)
    }

    fn calibrate(&self, event: &Event, language: &str) -> Result<Calibration, RunError> {
        let game = event.game;
        self.listener.notice(&Notice::Calibrating {
            language: language.to_owned(),
            game: game.id().to_owned(),
        });
        self.workshop.calibrate(language, event, event.calibration_runs).map_err(|source| {
            match source {
                NotCalibrated::Stopped => RunError::Interrupted,
                other => RunError::Calibrate {
                    language: language.to_owned(),
                    game: game.id().to_owned(),
                    source: Box::new(other),
                },
            }
        })
    }

    /// Tells what the bots have so far, as far as their results stay.
    async fn tell_the_table(
        &self,
        ready: &Ready<'_>,
        players: &[Player],
    ) -> Result<(), StoreError> {
        let past = match ready.replaced.is_empty() {
            true => self.store.results(&ready.event.id).await?,
            false => Vec::new(),
        };
        let names = players.iter().map(|player| player.name.as_str());
        self.listener.notice(&Notice::Table(table::so_far(names, &past)));
        Ok(())
    }

    fn insist_on_builds(&self, ready: &[Ready<'_>]) -> Result<(), RunError> {
        let failed: Vec<String> = ready
            .iter()
            .flat_map(|ready| ready.field.not_built().map(|(name, _)| name.to_owned()))
            .collect();
        if self.options.strictness == Strictness::Strict && !failed.is_empty() {
            return Err(RunError::NotBuilt(failed));
        }
        Ok(())
    }

    async fn play(&self, ready: &Ready<'_>, committer: Committer) -> Result<Ended, RunError> {
        let players = ready.field.players();
        let plans = self.plans(ready.event, &players);
        self.warn_of_too_few(ready.event, players.len());
        let found = self.reconcile(ready, &players).await?;
        let share = self.share(ready, &players, found).await?;
        let finished = if ready.replaced.is_empty() { share.finished } else { 0 };
        self.listener.notice(&Notice::Scheduled {
            event: ready.event.id.clone(),
            bouts: share.scheduled,
            finished,
        });
        self.tell_the_table(ready, &players).await?;
        let equipment = Arc::new(self.equip(ready));
        let self_test = || self.workshop.host.self_test().map_err(|error| error.to_string());
        let mut league = League {
            store: &self.store,
            committer,
            listener: &self.listener,
            cancel: &self.cancel,
            self_test: &self_test,
            clock: &*self.workshop.clock,
            until: self.until,
            replaced: &ready.replaced,
            contended: Contended::PlayAgain,
        };
        let together = self.executor(&equipment, self.options.jobs, self.options.sharing);
        let alone = self.executor(&equipment, Some(1), Sharing::OneBotACore);
        let executors = Executors { together: &together, alone: &alone };
        let ended = league.play_all(executors, plans.unfinished(&ready.finished)).await?;
        self.listener.notice(&Notice::EventFinished { event: ready.event.id.clone() });
        Ok(ended)
    }

    fn warn_of_too_few(&self, event: &Event, players: usize) {
        let wanted = usize::from(event.players_per_match);
        if players < wanted {
            let id = &event.id;
            let text =
                format!("`{id}`: a match takes {wanted} bots and {players} can play: no bouts");
            self.listener.notice(&Notice::Warning(text));
        }
    }

    /// Makes exactly the bouts count that the whole schedule has; `--only`
    /// chooses what is played, not what counts.
    async fn reconcile(
        &self,
        ready: &Ready<'_>,
        players: &[Player],
    ) -> Result<Reconciled, StoreError> {
        let plans = EventPlans::new(self.tournament, ready.event, players, &[]);
        self.store.reconcile(&ready.event.id, plans.all().map(|plan| Place::of(&plan))).await
    }

    /// Returns what of an event's bouts this run is to play: all that was
    /// `found`, or its shard's.
    async fn share(
        &self,
        ready: &Ready<'_>,
        players: &[Player],
        found: Reconciled,
    ) -> Result<Reconciled, StoreError> {
        let Some(shard) = self.options.shard else { return Ok(found) };
        let finished = self.store.finished(&ready.event.id).await?;
        let plans =
            EventPlans::new(self.tournament, ready.event, players, &[]).of_shard(Some(shard));
        let mut share = Reconciled { scheduled: 0, finished: 0, ..found };
        for plan in plans.all() {
            share.scheduled += 1;
            share.finished += u64::from(finished.get(&plan.bout) == Some(&plan.key()));
        }
        Ok(share)
    }

    fn plans<'b>(&'b self, event: &'b Event, players: &'b [Player]) -> EventPlans<'b> {
        EventPlans::new(self.tournament, event, players, &self.options.only)
            .of_shard(self.options.shard)
    }

    fn equip(&self, ready: &Ready<'_>) -> Equipment {
        self.workshop.equip(
            ready.field.builds().cloned(),
            ready.calibrations.iter().cloned(),
            self.cancel.clone(),
        )
    }

    fn executor(&self, equipment: &Arc<Equipment>, jobs: Option<usize>, sharing: Sharing) -> Local {
        Local::new(Arc::clone(equipment), jobs, sharing, Arc::clone(&self.listener))
    }

    async fn event_report(&self, ready: &Ready<'_>) -> Result<EventReport, RunError> {
        let players = ready.field.players();
        let found = self.reconcile(ready, &players).await?;
        let share = self.share(ready, &players, found).await?;
        let missing = share.scheduled - share.finished;
        let not_built = ready.field.not_built();
        Ok(EventReport {
            event: ready.event.id.clone(),
            bouts: found.scheduled,
            share: share.scheduled,
            missing,
            elsewhere: found.scheduled - found.finished - missing,
            not_built: not_built.map(|(name, why)| (name.to_owned(), why.to_string())).collect(),
            failed: ready
                .field
                .not_built()
                .map(|(name, why)| (name.to_owned(), why.clone()))
                .collect(),
        })
    }

    async fn dry_run(&self, ready: &[Ready<'_>]) -> Result<RunReport, RunError> {
        let mut events = Vec::new();
        let mut estimates = Vec::new();
        for event in ready {
            // Results that no longer count still tell how long a bout takes.
            estimates.push(self.estimate(event).await?);
            events.push(self.event_report(event).await?);
        }
        let estimate = Some(Estimate { events: estimates });
        Ok(RunReport { ended: Ended::Complete, events, estimate })
    }

    /// Returns what is left to play, and how long it will take.
    async fn estimate(&self, ready: &Ready<'_>) -> Result<EventEstimate, RunError> {
        let players = ready.field.players();
        let plans = self.plans(ready.event, &players);
        let past = self.store.results(&ready.event.id).await?;
        let equipment = Arc::new(self.equip(ready));
        let together = self.executor(&equipment, self.options.jobs, self.options.sharing);
        let parallel = crate::executor::Executor::parallel(&together);
        let missing = plans.unfinished(&ready.finished);
        Ok(estimate(&ready.event.id, missing, &past, &equipment, parallel))
    }

    async fn announce(&self, ready: &Ready<'_>) -> Result<(), RunError> {
        let estimate = self.estimate(ready).await?;
        self.listener.notice(&Notice::Planned {
            event: estimate.event,
            matches: estimate.matches,
            bouts: estimate.bouts,
            time: estimate.time,
            is_from_results: estimate.is_from_results,
        });
        Ok(())
    }
}

fn settings(event: &Event) -> EventSettings {
    use crate::model::Mirror;
    EventSettings {
        id: event.id.clone(),
        game: event.game.id().to_owned(),
        revision: event.game.revision(),
        rules: event.rules.clone(),
        options: event.options.clone(),
        bouts_per_match: event.bouts,
        bots_per_match: u32::from(event.players_per_match),
        max_matches: event.max_matches,
        mirror: if event.mirror { Mirror::Pairs } else { Mirror::Off },
        tie_breaks: event.tie_breaks.clone(),
    }
}

/// How much of a build's log the database keeps, bytes.
const LOG_HEAD: usize = 4096;

fn build_row(build: &Build, now: i64) -> BuildRow {
    let log = std::fs::read(&build.log).unwrap_or_default();
    let words = build.command.iter().map(|word| word.to_string_lossy());
    BuildRow {
        hash: build.hash,
        result: Some(build.result),
        language: build.language.clone(),
        toolchain: build.toolchain.clone(),
        recipe: words.collect::<Vec<_>>().join(" "),
        log_head: String::from_utf8_lossy(&log[..log.len().min(LOG_HEAD)]).into_owned(),
        built_at: now,
    }
}

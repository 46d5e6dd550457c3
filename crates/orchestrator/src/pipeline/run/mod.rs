//! Run of a tournament: build, calibrate, play the bouts without a result.

mod changed;
mod error;
mod follow;
mod options;
mod playing;
mod prepared;
mod report;

use async_recursion::async_recursion as boxed;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::league::RunOutcome;
use super::seed::{tournament_row, with_seed};
use crate::machine::Machine;
use crate::tasks::unless_stopped;
use crate::workers::CoordinatorSession;
pub use error::RunError;
use joust_bots::{BotProblem, BotSource};
use joust_config::{Event, SeedSource, Tournament};
use joust_model::cancel::Cancel;
use joust_model::counted;
use joust_model::notices::{Listener, Notice, guard_panics};
use joust_store::{Access, CheckpointOutcome, GroupCommitter, Store, TournamentRow};
pub use options::{BoutFilter, BoutSelection, RunMode, RunOptions, Strictness};
pub use playing::memory_shortage;
use prepared::PreparedEvent;
pub use prepared::event_settings;
pub use report::{EventReport, RunReport, UnbuiltBot};

/// Bots of a run.
#[derive(Clone, Debug)]
pub enum BotSelection {
    /// Those that are there when it begins.
    Discovered,
    /// These, for each chosen event, sorted by name. The plan is reported before bouts are played.
    Given(Vec<Vec<BotSource>>),
    /// Those that are there at any time: added and changed bots are built and play, removed ones
    /// are left out, and those that cannot be used are reported. The run ends when it is stopped,
    /// when the budget is used up or when the machine fails; if it is stopped while nothing is left
    /// to play, it is complete.
    Watched,
}

/// Runs a tournament between `bots`.
///
/// # Errors
///
/// [`RunError`] before anything is played, or when the database fails. Faults
/// of the machine while playing are part of the report.
#[boxed]
pub async fn run(
    tournament: &Tournament,
    options: &RunOptions,
    bots: BotSelection,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let until = options.budget.map(|budget| Instant::now() + budget);
    let listener = guard_panics(listener);
    let machine = Machine::open(tournament, &options.cache, &options.isolation, &cancel)?;
    let announces = matches!(bots, BotSelection::Given(_));
    let sources = match bots {
        BotSelection::Discovered => {
            let events = chosen(tournament, &options.selection.events)?;
            let found = discover(&machine, tournament, &events);
            if cancel.is_cancelled() {
                return Err(RunError::Interrupted);
            }
            Some(found?)
        }
        BotSelection::Given(sources) => Some(sources),
        BotSelection::Watched => None,
    };
    let tournament =
        &*with_seed(tournament, &[&tournament.database], options.selection.shard).await?;
    let events = chosen(tournament, &options.selection.events)?;
    insist_on_bots(&options.selection.only, sources.as_deref())?;
    let coordinator = match &options.workers {
        Some(workers) if options.mode == RunMode::Play => {
            let opening = CoordinatorSession::open(tournament, options.selection.shard, workers);
            Some(unless_stopped(&cancel, opening).await.ok_or(RunError::Interrupted)??)
        }
        _ => None,
    };
    let store = Store::open(&tournament.database, Access::CreateOrOpen).await?;
    let lock = store.lock()?;
    let is_kept = match options.mode {
        RunMode::Play => true,
        // A seed is drawn as late as possible.
        RunMode::MakeReady => tournament.seed_source == SeedSource::Written,
        RunMode::DryRun => false,
    };
    let before = store.tournament().await?;
    if is_kept {
        store.put_tournament(&tournament_row(tournament)).await?;
    }
    let listener = match &coordinator {
        Some(coordinator) => coordinator.wrap_listener(listener),
        None => listener,
    };
    let run = Run {
        tournament,
        options,
        listener,
        cancel,
        store,
        before,
        machine,
        until,
        announces,
        coordinator,
        is_endless: sources.is_none(),
    };
    let report = match sources {
        Some(sources) => run.all(events, sources).await,
        None => run.follow(&events).await,
    };
    run.close(&report).await;
    drop(lock);
    report
}

/// Refuses names that no bot has; all are known where bots may come.
fn insist_on_bots(only: &[String], sources: Option<&[Vec<BotSource>]>) -> Result<(), RunError> {
    let Some(sources) = sources else { return Ok(()) };
    let known: BTreeSet<&str> = sources.iter().flatten().map(BotSource::name).collect();
    match only.iter().find(|name| !known.contains(name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let known = known.into_iter().map(str::to_owned).collect();
            Err(RunError::NoSuchBot { wanted: unknown.clone(), known })
        }
    }
}

/// Finds the bots of every event; all problems are reported at once.
fn discover(
    machine: &Machine,
    tournament: &Tournament,
    events: &[&Event],
) -> Result<Vec<Vec<BotSource>>, RunError> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for event in events {
        problems.extend(played_alone(tournament, event));
        match machine.discover(tournament, event) {
            Ok(sources) => found.push(sources),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(RunError::Discover(problems)) }
}

/// Returns a problem if the event's game has a single seat.
fn played_alone(tournament: &Tournament, event: &Event) -> Option<BotProblem> {
    let text = format!("one bot plays `{}` alone, and an event needs two", event.game.id());
    (event.game.spec().seats.most < 2).then(|| BotProblem {
        place: Some((event.place.line, event.place.column)),
        hint: Some("`joust play` and `joust bot check` play such a game".to_owned()),
        ..BotProblem::new(&tournament.file, text)
    })
}

/// Returns the requested events, in the tournament's order; all when none is named.
///
/// # Errors
///
/// [`RunError::NoSuchEvent`] if the tournament lacks one.
pub fn chosen<'a>(
    tournament: &'a Tournament,
    wanted: &[String],
) -> Result<Vec<&'a Event>, RunError> {
    if let Some(unknown) = wanted.iter().find(|id| tournament.event(id).is_none()) {
        let known = tournament.events.iter().map(|event| event.id.clone()).collect();
        return Err(RunError::NoSuchEvent { wanted: unknown.clone(), known });
    }
    let all = tournament.events.iter();
    Ok(all.filter(|event| wanted.is_empty() || wanted.contains(&event.id)).collect())
}

/// Returns a message on the bots that wait until the machine's fault is repaired, and on the fault.
fn waiting(ready: &[PreparedEvent<'_>]) -> Option<String> {
    let mut all = ready.iter().flat_map(|event| event.field.waiting());
    let (bot, trouble) = all.next()?;
    let others = match all.count() {
        0 => "was".to_owned(),
        more => format!("and {} were", counted(more, "other bot")),
    };
    Some(format!("`{bot}` {others} not built on this machine, which is at fault: {trouble}"))
}

struct Run<'a> {
    tournament: &'a Tournament,
    options: &'a RunOptions,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
    store: Store,
    /// The tournament in the database when the run began.
    before: Option<TournamentRow>,
    machine: Machine,
    until: Option<Instant>,
    /// True if the bouts are announced before they are played.
    announces: bool,
    /// The connection to the workers, if they play.
    coordinator: Option<CoordinatorSession>,
    /// True if bots may be added and removed: then none of them ends the run.
    is_endless: bool,
}

impl<'a> Run<'a> {
    async fn all(
        &self,
        events: Vec<&'a Event>,
        sources: Vec<Vec<BotSource>>,
    ) -> Result<RunReport, RunError> {
        let mut ready = Vec::new();
        for (event, sources) in events.into_iter().zip(sources) {
            ready.push(match self.options.mode {
                RunMode::DryRun => self.inspect_event(event, sources).await?,
                RunMode::Play | RunMode::MakeReady => {
                    self.prepare_event(event, sources.into()).await?
                }
            });
        }
        self.insist_on_builds(&ready)?;
        if self.options.mode != RunMode::Play {
            return self.dry_run(&ready).await;
        }
        if self.announces {
            for event in &ready {
                self.announce(event).await?;
            }
        }
        self.warn_of_shared_cores().await;
        let committer = GroupCommitter::start(&self.store);
        let mut ended = RunOutcome::Complete;
        for event in &mut ready {
            if ended == RunOutcome::Complete {
                ended = self.play(event, committer.committer(), &|| false).await?;
                self.listener.notice(&Notice::EventFinished { event: event.event.id.clone() });
            }
        }
        committer.finish().await;
        self.run_report(ended, &ready).await
    }

    /// Closes the database and the connection to the workers.
    async fn close(&self, report: &Result<RunReport, RunError>) {
        if let Some(coordinator) = &self.coordinator {
            match report {
                Ok(report) if report.ended == RunOutcome::Complete => coordinator.close().await,
                _ => coordinator.leave().await,
            }
        }
        self.listener.notice(&Notice::Closing);
        match self.store.close().await {
            CheckpointOutcome::Complete => {}
            CheckpointOutcome::HeldByReaders => {
                self.listener
                    .notice(&Notice::BeingRead { database: self.tournament.database.clone() });
            }
            CheckpointOutcome::Failed(error) => {
                let path = self.tournament.database.display();
                self.listener.warn(format!("the newest results stay in `{path}-wal`: {error}"));
            }
        }
    }

    async fn run_report(
        &self,
        ended: RunOutcome,
        ready: &[PreparedEvent<'_>],
    ) -> Result<RunReport, RunError> {
        let mut events = Vec::new();
        for event in ready {
            events.push(self.event_report(event).await?);
        }
        let ended = match (ended, waiting(ready)) {
            (RunOutcome::Complete | RunOutcome::BudgetUsedUp, Some(trouble)) => {
                RunOutcome::MachineFailed(trouble)
            }
            (ended, _) => ended,
        };
        Ok(RunReport { ended, events, estimate: None })
    }

    fn insist_on_builds(&self, ready: &[PreparedEvent<'_>]) -> Result<(), RunError> {
        if self.options.strictness == Strictness::Strict
            && let Some(trouble) = waiting(ready)
        {
            return Err(RunError::Machine(trouble));
        }
        let failed: Vec<String> = ready
            .iter()
            .flat_map(|ready| ready.field.not_built().map(|(name, _)| name.to_owned()))
            .collect();
        if self.options.strictness == Strictness::Strict && !failed.is_empty() {
            return Err(RunError::NotBuilt(failed));
        }
        Ok(())
    }
}

//! The main job: build, calibrate, play what has no result yet.

mod changed;
mod error;
mod follow;
mod options;
mod playing;
mod ready;
mod report;
mod rows;
mod table;

use async_recursion::async_recursion as boxed;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::league::Ended;
use super::seed::{tournament_row, with_seed};
use super::workshop::Workshop;
use crate::workers::Office;
pub use error::RunError;
use joust_bots::{BotSource, Problem};
use joust_config::{Event, SeedSource, Tournament};
use joust_model::cancel::Cancel;
use joust_model::counted;
use joust_model::notices::{Listener, Notice, careful};
use joust_store::{Access, CheckpointOutcome, GroupCommitter, Store, TournamentRow};
pub use options::{Mode, Replay, RunOptions, Strictness};
use ready::Ready;
pub use report::{EventReport, Lost, RunReport};
pub use rows::event_settings;

/// Runs a tournament.
///
/// # Errors
///
/// [`RunError`] before anything is played, or when the database fails. Faults
/// of the machine while playing are part of the report.
#[boxed]
pub async fn run(
    tournament: &Tournament,
    options: &RunOptions,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let (began, listener) = (Instant::now(), careful(listener));
    let workshop = Workshop::open(tournament, &options.cache, options.isolation)?;
    let sources = discover(&workshop, tournament, &chosen(tournament, &options.events)?)?;
    let course = Course::Once(sources);
    let start = Start { course, began, announcement: Announcement::LeftOut, listener, cancel };
    start.run(tournament, options, workshop).await
}

/// Runs a tournament between bots that were found before: those of each chosen
/// event, sorted by name. What will be played is told before it is.
///
/// # Errors
///
/// As [`run`].
#[boxed]
pub async fn run_with(
    tournament: &Tournament,
    options: &RunOptions,
    sources: Vec<Vec<BotSource>>,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let (began, listener) = (Instant::now(), careful(listener));
    let workshop = Workshop::open(tournament, &options.cache, options.isolation)?;
    let course = Course::Once(sources);
    let start = Start { course, began, announcement: Announcement::Made, listener, cancel };
    start.run(tournament, options, workshop).await
}

/// Runs a tournament without end: bots that come or change are built and play, those that go
/// are left out. It ends when it is stopped, when the budget is used up or when the machine
/// fails; stopped while nothing was left to play, it is complete.
///
/// # Errors
///
/// As [`run`], but for bots that cannot be used: these are told.
#[boxed]
pub async fn follow(
    tournament: &Tournament,
    options: &RunOptions,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<RunReport, RunError> {
    let (began, listener) = (Instant::now(), careful(listener));
    let workshop = Workshop::open(tournament, &options.cache, options.isolation)?;
    let course = Course::Endless;
    let start = Start { course, began, announcement: Announcement::LeftOut, listener, cancel };
    start.run(tournament, options, workshop).await
}

/// Start of a run: what is played, when it began, and who hears of it.
struct Start {
    course: Course,
    began: Instant,
    announcement: Announcement,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
}

/// Choice of bouts to play.
enum Course {
    /// Those of the bots that were found, for each chosen event.
    Once(Vec<Vec<BotSource>>),
    /// Those of the bots that are there, as they come and go.
    Endless,
}

impl Start {
    async fn run(
        self,
        tournament: &Tournament,
        options: &RunOptions,
        workshop: Workshop,
    ) -> Result<RunReport, RunError> {
        let Self { course, began, announcement, listener, cancel } = self;
        let workshop = workshop.stopped_by(&cancel);
        let tournament = &*with_seed(tournament, &[&tournament.database], options.shard).await?;
        let events = chosen(tournament, &options.events)?;
        if let Course::Once(sources) = &course {
            let known: BTreeSet<&str> = sources.iter().flatten().map(BotSource::name).collect();
            if let Some(unknown) = options.only.iter().find(|name| !known.contains(name.as_str())) {
                let known = known.into_iter().map(str::to_owned).collect();
                return Err(RunError::NoSuchBot { wanted: unknown.clone(), known });
            }
        }
        let office = match &options.workers {
            Some(workers) if options.mode == Mode::Play => {
                Some(Office::open(tournament, options.shard, workers).await?)
            }
            _ => None,
        };
        let store = Store::open(&tournament.database, Access::CreateOrOpen).await?;
        let lock = store.lock()?;
        let is_kept = match options.mode {
            Mode::Play => true,
            // A seed is drawn as late as can be.
            Mode::MakeReady => tournament.seed_source == SeedSource::Written,
            Mode::DryRun => false,
        };
        let before = store.tournament().await?;
        if is_kept {
            store.put_tournament(&tournament_row(tournament)).await?;
        }
        let listener = match &office {
            Some(office) => office.overhear(listener),
            None => listener,
        };
        let run = Run {
            tournament,
            options,
            listener,
            cancel,
            store,
            before,
            workshop,
            until: options.budget.map(|budget| began + budget),
            announcement,
            office,
            is_endless: matches!(course, Course::Endless),
        };
        let report = match course {
            Course::Once(sources) => run.all(events, sources).await,
            Course::Endless => run.follow(&events).await,
        };
        if let Some(office) = &run.office {
            match &report {
                Ok(report) if report.ended == Ended::Complete => office.close().await,
                _ => office.leave().await,
            }
        }
        run.listener.notice(&Notice::Closing);
        match run.store.close().await {
            CheckpointOutcome::Complete => {}
            CheckpointOutcome::HeldByReaders => {
                run.listener.notice(&Notice::BeingRead { database: tournament.database.clone() });
            }
            CheckpointOutcome::Failed(error) => {
                let path = tournament.database.display();
                let text = format!("the newest results stay in `{path}-wal`: {error}");
                run.listener.notice(&Notice::Warning(text));
            }
        }
        drop(lock);
        report
    }
}

/// Finds the bots of every event; every problem is told at once.
fn discover(
    workshop: &Workshop,
    tournament: &Tournament,
    events: &[&Event],
) -> Result<Vec<Vec<BotSource>>, RunError> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for event in events {
        problems.extend(played_alone(tournament, event));
        match workshop.discover(tournament, event) {
            Ok(sources) => found.push(sources),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(RunError::Discover(problems)) }
}

/// Returns a problem if the event's game has a single seat.
fn played_alone(tournament: &Tournament, event: &Event) -> Option<Problem> {
    let text = format!("one bot plays `{}` alone, and an event needs two", event.game.id());
    (event.game.spec().seats.most < 2).then(|| Problem {
        place: Some((event.place.line, event.place.column)),
        hint: Some("`joust play` and `joust bot check` play such a game".to_owned()),
        ..Problem::new(&tournament.file, text)
    })
}

fn chosen<'a>(tournament: &'a Tournament, wanted: &[String]) -> Result<Vec<&'a Event>, RunError> {
    if wanted.is_empty() {
        return Ok(tournament.events.iter().collect());
    }
    let find = |id: &String| tournament.event(id).ok_or_else(|| no_such_event(tournament, id));
    wanted.iter().map(find).collect()
}

/// Returns the error for a tournament without an event of this name.
pub(crate) fn no_such_event(tournament: &Tournament, wanted: &str) -> RunError {
    let known = tournament.events.iter().map(|event| event.id.clone()).collect();
    RunError::NoSuchEvent { wanted: wanted.to_owned(), known }
}

/// Returns a message on the bots that wait for a machine that is in order, and what it lacks.
fn waiting(ready: &[Ready<'_>]) -> Option<String> {
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
    /// The tournament that the database was of when the run began.
    before: Option<TournamentRow>,
    workshop: Workshop,
    until: Option<Instant>,
    announcement: Announcement,
    /// The way to the workers, where others play.
    office: Option<Office>,
    /// True if bots come and go: then none of them ends the run.
    is_endless: bool,
}

/// Decision to announce the bouts before they are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announcement {
    Made,
    LeftOut,
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
                Mode::DryRun => self.look_at(event, sources).await?,
                Mode::Play | Mode::MakeReady => self.make_ready(event, sources.into()).await?,
            });
        }
        self.insist_on_builds(&ready)?;
        if self.options.mode != Mode::Play {
            return self.dry_run(&ready).await;
        }
        if self.announcement == Announcement::Made {
            for event in &ready {
                self.announce(event).await?;
            }
        }
        self.warn_of_shared_cores().await;
        let committer = GroupCommitter::start(&self.store);
        let mut ended = Ended::Complete;
        for event in &mut ready {
            if ended == Ended::Complete {
                ended = self.play(event, committer.committer()).await?;
            }
        }
        committer.finish().await;
        self.run_report(ended, &ready).await
    }

    async fn run_report(&self, ended: Ended, ready: &[Ready<'_>]) -> Result<RunReport, RunError> {
        let mut events = Vec::new();
        for event in ready {
            events.push(self.event_report(event).await?);
        }
        let ended = match (ended, waiting(ready)) {
            (Ended::Complete | Ended::BudgetUsedUp, Some(trouble)) => Ended::MachineFailed(trouble),
            (ended, _) => ended,
        };
        Ok(RunReport { ended, events, estimate: None })
    }

    fn insist_on_builds(&self, ready: &[Ready<'_>]) -> Result<(), RunError> {
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

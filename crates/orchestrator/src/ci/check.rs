//! Check of a change, the whole of `joust ci`: comparison, refusals, bouts and report.

use std::collections::HashMap;
use std::ops::Add;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use async_recursion::async_recursion as boxed;
use joust_config::{self as config, Event, Tournament};
use joust_model::ScheduleKind;
use joust_model::cancel::Cancel;
use joust_model::notices::{EventEstimate, Listener, Notice};
use joust_store::{Access, Store, StoreError};
use parking_lot::Mutex;

use super::analysis::{ChangeAnalysis, EventChanges, survey};
use super::base::{ChangeBase, EarlierResults, insist_on_another_database};
use super::change::{ChangeKind, ChangedBot};
use super::refuse::{empty_report, insist_on_own_files, refused_links};
use super::report::{ChangeReport, CheckOutcome, EventTable, PlannedBouts};
use super::request::{CheckRequest, CiError};
use super::settings::{EffectiveSettings, in_force};
use crate::candidate::{GateSettings, Replacement, TestAnswer};
use crate::machine::Machine;
use crate::pipeline::{self, BotSelection, RunError, RunMode, RunOptions, RunOutcome, RunReport};
use crate::tasks;

/// Checks a change: builds and plays only what it requires, unless it is refused. The second value
/// is the end of the run; `None` when nothing was run.
///
/// # Errors
///
/// [`CiError`] when the base cannot be determined or the machine failed; what is wrong with the
/// change itself is part of the report.
#[boxed]
pub async fn check(
    request: &CheckRequest,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<(ChangeReport, Option<RunOutcome>), CiError> {
    let began = Instant::now();
    let commit = request.base.as_deref();
    let of_commit = |name| ChangeBase::of_commit(name, &request.file, &cancel);
    let commit = commit.map(of_commit).transpose()?;
    let (commit, mut in_force) = settings(commit, request)?;
    let seeded = seeded(in_force.tournament, request);
    in_force.tournament = unless_stopped(&cancel, seeded).await?;
    let tournament = &in_force.tournament;
    if let Some(base) = &commit {
        insist_on_own_files(tournament, request, base)?;
    }
    insist_on_another_database(tournament, request)?;
    if let Some(folder) = &request.out {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| CiError::Out { folder: folder.clone(), source })?;
    }
    let before = unless_stopped(&cancel, EarlierResults::open(tournament, request)).await?;
    let mut base = match (commit, &before.store, &request.base_database) {
        (Some(base), ..) => base,
        (None, Some(store), Some(path)) => {
            unless_stopped(&cancel, ChangeBase::of_database(path, store)).await?
        }
        _ => return Err(CiError::NoBase),
    };
    let events = pipeline::chosen(tournament, &request.run.selection.events)?;
    let links = refused_links(tournament, &events, &request.file, &base)?;
    if !links.is_empty() {
        leave_a_database(tournament, request, &cancel).await?;
        let mut report = empty_report(request, &base);
        (report.refusals, report.other_files) = (links, base.exported.touched);
        report.conclude();
        return Ok((report, None));
    }
    let machine = Machine::open(tournament, &request.run.cache, &request.run.isolation, &cancel)
        .map_err(RunError::from)?;
    let survey = survey(tournament, &machine, &mut base, &before, &events);
    let survey = unless_stopped(&cancel, survey).await?;
    let report = survey.report(request, &base, &in_force)?;
    let until = request.run.budget.map(|budget| began + budget);
    let check = ChangeCheck { tournament, request, machine, before, base, until };
    check.finish(survey, report, listener, cancel).await
}

/// Awaits reading of untrusted data, such as the database of the base, until the run is stopped.
async fn unless_stopped<T, E: Into<CiError>>(
    cancel: &Cancel,
    reading: impl Future<Output = Result<T, E>>,
) -> Result<T, CiError> {
    match tasks::unless_stopped(cancel, reading).await {
        Some(read) => read.map_err(Into::into),
        None => Err(RunError::Interrupted.into()),
    }
}

/// Returns the settings in force, and the commit with its own settings.
fn settings(
    mut commit: Option<ChangeBase>,
    request: &CheckRequest,
) -> Result<(Option<ChangeBase>, EffectiveSettings), CiError> {
    let mut in_force = match &mut commit {
        Some(base) => in_force(&request.file, request, base)?,
        None if request.author.is_some() => return Err(CiError::NoCommit),
        None => EffectiveSettings::unchanged(config::load(&request.file, &request.games)?),
    };
    if let Some(database) = &request.database {
        in_force.tournament.database.clone_from(database);
    }
    Ok((commit, in_force))
}

/// Gives a tournament whose seed is drawn the one that the results before the change have.
async fn seeded(tournament: Tournament, request: &CheckRequest) -> Result<Tournament, CiError> {
    let own = Some(tournament.database.as_path());
    let databases: Vec<&Path> = own.into_iter().chain(request.base_database.as_deref()).collect();
    let seeded = pipeline::with_seed(&tournament, &databases, request.run.selection.shard).await?;
    Ok(seeded.into_owned())
}

/// Copies the results before the change, unless there are some already.
async fn take_over_results(
    tournament: &Tournament,
    request: &CheckRequest,
) -> Result<(), StoreError> {
    let named = request.base_database.as_deref();
    match named.filter(|_| !tournament.database.exists()) {
        Some(from) => Store::copy(from, &tournament.database).await,
        None => Ok(()),
    }
}

/// A shard that plays nothing has a database all the same, so that those of all
/// can be joined.
async fn leave_a_database(
    tournament: &Tournament,
    request: &CheckRequest,
    cancel: &Cancel,
) -> Result<(), CiError> {
    if request.run.selection.shard.is_none() {
        return Ok(());
    }
    let leaving = async {
        take_over_results(tournament, request).await?;
        let store = Store::open(&tournament.database, Access::CreateOrOpen).await?;
        store.put_tournament(&pipeline::tournament_row(tournament)).await?;
        store.close().await;
        Ok::<_, StoreError>(())
    };
    unless_stopped(cancel, leaving).await
}

/// A change that is being checked.
pub(super) struct ChangeCheck<'a> {
    pub(super) tournament: &'a Tournament,
    pub(super) request: &'a CheckRequest,
    pub(super) machine: Machine,
    before: EarlierResults,
    pub(super) base: ChangeBase,
    until: Option<Instant>,
}

impl ChangeCheck<'_> {
    async fn finish(
        self,
        survey: ChangeAnalysis<'_>,
        mut report: ChangeReport,
        listener: Arc<dyn Listener>,
        cancel: Cancel,
    ) -> Result<(ChangeReport, Option<RunOutcome>), CiError> {
        let tables = unless_stopped(&cancel, self.tables_before(&survey)).await?;
        let others_play = report.outcome == CheckOutcome::Broken && survey.is_playable;
        if !report.outcome.allows_playing() && !others_play {
            for (event, table) in report.events.iter_mut().zip(tables) {
                event.table = table;
            }
            leave_a_database(self.tournament, self.request, &cancel).await?;
            return Ok((report, None));
        }
        unless_stopped(&cancel, take_over_results(self.tournament, self.request)).await?;
        let recorder = Arc::new(ProgressRecorder::new(listener));
        let sources = survey.events.iter().map(EventChanges::sources).collect();
        let bots = BotSelection::Given(sources);
        let options = &self.options(&survey, &tables);
        let run =
            pipeline::run(self.tournament, options, bots, recorder.clone(), cancel.clone()).await?;
        recorder.write_to(&mut report, &run);
        let mut ended = run.ended.clone();
        self.add_not_built(&survey, &run, &mut report);
        if options.mode == RunMode::Play {
            self.add_results(&survey, &tables, &mut report).await?;
            report.conclude();
            // For a whole league the gate itself reports the bouts for which time was lacking.
            let is_whole = matches!(ended, RunOutcome::Complete | RunOutcome::BudgetUsedUp);
            if report.outcome.allows_playing() && is_whole {
                ended = self.gate(&survey, &mut report, &recorder.listener, &cancel).await?;
            }
        }
        report.conclude();
        Ok((report, Some(ended)))
    }

    /// Returns the options of the run. Where not every pair of bots meets, only bots of the change
    /// play: changes of the schedule between other bots do not concern it. Without results from
    /// before, all bots play.
    fn options(&self, survey: &ChangeAnalysis<'_>, before: &[Option<EventTable>]) -> RunOptions {
        let mut options = self.request.run.clone();
        for (compared, before) in survey.events.iter().zip(before) {
            let is_partial = compared.event.schedule != ScheduleKind::RoundRobin;
            if is_partial && before.as_ref().is_some_and(|table| table.standings.bouts > 0) {
                options
                    .selection
                    .only_in
                    .insert(compared.event.id.clone(), compared.bots_that_play_again());
            }
        }
        options
    }

    /// Plays every changed bot against the one that it replaces. A shard leaves that to the run on
    /// all results.
    async fn gate(
        &self,
        survey: &ChangeAnalysis<'_>,
        report: &mut ChangeReport,
        listener: &Arc<dyn Listener>,
        cancel: &Cancel,
    ) -> Result<RunOutcome, RunError> {
        let Some(settings) = &self.request.gate else { return Ok(RunOutcome::Complete) };
        if self.request.run.selection.shard.is_some() {
            return Ok(RunOutcome::Complete);
        }
        let mut ended = RunOutcome::Complete;
        for replacement in self.replacements(survey, settings) {
            if ended == RunOutcome::Complete {
                let (gate, now) = replacement.play(listener, cancel).await?;
                report.gates.push(gate);
                ended = now;
            } else if ended == RunOutcome::BudgetUsedUp {
                report.gates.push(replacement.without_bouts(TestAnswer::Unfinished));
            }
        }
        Ok(ended)
    }

    /// Returns every changed bot with the version that it replaces.
    fn replacements<'b>(
        &'b self,
        survey: &'b ChangeAnalysis<'_>,
        settings: &'b GateSettings,
    ) -> Vec<Replacement<'b>> {
        let entries = survey
            .events
            .iter()
            .flat_map(|event| event.entries.iter().map(move |entry| (event.event, entry)));
        let changed = entries.filter(|(_, entry)| entry.change == ChangeKind::Changed);
        let replacement = |(event, entry): (&'b Event, &'b ChangedBot)| {
            let before = entry.base.as_ref()?.source.as_ref()?;
            let head = entry.head.as_ref()?;
            Some(Replacement {
                tournament: self.tournament,
                event,
                now: head.source.clone(),
                key: head.key?,
                before: before.clone(),
                settings,
                options: &self.request.run,
                until: self.until,
            })
        };
        changed.filter_map(replacement).collect()
    }

    async fn tables_before(
        &self,
        survey: &ChangeAnalysis<'_>,
    ) -> Result<Vec<Option<EventTable>>, StoreError> {
        let mut tables = Vec::new();
        for event in &survey.events {
            tables.push(self.before.table(&event.event.id).await?);
        }
        Ok(tables)
    }
}

/// Listener that passes notices on and records those that the report needs.
pub(super) struct ProgressRecorder {
    pub(super) listener: Arc<dyn Listener>,
    recorded: Mutex<RecordedCounts>,
}

#[derive(Default)]
struct RecordedCounts {
    planned: HashMap<String, PlannedBouts>,
    played: HashMap<String, u64>,
    event: String,
}

impl ProgressRecorder {
    pub(super) fn new(listener: Arc<dyn Listener>) -> Self {
        Self { listener, recorded: Mutex::default() }
    }

    /// Copies the recorded notices to the report.
    fn write_to(&self, report: &mut ChangeReport, run: &RunReport) {
        let recorded = self.recorded.lock();
        let estimates = run.estimate.iter().flatten();
        for event in &mut report.events {
            let dry = estimates.clone().find(|one| one.event == event.event).map(planned);
            event.planned = recorded.planned.get(&event.event).copied().or(dry);
            event.played = recorded.played.get(&event.event).copied().unwrap_or(0);
            let done = run.events.iter().find(|one| one.event == event.event);
            let done = done.filter(|_| run.estimate.is_none());
            event.missing = done.map_or(0, |one| one.missing);
            event.left = done.map_or(0, |one| one.elsewhere);
        }
    }
}

impl Listener for ProgressRecorder {
    fn notice(&self, notice: &Notice) {
        let mut recorded = self.recorded.lock();
        match notice {
            Notice::Planned(estimate) => {
                let more = planned(estimate);
                // The bouts of a round are announced when it is drawn.
                let known = recorded.planned.entry(estimate.event.clone()).or_default();
                known.matches += more.matches;
                known.bouts += more.bouts;
                known.seconds = known.seconds.into_iter().chain(more.seconds).reduce(Add::add);
            }
            Notice::Scheduled { event, .. } => recorded.event.clone_from(event),
            Notice::BoutFinished(_) => {
                let event = recorded.event.clone();
                *recorded.played.entry(event).or_default() += 1;
            }
            _ => {}
        }
        drop(recorded);
        self.listener.notice(notice);
    }
}

fn planned(estimate: &EventEstimate) -> PlannedBouts {
    let seconds = estimate.time.known().map(|time| time.as_secs());
    PlannedBouts { matches: estimate.matches, bouts: estimate.bouts, seconds }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use joust_model::Shard;
    use joust_referee::Catalogue;

    use super::super::request::MaxFaults;
    use super::*;

    fn is_interrupted<T>(outcome: &Result<T, CiError>) -> bool {
        matches!(outcome, Err(CiError::Run(RunError::Interrupted)))
    }

    #[tokio::test]
    async fn a_database_that_is_left_is_made_unless_the_run_is_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "events:\n  - game: battlebots\n    bots: [a, b]\n";
        let (file, games) = (folder.path().join("tournament.yaml"), Catalogue::built_in());
        let mut tournament = config::parse(text, &file, &games).expect("it is one");
        tournament.database = folder.path().join("results.db");
        let mut run =
            RunOptions::new(joust_sandbox::HostOptions::default(), folder.path().join("cache"));
        run.selection.shard = Some("1/2".parse::<Shard>().expect("a shard"));
        let mut request = CheckRequest {
            games,
            file,
            database: None,
            out: None,
            base: None,
            base_database: None,
            author: None,
            max_faults: MaxFaults::Usual,
            gate: None,
            run,
        };
        let stopped = Cancel::default();
        stopped.cancel();
        let base = folder.path().join("base.db");
        Store::open(&base, Access::CreateOrOpen).await.expect("a database").close().await;
        for database in [None, Some(base)] {
            request.base_database = database;
            let left = leave_a_database(&tournament, &request, &stopped).await;
            assert!(is_interrupted(&left), "{left:?}");
            assert!(!tournament.database.exists());
        }
        leave_a_database(&tournament, &request, &Cancel::default()).await.expect("it is left");
        assert!(tournament.database.exists());
    }

    /// Makes a repository with a tournament and many links, in a new folder.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "events:\n  - game: battlebots\n    bots: [bots/*]\n";
        std::fs::write(folder.path().join("tournament.yaml"), text).expect("written");
        std::fs::create_dir(folder.path().join("bots")).expect("made");
        for bot in ["a", "b"] {
            let place = folder.path().join("bots").join(bot);
            std::os::unix::fs::symlink("/nowhere", place).expect("a link");
        }
        for words in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "-qm", "x"]] {
            let mut git = std::process::Command::new("git");
            git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(words);
            let made = git.current_dir(folder.path()).status().expect("git is there");
            assert!(made.success());
        }
        folder
    }

    #[test]
    fn the_parts_of_an_analysis_end_when_the_run_is_stopped() {
        let folder = repository();
        let (file, games) = (folder.path().join("tournament.yaml"), Catalogue::built_in());
        let tournament = config::load(&file, &games).expect("it is one");
        let events: Vec<&Event> = tournament.events.iter().collect();
        let cancel = Cancel::default();
        let mut base = ChangeBase::of_commit("HEAD", &file, &cancel).expect("a commit");
        base.tournament = Some(tournament.clone());
        assert!(refused_links(&tournament, &events, &file, &base).is_ok());
        cancel.cancel();
        assert!(is_interrupted(&refused_links(&tournament, &events, &file, &base)));
        assert!(is_interrupted(&ChangeBase::of_commit("HEAD", &file, &cancel)));
    }

    #[tokio::test]
    async fn what_never_ends_is_given_up_when_the_run_is_stopped() {
        let cancel = Cancel::default();
        let later = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            later.cancel();
        });
        let endless = std::future::pending::<Result<(), StoreError>>();
        let given_up =
            tokio::time::timeout(Duration::from_secs(20), unless_stopped(&cancel, endless));
        assert!(is_interrupted(&given_up.await.expect("it is given up")));
    }
}

//! An event made ready: its field, its builds, its calibrations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_bots::{BotSource, git, pack};
use joust_build::{NotPlaced, PlacedBuild};
use joust_config::{Event, Examples, Tournament};
use joust_model::notices::Notice;
use joust_model::{BotRow, BuildHash, Calibration, Decision, EventSettings, Mirror, clock};
use joust_play::calibrate::{NotCalibrated, is_calibrated};
use joust_standings::schedule;
use joust_store::{BoutSet, BuildRow, ScheduleComparison, SourceDetail, SourceRow, StoreError};
use joust_toolchain::NotBuilt;

use super::{BoutSelection, Run, RunError};
use crate::machine::{LanguageStart, Machine, language_starts};
use crate::pipeline::plans::Player;
use crate::pipeline::roster::{BuildState, EventRoster};
use crate::pipeline::rounds::RoundRecord;
use crate::with_causes;

/// Time for which a comparison holds.
const STILL_FRESH: Duration = Duration::from_secs(10);
/// Age up to which a calibration is used again.
const CALIBRATION_AGE: Duration = Duration::from_secs(24 * 3600);

/// An event made ready to play.
pub(super) struct PreparedEvent<'a> {
    pub(super) event: &'a Event,
    pub(super) field: EventRoster,
    pub(super) calibrations: Vec<Calibration>,
    /// Bouts that are not played, because they have a result.
    pub(super) finished: BoutSet,
    /// Bouts that are played again although they have a result.
    pub(super) replaced: BoutSet,
    /// Record of its rounds. Both sets belong to the schedule computed from it.
    pub(super) record: RoundRecord,
    /// Comparison of the recorded bouts with that schedule, until it is used: comparing a million
    /// bouts again takes a second.
    pub(super) compared: Option<TimedComparison>,
}

/// A comparison of an event's bouts with its schedule.
pub(super) struct TimedComparison {
    comparison: ScheduleComparison,
    players: Vec<Player>,
    at: Instant,
}

impl TimedComparison {
    /// Returns the comparison for these players, unless the database may have changed since.
    pub(super) fn still_of(self, players: &[Player]) -> Option<ScheduleComparison> {
        let is_fresh = self.at.elapsed() < STILL_FRESH && self.players == players;
        is_fresh.then_some(self.comparison)
    }
}

impl PreparedEvent<'_> {
    /// Records which bouts of the current schedule have a result: if any are played again, these
    /// are.
    pub(super) fn still_replaced(&mut self, there: &BoutSet) {
        if !self.replaced.is_empty() {
            self.replaced = there.clone();
        }
    }
}

/// The bots that are candidates for an event.
#[derive(Default)]
pub(super) struct EventEntries {
    /// Bots that are built if they are new.
    pub(super) sources: Vec<BotSource>,
    /// Bots whose files are being changed: their earlier versions play.
    pub(super) changing: Vec<BotSource>,
    /// Bots that could not be built before and have not changed since.
    pub(super) failed: Vec<(BotSource, NotBuilt)>,
}

impl From<Vec<BotSource>> for EventEntries {
    fn from(sources: Vec<BotSource>) -> Self {
        Self { sources, ..Self::default() }
    }
}

impl<'a> Run<'a> {
    pub(super) async fn prepare_event(
        &self,
        event: &'a Event,
        entries: EventEntries,
    ) -> Result<PreparedEvent<'a>, RunError> {
        let known = self.store.bots(&event.id).await?;
        let EventEntries { sources, changing, failed } = entries;
        let mut field = EventRoster::build(&self.machine, event, sources, &known, &*self.listener);
        field.keep(changing, &known, |hash| self.stored_entry_build(&hash, event));
        field.leave_out(failed);
        // A bot that was not built because of the stop is no change of the field.
        self.insist_on_running()?;
        self.apply_entry_rules(event, &mut field, &known).await?;
        let mut ready = self.with_results(event, field).await?;
        let players = ready.field.players();
        let plans = self.plans(&ready, &players);
        let mut missing = plans.unfinished(&ready.finished).peekable();
        // In rounds that are not drawn yet any bot may play.
        let is_open = missing.peek().is_some() && event.schedule.rounds().is_some();
        let all = self.all_plans(&ready, &players);
        let others = is_open.then(|| all.all()).into_iter().flatten();
        let wanted = missing.chain(others).take_while(|_| !self.cancel.is_cancelled());
        let field = &mut ready.field;
        field.build_for_bouts(&self.machine, event, wanted, &*self.listener);
        let why = |build: &PlacedBuild| self.machine.why_not_run(event, build);
        field.exclude_unrunnable(why, &*self.listener)?;
        let left = field.players();
        if left != players {
            // The places of the others have changed if a bot is gone.
            self.record_results(&mut ready, &left).await?;
        }
        let field = &mut ready.field;
        self.insist_on_running()?;
        self.store.put_event(&event_settings(self.tournament, event)).await?;
        self.store.put_bots(&event.id, &field.rows(&known)).await?;
        for build in field.builds() {
            self.insist_on_running()?;
            self.store.put_build(&build_row(build, clock::now())).await?;
        }
        self.keep_sources(field).await?;
        ready.calibrations = self.calibrations(event, field).await?;
        Ok(ready)
    }

    /// Examines an event without building, measuring or recording anything of it.
    pub(super) async fn inspect_event(
        &self,
        event: &'a Event,
        sources: Vec<BotSource>,
    ) -> Result<PreparedEvent<'a>, RunError> {
        let known = self.store.bots(&event.id).await?;
        let mut field = EventRoster::found(&self.machine, event, sources, &known, &*self.listener);
        self.insist_on_running()?;
        self.apply_entry_rules(event, &mut field, &known).await?;
        let mut ready = self.with_results(event, field).await?;
        ready.calibrations = self.store.calibrations(&self.machine.name).await?;
        Ok(ready)
    }

    /// Applies the event's rules on who plays, and the organiser's decisions.
    async fn apply_entry_rules(
        &self,
        event: &Event,
        field: &mut EventRoster,
        known: &[BotRow],
    ) -> Result<(), RunError> {
        if event.deadline.is_some_and(|deadline| clock::now() > deadline) {
            let stored = |hash| self.stored_entry_build(&hash, event);
            field.close_entries(known, stored, &*self.listener);
        }
        let decisions = self.store.decisions(&event.id).await?;
        let last = |bot: &str| decisions.iter().rev().find(|row| row.bot == bot);
        field.take_out(|bot| last(bot).is_some_and(|row| row.decision != Decision::Restored));
        if event.examples == Examples::Retire {
            field.retire_examples(&*self.listener);
        }
        Ok(())
    }

    /// Joins a field with the results that count.
    async fn with_results(
        &self,
        event: &'a Event,
        field: EventRoster,
    ) -> Result<PreparedEvent<'a>, RunError> {
        let players = field.players();
        let mut ready = PreparedEvent {
            event,
            field,
            calibrations: Vec::new(),
            finished: BoutSet::default(),
            replaced: BoutSet::default(),
            record: RoundRecord::of(&self.store, event).await?,
            compared: None,
        };
        self.record_results(&mut ready, &players).await?;
        if let Some(compared) = &ready.compared {
            self.warn_of_changes(event, &compared.comparison).await?;
        }
        Ok(ready)
    }

    /// Records which bouts between `players` have results before any is played.
    async fn record_results(
        &self,
        ready: &mut PreparedEvent<'_>,
        players: &[Player],
    ) -> Result<(), StoreError> {
        let plans = self.all_plans(ready, players);
        let comparison = self.store.comparison(&ready.event.id, &plans).await?;
        let there = comparison.found.done.clone();
        let (players, at) = (players.to_vec(), Instant::now());
        ready.compared = Some(TimedComparison { comparison, players, at });
        (ready.finished, ready.replaced) = match self.options.replay {
            BoutSelection::Unfinished => (there, BoutSet::default()),
            BoutSelection::Everything => (BoutSet::default(), there),
        };
        Ok(())
    }

    /// Returns the build that a bot entered with; one that is here and cannot be started is
    /// reported and counts as gone.
    fn stored_entry_build(&self, hash: &BuildHash, event: &Event) -> Option<Arc<PlacedBuild>> {
        let stored = self.machine.stored_build(hash, event.limits.memory);
        let tell = |error: &NotPlaced| {
            self.listener.warn(format!("build {hash} cannot be used: {error}"));
        };
        stored.inspect_err(tell).ok().flatten().map(Arc::new)
    }

    /// Fails once the run is being stopped.
    pub(super) fn insist_on_running(&self) -> Result<(), RunError> {
        if self.cancel.is_cancelled() { Err(RunError::Interrupted) } else { Ok(()) }
    }

    /// Stores the source of every build, so that it can be rebuilt if a bout is disputed.
    async fn keep_sources(&self, field: &EventRoster) -> Result<(), RunError> {
        let kept =
            if self.tournament.keep_sources { SourceDetail::Files } else { SourceDetail::Name };
        for participant in &field.participants {
            self.insist_on_running()?;
            let BuildState::Build(build) = &participant.made else { continue };
            if self.store.source_detail(&build.hash).await? >= Some(kept) {
                continue;
            }
            let source = source_row(&participant.source, build, &self.machine, kept);
            if let Some(source) = source {
                self.store.put_source(&source).await?;
            }
        }
        Ok(())
    }

    async fn calibrations(
        &self,
        event: &Event,
        field: &mut EventRoster,
    ) -> Result<Vec<Calibration>, RunError> {
        // Workers measure for themselves.
        let is_own = event.game.spec().external.is_some();
        let is_played_here =
            self.coordinator.is_none() || is_own && self.travelling_referee(event).is_none();
        if !is_played_here || !is_calibrated(event.game.spec()) {
            return Ok(Vec::new());
        }
        if let Some(reason) = self.machine.why_not_warm(event) {
            self.listener.warn(format!("`{}` is played with cold starts: {reason}", event.id));
        } else if !event.limits.starts.is_cold() {
            self.warn_of_cold_starts(field);
        }
        let stored = self.store.calibrations(&self.machine.name).await?;
        let mut calibrations = Vec::new();
        for one in language_starts(field.builds(), &self.machine.limits(event)) {
            let (game, language) = (event.game.id(), one.name());
            if let Some(fresh) = stored.iter().find(|one| self.is_fresh(one, &language, game)) {
                calibrations.push(fresh.clone());
                continue;
            }
            match self.calibrate(&one.event(event), &one) {
                Ok(measured) => {
                    self.store.put_calibration(&measured).await?;
                    calibrations.push(measured);
                }
                Err(error) => {
                    let trouble = match error.trouble() {
                        Some(trouble) => trouble,
                        None if self.is_endless => with_causes(&error),
                        None => return Err(error),
                    };
                    self.listener.warn(format!("`{language}` is not calibrated: {trouble}"));
                    field.let_wait(&one.language, &trouble);
                }
            }
        }
        Ok(calibrations)
    }

    /// Warns of bots that are started cold although their language is kept warm.
    fn warn_of_cold_starts(&self, field: &EventRoster) {
        for participant in &field.participants {
            let BuildState::Build(build) = &participant.made else { continue };
            if let Some(reason) = build.why_cold() {
                self.listener
                    .warn(format!("`{}` is started cold: {reason}", participant.source.name()));
            }
        }
    }

    fn is_fresh(&self, one: &Calibration, language: &str, game: &str) -> bool {
        let age = clock::now() - one.measured_at;
        let most = i64::try_from(CALIBRATION_AGE.as_millis()).unwrap_or(i64::MAX);
        one.language == language && one.game == game && (0..most).contains(&age)
    }

    fn calibrate(&self, event: &Event, one: &LanguageStart) -> Result<Calibration, RunError> {
        let game = &event.game;
        self.listener
            .notice(&Notice::Calibrating { language: one.name(), game: game.id().to_owned() });
        let measure = || self.machine.calibrate(&one.language, event, event.calibration_runs);
        let measured = match measure() {
            Err(error) if error.is_of_machine() => measure(),
            other => other,
        };
        measured.map_err(|source| match source {
            NotCalibrated::Stopped => RunError::Interrupted,
            other => RunError::Calibrate {
                language: one.name(),
                game: game.id().to_owned(),
                source: Box::new(other),
            },
        })
    }
}

/// Returns the source of `build`; `None` when the bot's files are not those that
/// it was made from.
fn source_row(
    bot: &BotSource,
    build: &PlacedBuild,
    machine: &Machine,
    kept: SourceDetail,
) -> Option<SourceRow> {
    let tree =
        bot.tree(machine.languages().sources()).ok().filter(|tree| tree.hash() == build.source)?;
    let files = match kept {
        SourceDetail::Name => None,
        SourceDetail::Files => {
            pack::pack(&tree).ok().filter(|files| files.len() <= pack::MOST_KEPT)
        }
    };
    // What was unpacked from an archive is in no repository.
    let is_unpacked = bot.found != bot.source;
    let place = (!is_unpacked).then(|| git::locate_source(&machine.folder, &bot.source, &tree));
    let place = place.flatten();
    let (place, commit) = place.map_or((None, None), |git| (Some(git.place), git.commit));
    let name = bot.source.file_name()?.to_str()?.to_owned();
    Some(SourceRow { build: build.hash, hash: build.source, name, place, commit, files })
}

/// Part of a build's log that the database keeps, bytes.
const LOG_HEAD: usize = 4096;

/// Returns the database row with the settings of an event.
pub fn event_settings(tournament: &Tournament, event: &Event) -> EventSettings {
    EventSettings {
        id: event.id.clone(),
        game: event.game.id().to_owned(),
        revision: event.game.spec().revision,
        rules: event.rules.clone(),
        options: event.options.clone(),
        bouts_per_match: event.bouts,
        bots_per_match: u32::from(event.players_per_match),
        schedule: event.schedule.clone(),
        draw_seed: schedule::draw_seed(tournament, event),
        unrepeatable: !event.game.spec().can_repeat(),
        mirror: if event.mirror { Mirror::Pairs } else { Mirror::Off },
        seats: event.seats,
        tie_breaks: event.ranking(),
    }
}

pub(super) fn build_row(build: &PlacedBuild, now: i64) -> BuildRow {
    let log = std::fs::read(&build.log).unwrap_or_default();
    let words = build.command.iter().map(|word| word.to_string_lossy());
    BuildRow {
        hash: build.hash,
        result: build.result,
        language: build.language.clone(),
        toolchain: build.tool_versions(),
        recipe: words.collect::<Vec<_>>().join(" "),
        log_head: String::from_utf8_lossy(&log[..log.len().min(LOG_HEAD)]).into_owned(),
        built_at: now,
    }
}

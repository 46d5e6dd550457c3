//! Report of a run, or of a dry run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use joust_model::notices::{EventEstimate, ExpectedTime, Notice};
use joust_model::{BoutPlan, RoundState};
use joust_play::executor::Executor;
use joust_referee::Catalogue;
use joust_store::UnjudgedBout;
use joust_toolchain::NotBuilt;

use super::{PreparedEvent, Run, RunError, RunMode, waiting};
use crate::pipeline::failing::{self, Failing};
use crate::pipeline::league::RunOutcome;
use crate::pipeline::roster::BuildState;

/// Report of a run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Reason why it ended.
    pub ended: RunOutcome,
    /// Each event, in the tournament's order.
    pub events: Vec<EventReport>,
    /// Remaining work of each event, for a dry run.
    pub estimate: Option<Vec<EventEstimate>>,
}

/// Report of an event's part in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventReport {
    /// The event.
    pub event: String,
    /// Bots that can play.
    pub players: usize,
    /// Bouts of the whole event.
    pub bouts: u64,
    /// Bouts that this run was to play: all of them, or its shard's, or those of the bots that
    /// alone play.
    pub share: u64,
    /// Number of these bouts without a result.
    pub missing: u64,
    /// Bouts without a result that are not this run's: of other shards, or between others.
    pub elsewhere: u64,
    /// State of its rounds; `None` if its schedule has none.
    pub round: Option<RoundState>,
    /// Bots that could not be built, if only on this machine.
    pub not_built: Vec<UnbuiltBot>,
    /// Bots that were built and failed in every turn; none of a dry run.
    pub failing: Vec<Failing>,
    /// Bouts that the game's referee could not finish, with the reason.
    pub referee_errors: Vec<UnjudgedBout>,
}

/// A bot that could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbuiltBot {
    /// The bot.
    pub bot: String,
    /// Why.
    pub reason: NotBuilt,
    /// The whole log of its build, where it came to one.
    pub log: Option<PathBuf>,
}

impl Run<'_> {
    pub(super) async fn event_report(
        &self,
        ready: &PreparedEvent<'_>,
    ) -> Result<EventReport, RunError> {
        let players = ready.field.players();
        let (plans, id) = (self.all_plans(ready, &players), &ready.event.id);
        let found = match self.options.mode {
            // The bouts of the whole schedule count; `--only` selects those to play.
            RunMode::Play => self.store.reconcile(id, &plans).await?,
            // Whoever only asks what would be played changes no standings.
            RunMode::MakeReady | RunMode::DryRun => self.store.comparison(id, &plans).await?.found,
        };
        let share = self.share(ready, &players, &found);
        let missing = share.scheduled - share.finished;
        let failing = match self.options.mode {
            RunMode::Play => failing::failing(&self.store, id, &players).await?,
            RunMode::MakeReady | RunMode::DryRun => Vec::new(),
        };
        Ok(EventReport {
            event: ready.event.id.clone(),
            players: players.len(),
            bouts: found.scheduled,
            share: share.scheduled,
            missing,
            elsewhere: found.scheduled - found.finished() - missing,
            round: plans.round_state(),
            not_built: self.lost(ready),
            failing,
            referee_errors: self.store.referee_errors(id).await?,
        })
    }

    fn lost(&self, ready: &PreparedEvent<'_>) -> Vec<UnbuiltBot> {
        let lost = ready.field.participants.iter().filter_map(|participant| {
            let (reason, log) = match &participant.made {
                BuildState::Nothing(reason) => {
                    let log = self.machine.builder(ready.event).failed_log(&participant.source);
                    (reason.clone(), log.ok().flatten())
                }
                BuildState::Waits { trouble, .. } => {
                    (NotBuilt::Infrastructure(trouble.clone()), None)
                }
                BuildState::Build(_) | BuildState::Known(_) => return None,
            };
            Some(UnbuiltBot { bot: participant.source.name().to_owned(), reason, log })
        });
        lost.collect()
    }

    pub(super) async fn dry_run(&self, ready: &[PreparedEvent<'_>]) -> Result<RunReport, RunError> {
        let mut events = Vec::new();
        let mut estimates = Vec::new();
        for event in ready {
            estimates.push(self.estimate(event).await?);
            events.push(self.event_report(event).await?);
        }
        let ended = waiting(ready).map_or(RunOutcome::Complete, RunOutcome::MachineFailed);
        Ok(RunReport { ended, events, estimate: Some(estimates) })
    }

    /// Returns the number of bouts left to play, and the estimated time.
    async fn estimate(&self, ready: &PreparedEvent<'_>) -> Result<EventEstimate, RunError> {
        let players = ready.field.players();
        let plans = self.plans(ready, &players);
        let mean = self.store.mean_duration(&ready.event.id).await?;
        let equipment = Arc::new(self.equip(ready));
        let parallel = self.executor(&equipment).parallel();
        let durations = BoutDurations { mean, games: &equipment.games, parallel };
        let missing = ready.field.playable(plans.unfinished(&ready.finished));
        // Thousands of bots have millions of bouts.
        let missing = missing.take_while(|_| !self.cancel.is_cancelled());
        let estimate = estimate(&ready.event.id, missing, &durations);
        self.insist_on_running()?;
        Ok(EventEstimate { round: plans.round_state(), ..estimate })
    }

    pub(super) async fn announce(&self, ready: &PreparedEvent<'_>) -> Result<(), RunError> {
        self.listener.notice(&Notice::Planned(self.estimate(ready).await?));
        Ok(())
    }
}

/// Durations of an event's bouts.
struct BoutDurations<'a> {
    /// Mean of the bouts that were played, if any was.
    mean: Option<Duration>,
    /// Games, whose clocks may end.
    games: &'a Catalogue,
    /// Bouts at once.
    parallel: usize,
}

/// Estimates the duration of bouts that come in schedule order.
fn estimate(
    event: &str,
    missing: impl Iterator<Item = BoutPlan>,
    durations: &BoutDurations<'_>,
) -> EventEstimate {
    let (mut bouts, mut matches, mut time) = (0, 0, Some(Duration::ZERO));
    let mut newest = None;
    for plan in missing {
        bouts += 1;
        matches += u64::from(newest.replace(plan.match_number) != Some(plan.match_number));
        let of_bout = durations.mean.or_else(|| longest(durations.games, &plan));
        time = time.zip(of_bout).map(|(time, of_bout)| time.saturating_add(of_bout));
    }
    let parallel = u32::try_from(durations.parallel.max(1)).unwrap_or(1);
    let time = time.map_or(ExpectedTime::Unknown, |time| match durations.mean {
        Some(_) => ExpectedTime::Measured(time / parallel),
        None => ExpectedTime::AtMost(time / parallel),
    });
    EventEstimate { event: event.to_owned(), round: None, bouts, matches, time }
}

/// Returns the longest duration of a bout whose clock ends: no pace is slower than real time.
fn longest(games: &Catalogue, plan: &BoutPlan) -> Option<Duration> {
    let clock = games.find(&plan.game)?.spec().clock(&plan.options.to_referee())?;
    let ticks = Duration::from_millis(u64::from(clock.tick_ms) * u64::from(clock.ticks));
    let first = Duration::from_millis(clock.first_ms.into());
    (clock.ticks < u32::MAX).then(|| plan.limits.start + first + ticks)
}

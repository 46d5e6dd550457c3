//! Report of a run, or of a dry run.

use std::path::PathBuf;
use std::sync::Arc;

use super::{PreparedEvent, Run, RunError, RunMode, waiting};
use crate::pipeline::estimate::{BoutDurations, estimate};
use crate::pipeline::failing::{self, Failing};
use crate::pipeline::league::RunOutcome;
use crate::pipeline::roster::BuildState;
use joust_model::RoundState;
use joust_model::notices::{EventEstimate, Notice};
use joust_play::executor::Executor;
use joust_store::UnjudgedBout;
use joust_toolchain::NotBuilt;

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
        let found = match self.options.mode {
            RunMode::Play => self.reconcile(ready, &players).await?,
            // Whoever only asks what would be played changes no standings.
            RunMode::MakeReady | RunMode::DryRun => self.comparison(ready, &players).await?.found,
        };
        let share = self.share(ready, &players, &found);
        let missing = share.scheduled - share.finished;
        let failing = match self.options.mode {
            RunMode::Play => failing::failing(&self.store, &ready.event.id, &players).await?,
            RunMode::MakeReady | RunMode::DryRun => Vec::new(),
        };
        Ok(EventReport {
            event: ready.event.id.clone(),
            players: players.len(),
            bouts: found.scheduled,
            share: share.scheduled,
            missing,
            elsewhere: found.scheduled - found.finished() - missing,
            round: self.all_plans(ready.event, &players, &ready.record).round_state(),
            not_built: self.lost(ready),
            failing,
            referee_errors: self.store.referee_errors(&ready.event.id).await?,
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
        let plans = self.plans(ready.event, &players, &ready.record);
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

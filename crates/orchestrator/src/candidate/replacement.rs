//! Replacement of a bot: is the new version stronger than the one it replaces?
//!
//! The two meet in mirror pairs of an event of their own, in a database of their own. The event's
//! id has the new version's build in it, so that another version draws other seeds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::report::{TestAnswer, TestState, TryOutcome};
use super::session::{CandidateSession, DeadlinePolicy, SessionLimits, staged};
use crate::pipeline::{RunError, RunMode, RunOptions, RunOutcome};
use joust_bots::BotSource;
use joust_config::{Event, Tournament};
use joust_model::BuildHash;
use joust_model::cancel::Cancel;
use joust_model::notices::Listener;
use joust_standings::ratings::sprt::{SequentialTest, Sprt};

/// Highest grade of a mirror pair.
const BOTH_WON: usize = 4;

/// Settings of the gate.
#[derive(Clone, Debug)]
pub struct GateSettings {
    /// The test, in normalised Elo.
    pub test: Sprt,
    /// The most mirror pairs that are played.
    pub most_pairs: u32,
    /// Database of the bouts.
    pub database: PathBuf,
}

/// Result of the gate for a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// The event the bot is of.
    pub event: String,
    /// The event its bouts are kept under.
    pub gate_event: String,
    /// The bot.
    pub bot: String,
    /// State of the test.
    #[serde(flatten)]
    pub test: TestState,
    /// Reason why there is no decision.
    pub reason: Option<String>,
    /// The mirror pairs that counted, by their score 0, ¼, ½, ¾ and 1.
    pub classes: Vec<u64>,
    /// Bouts that are recorded, those that did not count included.
    pub recorded: u64,
    /// The difference as it shows, with the ends of its 95 % interval, logistic Elo.
    pub difference: Option<[f64; 3]>,
    /// Likelihood that the new version is the stronger one.
    pub superiority: Option<f64>,
}

/// A bot and the version that it replaces.
pub(crate) struct Replacement<'a> {
    pub(crate) tournament: &'a Tournament,
    pub(crate) event: &'a Event,
    pub(crate) now: BotSource,
    pub(crate) key: BuildHash,
    pub(crate) before: BotSource,
    pub(crate) settings: &'a GateSettings,
    pub(crate) options: &'a RunOptions,
    /// End of the budget.
    pub(crate) until: Option<Instant>,
}

impl Replacement<'_> {
    /// Plays until the test can tell.
    pub(crate) async fn play(
        &self,
        listener: &Arc<dyn Listener>,
        cancel: &Cancel,
    ) -> Result<(GateReport, RunOutcome), RunError> {
        let bot = self.now.name();
        let session = self.session(bot, Arc::clone(listener), cancel);
        let most_rounds = self.settings.most_pairs.max(1);
        let limits =
            SessionLimits { most_rounds, until: self.until, at_end: DeadlinePolicy::FinishBouts };
        let first = session.begin(RunMode::Play, &limits).await?;
        let mut failed = first.events.iter().flat_map(|event| &event.not_built);
        if let Some(failed) = failed.next() {
            let whose = if failed.bot == bot { "it" } else { "the version it replaces" };
            let reason = Some(format!("{whose} cannot be built"));
            let report = GateReport { reason, ..self.without_bouts(TestAnswer::NotAsked) };
            return Ok((report, first.ended));
        }
        if let RunOutcome::MachineFailed(_) = first.ended {
            let judged = session.judge(&session.recorded().await?);
            return Ok((self.report(&judged.test, judged.bouts), first.ended));
        }
        let played = session.play(&limits, &|_, _| ()).await?;
        let mut report = self.report(&played.judged.test, played.judged.bouts);
        let ended = match played.end {
            Ok(TryOutcome::Decided | TryOutcome::RefereeFailed) => RunOutcome::Complete,
            Ok(TryOutcome::TimeOver) => {
                report.test.answer = TestAnswer::Unfinished;
                RunOutcome::BudgetUsedUp
            }
            Ok(TryOutcome::Interrupted) => RunOutcome::Interrupted,
            Err(reason) => RunOutcome::MachineFailed(reason),
        };
        Ok((report, ended))
    }

    fn session<'b>(
        &'b self,
        bot: &'b str,
        listener: Arc<dyn Listener>,
        cancel: &'b Cancel,
    ) -> CandidateSession<'b> {
        let mut before = self.before.clone();
        before.manifest.name = format!("{bot} (base)");
        let mut event = self.event.clone();
        event.players_per_match = 2;
        let (id, database) = (self.id(), &self.settings.database);
        CandidateSession {
            bot,
            tournament: staged(self.tournament, &event, id, bot, database),
            sources: vec![self.now.clone(), before],
            options: self.options,
            test: self.settings.test,
            last: None,
            listener,
            cancel,
        }
    }

    fn id(&self) -> String {
        let version = self.key.to_string();
        format!("gate-{}-{}-{}", self.event.id, self.now.name(), &version[..8])
    }

    fn report(&self, test: &SequentialTest, recorded: u64) -> GateReport {
        let estimate = test.estimate();
        GateReport {
            event: self.event.id.clone(),
            gate_event: self.id(),
            bot: self.now.name().to_owned(),
            test: TestState::of(test),
            reason: None,
            classes: test.counts().to_vec(),
            recorded,
            difference: estimate.map(|found| [found.elo, found.interval[0], found.interval[1]]),
            superiority: estimate.map(|found| found.superiority),
        }
    }

    /// Returns the report of a test for which nothing was played.
    pub(crate) fn without_bouts(&self, answer: TestAnswer) -> GateReport {
        let mut report = self.report(&SequentialTest::new(self.settings.test, BOTH_WON), 0);
        report.test.answer = answer;
        report
    }
}

//! Session of a candidate: bouts in batches until a sequential test has decided.
//!
//! The candidate sits in every match of an event of its own, which is played in mirror sets.
//! Bouts are begun in batches, and the test looks at the sets in the order of the schedule: which
//! of them count does not depend on how many are played at once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use joust_bots::BotSource;
use joust_config::{Event, Examples, Logs, Tournament};
use joust_model::notices::{Listener, Notice, relay};
use joust_model::{BotRow, BoutSummary, ScheduleKind, Seats, is_referee_error, on_one_line};
use joust_standings::ratings::sprt::Sprt;
use joust_standings::schedule;
use joust_store::{Access, Store, StoreError, UnjudgedBout};

use super::judge::{CandidateEvidence, CandidateJudgement};
use super::report::TryOutcome;
use super::versions::LastVersion;
use crate::pipeline::{
    self, BotSelection, BoutFilter, BoutSelection, Failing, RunError, RunMode, RunOptions,
    RunOutcome, RunReport, Strictness,
};
use joust_model::cancel::Cancel;

/// Fewest mirror sets of a batch: the field is examined again for each.
const BATCH: usize = 12;

/// A batch is ended when its referee has failed so often, because more bouts would fail, too.
const MOST_REFEREE_ERRORS: u32 = 3;

/// Bouts of a candidate against its opponents.
pub(super) struct CandidateSession<'a> {
    /// Name of the candidate.
    pub(super) bot: &'a str,
    /// Tournament of one event, made by [`staged`].
    pub(super) tournament: Tournament,
    /// The candidate and its opponents, in order of their names.
    pub(super) sources: Vec<BotSource>,
    /// Options of the runs: `jobs`, `sharing`, `isolation`, `workers` and `cache` count.
    pub(super) options: &'a RunOptions,
    pub(super) test: Sprt,
    /// Version of the candidate to compare with.
    pub(super) last: Option<LastVersion>,
    pub(super) listener: Arc<dyn Listener>,
    pub(super) cancel: &'a Cancel,
}

/// Limits of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionLimits {
    /// Mirror sets of each match.
    pub(super) most_rounds: u32,
    /// End of the time for bouts.
    pub(super) until: Option<Instant>,
    pub(super) at_end: DeadlinePolicy,
}

/// Treatment of bouts under way when the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeadlinePolicy {
    /// They are ended and do not count.
    EndBouts,
    /// They are played to their end.
    FinishBouts,
}

impl SessionLimits {
    fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
}

/// Results on record.
pub(super) struct SessionRecord {
    bouts: Vec<BoutSummary>,
    pub(super) rows: Vec<BotRow>,
    /// The opponents of each match, in the order of the schedule.
    pub(super) groups: Vec<Vec<String>>,
}

/// Progress of a session.
pub(super) struct SessionProgress {
    pub(super) began: Instant,
    /// Number of bouts, and of whole rounds, that were played before.
    pub(super) before: u64,
    rounds_before: u32,
    /// Bots that failed in every turn.
    pub(super) failing: Vec<Failing>,
    /// Bouts that the referee could not finish: a line each, escaped.
    pub(super) referee_errors: Vec<String>,
}

/// A session that has ended.
pub(super) struct PlayedSession {
    pub(super) judged: CandidateJudgement,
    pub(super) bouts: Vec<BoutSummary>,
    pub(super) progress: SessionProgress,
    /// Ending; the reason if the machine failed.
    pub(super) end: Result<TryOutcome, String>,
}

impl SessionProgress {
    /// Returns how many more rounds fit in the time that is left, estimated from those played so
    /// far; 1 where none is known. A round that is only partly played has met some opponents and
    /// not others.
    fn rounds_that_fit(&self, rounds: u32, left: Option<Duration>) -> u32 {
        let Some(left) = left else { return u32::MAX };
        let known = rounds.saturating_sub(self.rounds_before);
        let each = self.began.elapsed().checked_div(known);
        let fit = each.and_then(|each| left.as_micros().checked_div(each.as_micros()));
        fit.map_or(1, |fit| u32::try_from(fit).unwrap_or(u32::MAX).max(1))
    }
}

impl CandidateSession<'_> {
    /// Returns the event that is played.
    pub(super) fn event(&self) -> &Event {
        &self.tournament.events[0]
    }

    /// Plays the missing bouts of the rounds that were begun, or prepares them.
    pub(super) async fn begin(
        &self,
        mode: RunMode,
        limits: &SessionLimits,
    ) -> Result<RunReport, RunError> {
        let rounds = self.rounds_begun().await?;
        self.run_until(rounds, mode, limits).await?.ok_or(RunError::Interrupted)
    }

    /// Plays in batches until the test has decided or something else ends it; `watch` sees the
    /// state before each batch.
    pub(super) async fn play(
        &self,
        limits: &SessionLimits,
        watch: &(dyn Fn(&CandidateJudgement, &SessionProgress) + Sync),
    ) -> Result<PlayedSession, RunError> {
        let mut recorded = self.recorded().await?;
        let mut judged = self.judge(&recorded);
        let mut progress = SessionProgress {
            began: Instant::now(),
            before: judged.bouts,
            rounds_before: judged.rounds,
            failing: Vec::new(),
            referee_errors: Vec::new(),
        };
        let end = loop {
            let left = limits.left();
            match () {
                () if judged.is_decided || judged.rounds >= limits.most_rounds => {
                    break Ok(TryOutcome::Decided);
                }
                () if self.cancel.is_cancelled() => break Ok(TryOutcome::Interrupted),
                // Such a bout is not played again, and later sets do not count without it.
                () if !progress.referee_errors.is_empty() => break Ok(TryOutcome::RefereeFailed),
                () if left.is_some_and(|left| left.is_zero()) => break Ok(TryOutcome::TimeOver),
                () => watch(&judged, &progress),
            }
            let fit = progress.rounds_that_fit(judged.rounds, left);
            let rounds = next(judged.rounds, recorded.groups.len(), fit).min(limits.most_rounds);
            let run = self.run_until(rounds, RunMode::Play, limits).await?;
            recorded = self.recorded().await?;
            judged = self.judge(&recorded);
            let Some(run) = run else { continue };
            if let RunOutcome::MachineFailed(reason) = run.ended {
                break Err(reason);
            }
            let unjudged = run.events.iter().flat_map(|event| &event.referee_errors);
            progress.referee_errors = unjudged.map(describe).collect();
            progress.failing = run.events.into_iter().flat_map(|event| event.failing).collect();
        };
        Ok(PlayedSession { judged, bouts: recorded.bouts, progress, end })
    }

    pub(super) fn judge(&self, recorded: &SessionRecord) -> CandidateJudgement {
        let SessionRecord { bouts, rows, groups } = recorded;
        let (bot, players) = (self.bot, self.event().players_per_match);
        CandidateEvidence { bot, players, groups, bouts, rows, last: self.last.as_ref() }
            .judge(self.test)
    }

    /// Returns how many rounds have a result, at least 1: a run with fewer would not count the
    /// others.
    async fn rounds_begun(&self) -> Result<u32, StoreError> {
        if !self.tournament.database.exists() {
            return Ok(1);
        }
        let bouts = self.recorded().await?.bouts;
        let bouts = bouts.iter().map(|bout| bout.number + 1).max().unwrap_or(0);
        Ok(bouts.div_ceil(self.event().players_per_match.max(2).into()).max(1))
    }

    /// Reads the recorded results.
    pub(super) async fn recorded(&self) -> Result<SessionRecord, StoreError> {
        let store = Store::open(&self.tournament.database, Access::ReadOnly).await?;
        let event = &self.event().id;
        let (bouts, rows) = (store.results(event).await, store.bots(event).await);
        store.close().await;
        let rows = rows?;
        Ok(SessionRecord { bouts: bouts?, groups: self.groups(&rows), rows })
    }

    /// Returns the opponents of each match among the bots that play, each sorted, in the order of
    /// the schedule.
    fn groups(&self, rows: &[BotRow]) -> Vec<Vec<String>> {
        let mut names: Vec<&str> = playing(rows).map(|row| &*row.name).collect();
        names.retain(|name| self.sources.iter().any(|source| source.name() == *name));
        names.sort_unstable();
        let schedule = schedule::for_event(&self.tournament, self.event(), &names);
        let others = |group: Vec<usize>| {
            let mut others: Vec<String> = group.iter().map(|bot| names[*bot].to_owned()).collect();
            others.retain(|other| *other != self.bot);
            others.sort();
            others
        };
        schedule.iter().flat_map(|whole| whole.matches()).map(others).collect()
    }

    /// Runs until the time is over; `None` when it was over before anything could be played.
    async fn run_until(
        &self,
        rounds: u32,
        mode: RunMode,
        limits: &SessionLimits,
    ) -> Result<Option<RunReport>, RunError> {
        let over = Cancel::default();
        let stop = || {
            let over = over.clone();
            move || over.cancel()
        };
        let _stopped = self.cancel.on_cancel(stop());
        let left = limits.left().filter(|_| limits.at_end == DeadlinePolicy::EndBouts);
        let timer = left.map(|left| {
            let end = stop();
            tokio::spawn(async move {
                tokio::time::sleep(left).await;
                end();
            })
        });
        let run = self.run(rounds, mode, limits, over.clone()).await;
        timer.iter().for_each(tokio::task::JoinHandle::abort);
        match run {
            Err(RunError::Interrupted) if !self.cancel.is_cancelled() => Ok(None),
            other => other.map(Some),
        }
    }

    async fn run(
        &self,
        rounds: u32,
        mode: RunMode,
        limits: &SessionLimits,
        cancel: Cancel,
    ) -> Result<RunReport, RunError> {
        let mut tournament = self.tournament.clone();
        for event in &mut tournament.events {
            event.bouts = rounds.saturating_mul(event.players_per_match.max(2).into());
        }
        let budget = limits.left().filter(|_| limits.at_end == DeadlinePolicy::FinishBouts);
        let options = RunOptions {
            selection: BoutFilter::default(),
            budget: budget.map(|left| left.max(Duration::from_millis(1))),
            replay: BoutSelection::Unfinished,
            strictness: Strictness::Lenient,
            mode,
            ..self.options.clone()
        };
        let bots = BotSelection::Given(vec![self.sources.clone()]);
        let listener = limit_referee_errors(Arc::clone(&self.listener), cancel.clone());
        pipeline::run(&tournament, &options, bots, listener, cancel).await
    }
}

/// Returns the bots that can play.
pub(super) fn playing(rows: &[BotRow]) -> impl Iterator<Item = &BotRow> {
    rows.iter().filter(|row| row.build.is_some() && row.sits_out.is_none())
}

/// Returns a tournament of one event, `id`, in which `bot` sits in every match of `event`, in
/// mirror sets.
pub(super) fn staged(
    tournament: &Tournament,
    event: &Event,
    id: String,
    bot: &str,
    database: &Path,
) -> Tournament {
    let mut played = event.clone();
    played.id = id;
    played.schedule = ScheduleKind::Gauntlet { bots: vec![bot.to_owned()] };
    played.mirror = true;
    played.seats = Seats::Drawn;
    played.deadline = None;
    played.examples = Examples::Keep;
    played.logs = Logs::All;
    let mut tournament = tournament.clone();
    tournament.events = vec![played];
    tournament.database = database.to_owned();
    tournament
}

/// Names a bout that a referee could not finish, with the reason.
fn describe(UnjudgedBout { bout, reason }: &UnjudgedBout) -> String {
    format!("bout {bout}: {}", on_one_line(reason))
}

/// Returns the number of rounds after the next batch. It grows by enough rounds for [`BATCH`] sets,
/// or by a third if that is more, so that a long session is judged seldom; but by no more than
/// `fit`.
fn next(rounds: u32, groups: usize, fit: u32) -> u32 {
    let least = u32::try_from(BATCH.div_ceil(groups.max(1))).unwrap_or(1);
    rounds.saturating_add(least.max(rounds / 3).min(fit))
}

/// Returns the listener of one batch, which ends it when its referee fails again and again.
fn limit_referee_errors(inner: Arc<dyn Listener>, batch: Cancel) -> Arc<dyn Listener> {
    let errors = AtomicU32::new(0);
    relay(inner, move |notice, inner| {
        if let Notice::BoutFinished(result) = notice
            && is_referee_error(&result.ended)
            && errors.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_REFEREE_ERRORS
        {
            batch.cancel();
        }
        inner.notice(notice);
    })
}

#[cfg(test)]
mod tests {
    use joust_model::notices::NullListener;
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn a_batch_is_ended_when_its_referee_fails_again_and_again() {
        let (_, mut result) = fixtures::bout("league", ["ann", "bob"], 0);
        result.ended = joust_model::referee_error("it is gone");
        let failed = Notice::BoutFinished(Box::new(result));
        let cancel = Cancel::default();
        let batch = || limit_referee_errors(Arc::new(NullListener), cancel.clone());
        batch().notice(&failed);
        let second = batch();
        (1..MOST_REFEREE_ERRORS).for_each(|_| second.notice(&failed));
        assert!(!cancel.is_cancelled(), "those of the batch before do not count");
        second.notice(&failed);
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn a_batch_has_a_dozen_sets_or_one_round_and_grows_with_what_there_is() {
        let next = |rounds, groups| super::next(rounds, groups, u32::MAX);
        assert_eq!([next(0, 1), next(0, 5), next(0, 300)], [12, 3, 1]);
        assert_eq!([next(12, 5), next(60, 5), next(9, 300)], [16, 80, 12]);
    }

    #[test]
    fn a_batch_has_one_round_at_first_and_no_more_than_the_time_that_is_left() {
        let began =
            Instant::now().checked_sub(Duration::from_secs(20)).expect("it runs for longer");
        let (failing, referee_errors) = (vec![], vec![]);
        let progress =
            SessionProgress { began, before: 8, rounds_before: 3, failing, referee_errors };
        let fit = |rounds, left| progress.rounds_that_fit(rounds, Some(Duration::from_secs(left)));
        assert_eq!(next(3, 5, fit(3, 100)), 4, "nothing is known of this machine");
        assert_eq!(next(4, 5, fit(4, 100)), 7);
        assert_eq!(next(4, 5, fit(4, 50)), 6, "two of 20 s each");
        assert_eq!(next(4, 5, fit(4, 1)), 5);
        assert_eq!(progress.rounds_that_fit(4, None), u32::MAX);
    }
}

//! Session of a try: plays in batches until it is decided, and reports.

use async_recursion::async_recursion as boxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_bots::NotBuilt;
use joust_config::Tournament;
use joust_model::notices::{Listener, Notice};
use joust_model::{BotRow, BoutSummary, on_one_line};
use joust_store::{Access, Store, StoreError, Unjudged};
use joust_tables::ratings::sprt::Sprt;

use super::audience::{Audience, Hearing};
use super::judge::{self, Evidence, Judged};
use super::rank::{self, League};
use super::report::{End, Report};
use super::request::{CandidateError, Request};
use super::stage::Stage;
use super::versions::LastVersion;
use crate::pipeline::{
    self, Cancel, Ended, Failing, Mode, Replay, RunError, RunOptions, RunReport, Strictness,
    Workshop,
};

/// A batch has at least so many mirror sets: the field is looked at anew for each.
const BATCH: usize = 12;

/// The most rounds of a try.
const MOST_ROUNDS: u32 = 10_000;

/// Tries a bot.
///
/// # Errors
///
/// [`CandidateError`] when nothing could be played.
#[boxed]
pub async fn try_bot<'a>(
    request: &'a Request,
    audience: Audience<'a>,
    cancel: Cancel,
) -> Result<Report, CandidateError> {
    let Audience { listener, watch, spectators } = audience;
    let workshop = Workshop::open(&request.tournament, &request.run.cache, request.run.isolation)?;
    let stage = Stage::set(request, &workshop.stopped_by(&cancel), &*listener)?;
    let folder = stage.place.folder().clone();
    let unmade = |source| CandidateError::Folder { folder: folder.clone(), source };
    stage.place.make().map_err(unmade)?;
    let last = stage.place.last_before(&stage.version);
    prepare(&stage, request, last.as_deref()).await?;
    let last = match last {
        Some(version) => read_last(&stage, &version, &*listener).await,
        None => None,
    };
    let spectators = spectators(stage.database())?;
    let listener = Arc::new(Hearing::new(stage.name.clone(), listener, spectators));
    let test = judge::test().expect("it is a test");
    let session = Session { request, stage, last, test, listener, cancel };
    let report = session.play(watch).await;
    session.close().await;
    session.stage.place.note(&session.stage.version).map_err(unmade)?;
    report
}

/// A version that cannot be read is none to compare with.
async fn read_last(
    stage: &Stage<'_>,
    version: &str,
    listener: &dyn Listener,
) -> Option<LastVersion> {
    let database = stage.place.database(version);
    let read = LastVersion::read(version, &database, &stage.played().id, &stage.name).await;
    let tell = |error: &StoreError| {
        let text = format!("version {version} cannot be compared with: {error}");
        listener.notice(&Notice::Warning(text));
    };
    read.inspect_err(tell).ok()
}

/// Takes over what languages cost on this machine, so that only the first version measures it
/// and all have the same limits.
async fn prepare(
    stage: &Stage<'_>,
    request: &Request,
    last: Option<&str>,
) -> Result<(), CandidateError> {
    if stage.database().exists() {
        return Ok(());
    }
    let store = Store::open(stage.database(), Access::CreateOrOpen).await?;
    let tournament = &request.tournament;
    store.put_tournament(&pipeline::tournament_row(tournament)).await?;
    let from = last.map(|version| stage.place.database(version));
    let from = from.unwrap_or_else(|| tournament.database.clone());
    if let Ok(other) = Store::open(&from, Access::ReadOnly).await {
        let machine = pipeline::machine_name();
        for calibration in other.calibrations(&machine).await.unwrap_or_default() {
            store.put_calibration(&calibration).await?;
        }
        other.close().await;
    }
    store.close().await;
    Ok(())
}

struct Session<'a> {
    request: &'a Request,
    stage: Stage<'a>,
    last: Option<LastVersion>,
    test: Sprt,
    listener: Arc<Hearing>,
    cancel: Cancel,
}

/// Recorded results.
struct Recorded {
    bouts: Vec<BoutSummary>,
    rows: Vec<BotRow>,
    groups: Vec<Vec<String>>,
}

/// State of a session.
struct Progress {
    began: Instant,
    /// Bouts, and whole rounds, that there were before.
    before: u64,
    rounds_before: u32,
    not_built: Vec<String>,
    /// Bots that failed in every turn.
    failing: Vec<Failing>,
}

impl Progress {
    /// Returns how many rounds more are played in the time that is left, as far as those so far tell; 1
    /// where none is known. A round that stays in pieces has met some opponents and not others.
    fn rounds_that_fit(&self, rounds: u32, left: Duration) -> u32 {
        let known = rounds.saturating_sub(self.rounds_before);
        let each = self.began.elapsed().checked_div(known);
        let fit = each.and_then(|each| left.as_micros().checked_div(each.as_micros()));
        fit.map_or(1, |fit| u32::try_from(fit).unwrap_or(u32::MAX).max(1))
    }
}

impl Session<'_> {
    async fn play(&self, watch: &(dyn Fn(&Report) + Sync)) -> Result<Report, CandidateError> {
        let not_built = self.make_ready().await?;
        let mut recorded = self.recorded().await?;
        self.insist_on_opponents(&recorded)?;
        let before = recorded.bouts.len() as u64;
        let rounds_before = self.judge(&recorded).rounds;
        let (began, failing) = (Instant::now(), Vec::new());
        let mut progress = Progress { began, before, rounds_before, not_built, failing };
        let mut referee_errors = Vec::new();
        loop {
            let judged = self.judge(&recorded);
            let left = self.request.time.saturating_sub(progress.began.elapsed());
            let fit = progress.rounds_that_fit(judged.rounds, left);
            let rounds = next(judged.rounds, recorded.groups.len(), fit);
            let end = match () {
                () if judged.is_decided || rounds > MOST_ROUNDS => Some(End::Decided),
                () if self.cancel.is_cancelled() => Some(End::Interrupted),
                // Such a bout is not played again, and later sets do not count without it.
                () if !referee_errors.is_empty() => Some(End::RefereeFailed),
                () if left.is_zero() => Some(End::TimeOver),
                () => None,
            };
            if let Some(end) = end {
                let league = self.league().await;
                let report = self.report(judged, end, &progress);
                let rank = rank::rank(&self.stage, &recorded.bouts, league);
                return Ok(Report { rank, referee_errors, ..report });
            }
            watch(&self.report(judged, End::TimeOver, &progress));
            let run = self.run_until(rounds, left).await?;
            recorded = self.recorded().await?;
            let Some(run) = run else { continue };
            if let Ended::MachineFailed(reason) = run.ended {
                return Err(RunError::Machine(reason).into());
            }
            let unjudged = run.events.iter().flat_map(|event| &event.referee_errors);
            referee_errors = unjudged.map(told).collect();
            progress.failing = run.events.into_iter().flat_map(|event| event.failing).collect();
        }
    }

    /// Builds who plays; returns those of the field that cannot be built.
    async fn make_ready(&self) -> Result<Vec<String>, CandidateError> {
        let run = self.run(self.rounds_begun().await?, Mode::MakeReady, self.cancel.clone());
        let run = run.await?;
        let failed = run.events.into_iter().flat_map(|event| event.failed);
        let mut others = Vec::new();
        for (bot, reason) in failed {
            match reason {
                NotBuilt::Infrastructure(trouble) => return Err(RunError::Machine(trouble).into()),
                reason if bot == self.stage.name => {
                    let (game, reason) = (self.game(), reason.to_string());
                    return Err(CandidateError::NotBuilt { bot, game, reason });
                }
                _ => others.push(bot),
            }
        }
        Ok(others)
    }

    /// Returns how many rounds have a result, at least 1: a run with fewer would not count the
    /// others.
    async fn rounds_begun(&self) -> Result<u32, StoreError> {
        let store = Store::open(self.stage.database(), Access::ReadOnly).await?;
        let bouts = store.results(&self.stage.played().id).await;
        store.close().await;
        let bouts = bouts?.iter().map(|bout| bout.number + 1).max().unwrap_or(0);
        Ok(bouts.div_ceil(self.stage.played().players_per_match.max(2).into()).max(1))
    }

    fn game(&self) -> String {
        self.stage.event.game.id().to_owned()
    }

    fn insist_on_opponents(&self, recorded: &Recorded) -> Result<(), CandidateError> {
        if !recorded.groups.is_empty() {
            return Ok(());
        }
        let own = recorded.rows.iter().find(|row| row.name == self.stage.name);
        if let Some(reason) = own.and_then(|row| row.sits_out.as_ref()) {
            let (bot, reason) = (self.stage.name.clone(), reason.to_string());
            return Err(CandidateError::NotBuilt { bot, game: self.game(), reason });
        }
        let plays = |row: &&BotRow| row.build.is_some() && row.sits_out.is_none();
        let playing = recorded.rows.iter().filter(plays).count();
        Err(CandidateError::TooFew {
            event: self.stage.event.id.clone(),
            opponents: playing.saturating_sub(1),
            players: self.stage.played().players_per_match,
        })
    }

    /// Plays until the time is over: then bouts under way are ended. `None` when it was over
    /// before anything could be played.
    async fn run_until(&self, rounds: u32, left: Duration) -> Result<Option<RunReport>, RunError> {
        let over = Cancel::default();
        let stop = || {
            let over = over.clone();
            move || over.cancel()
        };
        let _stopped = self.cancel.on_cancel(stop());
        self.listener.stop_after_referee_errors(&over);
        let end = stop();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(left).await;
            end();
        });
        let run = self.run(rounds, Mode::Play, over.clone()).await;
        timer.abort();
        match run {
            Err(RunError::Interrupted) if !self.cancel.is_cancelled() => Ok(None),
            other => other.map(Some),
        }
    }

    async fn run(&self, rounds: u32, mode: Mode, cancel: Cancel) -> Result<RunReport, RunError> {
        let tournament: Tournament = self.stage.tournament(rounds);
        let options = RunOptions {
            events: Vec::new(),
            only: Vec::new(),
            shard: None,
            budget: None,
            replay: Replay::Unfinished,
            strictness: Strictness::Lenient,
            mode,
            ..self.request.run.clone()
        };
        let sources = vec![self.stage.sources.clone()];
        let listener = self.listener.clone();
        pipeline::run_with(&tournament, &options, sources, listener, cancel).await
    }

    async fn recorded(&self) -> Result<Recorded, StoreError> {
        let store = Store::open(self.stage.database(), Access::ReadOnly).await?;
        let event = &self.stage.played().id;
        let (bouts, rows) = (store.results(event).await, store.bots(event).await);
        store.close().await;
        let rows = rows?;
        Ok(Recorded { bouts: bouts?, groups: self.stage.groups(&rows), rows })
    }

    /// Returns what the league's results come to, if there are any that can be read.
    async fn league(&self) -> League {
        let (database, nothing) = (&self.request.tournament.database, League::of(&self.stage));
        if !database.exists() {
            return nothing;
        }
        let read = async {
            let store = Store::open(database, Access::ReadOnly).await?;
            let (id, none) = (&self.stage.event.id, nothing.clone());
            let add = |league: &mut League, bout: BoutSummary| league.add(&bout);
            let league = match none.needs_order() {
                true => store.fold_in_order(id, none, add).await,
                false => store.fold_results(id, none, add).await,
            };
            store.close().await;
            league
        };
        let tell = |error: &StoreError| {
            let text = format!("the league's results do not count: {error}");
            self.listener.notice(&Notice::Warning(text));
        };
        read.await.inspect_err(tell).unwrap_or(nothing)
    }

    /// Tells who looks on that nothing more comes, and joins the newest results with the
    /// database, which nobody reads then.
    async fn close(&self) {
        if !self.listener.close() {
            return;
        }
        match Store::open(self.stage.database(), Access::CreateOrOpen).await {
            Ok(store) => _ = store.close().await,
            Err(error) => tracing::debug!(%error, "the database stays in two files"),
        }
    }

    fn judge(&self, recorded: &Recorded) -> Judged {
        let Recorded { bouts, rows, groups } = recorded;
        let last = self.last.as_ref();
        Evidence { bot: &self.stage.name, groups, bouts, rows, last }.judge(self.test)
    }

    fn report(&self, judged: Judged, ended: End, progress: &Progress) -> Report {
        Report {
            bot: self.stage.name.clone(),
            version: self.stage.version.clone(),
            event: self.stage.event.id.clone(),
            game: self.game(),
            database: self.stage.database().to_owned(),
            try_event: self.stage.played().id.clone(),
            ended,
            bouts: judged.bouts,
            played: judged.bouts.saturating_sub(progress.before),
            ended_early: self.listener.under_way(),
            took: progress.began.elapsed(),
            opponents: judged.opponents,
            not_built: progress.not_built.clone(),
            turns: judged.turns,
            faults: judged.faults,
            failing: progress.failing.clone(),
            referee_errors: Vec::new(),
            field: judged.field,
            last: judged.last,
            rank: None,
        }
    }
}

/// Names a bout that a referee could not finish, with the reason.
fn told(Unjudged { bout, reason }: &Unjudged) -> String {
    format!("bout {bout}: {}", on_one_line(reason))
}

/// Returns how many rounds there are after the next batch: at least [`BATCH`] sets more, and
/// a third of what there is, so that a long try stops to look seldom; but no more than `fit`.
fn next(rounds: u32, groups: usize, fit: u32) -> u32 {
    let least = u32::try_from(BATCH.div_ceil(groups.max(1))).unwrap_or(1);
    rounds + least.max(rounds / 3).min(fit)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let progress =
            Progress { began, before: 8, rounds_before: 3, not_built: vec![], failing: vec![] };
        let fit = |rounds, left| progress.rounds_that_fit(rounds, Duration::from_secs(left));
        assert_eq!(next(3, 5, fit(3, 100)), 4, "nothing is known of this machine");
        assert_eq!(next(4, 5, fit(4, 100)), 7);
        assert_eq!(next(4, 5, fit(4, 50)), 6, "two of 20 s each");
        assert_eq!(next(4, 5, fit(4, 1)), 5);
    }
}

//! Try of a bot: a session against the field, and the rank that the candidate would have.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use async_recursion::async_recursion as boxed;
use joust_config::SeedSource;
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice};
use joust_model::{BoutId, BoutSummary};
use joust_standings::ratings::sprt::Sprt;
use joust_store::{Access, Store, StoreError};
use joust_toolchain::NotBuilt;
use parking_lot::Mutex;

use super::judge::CandidateJudgement;
use super::rank::{self, LeagueResults};
use super::report::{TryCourse, TryOutcome, TryReport, TrySubject};
use super::session::{
    CandidateSession, DeadlinePolicy, PlayedSession, SessionLimits, SessionProgress, SessionRecord,
    playing, staged,
};
use super::stage::{CandidateError, TryRequest, TryStage};
use super::versions::LastVersion;
use crate::machine::{Machine, machine_name};
use crate::pipeline::{self, RunError, RunMode, UnbuiltBot};

/// The differences of H0 and H1, normalised Elo. They are symmetric, so that a bot above the
/// field's average is detected as reliably as one below it.
const ELO: [f64; 2] = [-50.0, 50.0];

/// Error rates: H1 accepted where H0 holds, and the reverse.
const RATES: [f64; 2] = [0.05, 0.05];

/// The most rounds of a try.
const MOST_ROUNDS: u32 = 10_000;

/// Returns the sequential test of a try.
pub(super) fn usual_test() -> Sprt {
    Sprt::new(ELO, RATES[0], RATES[1]).expect("H1 is above H0")
}

/// Tries a bot. `listener` gets events about builds, faults of the machine and bouts; `watch` gets
/// the state after every batch.
///
/// # Errors
///
/// [`CandidateError`] when nothing could be played.
#[boxed]
pub async fn try_bot<'a>(
    request: &'a TryRequest,
    listener: Arc<dyn Listener>,
    watch: &'a (dyn Fn(&TryReport) + Sync),
    cancel: Cancel,
) -> Result<TryReport, CandidateError> {
    let TryRequest { tournament, run, .. } = request;
    let machine = Machine::open(tournament, &run.cache, &run.isolation, &cancel);
    let machine = machine.map_err(RunError::from)?;
    let stage = TryStage::find(request, &machine, &*listener)?;
    let unmade = |source| CandidateError::Folder { folder: stage.folder.folder.clone(), source };
    stage.folder.create().map_err(unmade)?;
    let last = stage.folder.last_before(&stage.version);
    prepare(&stage, request, last.as_deref()).await?;
    let database = stage.folder.database(&stage.version);
    let id = format!("try-{}", stage.event.id);
    let mut tournament = staged(&request.tournament, stage.event, id, &stage.name, &database);
    // Versions are compared by the seeds that they have in common.
    tournament.seed_source = SeedSource::Written;
    tournament.keep_sources = false;
    let last = match last {
        Some(version) => read_last(&stage, &version, &tournament.events[0].id, &*listener).await,
        None => None,
    };
    let listener = Arc::new(NoticeFilter {
        candidate: stage.name.clone(),
        inner: listener,
        under_way: Mutex::default(),
    });
    let session = CandidateSession {
        bot: &stage.name,
        tournament,
        sources: stage.sources.clone(),
        options: &request.run,
        test: usual_test(),
        last,
        listener: listener.clone(),
        cancel: &cancel,
    };
    let attempt = Attempt { request, stage: &stage, session, listener };
    let report = attempt.play(watch).await;
    stage.folder.note(&stage.version).map_err(unmade)?;
    report
}

/// Reads the last version; an unreadable one is ignored.
async fn read_last(
    stage: &TryStage<'_>,
    version: &str,
    event: &str,
    listener: &dyn Listener,
) -> Option<LastVersion> {
    let database = stage.folder.database(version);
    let read = LastVersion::read(version, &database, event, &stage.name).await;
    let warn = |error: &StoreError| {
        listener.warn(format!("version {version} cannot be compared with: {error}"));
    };
    read.inspect_err(warn).ok()
}

/// Reuses the measured costs of languages on this machine, so that only the first version measures
/// them and all versions have the same limits.
async fn prepare(
    stage: &TryStage<'_>,
    request: &TryRequest,
    last: Option<&str>,
) -> Result<(), CandidateError> {
    let database = stage.folder.database(&stage.version);
    if database.exists() {
        return Ok(());
    }
    let store = Store::open(&database, Access::CreateOrOpen).await?;
    let tournament = &request.tournament;
    store.put_tournament(&pipeline::tournament_row(tournament)).await?;
    let from = last.map(|version| stage.folder.database(version));
    let from = from.unwrap_or_else(|| tournament.database.clone());
    if let Ok(other) = Store::open(&from, Access::ReadOnly).await {
        for calibration in other.calibrations(&machine_name()).await.unwrap_or_default() {
            store.put_calibration(&calibration).await?;
        }
        other.close().await;
    }
    store.close().await;
    Ok(())
}

/// A try with everything that it needs.
struct Attempt<'a> {
    request: &'a TryRequest,
    stage: &'a TryStage<'a>,
    session: CandidateSession<'a>,
    listener: Arc<NoticeFilter>,
}

impl Attempt<'_> {
    async fn play(&self, watch: &(dyn Fn(&TryReport) + Sync)) -> Result<TryReport, CandidateError> {
        let mut limits = SessionLimits {
            most_rounds: MOST_ROUNDS,
            until: None,
            at_end: DeadlinePolicy::EndBouts,
        };
        let not_built = self.prepare_bots(&limits).await?;
        self.insist_on_opponents(&self.session.recorded().await?)?;
        limits.until = Some(Instant::now() + self.request.time);
        let report = |judged: &CandidateJudgement, end, progress: &SessionProgress| {
            self.report(judged, end, progress, &not_built)
        };
        let watch = |judged: &CandidateJudgement, progress: &SessionProgress| {
            watch(&report(judged, TryOutcome::TimeOver, progress))
        };
        let played = self.session.play(&limits, &watch).await?;
        let PlayedSession { judged, bouts, progress, end } = played;
        let end = end.map_err(RunError::Machine)?;
        let report = report(&judged, end, &progress);
        let rank = rank::rank(self.stage, &bouts, self.league().await);
        Ok(TryReport { rank, referee_errors: progress.referee_errors, ..report })
    }

    /// Builds the bots; returns those of the field that cannot be built.
    async fn prepare_bots(&self, limits: &SessionLimits) -> Result<Vec<String>, CandidateError> {
        let run = self.session.begin(RunMode::MakeReady, limits).await?;
        let failed = run.events.into_iter().flat_map(|event| event.not_built);
        let mut others = Vec::new();
        for UnbuiltBot { bot, reason, .. } in failed {
            match reason {
                NotBuilt::Infrastructure(trouble) => return Err(RunError::Machine(trouble).into()),
                reason if bot == self.stage.name => {
                    return Err(self.stage.not_built(reason.to_string()));
                }
                _ => others.push(bot),
            }
        }
        Ok(others)
    }

    fn insist_on_opponents(&self, recorded: &SessionRecord) -> Result<(), CandidateError> {
        if !recorded.groups.is_empty() {
            return Ok(());
        }
        let own = recorded.rows.iter().find(|row| row.name == self.stage.name);
        if let Some(reason) = own.and_then(|row| row.sits_out.as_ref()) {
            return Err(self.stage.not_built(reason.to_string()));
        }
        Err(CandidateError::TooFew {
            event: self.stage.event.id.clone(),
            opponents: playing(&recorded.rows).count().saturating_sub(1),
            players: self.session.event().players_per_match,
        })
    }

    /// Returns the summary of the league's results, if there are any that can be read.
    async fn league(&self) -> LeagueResults {
        let (database, nothing) =
            (&self.request.tournament.database, LeagueResults::of(self.stage));
        if !database.exists() {
            return nothing;
        }
        let read = async {
            let store = Store::open(database, Access::ReadOnly).await?;
            let (id, none) = (&self.stage.event.id, nothing.clone());
            let add = |league: &mut LeagueResults, bout: BoutSummary| league.add(&bout);
            let league = match none.needs_order() {
                true => store.fold_in_order(id, none, add).await,
                false => store.fold_results(id, none, add).await,
            };
            store.close().await;
            league
        };
        let warn = |error: &StoreError| {
            self.listener.warn(format!("the league's results do not count: {error}"));
        };
        read.await.inspect_err(warn).unwrap_or(nothing)
    }

    fn report(
        &self,
        judged: &CandidateJudgement,
        ended: TryOutcome,
        progress: &SessionProgress,
        not_built: &[String],
    ) -> TryReport {
        let event = self.stage.event;
        TryReport {
            subject: TrySubject {
                bot: self.stage.name.clone(),
                version: self.stage.version.clone(),
                event: event.id.clone(),
                game: event.game.id().to_owned(),
                database: self.session.tournament.database.clone(),
                try_event: self.session.event().id.clone(),
            },
            course: TryCourse {
                ended,
                bouts: judged.bouts,
                played: judged.bouts.saturating_sub(progress.before),
                ended_early: self.listener.under_way.lock().len() as u64,
                took: progress.began.elapsed(),
            },
            opponents: judged.opponents.clone(),
            not_built: not_built.to_vec(),
            turns: judged.turns,
            faults: judged.faults.clone(),
            failing: progress.failing.clone(),
            referee_errors: Vec::new(),
            field: judged.field.clone(),
            last: judged.last.clone(),
            rank: None,
        }
    }
}

/// Listener of a try's runs that passes on builds, faults of the machine, and starts and ends of
/// bouts. The session reports its own progress, and the reason why a candidate was not built is its
/// error.
struct NoticeFilter {
    candidate: String,
    inner: Arc<dyn Listener>,
    under_way: Mutex<HashSet<BoutId>>,
}

impl NoticeFilter {
    fn count(&self, notice: &Notice) {
        match notice {
            Notice::Scheduled { .. } => self.under_way.lock().clear(),
            Notice::BoutStarted(plan) => _ = self.under_way.lock().insert(plan.bout),
            Notice::BoutFinished(result) => _ = self.under_way.lock().remove(&result.bout),
            Notice::BoutVoided { bout, .. } => _ = self.under_way.lock().remove(&bout.bout),
            _ => {}
        }
    }
}

impl Listener for NoticeFilter {
    fn notice(&self, notice: &Notice) {
        self.count(notice);
        match notice {
            Notice::Planned(_)
            | Notice::Scheduled { .. }
            | Notice::Position { .. }
            | Notice::EventFinished { .. }
            | Notice::Closing => {}
            Notice::NotBuilt { bot, .. } if *bot == self.candidate => {}
            other => self.inner.notice(other),
        }
    }
}

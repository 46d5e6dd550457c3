//! Worker: plays the bouts of coordinators on its machine.
//!
//! It takes part in one stage of a tournament at a time. It renews the leases of its batches. A
//! batch that it could not renew in time it drops without a report, because another worker has it
//! by then. After a machine was suspended (a closed lid, a paused guest) the worker gives back all
//! its batches, because the bots' clocks continued meanwhile.

mod held;
mod session;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use joust_model::{BuildHash, counted};
use joust_play::executor::{Executor, MachineOffer};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::message::{Announcement, Stage, WorkerState};
use crate::spectator_feed::SpectatorFeed;
use crate::transport::{TransportError, WorkerTransport};
use session::WorkerSession;

/// Pause of an idle worker between queries.
const IDLE: Duration = Duration::from_millis(500);
/// Number of attempts to fetch a build that the server does not have.
const TRIES: u32 = 20;

/// Reasons why a worker cannot take part in a stage: all differences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct Refusal(pub Vec<String>);

/// The worker's machine, on which bouts are played.
pub trait WorkerHost: Send + Sync + 'static {
    /// Checks, before anything is fetched, that this machine can take part in a stage.
    ///
    /// # Errors
    ///
    /// Every difference.
    fn check_stage(&self, stage: &Stage) -> Result<(), Refusal>;

    /// Returns the builds and library sets of a stage that this machine lacks.
    ///
    /// # Errors
    ///
    /// When the cache cannot be read.
    fn missing_builds(&self, stage: &Stage) -> io::Result<Vec<BuildHash>>;

    /// Stores a packed build, after verifying its hashes.
    ///
    /// # Errors
    ///
    /// If the hashes differ, or it cannot be stored.
    fn store_build(&self, build: &BuildHash, packed: &[u8]) -> io::Result<()>;

    /// Prepares this machine for a stage: unpacks its builds and measures its languages.
    ///
    /// # Errors
    ///
    /// All differences that prevent it from playing any bout.
    fn prepare_stage(
        &self,
        stage: &Stage,
    ) -> impl Future<Output = Result<PreparedStage, Refusal>> + Send;

    /// Tests the machine, after a bout failed on it.
    ///
    /// # Errors
    ///
    /// The fault that was found.
    fn self_test(&self) -> impl Future<Output = Result<(), String>> + Send;

    /// Returns the time of day, milliseconds since 1970.
    fn clock(&self) -> i64;

    /// Receives news of the worker.
    fn notify(&self, notice: WorkerNotice);
}

/// A machine that is ready for a stage.
pub struct PreparedStage {
    /// Plays its bouts.
    pub executor: Box<dyn Executor>,
    /// Offer of the machine.
    pub offer: MachineOffer,
    /// Time for which the preparation is valid; afterwards the machine is prepared again.
    pub valid_for: Option<Duration>,
    /// Positions of the bouts, for spectators.
    pub spectator_feed: Arc<SpectatorFeed>,
}

/// A worker's event for its log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerNotice {
    /// It waits for a tournament.
    #[error("waits for a tournament")]
    Waiting,
    /// It takes part in an event.
    #[error("plays `{event}` of `{title}`")]
    Joined {
        /// The tournament's name.
        title: String,
        /// The event's id.
        event: String,
    },
    /// It cannot take part.
    #[error("cannot play what is played: {0}")]
    Refused(String),
    /// It takes part without the bouts of some languages, for this reason.
    #[error("plays what it can: {0}")]
    Without(String),
    /// The stage is over; it has played this number of bouts.
    #[error("has played {}", counted(*.0, "bout"))]
    Played(u64),
    /// The transport does not answer.
    #[error("waits for the server: {0}")]
    Away(String),
    /// The server does not accept a report after repeated attempts; other workers play its bouts.
    #[error("results are not delivered: {0}")]
    Undelivered(String),
    /// It lost this number of batches by renewing too late.
    #[error("{0} held for too long without a word; others play them")]
    Lapsed(usize),
    /// The machine was suspended for this time.
    #[error("stood still for {0:.1?}: what it held is given back")]
    Stopped(Duration),
    /// It finishes its running bouts and measures its languages again.
    #[error("measures its languages again when what it has begun is over")]
    MeasuresAgain,
    /// It finishes its running bouts.
    #[error("ends when {} in play are over", counted(*.0, "bout"))]
    Draining(usize),
    /// It ends because it has been idle for this time.
    #[error("ends: there was nothing to play for {0:?}")]
    Idle(Duration),
}

/// Reason why a worker has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerExit {
    /// Its tournament is over.
    Done,
    /// It was asked to end.
    Drained,
    /// It cannot take part in the stage.
    Refused(String),
    /// Its machine failed the self-test.
    Broken(String),
}

/// Conditions on which a worker ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitConditions {
    /// It ends after the first tournament, or when it cannot take part.
    pub once: bool,
    /// It ends after it has been idle for this time.
    pub idle: Option<Duration>,
}

/// Plays the bouts of coordinators.
pub struct Worker<T, S> {
    /// The transport to the coordinators.
    pub transport: Arc<T>,
    /// The machine.
    pub host: Arc<S>,
    /// The constant part of its announcements, and its counters.
    pub card: Announcement,
    /// Longest interval between its announcements.
    pub beat: Duration,
    /// Conditions on which it ends by itself.
    pub exit_conditions: ExitConditions,
    /// Becomes true when it is to end.
    pub stop: watch::Receiver<bool>,
}

impl<T: WorkerTransport, S: WorkerHost> Worker<T, S> {
    /// Plays until it is stopped, or until one of its exit conditions holds.
    pub async fn run(mut self) -> WorkerExit {
        self.host.notify(WorkerNotice::Waiting);
        let (began, mut refused) = (Instant::now(), None);
        let (mut announced, mut is_away) = (None::<Instant>, false);
        let (mut has_played, mut idle_since) = (false, Instant::now());
        while !*self.stop.borrow() {
            (self.card.up, self.card.clock) = (began.elapsed(), self.host.clock());
            let (mut whys, mut is_joined) = (Vec::new(), false);
            let asked = self.unless_stopped(self.read_stages(&mut is_away)).await;
            let Some(asked) = asked else { break };
            let stages = asked.unwrap_or_else(|why| {
                whys.push(why);
                Vec::new()
            });
            for stage in stages {
                match self.join_stage(stage, began).await {
                    Ok(None) => (is_joined, has_played) = (true, true),
                    Ok(Some(ended)) => return ended,
                    Err(Refusal(why)) => whys.extend(why),
                }
                if *self.stop.borrow() {
                    return WorkerExit::Drained;
                }
            }
            let why = (!whys.is_empty() && !is_joined).then(|| whys.join("; "));
            if let Some(why) = why.clone().filter(|_| refused != why) {
                self.host.notify(WorkerNotice::Refused(why.clone()));
                if self.exit_conditions.once && !has_played {
                    self.announce(WorkerState::Refused(why.clone())).await;
                    return WorkerExit::Refused(why);
                }
            }
            if self.exit_conditions.once && has_played && !is_joined {
                return WorkerExit::Done;
            }
            if is_joined {
                idle_since = Instant::now();
            }
            if let Some(idle) =
                self.exit_conditions.idle.filter(|idle| idle_since.elapsed() >= *idle)
            {
                self.host.notify(WorkerNotice::Idle(idle));
                return why.map_or(WorkerExit::Done, WorkerExit::Refused);
            }
            let state = why.clone().map_or(WorkerState::Idle, WorkerState::Refused);
            if announced.is_none_or(|at| at.elapsed() >= self.beat) || refused != why {
                self.announce(state).await;
                announced = Some(Instant::now());
            }
            refused = why;
            // The reason for a refusal rarely disappears soon.
            let pause = if refused.is_some() { self.beat } else { IDLE };
            let left =
                self.exit_conditions.idle.map(|idle| idle.saturating_sub(idle_since.elapsed()));
            let pause = left.map_or(pause, |left| pause.min(left));
            tokio::select! {
                biased;
                _ = self.stop.changed() => {}
                () = sleep(pause), if !is_joined => {}
                () = std::future::ready(()), if is_joined => {}
            }
        }
        WorkerExit::Drained
    }

    /// Returns the stages that are being played, or the reason why they cannot be decoded; an empty
    /// list while the server is unreachable.
    async fn read_stages(&self, is_away: &mut bool) -> Result<Vec<Stage>, String> {
        let asked = self.transport.list_stages().await;
        let was_away = std::mem::replace(is_away, false);
        match asked {
            Ok(stages) => Ok(stages),
            Err(TransportError::Envelope(other)) => Err(other.to_string()),
            Err(error) => {
                *is_away = true;
                if !was_away {
                    self.host.notify(WorkerNotice::Away(error.to_string()));
                }
                Ok(Vec::new())
            }
        }
    }

    async fn announce(&self, state: WorkerState) {
        let _ = self.transport.announce(&Announcement { state, ..self.card.clone() }).await;
    }

    /// Announces the worker repeatedly until the returned value is dropped. It is needed because
    /// builds and measurements may take longer than the permitted silence.
    fn keep_announcing(&self, state: WorkerState) -> JoinSet<()> {
        let (transport, host) = (Arc::clone(&self.transport), Arc::clone(&self.host));
        let (beat, mut announcement) = (self.beat, Announcement { state, ..self.card.clone() });
        let mut announcing = JoinSet::new();
        announcing.spawn(async move {
            loop {
                sleep(beat).await;
                announcement.clock = host.clock();
                let _ = transport.announce(&announcement).await;
            }
        });
        announcing
    }

    /// Takes part in a stage until it is over.
    async fn join_stage(
        &mut self,
        stage: Stage,
        began: Instant,
    ) -> Result<Option<WorkerExit>, Refusal> {
        if stage.excluded.contains(&self.card.worker) {
            let why = "the coordinator has refused too many of its results";
            return Err(Refusal(vec![why.to_owned()]));
        }
        self.host.check_stage(&stage)?;
        self.card.tournament = Some(stage.tournament.clone());
        self.announce(WorkerState::Preparing).await;
        let announcing = self.keep_announcing(WorkerState::Preparing);
        self.fetch_builds(&stage).await?;
        let prepared = self.host.prepare_stage(&stage).await?;
        drop(announcing);
        self.card.offer = prepared.offer.clone();
        let (title, event) = (stage.title.clone(), stage.work.event.clone());
        self.host.notify(WorkerNotice::Joined { title, event });
        let before = self.card.played;
        let exit = WorkerSession::begin(self, stage, prepared, began).work().await;
        self.card.tournament = None;
        self.host.notify(WorkerNotice::Played(self.card.played - before));
        Ok(exit)
    }

    /// Returns the result of `request`; `None` once the worker is to end. A server may take any time
    /// to answer.
    async fn unless_stopped<R>(&self, request: impl Future<Output = R> + Send) -> Option<R> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            Ok(_) = stop.wait_for(|stop| *stop) => None,
            answer = request => Some(answer),
        }
    }

    async fn fetch_builds(&self, stage: &Stage) -> Result<(), Refusal> {
        let wrong = |build: &BuildHash, why: &dyn fmt::Display| {
            Refusal(vec![format!("build {build}: {why}")])
        };
        let missing = self.host.missing_builds(stage);
        for build in missing.map_err(|error| Refusal(vec![error.to_string()]))? {
            let packed = self.fetch_build(&build).await.map_err(|why| wrong(&build, &why))?;
            self.host.store_build(&build, &packed).map_err(|why| wrong(&build, &why))?;
        }
        Ok(())
    }

    /// Fetches a build. If the server has lost it, the coordinator will soon store it again.
    async fn fetch_build(&self, build: &BuildHash) -> Result<Vec<u8>, String> {
        let mut tries = 0;
        loop {
            let why = match self.unless_stopped(self.transport.get_blob(build)).await {
                Some(Ok(Some(packed))) => return Ok(packed),
                Some(Ok(None)) => "the server does not have it".to_owned(),
                Some(Err(error)) if is_passing(&error) => error.to_string(),
                Some(Err(error)) => return Err(error.to_string()),
                None => "the worker ends".to_owned(),
            };
            tries += 1;
            if tries == TRIES || *self.stop.borrow() {
                return Err(why);
            }
            sleep(IDLE).await;
        }
    }
}

/// Returns whether a later attempt may succeed.
fn is_passing(error: &TransportError) -> bool {
    matches!(error, TransportError::Unavailable(_))
}

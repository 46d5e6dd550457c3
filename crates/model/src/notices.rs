//! Notices of a running tournament, for its listeners.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use joust_referee::Scene;

use crate::panics::catch_panic;
use crate::{BoutId, BoutPlan, BoutResult, Round, RoundState};

/// Expected duration of bouts that are to be played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpectedTime {
    /// Unknown: no bout of the event was played yet.
    #[default]
    Unknown,
    /// As long as earlier bouts took.
    Measured(Duration),
    /// The longest duration: the game's clock ends then.
    AtMost(Duration),
}

impl ExpectedTime {
    /// Returns the duration if anything is known of it.
    #[must_use]
    pub fn known(self) -> Option<Duration> {
        match self {
            Self::Unknown => None,
            Self::Measured(time) | Self::AtMost(time) => Some(time),
        }
    }
}

/// Estimate of an event's remaining work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventEstimate {
    /// The event.
    pub event: String,
    /// State of the open round, for events with rounds: the bouts to play are those of this round.
    pub round: Option<RoundState>,
    /// Bouts to play.
    pub bouts: u64,
    /// Matches they belong to.
    pub matches: u64,
    /// Time for all of them, with as many at once as will be played; builds are not included.
    pub time: ExpectedTime,
}

/// Event of a run.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Libraries that an event provides are being fetched.
    LibrariesStarted {
        /// Their language.
        language: String,
    },
    /// Libraries that an event provides were fetched.
    LibrariesFetched {
        /// Their language.
        language: String,
        /// Name and version of each.
        libraries: Vec<String>,
    },
    /// A bot's build begins.
    BuildStarted {
        /// The bot.
        bot: String,
        /// Number of this build, from 1.
        number: usize,
        /// Number of builds, including those that are cached.
        of: usize,
    },
    /// A bot's build succeeded.
    Built {
        /// The bot.
        bot: String,
        /// True if the build was cached.
        cached: bool,
        /// Duration of the build.
        took: Duration,
    },
    /// A bot could not be built; the tournament continues without it.
    NotBuilt {
        /// The bot.
        bot: String,
        /// The reason, on several lines, escaped.
        reason: String,
    },
    /// A language is being measured.
    Calibrating {
        /// The language.
        language: String,
        /// The game.
        game: String,
    },
    /// Bouts are about to be played.
    Planned(EventEstimate),
    /// Playing begins.
    Scheduled {
        /// The event.
        event: String,
        /// Bouts of the whole event.
        bouts: u64,
        /// Bouts that have a result already.
        finished: u64,
        /// Progress of its rounds; `None` for events without rounds.
        round: Option<RoundState>,
    },
    /// A bout begins.
    BoutStarted(Box<BoutPlan>),
    /// A round of a running bout is over. It is only passed to listeners whose
    /// [`Listener::wants_position`] asks for it.
    Position {
        /// The bout.
        bout: BoutId,
        /// The round.
        round: Round,
        /// The position after it.
        scene: Arc<Scene>,
    },
    /// A bout is over and stored.
    BoutFinished(Box<BoutResult>),
    /// A fault of the machine has voided a bout, which is played again.
    BoutVoided {
        /// The bout.
        bout: Box<BoutPlan>,
        /// The reason.
        reason: String,
        /// Number of the failed try, from 1.
        attempt: u32,
    },
    /// Activity of workers on other machines.
    Workers(String),
    /// Another program reads the database, so that its newest results stay in a file beside it.
    BeingRead {
        /// The database.
        database: PathBuf,
    },
    /// A message that a person should read.
    Warning(String),
    /// The event is over.
    EventFinished {
        /// The event.
        event: String,
    },
    /// All bouts are played; the run waits for new or changed bots.
    Waiting {
        /// Number of playing bots, in all events.
        bots: usize,
    },
    /// All results are stored and the database is about to be closed. A reader in this process must
    /// close it before the call returns.
    Closing,
}

/// Receiver of notices.
pub trait Listener: Send + Sync {
    /// Handles one notice.
    fn notice(&self, notice: &Notice);

    /// Handles a warning.
    fn warn(&self, text: String) {
        self.notice(&Notice::Warning(text));
    }

    /// Returns whether the listener wants the newest position of a running bout now. The playing
    /// thread calls it after every round.
    fn wants_position(&self, bout: BoutId) -> bool {
        _ = bout;
        false
    }

    /// Returns whether the listener wants positions of any bout.
    fn wants_positions(&self) -> bool {
        false
    }
}

/// Listener that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullListener;

impl Listener for NullListener {
    fn notice(&self, _: &Notice) {}
}

/// Returns a listener that passes every notice to `first`, then to `second`.
pub fn tee(first: Arc<dyn Listener>, second: Arc<dyn Listener>) -> Arc<dyn Listener> {
    Arc::new(Tee { first, second })
}

struct Tee {
    first: Arc<dyn Listener>,
    second: Arc<dyn Listener>,
}

impl Listener for Tee {
    fn notice(&self, notice: &Notice) {
        self.first.notice(notice);
        self.second.notice(notice);
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        // Both must be asked, because each has its own rate.
        self.first.wants_position(bout) | self.second.wants_position(bout)
    }

    fn wants_positions(&self) -> bool {
        self.first.wants_positions() || self.second.wants_positions()
    }
}

/// Returns a listener that calls `pass` with every notice and with `inner`, which alone decides on
/// positions.
pub fn relay(
    inner: Arc<dyn Listener>,
    pass: impl Fn(&Notice, &dyn Listener) + Send + Sync + 'static,
) -> Arc<dyn Listener> {
    Arc::new(Relay { inner, pass })
}

struct Relay<F> {
    inner: Arc<dyn Listener>,
    pass: F,
}

impl<F: Fn(&Notice, &dyn Listener) + Send + Sync> Listener for Relay<F> {
    fn notice(&self, notice: &Notice) {
        (self.pass)(notice, &*self.inner);
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        self.inner.wants_position(bout)
    }

    fn wants_positions(&self) -> bool {
        self.inner.wants_positions()
    }
}

/// Returns a listener that passes everything to `inner` until it panics, and nothing after that, so
/// that an observer never stops a run.
pub fn guard_panics(inner: Arc<dyn Listener>) -> Arc<dyn Listener> {
    Arc::new(PanicGuard { inner, has_panicked: AtomicBool::new(false) })
}

struct PanicGuard {
    inner: Arc<dyn Listener>,
    has_panicked: AtomicBool,
}

impl Listener for PanicGuard {
    fn notice(&self, notice: &Notice) {
        if self.has_panicked.load(Ordering::Relaxed) {
            return;
        }
        if let Err(problem) = catch_panic(|| self.inner.notice(notice)) {
            self.has_panicked.store(true, Ordering::Relaxed);
            tracing::error!(problem, "progress is no longer shown");
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        !self.has_panicked.load(Ordering::Relaxed)
            && catch_panic(|| self.inner.wants_position(bout)).unwrap_or(false)
    }

    fn wants_positions(&self) -> bool {
        !self.has_panicked.load(Ordering::Relaxed)
            && catch_panic(|| self.inner.wants_positions()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[derive(Default)]
    struct PanickingListener(AtomicU32);

    impl Listener for PanickingListener {
        fn notice(&self, _: &Notice) {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("no terminal");
        }
    }

    #[test]
    fn a_listener_that_panics_keeps_no_notice_from_the_other() {
        let listeners =
            [Arc::new(PanickingListener::default()), Arc::new(PanickingListener::default())];
        let [first, second] = listeners.clone().map(|listener| guard_panics(listener));
        tee(first, second).notice(&Notice::Closing);
        let notices = listeners.map(|listener| listener.0.load(Ordering::Relaxed));
        assert_eq!(notices, [1, 1]);
    }

    #[test]
    fn a_listener_that_panicked_gets_no_more_notices() {
        let panicking = Arc::new(PanickingListener::default());
        let guarded = guard_panics(panicking.clone());
        for _ in 0..3 {
            guarded.notice(&Notice::Warning("rain".to_owned()));
        }
        assert_eq!(panicking.0.load(Ordering::Relaxed), 1);
    }
}

//! Everything that happens while a tournament runs, for whoever listens.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use joust_referee::{Scene, Score};

use crate::panics::caught;
use crate::{BoutId, BoutPlan, BoutResult, RoundState, TieBreak};

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Libraries that an event provides are being fetched.
    LibrariesStarted {
        /// Their language.
        language: String,
    },
    /// Libraries that an event provides are here.
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
        /// Number of builds, those that turn out to be built already included.
        of: usize,
    },
    /// A bot's build ended well.
    Built {
        /// The bot.
        bot: String,
        /// True if it was there already.
        cached: bool,
        /// Duration of the build.
        took: Duration,
    },
    /// A bot could not be built; it has lost its place, not the tournament.
    NotBuilt {
        /// The bot.
        bot: String,
        /// Why, on several lines, escaped.
        reason: String,
    },
    /// A language is being measured.
    Calibrating {
        /// The language.
        language: String,
        /// The game.
        game: String,
    },
    /// Bouts that are going to be played.
    Planned {
        /// The event.
        event: String,
        /// Matches with a bout to play.
        matches: u64,
        /// Bouts to play.
        bouts: u64,
        /// Estimated time.
        time: Duration,
        /// True if bouts were played before; otherwise their length is assumed.
        is_from_results: bool,
    },
    /// Playing begins.
    Scheduled {
        /// The event.
        event: String,
        /// Bouts of the whole event.
        bouts: u64,
        /// Bouts that have a result already.
        finished: u64,
        /// Progress of its rounds; `None` where it has none.
        round: Option<RoundState>,
    },
    /// The bots of the event that is scheduled, whose table begins anew.
    Table {
        /// Its bots.
        bots: Vec<String>,
        /// Criteria that rank them, first to last.
        tie_breaks: Vec<TieBreak>,
    },
    /// Standings before anything more was played. With many bouts, workers
    /// play others already.
    TableBefore(Vec<Standing>),
    /// A bout begins.
    BoutStarted(Box<BoutPlan>),
    /// A round of a bout that is being played is over; told only to whom
    /// [`Listener::wants_position`] says so.
    Position {
        /// The bout.
        bout: BoutId,
        /// The round, from 0.
        round: u32,
        /// The position after it.
        scene: Arc<Scene>,
    },
    /// A bout is over and stored.
    BoutFinished(Box<BoutResult>),
    /// A bout was voided by a fault of the machine and is played again.
    BoutVoided {
        /// The bout.
        bout: Box<BoutPlan>,
        /// Why.
        reason: String,
        /// Number of the failed try, from 1.
        attempt: u32,
    },
    /// Activity of workers on other machines.
    Workers(String),
    /// Somebody reads the database, so that its newest results stay in a file beside it.
    BeingRead {
        /// The database.
        database: PathBuf,
    },
    /// Something a person should know.
    Warning(String),
    /// The event is over.
    EventFinished {
        /// The event.
        event: String,
    },
    /// Everything is played; bots that come or change are waited for.
    Waiting {
        /// Bots that play, in all events.
        bots: usize,
    },
    /// Everything is stored and the database is about to be closed: whoever reads it in this
    /// process closes it before the call returns.
    Closing,
}

/// Running total of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The bot.
    pub bot: String,
    /// Its points, in halves.
    pub halves: u64,
    /// Its bouts.
    pub bouts: u64,
    /// Bouts that it alone won.
    pub won: u64,
    /// The game's own points.
    pub score: Score,
    /// Its faults.
    pub faults: u64,
}

/// Somebody who wants to know.
pub trait Listener: Send + Sync {
    /// Takes one notice.
    fn notice(&self, notice: &Notice);

    /// Returns whether the newest position of a bout that is being played is wanted now. It is
    /// asked after every round, by the thread that plays.
    fn wants_position(&self, bout: BoutId) -> bool {
        _ = bout;
        false
    }

    /// Returns whether positions are wanted at all, of whatever bout.
    fn wants_positions(&self) -> bool {
        false
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Listener for Nobody {
    fn notice(&self, _: &Notice) {}
}

/// Returns a listener that tells both, the first one first.
#[must_use]
pub fn both(first: Arc<dyn Listener>, second: Arc<dyn Listener>) -> Arc<dyn Listener> {
    Arc::new(Both { first, second })
}

struct Both {
    first: Arc<dyn Listener>,
    second: Arc<dyn Listener>,
}

impl Listener for Both {
    fn notice(&self, notice: &Notice) {
        self.first.notice(notice);
        self.second.notice(notice);
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        // Both are asked: each counts for itself.
        self.first.wants_position(bout) | self.second.wants_position(bout)
    }

    fn wants_positions(&self) -> bool {
        self.first.wants_positions() || self.second.wants_positions()
    }
}

/// Returns a listener that tells `inner` everything until it panics, and then
/// nothing more: who looks on never stops what is looked at.
#[must_use]
pub fn careful(inner: Arc<dyn Listener>) -> Arc<dyn Listener> {
    Arc::new(Careful { inner, is_deaf: AtomicBool::new(false) })
}

struct Careful {
    inner: Arc<dyn Listener>,
    is_deaf: AtomicBool,
}

impl Listener for Careful {
    fn notice(&self, notice: &Notice) {
        if self.is_deaf.load(Ordering::Relaxed) {
            return;
        }
        if let Err(problem) = caught(|| self.inner.notice(notice)) {
            self.is_deaf.store(true, Ordering::Relaxed);
            tracing::error!(problem, "progress is no longer shown");
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        !self.is_deaf.load(Ordering::Relaxed)
            && caught(|| self.inner.wants_position(bout)).unwrap_or(false)
    }

    fn wants_positions(&self) -> bool {
        !self.is_deaf.load(Ordering::Relaxed)
            && caught(|| self.inner.wants_positions()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[derive(Default)]
    struct Clumsy(AtomicU32);

    impl Listener for Clumsy {
        fn notice(&self, _: &Notice) {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("no terminal");
        }
    }

    #[test]
    fn one_of_two_who_panics_keeps_nothing_from_the_other() {
        let listeners = [Arc::new(Clumsy::default()), Arc::new(Clumsy::default())];
        let [first, second] = listeners.clone().map(|clumsy| careful(clumsy));
        let listener = both(first, second);
        listener.notice(&Notice::Closing);
        let told = listeners.map(|clumsy| clumsy.0.load(Ordering::Relaxed));
        assert_eq!(told, [1, 1]);
    }

    #[test]
    fn who_panics_over_a_notice_is_told_no_more() {
        let clumsy = Arc::new(Clumsy::default());
        let listener = careful(clumsy.clone());
        for _ in 0..3 {
            listener.notice(&Notice::Warning("rain".to_owned()));
        }
        assert_eq!(clumsy.0.load(Ordering::Relaxed), 1);
    }
}

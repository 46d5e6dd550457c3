//! A host: what it can enforce, and what seats on it share.

mod features;
mod idle;
mod left_overs;
mod pool;
mod probe;
mod promises;
pub(crate) mod scratch_root;
mod self_test;
mod subordinate;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

pub use left_overs::LeftOvers;
pub(crate) use left_overs::remove_folder;
pub use scratch_root::temporary_folder;

use nix::sched::CpuSet;

use crate::error::{ProbeError, SandboxError};
use crate::mechanism::cgroup::Layout;
use crate::mechanism::users::Users;
use crate::wire::Mode;
use crate::{Feature, Tier};
use idle::IdleSeats;

pub(crate) use pool::Fresh;
pub(crate) use promises::{Promise, Promises};

/// Options for using a host.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Use this tier even where a better one works; `None` for the best.
    pub tier: Option<Tier>,
    /// The program that is started as a seat's launcher; it must call
    /// [`main_if_seat`](crate::launcher::main_if_seat) first. `None` for the
    /// running program.
    pub launcher: Option<PathBuf>,
    /// True if [`Tier::D`] may be used where nothing better works.
    pub unsafe_allowed: bool,
}

/// A host that was found able to run seats. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

/// State that all clones share. Dropping the last one ends the launchers kept ready.
struct Inner {
    // Dropped first: its seats and the pool's launchers use what follows.
    idle_seats: IdleSeats,
    pool: pool::Pool,
    tier: Tier,
    features: Vec<Feature>,
    raise_hint: Option<String>,
    shared: Arc<Shared>,
}

/// Inputs for starting a launcher.
pub(crate) struct Shared {
    pub(crate) mode: Mode,
    pub(crate) launcher: File,
    pub(crate) layout: Option<Layout>,
    pub(crate) users: Option<Users>,
    /// The user name space that launchers enter.
    pub(crate) subordinate: Option<File>,
    /// The processors this process had when the host was probed. Threads that
    /// take seats may be pinned; the thread that makes them ready must not be.
    pub(crate) cores: Option<CpuSet>,
    pub(crate) stock: pool::Stock,
    pub(crate) promises: Promises,
}

impl Host {
    /// Finds the best tier that works here by making a whole seat of each, best
    /// first.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] when no tier works that `options` allow; it names the
    /// first step that failed in each.
    pub fn probe(options: &HostOptions) -> Result<Self, ProbeError> {
        probe::probe(options)
    }

    /// The tier every seat of this host has.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.inner.tier
    }

    /// Returns the reason why programs cannot be copies of a server here
    /// ([`SeatSpec::warm`](crate::SeatSpec::warm)), if they cannot.
    #[must_use]
    pub fn why_not_warm(&self) -> Option<String> {
        features::why_not_warm(self.inner.shared.mode)
    }

    /// Returns the features enforced here, with their methods.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.inner.features
    }

    /// The one command that would raise the tier, for a person to run; `None`
    /// when the tier is the best or nothing is known to help.
    #[must_use]
    pub fn raise_hint(&self) -> Option<String> {
        self.inner.raise_hint.clone()
    }

    /// Removes what processes that were killed left behind: their groups and
    /// whatever still runs in them or under their users.
    ///
    /// Seats of living processes are not touched.
    #[must_use = "says what was found"]
    pub fn remove_left_overs(&self) -> LeftOvers {
        left_overs::remove(&self.inner.shared)
    }

    /// Runs a known program, stops one at a limit, and ends one that does not
    /// want to end, to tell a broken host from a broken program.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when any of the three did not go as it must.
    pub fn self_test(&self) -> Result<(), SandboxError> {
        self_test::run(self)
    }

    pub(crate) fn idle_seats(&self) -> &IdleSeats {
        &self.inner.idle_seats
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    /// Gives a launcher in its groups that has not been set up.
    pub(crate) fn fresh_launcher(&self, network: crate::Network) -> Result<Fresh, SandboxError> {
        self.inner.pool.take(network)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("tier", &self.inner.tier).finish_non_exhaustive()
    }
}

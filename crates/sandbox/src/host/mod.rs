//! A host: what it can enforce, and the seats that are made on it.

mod features;
mod left_overs;
mod probe;
mod self_test;
mod subordinate;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use left_overs::LeftOvers;

use crate::error::{ProbeError, SandboxError};
use crate::seat::{Seat, SeatStore};
use crate::{Feature, SeatCounts, SeatSpec, Tier};

/// Options for using a host.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Tier to use even if a better one works; `None` for the best.
    pub tier: Option<Tier>,
    /// The program that is started as a seat's launcher; it must call
    /// [`main_if_seat`](crate::launcher::main_if_seat) first. `None` for the
    /// running program.
    pub launcher: Option<PathBuf>,
    /// True if [`Tier::D`] may be used when nothing better works.
    pub unsafe_allowed: bool,
}

/// A host that was found able to run seats. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    state: Arc<HostState>,
}

/// State that all clones share. Dropping the last one ends the launchers kept ready.
struct HostState {
    seats: Arc<SeatStore>,
    tier: Tier,
    features: Vec<Feature>,
    raise_hint: Option<String>,
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

    /// Returns the tier of every seat of this host.
    pub fn tier(&self) -> Tier {
        self.state.tier
    }

    /// Returns the reason why programs cannot be copies of a server here
    /// ([`SeatSpec::warm`](crate::SeatSpec::warm)), if they cannot.
    pub fn why_not_warm(&self) -> Option<String> {
        features::why_not_warm(self.state.seats.machine.mode)
    }

    /// Returns the features enforced here, with their methods.
    pub fn features(&self) -> &[Feature] {
        &self.state.features
    }

    /// Returns the one command that would raise the tier, for a person to run; `None`
    /// if the tier is the best or no such command is known.
    pub fn raise_hint(&self) -> Option<String> {
        self.state.raise_hint.clone()
    }

    /// Has name spaces ready for so many seats at once, as far as memory allows.
    pub fn expect_seats(&self, seats: usize) {
        self.state.seats.machine.stock.expect_seats(seats);
    }

    /// Makes a seat for which nothing is ready, and then another; gives the time of each. The
    /// second is made in the name spaces of the first where that can be.
    ///
    /// # Errors
    ///
    /// As [`Seat::start`].
    pub fn time_seats(&self) -> Result<[Duration; 2], SandboxError> {
        self_test::time_seats(self)
    }

    /// Returns the numbers of seats that were wanted so far.
    pub fn seat_counts(&self) -> SeatCounts {
        self.state.seats.machine.stock.counts()
    }

    /// Removes what killed processes left behind: their groups and all processes
    /// that still run in them or under their users.
    ///
    /// Seats of living processes are not touched.
    #[must_use = "says what was found"]
    pub fn remove_left_overs(&self) -> LeftOvers {
        left_overs::remove(&self.state.seats.machine)
    }

    /// Runs a known program, stops one at a limit, and ends one that does not
    /// end by itself, to distinguish a broken host from a broken program.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] if any of the three has an unexpected result.
    pub fn self_test(&self) -> Result<(), SandboxError> {
        self_test::run(self)
    }
}

impl Seat {
    /// Makes a sandbox.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] with the step that failed: a folder that does not
    /// exist, a path that is not absolute, a host that refuses.
    pub fn start(host: &Host, spec: &SeatSpec) -> Result<Self, SandboxError> {
        Self::start_from(&host.state.seats, spec)
    }

    /// Makes a sandbox, or takes one that [`Seat::stop`] has kept and that was made for the same
    /// `spec`, apart from its environment and processors. Use this only if the folders always have
    /// the same content: a kept seat shows their state at the time when it was made.
    ///
    /// # Errors
    ///
    /// As [`Seat::start`].
    pub fn acquire(host: &Host, spec: &SeatSpec) -> Result<Self, SandboxError> {
        Self::acquire_from(&host.state.seats, spec)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("tier", &self.state.tier).finish_non_exhaustive()
    }
}

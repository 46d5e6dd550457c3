//! Reuse of seats: launchers that are ready, and sandboxes whose programs have all ended, kept for
//! the next request for the same specification.
//!
//! Making and removing a sandbox takes many times as long as a short turn. A turn learns no more of
//! earlier uses of its seat than of earlier turns in it, because only clean seats are kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::scratch::ReadScope;
use super::set_up::environment;
use super::{AfterUse, Seat};
use crate::error::SandboxError;
use crate::machine::{FirstProcess, Machine, Pool};
use crate::wire::{Request, Traces};
use crate::{Network, ScratchUse, SeatSpec};

impl Seat {
    /// Makes a sandbox, or takes one that was used and kept.
    pub(crate) fn acquire_from(
        store: &Arc<SeatStore>,
        spec: &SeatSpec,
    ) -> Result<Self, SandboxError> {
        super::check_spec(spec)?;
        // Seats whose launcher was killed meanwhile are skipped.
        while let Some(idle) = store.take_idle(spec) {
            if let Some(seat) = idle.renew(store, spec) {
                store.machine.stock.note_kept();
                return Ok(seat);
            }
        }
        let mut seat = Self::start_from(store, spec)?;
        seat.reuse.after_use = AfterUse::Kept;
        Ok(seat)
    }

    /// Returns whether this seat fits `spec`, not counting the environment and the choice of
    /// processors.
    fn is_for(&self, spec: &SeatSpec) -> bool {
        let SeatSpec {
            folders,
            hidden,
            written,
            environment: _,
            scratch,
            scratch_use,
            limits,
            network,
            children,
            cores,
            host_sockets,
            warm,
        } = &self.spec;
        cores.len() == spec.cores.len()
            && *limits == spec.limits
            && *folders == spec.folders
            && *hidden == spec.hidden
            && *written == spec.written
            && *scratch == spec.scratch
            && *scratch_use == spec.scratch_use
            && *network == spec.network
            && *children == spec.children
            && *host_sockets == spec.host_sockets
            && *warm == spec.warm
    }

    fn renew(mut self, store: &Arc<SeatStore>, spec: &SeatSpec) -> Option<Self> {
        let environment = environment(spec, &self.translation);
        if self.spec.cores != spec.cores {
            self.first.as_mut()?.pin(&spec.cores).ok()?;
        }
        self.link.send(&Request::Environment(environment), &[]).ok()?;
        let has_group = self.group().is_some();
        self.claims.begin_use(&spec.limits, has_group);
        self.spec = spec.clone();
        self.reuse.store = Some(Arc::clone(store));
        Some(self)
    }

    /// Returns whether the next use would find it as the first one did.
    fn can_be_kept(&self) -> bool {
        let spec = &self.spec;
        self.reuse.after_use == AfterUse::Kept
            && self.reuse.is_clean
            && self.claims.machine.mode.has_name_spaces()
            && spec.network == Network::None
            && spec.scratch_use == ScratchUse::FreshEachTurn
            && spec.host_sockets.listen.is_empty()
            && !spec.host_sockets.may_listen
            // Its server serves one bout only, and takes more memory than an idle seat may.
            && spec.warm.is_none()
    }

    /// Keeps the seat, if it can be kept; returns it otherwise.
    pub(super) fn keep_or_return(mut self) -> Option<Self> {
        let store = if self.can_be_kept() { self.reuse.store.take() } else { None };
        let Some(store) = store else { return Some(self) };
        self.claims.reservation = None;
        store.keep(self);
        None
    }

    /// Notes that a program is started, whose traces are not known yet; gives those before it.
    pub(super) fn note_start(&mut self) -> Traces {
        std::mem::replace(&mut self.reuse.traces, Traces::Anywhere)
    }

    /// Notes that the program has ended.
    pub(super) fn note_end(&mut self, before: Traces, its: Traces) {
        self.reuse.traces = before.max(its);
    }

    /// Notes that files were put into the scratch for the next program, beneath `names`
    /// names of its folder.
    pub(super) fn note_put(&mut self, names: usize) -> Result<(), SandboxError> {
        self.reuse.names_put += names;
        if names > 0
            && let Some(before) = self.reuse.numbers
        {
            let later = self.scratch.numbers(ReadScope::Files)?;
            self.reuse.numbers = later.map(|later| before.updated(later));
        }
        Ok(())
    }

    /// Returns whether the program that has just ended made nothing in the scratch apart from the
    /// files that were put there for it: the kernel's next numbers would show anything else.
    pub(super) fn has_used_no_numbers(&mut self) -> Result<bool, SandboxError> {
        let names = std::mem::take(&mut self.reuse.names_put);
        let Some(before) = self.reuse.numbers else { return Ok(true) };
        let Some(now) = self.scratch.numbers(ReadScope::Places)? else { return Ok(true) };
        self.reuse.numbers = Some(before.updated(now));
        Ok(now.follow(before, 0, names))
    }
}

/// Number of seats that are kept for each processor: this many bots can take turns before the seat
/// that has waited longest is removed. A waiting seat takes two megabytes.
const MOST_OF_A_CORE: usize = 16;
/// Number of seats that are kept in all.
const MOST: usize = 256;

/// Launchers and idle seats of a host.
pub(crate) struct SeatStore {
    // Dropped first: seats and launchers use what follows.
    idle: Mutex<Vec<Seat>>,
    most: usize,
    pool: Pool,
    pub(crate) machine: Arc<Machine>,
}

impl SeatStore {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (MOST_OF_A_CORE * cores).min(MOST);
        Self { idle: Mutex::default(), most, pool: Pool::new(Arc::clone(&machine)), machine }
    }

    /// Returns a first process in its groups whose name spaces no seat has.
    pub(super) fn take_launcher(&self, network: Network) -> Result<FirstProcess, SandboxError> {
        self.pool.take_launcher(network)
    }

    /// Takes the seat for `spec` that was used last, whatever environment and processors it had.
    fn take_idle(&self, spec: &SeatSpec) -> Option<Seat> {
        let mut seats = self.idle();
        let place = seats.iter().rposition(|seat| seat.is_for(spec))?;
        Some(seats.remove(place))
    }

    /// Keeps a seat.
    pub(super) fn keep(&self, seat: Seat) {
        let mut seats = self.idle();
        let oldest = if seats.len() < self.most { None } else { Some(seats.remove(0)) };
        seats.push(seat);
        drop(seats);
        drop(oldest);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Reuse of seats: taking one from the idle seats, and putting it back.

use std::sync::Arc;

use super::numbers::ReadScope;
use super::set_up::environment;
use super::store::SeatStore;
use super::{AfterUse, Seat};
use crate::error::SandboxError;
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
    pub(crate) fn is_for(&self, spec: &SeatSpec) -> bool {
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

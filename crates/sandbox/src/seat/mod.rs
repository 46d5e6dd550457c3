//! Seat: many turns in one ready-made sandbox.

mod blame;
mod check;
mod claims;
mod copy_in;
mod copy_out;
mod idle;
mod live;
mod scratch;
mod set_up;
mod translate;
mod turn;

use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::socket::{Shutdown, shutdown};

use crate::SeatSpec;
use crate::error::SandboxError;
use crate::link::Link;
use crate::machine::FirstProcess;
use crate::mechanism::cgroup::SeatGroup;
use crate::wire::{OBJECT_NUMBERS, Shortfall, Traces};
use check::check_spec;
use claims::Claims;
use scratch::{InodeNumbers, ScratchFolders};
use translate::Translation;

pub use copy_in::{Import, WorkFolder};
pub use copy_out::{Export, ExportError, Exported};
pub(crate) use idle::SeatStore;
pub use live::{RunningProgram, ServerConnection};

/// Time beyond the `kill` limit that a launcher may take to answer, on a busy machine with
/// thousands of processes to end.
const GRACE: Duration = Duration::from_secs(30);

/// A ready sandbox with its launcher. Everything in it ends when it is
/// dropped.
pub struct Seat {
    /// Link to the launcher.
    link: Link,
    /// Until the seat ends.
    first: Option<FirstProcess>,
    scratch: ScratchFolders,
    claims: Claims,
    translation: Translation,
    spec: SeatSpec,
    pub(crate) shortfalls: Vec<Shortfall>,
    listeners: Vec<TcpListener>,
    patience: Duration,
    reuse: Reuse,
}

/// Conditions on which a seat can be used again.
struct Reuse {
    /// Source of another launcher, to which it goes back if it can be kept.
    store: Option<Arc<SeatStore>>,
    /// Numbers that the scratch had given out at the last check.
    numbers: Option<InodeNumbers>,
    /// Number of names that were put into the empty scratch for the next or the running program.
    names_put: usize,
    /// True if every use so far has left it clean for the next one.
    is_clean: bool,
    /// Traces that programs have left in the name spaces.
    traces: Traces,
    after_use: AfterUse,
}

/// Treatment of a seat that is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterUse {
    /// It is removed.
    Removed,
    /// It is kept for the next request for the same specification, if it is clean.
    Kept,
}

impl Seat {
    /// Makes a sandbox.
    pub(crate) fn start_from(
        store: &Arc<SeatStore>,
        spec: &SeatSpec,
    ) -> Result<Self, SandboxError> {
        check_spec(spec)?;
        let launcher = store.take_launcher(spec.network)?;
        let mut seat = Self::from_launcher(Arc::clone(&store.machine), launcher, spec, None)?;
        seat.reuse.store = Some(Arc::clone(store));
        Ok(seat)
    }

    /// Returns, once, the sockets that listen on the ports of
    /// [`HostSockets::listen`](crate::HostSockets::listen), in that order; they do not block. Empty
    /// if seats have no network of their own: then [`RunningProgram::take_connections`] returns
    /// connections.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        std::mem::take(&mut self.listeners)
    }

    /// Copies a folder of the host into the scratch.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when the folder cannot be read or does not fit.
    pub fn import(&mut self, import: &Import) -> Result<(), SandboxError> {
        copy_in::copy(import, &self.scratch)
    }

    /// Lays a folder that the tree can read into the scratch, so that it can be
    /// written to there. The scratch must be new.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when the folder cannot be read, or its name is taken.
    pub fn add_work_folder(&mut self, work: &WorkFolder) -> Result<(), SandboxError> {
        let shown = self.translation.path(&work.shown);
        copy_in::add_work_folder(work, &shown, &self.scratch, &self.spec.limits)?;
        self.note_put(1)
    }

    /// Copies a folder of the scratch out to the host. Must be called between
    /// turns, when there is no process that could change it meanwhile.
    ///
    /// # Errors
    ///
    /// The outer error is ours; the inner one is the reason why the folder is refused.
    pub fn export(
        &mut self,
        export: &Export,
    ) -> Result<Result<Exported, ExportError>, SandboxError> {
        copy_out::copy(export, &self.scratch)
    }

    /// Returns a handle that ends the seat's turns from another thread.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] when no descriptor is free.
    pub fn stopper(&self) -> Result<Stopper, SandboxError> {
        let socket = self.link.socket().try_clone_to_owned();
        let step = "make a way to stop the seat";
        Ok(Stopper { socket: socket.map_err(|error| SandboxError::io(step, &error))? })
    }

    /// Ends everything in the seat and removes all its parts, unless it was
    /// [acquired](Seat::acquire) and can be kept.
    ///
    /// # Errors
    ///
    /// None today; kept so that a removal that can fail is not ignored.
    pub fn stop(self) -> Result<(), SandboxError> {
        if let Some(mut seat) = self.keep_or_return() {
            seat.end();
        }
        Ok(())
    }

    /// Gives the name spaces back for another seat, if they are as new or can be; leaves the rest
    /// to be removed.
    fn end(&mut self) {
        let Some(first) = self.first.take() else { return };
        let machine = Arc::clone(&self.claims.machine);
        let rest = match self.traces() {
            Traces::Anywhere => Some(first),
            traces => machine.stock.take_back(first, traces, &mut self.claims.user),
        };
        match rest {
            // In this order: processes end before their claims are given back.
            Some(first) => machine.stock.remove_later(Box::new((first, self.claims.take()))),
            None => self.claims.release(),
        }
    }

    /// Returns the name spaces that are no longer as new. The network of a seat that can be reached
    /// is renewed whatever its programs did; everywhere else a renewed one would tell the next seat
    /// what they did.
    fn traces(&self) -> Traces {
        let sockets = &self.spec.host_sockets;
        let is_reached = !sockets.listen.is_empty() || sockets.may_listen;
        let is_noticed = self.shortfalls.iter().all(|lacking| lacking.feature != OBJECT_NUMBERS);
        let limit = self.spec.limits.memory;
        let is_below_limit = self.group().is_none_or(|group| !group.reached_limit(limit));
        match self.reuse.traces {
            Traces::None | Traces::Network if is_noticed && is_below_limit && is_reached => {
                Traces::Network
            }
            Traces::None if is_noticed && is_below_limit => Traces::None,
            _ => Traces::Anywhere,
        }
    }

    fn group(&self) -> Option<&SeatGroup> {
        self.first.as_ref().and_then(|first| first.group.as_ref())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("user", &self.claims.user_id()).finish_non_exhaustive()
    }
}

/// Ends the turn of a seat from another thread, for instance when a person
/// wants a long one stopped.
///
/// The turn under way, and every later one, fails with
/// [`TurnError::SeatLost`](crate::TurnError::SeatLost); programs in the seat
/// end when the seat is dropped.
#[derive(Debug)]
pub struct Stopper {
    pub(super) socket: OwnedFd,
}

impl Stopper {
    /// Ends the seat's turn. A seat that is gone is no error.
    pub fn stop(&self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Both);
    }
}

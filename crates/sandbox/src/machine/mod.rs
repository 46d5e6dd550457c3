//! Machine as seats need it: launchers that are started ahead of time, and what all seats share.

mod first_process;
mod pool;
mod room;

use std::fs::File;
use std::sync::Arc;

use nix::sched::CpuSet;

use crate::mechanism::cgroup::Layout;
use crate::mechanism::users::Users;
use crate::wire::Mode;

pub(crate) use first_process::{FirstProcess, LauncherProcess, start_in_groups, start_launcher};
pub use pool::SeatCounts;
pub(crate) use pool::{LauncherStock, Pool};
pub use room::temporary_folder;
pub(crate) use room::{
    Reservation, Reservations, choose_scratch_root, scratch_prefix, scratch_roots,
};

/// Inputs for starting a launcher, and what all seats share.
pub(crate) struct Machine {
    pub(crate) mode: Mode,
    pub(crate) launcher: File,
    pub(crate) layout: Option<Layout>,
    pub(crate) users: Option<Arc<Users>>,
    /// The user name space that launchers enter.
    pub(crate) subordinate: Option<File>,
    /// The processors this process had when the host was probed. Threads that
    /// take seats may be pinned; the thread that makes them ready must not be.
    pub(crate) cores: Option<CpuSet>,
    pub(crate) stock: LauncherStock,
    pub(crate) reservations: Reservations,
}

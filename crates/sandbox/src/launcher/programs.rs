//! Programs of a seat: finding, starting, signalling and clearing them away.

use std::cell::RefCell;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::pwrite;
use nix::unistd::{Pid, chdir};
use serde_bytes::ByteBuf;

use super::accounting::Counters;
use super::identity::ProgramUser;
use super::processes::{Membership, members};
use super::set_up::{c_string, path};
use crate::error::{SandboxError, Step};
use crate::sys::{self, ChildStack, IpcKind, ProcessGroup, Reaped, StartFailure, TurnStart};
use crate::wire::{Mode, SetUp, Strings};

/// The out-of-memory score of programs: the kernel kills them before anything of the host.
const EXPENDABLE: &[u8] = b"800";
/// The out-of-memory score of a process that is never killed.
pub(super) const SPARED: &[u8] = b"-1000";

/// Identity of a seat's programs, by which signals reach all of them, whatever they did to escape.
///
/// With a process id name space one call is enough: `kill(-1)` by its first
/// process signals all others at once, and a process that is being signalled
/// cannot fork. Without one, a helper becomes the seat's user and does the same
/// to all processes of that user; without a user of their own, descendants are signalled until
/// none is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramIdentity {
    pub(super) mode: Mode,
    pub(super) inner: ProgramUser,
}

impl ProgramIdentity {
    /// The user of the programs, where that is not the launcher's.
    pub(super) fn user(self) -> Option<u32> {
        match self.inner {
            ProgramUser::User(user) => Some(user),
            ProgramUser::Same => None,
        }
    }

    /// Returns the rule for the processes that are the seat's.
    pub(super) fn membership(self) -> Membership {
        match (self.mode.has_name_spaces(), self.inner) {
            (true, _) => Membership::Everybody,
            (false, ProgramUser::User(user)) => Membership::User(user),
            (false, ProgramUser::Same) => Membership::Descendants,
        }
    }

    /// Sends a signal to every process once.
    pub(super) fn signal(self, signal: Signal) {
        match self.membership() {
            Membership::Everybody => {
                let _ = kill(Pid::from_raw(-1), signal);
            }
            Membership::User(user) => sys::signal_user(user, signal),
            Membership::Descendants => {
                for process in members(Membership::Descendants) {
                    let _ = kill(Pid::from_raw(process.cast_signed()), signal);
                }
            }
        }
    }

    /// Returns whether nothing is left, when no child is.
    pub(super) fn is_empty(self) -> bool {
        match self.membership() {
            // Orphans become children of this process, so no child means no process is left.
            Membership::Everybody | Membership::Descendants => true,
            of_user @ Membership::User(_) => {
                matches!(sys::reap_any(), Err(Errno::ECHILD)) && members(of_user).is_empty()
            }
        }
    }

    /// Reaps one process that was killed. Without a name space more may have
    /// been made meanwhile, so that mode never waits for ever.
    pub(super) fn reap_next(self) -> Result<Reaped, Errno> {
        if self.mode.has_name_spaces() {
            return sys::reap_one(-1);
        }
        sys::wait_child_signal(Duration::from_millis(1));
        sys::reap_any()?.ok_or(Errno::EAGAIN)
    }

    /// Removes System V objects, which outlive their makers. Only their owner may; where the
    /// programs are the caller's own user, the caller's own objects are there too, and all stay.
    pub(super) fn remove_ipc(self) {
        let kinds = [IpcKind::Memory, IpcKind::Semaphores, IpcKind::Messages];
        if kinds.into_iter().all(|kind| sys::ipc_in_use(kind) == Ok(0)) {
            return;
        }
        match (self.mode.has_name_spaces(), self.inner) {
            (_, ProgramUser::User(user)) => sys::remove_ipc_of(user),
            (true, ProgramUser::Same) => sys::remove_all_ipc(),
            (false, ProgramUser::Same) => {}
        }
    }
}

/// Owner of an out-of-memory score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScoreOwner {
    /// Programs, which inherit it from the launcher.
    Programs,
    /// The launcher itself.
    Launcher,
}

/// Out-of-memory score that the launcher has.
struct OomScore {
    file: Option<File>,
    now: ScoreOwner,
    /// The launcher's own score.
    own: Vec<u8>,
}

/// Settings of the kernel that turns write to, opened before `/proc` is one that cannot be written.
pub(super) struct KernelSettings {
    /// Last process id that was given out.
    pub(super) last_process: Option<File>,
    /// Out-of-memory score of the launcher.
    pub(super) score: Option<File>,
}

/// Programs of a seat, and all that their start needs.
pub(super) struct Programs {
    pub(super) identity: ProgramIdentity,
    pub(super) environment: Vec<CString>,
    /// Folders that no program can move: they are mounted in the root, which is read-only.
    fixed_folders: Strings,
    /// The launcher's current folder, if it is one of them.
    folder: Option<ByteBuf>,
    /// Number of processes that the programs' user may have, where that is not the launcher's
    /// limit.
    processes: Option<u64>,
    last_process: Option<File>,
    score: OomScore,
    stack: RefCell<ChildStack>,
    /// Neither the kernel nor the filter keeps a program from leaving a shared table of
    /// descriptors.
    may_leave_table: bool,
}

impl Programs {
    pub(super) fn new(
        identity: ProgramIdentity,
        request: &SetUp,
        processes: Option<u64>,
        settings: KernelSettings,
    ) -> Result<Self, SandboxError> {
        let own = std::fs::read("/proc/self/oom_score_adj").unwrap_or_else(|_| b"0".to_vec());
        let mut programs = Self {
            identity,
            environment: Vec::new(),
            fixed_folders: fixed_folders(request),
            folder: None,
            processes,
            last_process: settings.last_process,
            score: OomScore { file: settings.score, now: ScoreOwner::Launcher, own },
            stack: RefCell::new(ChildStack::new()),
            may_leave_table: identity.mode.has_name_spaces() && sys::can_leave_table(),
        };
        programs.set_environment(&request.environment)?;
        Ok(programs)
    }

    /// Gives every program from now on this environment.
    pub(super) fn set_environment(&mut self, entries: &[ByteBuf]) -> Result<(), SandboxError> {
        let entries = entries.iter().map(|entry| c_string(entry, "the environment"));
        self.environment = entries.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Enters a folder, which programs inherit. Its name may belong to another folder now, unless
    /// it is a fixed one.
    pub(super) fn enter(&mut self, folder: &ByteBuf) -> Result<(), Errno> {
        if self.folder.as_ref() != Some(folder) {
            chdir(path(folder))?;
            self.folder = self.fixed_folders.contains(folder).then(|| folder.clone());
        }
        Ok(())
    }

    /// Lets process ids go on from this number, so that they say nothing about earlier turns.
    pub(super) fn restart_ids(&self, last: &[u8]) {
        if let Some(file) = &self.last_process {
            let _ = pwrite(file, last, 0);
        }
    }

    /// Sets the out-of-memory score. Programs inherit the launcher's score, so the launcher takes
    /// theirs while it starts one, and its own again when a turn turns out to be long. Only then
    /// does one kill for want of memory kill all programs: it spares the lowest score.
    pub(super) fn set_score(&mut self, wanted: ScoreOwner, counters: &Counters) {
        let OomScore { file, now, own } = &mut self.score;
        let Some(file) = file.as_ref().filter(|_| *now != wanted) else { return };
        let score = match wanted {
            ScoreOwner::Programs => {
                counters.kill_all_together(false);
                EXPENDABLE
            }
            ScoreOwner::Launcher => own.as_slice(),
        };
        let set = pwrite(file, score, 0).is_ok();
        if wanted == ScoreOwner::Launcher && set && own.starts_with(SPARED) {
            counters.kill_all_together(true);
        }
        *now = wanted;
    }

    /// Returns the part that the starts of all programs of the seat have in common.
    pub(super) fn start_of<'a>(
        &'a self,
        command: &'a [CString],
        streams: &'a [OwnedFd; 3],
        entry: Option<BorrowedFd<'a>>,
    ) -> TurnStart<'a> {
        TurnStart {
            user: self.identity.user(),
            processes: self.processes,
            streams: streams.each_ref().map(AsFd::as_fd),
            pipes: None,
            server: None,
            command,
            environment: &self.environment,
            group: match self.identity.mode.has_name_spaces() {
                true => ProcessGroup::Launchers,
                false => ProcessGroup::Own,
            },
            entry,
            may_leave_table: self.may_leave_table,
        }
    }

    /// Starts a program; gives its process, or the child that failed with the failure.
    pub(super) fn start(&self, start: &TurnStart<'_>) -> Result<i32, (Option<i32>, StartFailure)> {
        sys::start_turn(start, &mut self.stack.borrow_mut())
    }
}

fn fixed_folders(request: &SetUp) -> Strings {
    let is_fixed = |folder: &&ByteBuf| {
        request.identity.mode.has_name_spaces() && path(folder).parent() == Some(Path::new("/"))
    };
    request.folders.iter().filter(is_fixed).cloned().collect()
}

/// Opens a setting of the kernel, if it is there and may be written.
pub(super) fn open_for_writing(path: &str) -> Option<File> {
    std::fs::OpenOptions::new().write(true).open(path).step("open a setting").ok()
}

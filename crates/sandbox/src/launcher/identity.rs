//! User identities of the launcher and of its programs.

use std::os::fd::OwnedFd;

use nix::fcntl::{OFlag, open, openat};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::stat::Mode as FileMode;
use nix::unistd::{Gid, setgroups, setresgid};

use crate::error::{SandboxError, Step};
use crate::sys;
use crate::wire::{Mode, SetUp};

/// The user that programs see themselves as in a user name space.
const INSIDE_USER: u32 = 1000;

/// Lets the launcher measure a scratch that has no file system of its own.
const READ_FILES: u64 = 1 << 1;
const KILL: u64 = 1 << 5;
const SET_USER: u64 = 1 << 7;
/// Lets the launcher see its programs in `/proc`.
const TRACE: u64 = 1 << 19;
/// Lets the launcher set its own out-of-memory score back after a program inherited a higher one.
const RESOURCES: u64 = 1 << 24;
/// Lets the launcher set the last process id back, so that ids say nothing about earlier turns.
const CHECKPOINT: u64 = 1 << 40;

/// Change that the launcher makes to a program it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramUser {
    /// Nothing.
    Same,
    /// The user.
    User(u32),
}

/// The user id that programs see as theirs.
pub(super) fn inside(request: &SetUp) -> u32 {
    match request.identity.mode {
        Mode::UserNameSpace => INSIDE_USER,
        _ => request.identity.user,
    }
}

/// Gives up everything the launcher no longer needs.
pub(super) fn assume(request: &SetUp, proc: OwnedFd) -> Result<ProgramUser, SandboxError> {
    let user = request.identity.user;
    match request.identity.mode {
        Mode::Root | Mode::Subordinate => {
            take_group(user)?;
            drop_privileges(KILL | SET_USER | TRACE | RESOURCES | CHECKPOINT)?;
            Ok(ProgramUser::User(user))
        }
        Mode::Container => {
            take_group(user)?;
            drop_privileges(KILL | SET_USER | READ_FILES)?;
            Ok(ProgramUser::User(user))
        }
        Mode::UserNameSpace => {
            enter_inner_name_space(proc)?;
            drop_privileges(0)?;
            Ok(ProgramUser::Same)
        }
        Mode::Plain => {
            prctl::set_no_new_privs().step("forbid new privileges")?;
            Ok(ProgramUser::Same)
        }
    }
}

/// Opens the host's `/proc`: the seat's cannot be written.
pub(super) fn open_proc() -> Result<OwnedFd, SandboxError> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    open("/proc", flags, FileMode::empty()).step("open `/proc`")
}

fn take_group(group: u32) -> Result<(), SandboxError> {
    let step = "become the group of the seat";
    setgroups(&[]).step(step)?;
    let group = Gid::from_raw(group);
    setresgid(group, group, group).step(step)
}

fn drop_privileges(kept: u64) -> Result<(), SandboxError> {
    sys::drop_bounding_set().step("empty the bounding set")?;
    sys::lock_securebits().step("lock the secure bits")?;
    sys::keep_capabilities(kept).step("drop the capabilities")?;
    prctl::set_no_new_privs().step("forbid new privileges")
}

/// A second user name space in which the launcher is an ordinary user, so that
/// its capabilities over the mounts and the network are out of reach for good.
fn enter_inner_name_space(proc: OwnedFd) -> Result<(), SandboxError> {
    unshare(CloneFlags::CLONE_NEWUSER).step("make the inner user name space")?;
    // The files below belong to the user that may trace this process.
    prctl::set_dumpable(true).step("map the inner user")?;
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{INSIDE_USER} 0 1")),
        ("gid_map", format!("{INSIDE_USER} 0 1")),
    ] {
        let path = format!("self/{file}");
        let opened =
            openat(&proc, path.as_str(), OFlag::O_WRONLY | OFlag::O_CLOEXEC, FileMode::empty());
        opened
            .and_then(|file| nix::unistd::write(file, text.as_bytes()))
            .step(&format!("write `{file}` of the inner user name space"))?;
    }
    prctl::set_dumpable(false).step("make the launcher untraceable")
}

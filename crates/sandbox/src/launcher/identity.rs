//! User identities of the launcher and of its programs.

use std::os::fd::OwnedFd;

use nix::fcntl::{OFlag, open, openat};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::stat::Mode as FileMode;
use nix::unistd::{Gid, setgroups, setresgid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
};

use crate::error::{SandboxError, Step};
use crate::wire::{Mode, SetUp};

/// The user that programs see themselves as in a user name space.
const INSIDE_USER: u32 = 1000;

/// Capabilities that let the launcher start, signal and end programs of another user.
const OVER_PROGRAMS: CapabilitySet = CapabilitySet::KILL.union(CapabilitySet::SETUID);
/// Lets the launcher measure a scratch that has no file system of its own.
const READ_FILES: CapabilitySet = CapabilitySet::DAC_OVERRIDE;
/// Capabilities that let the launcher see its programs in `/proc`, set its own out-of-memory score
/// back after a program inherited a higher one, and set the last process id back, so that ids say
/// nothing about earlier turns.
const OVER_NAME_SPACES: CapabilitySet = CapabilitySet::SYS_PTRACE
    .union(CapabilitySet::SYS_RESOURCE)
    .union(CapabilitySet::CHECKPOINT_RESTORE);

/// NOROOT, NO_SETUID_FIXUP left alone, KEEP_CAPS off and locked, NO_CAP_AMBIENT_RAISE; all locked.
/// User 0 is an ordinary user for `exec`, and ambient capabilities are forbidden, permanently.
const SECURE_BITS: CapabilitiesSecureBits = CapabilitiesSecureBits::NO_ROOT
    .union(CapabilitiesSecureBits::NO_ROOT_LOCKED)
    .union(CapabilitiesSecureBits::KEEP_CAPS_LOCKED)
    .union(CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE)
    .union(CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED);

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
            drop_privileges(OVER_PROGRAMS | OVER_NAME_SPACES)?;
            Ok(ProgramUser::User(user))
        }
        Mode::Container => {
            take_group(user)?;
            drop_privileges(OVER_PROGRAMS | READ_FILES)?;
            Ok(ProgramUser::User(user))
        }
        Mode::UserNameSpace => {
            enter_inner_name_space(proc)?;
            drop_privileges(CapabilitySet::empty())?;
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

/// Keeps at most the capabilities in `kept`, none of them inheritable. Gives the process no
/// capability that it does not have.
fn drop_privileges(kept: CapabilitySet) -> Result<(), SandboxError> {
    let step = "drop the capabilities";
    set_capabilities_secure_bits(SECURE_BITS).step("lock the secure bits")?;
    let effective = kept & capabilities(None).step(step)?.permitted;
    let inheritable = CapabilitySet::empty();
    let sets = CapabilitySets { effective, permitted: effective, inheritable };
    set_capabilities(None, sets).step(step)?;
    prctl::set_no_new_privs().step("forbid new privileges")
}

/// Removes every capability from the bounding set, so that no `exec` gives any back.
pub(super) fn drop_bounding_set() -> Result<(), SandboxError> {
    for capability in (0..u64::BITS).map(|number| CapabilitySet::from_bits_retain(1 << number)) {
        match remove_capability_from_bounding_set(capability) {
            Err(Errno::INVAL) => break,
            removed => removed.step("empty the bounding set")?,
        }
    }
    Ok(())
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
    prctl::set_dumpable(false).step("make the launcher untraceable")?;
    // It has a new one.
    drop_bounding_set()
}

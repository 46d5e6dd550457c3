//! Id maps of a user name space, and a name space that is made for its maps alone.

use std::ffi::{CStr, CString};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;

use super::child::{ChildStack, FailedStep, clone_and_wait};
use crate::sys::wait;

/// The contents of the id map files of a new user name space.
pub(crate) struct IdMaps {
    /// For `/proc/self/uid_map`.
    pub(crate) users: CString,
    /// For `/proc/self/gid_map`.
    pub(crate) groups: CString,
}

/// A user name space in the making.
struct MapsChild<'a> {
    maps: &'a IdMaps,
    opened: AtomicI32,
    failed: FailedStep,
}

/// Makes a user name space below the caller's that is used only for its maps, each of
/// one id of the caller's.
pub(crate) fn make_mapping(maps: &IdMaps) -> Result<OwnedFd, Errno> {
    let child = MapsChild { maps, opened: AtomicI32::new(-1), failed: FailedStep::default() };
    let flags = libc::CLONE_NEWUSER | libc::CLONE_FILES;
    let pid = clone_and_wait(&mut ChildStack::new(), flags, maps_child, &child, None)?;
    let _ = wait::reap_one(pid);
    match child.failed.errno() {
        Some(errno) => Err(errno),
        // SAFETY: the child opened it in the table it shared with us, and nothing else knows it.
        None => Ok(unsafe { OwnedFd::from_raw_fd(child.opened.load(Ordering::Relaxed)) }),
    }
}

extern "C" fn maps_child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: as in `launcher_child`: a prepared argument that outlives us, and system calls only.
    unsafe {
        let child = &*argument.cast::<MapsChild<'_>>();
        let well = write_maps(child.maps).is_none();
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let opened = if well { libc::open(c"/proc/self/ns/user".as_ptr(), flags) } else { -1 };
        if opened < 0 {
            child.failed.end_child(0);
        }
        child.opened.store(opened, Ordering::Relaxed);
        libc::_exit(0)
    }
}

/// Maps the new user name space that the caller is in; gives the number of the step that failed.
///
/// # Safety
///
/// Only in a child made by [`clone_and_wait`].
pub(super) unsafe fn write_maps(maps: &IdMaps) -> Option<usize> {
    [
        (0, c"/proc/self/setgroups", c"deny"),
        (1, c"/proc/self/uid_map", maps.users.as_c_str()),
        (2, c"/proc/self/gid_map", maps.groups.as_c_str()),
    ]
    .into_iter()
    // SAFETY: see the caller.
    .find(|(_, path, text)| unsafe { !write_whole(path, text) })
    .map(|(step, _, _)| step)
}

/// # Safety
///
/// Only in a child made by [`clone_and_wait`].
unsafe fn write_whole(path: &CStr, text: &CStr) -> bool {
    let bytes = text.to_bytes();
    // SAFETY: both strings live through the calls.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let written = libc::write(file, bytes.as_ptr().cast(), bytes.len());
        // Not closed on failure: `close` would hide the reason, and the child ends anyway.
        written == bytes.len().cast_signed() && libc::close(file) == 0
    }
}

//! Claims: what a seat takes of the host, given back unless the seat comes to be.

use std::path::{Path, PathBuf};

use super::scratch::make_on_host;
use crate::SeatSpec;
use crate::error::SandboxError;
use crate::folder::remove_from_host;
use crate::machine::{Machine, scratch_root};

/// A user id of the host, where seats have one.
pub(super) struct UserClaim<'a> {
    machine: &'a Machine,
    user: Option<u32>,
}

impl<'a> UserClaim<'a> {
    /// Takes any, unless there is one already.
    pub(super) fn take(machine: &'a Machine, user: Option<u32>) -> Result<Self, SandboxError> {
        let user = match (user, &machine.users) {
            (None, Some(users)) => Some(users.take()?),
            (user, _) => user,
        };
        Ok(Self { machine, user })
    }

    pub(super) fn id(&self) -> Option<u32> {
        self.user
    }

    pub(super) fn keep(mut self) -> Option<u32> {
        self.user.take()
    }
}

impl Drop for UserClaim<'_> {
    fn drop(&mut self) {
        if let (Some(user), Some(users)) = (self.user, &self.machine.users) {
            users.give_back(user);
        }
    }
}

/// A scratch in a folder of the host, where seats can mount nothing.
pub(super) struct HostScratch {
    path: Option<PathBuf>,
}

impl HostScratch {
    pub(super) fn make(
        machine: &Machine,
        spec: &SeatSpec,
        user: Option<u32>,
    ) -> Result<Self, SandboxError> {
        if machine.mode.has_name_spaces() {
            return Ok(Self { path: None });
        }
        let root = scratch_root::choose(&spec.limits, &machine.reservations);
        Ok(Self { path: Some(make_on_host(&root, user)?) })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn keep(mut self) -> Option<PathBuf> {
        self.path.take()
    }
}

impl Drop for HostScratch {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = remove_from_host(path);
        }
    }
}

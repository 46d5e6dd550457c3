//! Claims: the host's resources that a seat takes, given back when it ends or cannot be made.

use std::path::PathBuf;
use std::sync::Arc;

use super::scratch::make_on_host;
use crate::error::SandboxError;
use crate::folder::remove_from_host;
use crate::machine::{Machine, Reservation, choose_scratch_root};
use crate::mechanism::memory::kills;
use crate::mechanism::users::UserClaim;
use crate::sys;
use crate::wire::Mode;
use crate::{SeatLimits, SeatSpec};

/// Claims of a seat on the host, apart from its launcher.
pub(super) struct Claims {
    pub(super) machine: Arc<Machine>,
    /// User id of the host, if seats have one.
    pub(super) user: Option<UserClaim>,
    /// Scratch in a folder of the host, if seats can mount nothing.
    pub(super) host_scratch: Option<PathBuf>,
    /// Reservation of what its limits allow, while it is in use.
    pub(super) reservation: Option<Reservation>,
    /// Number of programs killed for want of memory before it was made, if no group counts its own.
    pub(super) kills_before: u64,
}

impl Claims {
    /// Takes the resources that a seat for `spec` needs; takes a user only if there is none yet.
    pub(super) fn acquire(
        machine: Arc<Machine>,
        spec: &SeatSpec,
        user: Option<UserClaim>,
    ) -> Result<Self, SandboxError> {
        let mut claims =
            Self { machine, user, host_scratch: None, reservation: None, kills_before: 0 };
        if let (None, Some(users)) = (&claims.user, &claims.machine.users) {
            claims.user = Some(users.claim_user()?);
        }
        if !claims.machine.mode.has_name_spaces() {
            let root = choose_scratch_root(&spec.limits, &claims.machine.reservations);
            claims.host_scratch = Some(make_on_host(&root, claims.user_id())?);
        }
        Ok(claims)
    }

    pub(super) fn user_id(&self) -> Option<u32> {
        self.user.as_ref().map(|user| user.id)
    }

    /// Reserves what the limits of a seat allow, from the start of its use.
    pub(super) fn begin_use(&mut self, limits: &SeatLimits, has_group: bool) {
        self.reservation = Some(self.machine.reservations.reserve(limits));
        self.kills_before = if has_group { 0 } else { kills() };
    }

    /// Takes everything over.
    pub(super) fn take(&mut self) -> Self {
        Self {
            machine: Arc::clone(&self.machine),
            user: self.user.take(),
            host_scratch: self.host_scratch.take(),
            reservation: self.reservation.take(),
            kills_before: self.kills_before,
        }
    }

    /// Gives everything back, once no process of the seat is left except any that escaped its
    /// launcher.
    pub(super) fn release(&mut self) {
        self.reservation = None;
        if let Some(user) = self.user.take()
            && self.machine.mode == Mode::Container
        {
            sys::kill_user(user.id);
        }
        if let Some(folder) = self.host_scratch.take()
            && let Err(error) = remove_from_host(&folder)
        {
            tracing::warn!(path = %folder.display(), %error, "a scratch could not be removed");
        }
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        self.release();
    }
}

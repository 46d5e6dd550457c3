//! Blame: the fault for the unexpected end of a seat.

use super::Seat;
use crate::error::{SandboxError, TurnError};
use crate::link::LinkError;
use crate::machine::FirstProcess;
use crate::mechanism::memory::kills;
use crate::wire::Mode;

impl Seat {
    /// Excuses a program that the machine killed for want of memory below its own limit, if that
    /// cannot be its own doing: if a group counts all it uses, or if the seats have more memory
    /// reserved than there is. Without a group it may use more than is measured.
    pub(super) fn excuse_kill(&self) -> Result<(), TurnError> {
        if self.group().is_none() && !self.claims.machine.reservations.exceed_memory() {
            return Ok(());
        }
        Err(out_of_memory().into())
    }

    /// The error of a machine, or a control group around all seats, that has killed a process for
    /// want of memory since the seat was made, and has reserved more memory for the seats than it
    /// has. Only for a seat without a group of its own, where the killed program is unknown: with a
    /// group, [`Seat::turn`] has reported the kill.
    pub fn memory_error(&self) -> Option<SandboxError> {
        let uncounted = self.group().is_none() && kills() > self.claims.kills_before;
        (uncounted && self.claims.machine.reservations.exceed_memory()).then(out_of_memory)
    }

    /// Returns an error that excuses the program for the loss of its launcher, if there is one. A
    /// program can have the launcher killed for want of memory, and is then not excused.
    fn excuse_lost_launcher(&self) -> Option<TurnError> {
        let limit = self.spec.limits.memory;
        let (own, outside) = match self.group() {
            Some(group) => (group.reached_limit(limit), false),
            None => (false, kills() > self.claims.kills_before),
        };
        if own {
            return None;
        }
        if outside {
            return self.excuse_kill().err();
        }
        let reason = "somebody outside the sandbox killed its launcher";
        Some(SandboxError::because("run a program", reason).into())
    }

    /// Returns the error for a launcher that is gone or silent. Only a program in the seat can have
    /// caused that, unless the launcher was killed and no program of that tier can send it a
    /// signal: as first process of its name space, or as another user.
    pub(super) fn lost(&mut self, broken: LinkError) -> TurnError {
        let gone = matches!(broken, LinkError::Closed | LinkError::Errno(_));
        if gone
            && self.claims.machine.mode != Mode::Plain
            && self.first.as_mut().is_some_and(FirstProcess::was_launcher_killed)
            && let Some(excuse) = self.excuse_lost_launcher()
        {
            return excuse;
        }
        let reason = match broken {
            LinkError::Closed => "its launcher is gone".to_owned(),
            LinkError::Silent => "its launcher does not answer".to_owned(),
            LinkError::Malformed => "its launcher talks nonsense".to_owned(),
            LinkError::Errno(errno) => format!("its launcher cannot be reached: {errno}"),
        };
        TurnError::SeatLost { reason }
    }
}

fn out_of_memory() -> SandboxError {
    let reason = "the machine, or the control group around all bots, ran out of memory and ended it \
                  below its own limit";
    let hint = "lower `memory` under `limits` or `build`, or play fewer bouts at once (`--jobs`); \
                `joust doctor` tells what there is";
    SandboxError::because("run a program", reason).with_hint(hint)
}

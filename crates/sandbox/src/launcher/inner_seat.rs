//! Seat as its launcher knows it: its parts, which each own their state.

use super::accounting::{Accounting, Idleness};
use super::calls::HandedCalls;
use super::live::FrozenUsage;
use super::programs::{Programs, ScoreOwner};
use super::queues::SocketQueues;
use super::scratch::ScratchUsage;
use super::server::WarmStarts;
use crate::error::SandboxError;
use crate::sys::{self, Exit, Reaped};
use crate::{SeatLimits, StartKind};

/// A seat as its launcher knows it.
pub(super) struct InnerSeat {
    pub(super) limits: SeatLimits,
    pub(super) programs: Programs,
    pub(super) accounting: Accounting,
    pub(super) calls: HandedCalls,
    pub(super) scratch: ScratchUsage,
    /// Bytes that wait in sockets of the seat's own network.
    pub(super) queues: SocketQueues,
    pub(super) idleness: Idleness,
    pub(super) frozen: FrozenUsage,
    pub(super) warm: WarmStarts,
    /// Start of the program of this turn: as a copy of the server, or not.
    pub(super) start: StartKind,
    /// Buffer for output.
    pub(super) buffer: Vec<u8>,
}

impl InnerSeat {
    /// Gives every program from now on this environment.
    pub(super) fn set_environment(
        &mut self,
        entries: &[serde_bytes::ByteBuf],
    ) -> Result<(), SandboxError> {
        self.programs.set_environment(entries)?;
        self.renew_warm();
        Ok(())
    }

    /// Forgets what was seen of the turn before.
    pub(super) fn forget_last_turn(&mut self) {
        self.frozen = FrozenUsage::default();
        self.calls.begin_turn();
        self.queues.begin_turn();
        self.idleness.begin_turn();
        self.scratch.begin_turn();
        self.accounting.begin_turn();
        self.programs.restart_ids(b"1");
    }

    /// Restarts all counts, because what is there beside programs has changed.
    pub(super) fn restart_counts(&mut self) {
        self.accounting.restart(self.warm.process().map(i32::unsigned_abs));
    }

    /// Gives the launcher, and with it what it starts, that out-of-memory score.
    pub(super) fn set_score(&mut self, wanted: ScoreOwner) {
        self.programs.set_score(wanted, &self.accounting.counters);
    }

    /// Notes an ended process; gives how many of the program it was.
    pub(super) fn note_reaped(&mut self, reaped: Reaped) -> u32 {
        if self.warm.note_reaped(reaped.pid) {
            return 0;
        }
        self.accounting.memory.note_reaped(reaped.peak_bytes);
        1
    }

    /// Reaps every ended child; gives the main process's exit once it is among them.
    pub(super) fn reap_until_main(&mut self, main: i32) -> Option<Exit> {
        while let Ok(Some(reaped)) = sys::reap_any() {
            self.note_reaped(reaped);
            if reaped.pid == main {
                return Some(sys::exited(reaped.status));
            }
        }
        None
    }
}

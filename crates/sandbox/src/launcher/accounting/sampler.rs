//! Samples of the living processes, if no control group counts their use.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::super::processes::{Membership, ProcessFinder, times_of};
use super::stall::StallMeter;

/// Sampler of a seat's processes, with the largest values seen in the turn.
pub(crate) struct Sampler {
    pub(super) finder: ProcessFinder,
    /// The processes of the last sample.
    pub(crate) members: Vec<u32>,
    /// Time when the times of the processes have to be read again.
    pub(super) times_due: Option<Instant>,
    /// Memory of all processes, of the scratch and of what waits in sockets, bytes.
    pub(super) memory: u64,
    /// Memory of the last sample, without what waits in sockets, bytes.
    pub(super) last_memory: u64,
    /// Processor time of the processes alive.
    pub(super) cpu: Duration,
    /// Number of processes and threads.
    pub(super) tasks: u64,
}

impl Sampler {
    pub(super) fn new(membership: Membership) -> Self {
        Self {
            finder: ProcessFinder::new(membership),
            members: Vec::new(),
            times_due: None,
            memory: 0,
            last_memory: 0,
            cpu: Duration::ZERO,
            tasks: 0,
        }
    }

    pub(super) fn begin_turn(&mut self) {
        (self.memory, self.last_memory, self.tasks) = (0, 0, 0);
        self.cpu = Duration::ZERO;
        self.members.clear();
        self.times_due = None;
        self.finder.begin_turn();
    }

    /// Samples the memory of all processes, without their scratch.
    pub(super) fn sample_memory(&mut self, scratch: u64) {
        let look = self.finder.take_snapshot();
        self.last_memory = look.memory.saturating_add(scratch);
        self.note_memory(self.last_memory);
        self.tasks = self.tasks.max(look.tasks);
        self.members = look.processes;
    }

    /// Notes memory that was measured by other means.
    pub(super) fn note_memory(&mut self, bytes: u64) {
        self.memory = self.memory.max(bytes);
    }

    /// Returns whether the times of the processes have to be read again.
    pub(super) fn are_times_due(&self, now: Instant) -> bool {
        self.times_due.is_none_or(|due| now >= due)
    }

    /// Reads the processor time of the processes seen last, those that ended and wait to be reaped
    /// among them; notes in `stall` how long their threads were runnable without one.
    pub(super) fn sample_times(&mut self, stall: &mut StallMeter) {
        let time = |process: &u32| {
            let times = times_of(*process).unwrap_or_default();
            let of_threads = stall.read_threads(*process, times.started);
            // The one leaves out threads that ended, the other up to a tick.
            times.own.max(of_threads) + times.waited_for
        };
        self.cpu = self.members.iter().map(time).sum();
    }

    /// Ends the processes seen last, all before any of them is waited for: what fills memory
    /// continues until it is found and ended, and finding takes turns with what it looks for.
    pub(super) fn kill_members(&self) {
        for process in &self.members {
            let _ = kill(Pid::from_raw(process.cast_signed()), Signal::SIGKILL);
        }
    }
}

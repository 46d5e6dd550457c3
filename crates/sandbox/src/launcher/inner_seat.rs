//! Seat as its launcher knows it: what its turns need, and what is counted in them.

use std::cell::RefCell;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::uio::pwrite;
use nix::unistd::Pid;
use serde_bytes::ByteBuf;

use super::account::{FilePages, Kills, Usage};
use super::capture::CHUNK;
use super::connections::Connections;
use super::counters::Counters;
use super::freeze::Frozen;
use super::identity::Inner;
use super::idleness::Idleness;
use super::queues::Queues;
use super::sampling::{self, Membership, Others, OwnTimes, Sample, Stalls, TreeLook};
use super::scratch::Scratch;
use super::server::WarmStarts;
use super::set_up::c_string;
use crate::error::{SandboxError, Step};
use crate::sys::{ChildStack, ProcessGroup, TreeClock};
use crate::wire::{Mode, SetUp};
use crate::{SeatLimits, Start};

/// The out-of-memory score of programs: they go before anything of the host.
const EXPENDABLE: &[u8] = b"800";
/// The out-of-memory score of who is never killed.
pub(super) const SPARED: &[u8] = b"-1000";

/// A seat as its launcher knows it.
pub(super) struct InnerSeat {
    pub(super) counters: Counters,
    pub(super) limits: SeatLimits,
    pub(super) cores: usize,
    pub(super) buffer: Vec<u8>,
    pub(super) largest_process: u64,
    pub(super) sampled: Sample,
    stalls: Stalls,
    /// File of the kernel with the time that the launcher was without a processor, followed by its
    /// value when the turn began.
    schedule: Option<File>,
    own_stall_before: Duration,
    /// Value of that time before the launcher last waited for something to happen.
    own_stall_at_wait: Duration,
    /// Stall of the turn as its threads told it when they were last asked.
    told_stall: Duration,
    /// Stall of the group when the turn began, where it is counted.
    stall_before: Option<Duration>,
    /// The processes of the last look.
    pub(super) members: Vec<u32>,
    /// Time when the times of the processes have to be read again.
    pub(super) times_due: Option<Instant>,
    /// Processes of the host that a look can leave out.
    pub(super) others: Others,
    pub(super) out_of_descriptors: bool,
    pub(super) mode: Mode,
    pub(super) inner: Inner,
    pub(super) scratch: Scratch,
    /// Descriptor that reports calls which the kernel does not do itself.
    pub(super) asked: Option<OwnedFd>,
    pub(super) connections: Connections,
    /// Bytes that wait in sockets of the seat's own network.
    pub(super) queues: Queues,
    pub(super) idleness: Idleness,
    pub(super) children_refused: u32,
    pub(super) made_objects: bool,
    /// Number of processes that the programs' user may have, where that is not the launcher's
    /// limit.
    pub(super) processes: Option<u64>,
    pub(super) environment: Vec<CString>,
    pub(super) warm: WarmStarts,
    /// Start of the program of this turn: as a copy of the server, or not.
    pub(super) start: Start,
    pub(super) stack: RefCell<ChildStack>,
    score_file: Option<File>,
    score: Score,
    /// The launcher's own out-of-memory score.
    own_score: Vec<u8>,
    pub(super) last_process: Option<File>,
    /// True if the last program had much of the seat's memory.
    pub(super) was_filled: bool,
    /// Memory the launcher itself takes.
    pub(super) own_memory: u64,
    /// Files the kernel had in memory for the group when they were last counted.
    pub(super) files: FilePages,
    /// The group's peak at the start of the turn, where it cannot start anew; else 0.
    pub(super) peak_before: u64,
    pub(super) before: Usage,
    pub(super) frozen: Frozen,
    /// Processor time of this turn that was told. What is told later is never less.
    pub(super) cpu_told: Duration,
    /// Clock of the tree, where no group counts processor time and the kernel lets this process
    /// count it.
    pub(super) tree_clock: Option<TreeClock>,
    pub(super) kills_before: Kills,
    pub(super) refusals_before: u64,
}

/// Settings of the kernel that turns write to, opened before `/proc` is one that cannot be written.
pub(super) struct Settings {
    pub(super) last_process: Option<File>,
    pub(super) score: Option<File>,
    pub(super) schedule: Option<File>,
}

/// Out-of-memory score that the launcher has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    /// That of programs.
    Expendable,
    /// Its own.
    Own,
}

/// Returns how many processors the programs of a seat may use.
fn cores(request: &SetUp) -> usize {
    match request.cores.len() {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        some => some,
    }
}

impl InnerSeat {
    /// Opens what turns need, while that is still allowed.
    pub(super) fn new(
        request: &SetUp,
        inner: Inner,
        counters: Counters,
        scratch: Scratch,
        settings: Settings,
    ) -> Result<Self, SandboxError> {
        let mut seat = Self {
            limits: request.limits.clone(),
            cores: cores(request),
            buffer: vec![1; CHUNK],
            largest_process: 0,
            sampled: Sample::default(),
            stalls: Stalls::default(),
            schedule: settings.schedule,
            own_stall_before: Duration::ZERO,
            own_stall_at_wait: Duration::ZERO,
            told_stall: Duration::ZERO,
            stall_before: None,
            members: Vec::new(),
            times_due: None,
            others: Others::default(),
            out_of_descriptors: false,
            mode: request.identity.mode,
            inner,
            scratch,
            asked: None,
            connections: Connections::new(Vec::new(), inner),
            queues: Queues::default(),
            idleness: Idleness::default(),
            children_refused: 0,
            made_objects: false,
            processes: None,
            environment: c_strings(&request.environment)?,
            warm: WarmStarts::default(),
            start: Start::Cold,
            stack: RefCell::new(ChildStack::new()),
            score_file: settings.score,
            score: Score::Own,
            own_score: std::fs::read("/proc/self/oom_score_adj").unwrap_or_else(|_| b"0".to_vec()),
            last_process: settings.last_process,
            was_filled: false,
            own_memory: counters.memory().unwrap_or(0),
            files: FilePages::begin(&counters),
            peak_before: counters.restart_peak(),
            before: Usage::default(),
            frozen: Frozen::default(),
            cpu_told: Duration::ZERO,
            tree_clock: if counters.counts_cpu() { None } else { TreeClock::start().ok() },
            kills_before: Kills::count(&counters),
            refusals_before: counters.process_refusals(),
            counters,
        };
        seat.before = seat.usage();
        Ok(seat)
    }

    /// Gives every program from now on this environment.
    pub(super) fn set_environment(&mut self, entries: &[ByteBuf]) -> Result<(), SandboxError> {
        self.environment = c_strings(entries)?;
        self.renew_warm();
        Ok(())
    }

    /// Forgets what was seen of the turn before.
    pub(super) fn forget_last_turn(&mut self) {
        self.largest_process = 0;
        self.children_refused = 0;
        self.frozen = Frozen::default();
        self.cpu_told = Duration::ZERO;
        self.made_objects = false;
        self.connections.begin();
        self.queues.begin();
        self.idleness.begin();
        self.sampled = Sample::default();
        let (at, own) = (Instant::now(), self.own_times());
        (self.own_stall_before, self.own_stall_at_wait) = (own.stall, own.stall);
        (self.told_stall, self.stall_before) = (Duration::ZERO, self.counters.stall());
        self.stalls.begin(TreeLook { at, cpu: Duration::ZERO, own });
        self.members.clear();
        self.times_due = None;
        self.others.begin_turn();
        self.out_of_descriptors = false;
        self.scratch.begin_turn();
        self.kills_before.outside = self.counters.kills_outside();
        if let Some(file) = &self.last_process {
            // So that process ids say nothing about earlier turns.
            let _ = pwrite(file, b"1", 0);
        }
    }

    /// Programs inherit the launcher's score, so it is theirs while one is
    /// started and goes back when a turn turns out to be long. Only then is one kill for want of
    /// memory a kill of all, which spares those of the lowest score.
    pub(super) fn set_score(&mut self, wanted: Score) {
        let Some(file) = self.score_file.as_ref().filter(|_| self.score != wanted) else { return };
        let score = match wanted {
            Score::Expendable => {
                self.counters.kill_all_together(false);
                EXPENDABLE
            }
            Score::Own => self.own_score.as_slice(),
        };
        let set = pwrite(file, score, 0).is_ok();
        if wanted == Score::Own && set && self.own_score.starts_with(SPARED) {
            self.counters.kill_all_together(true);
        }
        self.score = wanted;
    }

    /// Returns the group of processes that programs are in.
    pub(super) fn process_group(&self) -> ProcessGroup {
        match self.mode {
            Mode::Root | Mode::Subordinate | Mode::UserNameSpace => ProcessGroup::Launchers,
            Mode::Container | Mode::Plain => ProcessGroup::Own,
        }
    }

    /// Begins all counts anew, because what is there beside programs has changed.
    pub(super) fn measure_anew(&mut self) {
        self.own_memory = self.counters.memory().unwrap_or(0);
        self.files = FilePages::begin(&self.counters);
        self.peak_before = self.counters.restart_peak();
        self.kills_before = Kills::count(&self.counters);
        self.refusals_before = self.counters.process_refusals();
        self.others.left_out = self.warm.process().map(i32::unsigned_abs);
        self.before = self.usage();
    }

    /// Samples the memory of the group, whose peak may be that of an earlier turn.
    pub(super) fn sample_group(&mut self) {
        self.sampled.memory = self.sampled.memory.max(self.group_memory());
    }

    /// The memory of the group now, without what is the launcher's and files.
    pub(super) fn group_memory(&self) -> u64 {
        let now = self.counters.memory().unwrap_or(0);
        now.saturating_sub(self.own_memory + self.files.since_the_start())
    }

    /// The memory of all processes now, as they tell it.
    pub(super) fn memory_of_processes(&mut self) -> u64 {
        sampling::look(self.membership(), &mut self.others).memory
    }

    /// Samples the memory of all processes, and their times when these can matter.
    pub(super) fn take_sample(&mut self, now: Instant) {
        let look = sampling::look(self.membership(), &mut self.others);
        let memory = look.memory.saturating_add(self.scratch.memory());
        self.sampled.memory = self.sampled.memory.max(memory);
        self.sampled.tasks = self.sampled.tasks.max(look.tasks);
        self.members = look.processes;
        if self.times_due.is_none_or(|due| now >= due) {
            self.sample_times();
        }
    }

    /// Reads the times of the processes seen last.
    pub(super) fn sample_times(&mut self) {
        self.sampled.cpu = sampling::times(&self.members, &mut self.stalls);
        self.sampled.stall += self.stalls.grown(self.tree_look());
    }

    fn tree_look(&self) -> TreeLook {
        TreeLook { at: Instant::now(), cpu: self.cpu_used(), own: self.own_times() }
    }

    /// Asks the threads that there are how long they were kept waiting, of which the group alone tells too little
    /// where the launcher waits at the same time.
    pub(super) fn ask_threads(&mut self) {
        let look = sampling::look(self.membership(), &mut self.others);
        let kept = sampling::longest_kept(&look.processes, self.cpu_used());
        self.told_stall = self.told_stall.max(kept);
    }

    /// Time for which the programs of this turn were ready to run and nothing of them had a processor. The
    /// launcher's own waits are none of theirs: who sleeps is not kept from anything by them.
    pub(super) fn stall_of_turn(&self) -> Duration {
        self.counted_stall().max(self.told_stall)
    }

    fn counted_stall(&self) -> Duration {
        match (self.stall_before, self.counters.stall()) {
            (Some(before), Some(now)) => {
                let own = self.own_times().stall.saturating_sub(self.own_stall_before);
                now.saturating_sub(before).saturating_sub(own)
            }
            _ => self.sampled.stall + self.stalls.rest(self.tree_look()),
        }
    }

    /// As [`InnerSeat::stall_of_turn`] when the end of a program was just seen, with the time for which the
    /// launcher was kept from seeing it.
    pub(super) fn stall_until_seen(&self) -> Duration {
        let late = match self.stall_before {
            Some(_) => self.own_times().stall.saturating_sub(self.own_stall_at_wait),
            // Among what was sampled.
            None => Duration::ZERO,
        };
        self.stall_of_turn() + late
    }

    /// Notes that the launcher waits from now on for something to happen.
    pub(super) fn begin_wait(&mut self) {
        self.own_stall_at_wait = self.own_times().stall;
    }

    fn own_times(&self) -> OwnTimes {
        self.schedule.as_ref().and_then(sampling::own_times).unwrap_or_default()
    }

    /// Ends the processes seen last, all before any of them is waited for: what fills memory
    /// goes on until it is found and ended, and finding takes turns with what it looks for.
    pub(super) fn end_members(&self) {
        for process in &self.members {
            let _ = kill(Pid::from_raw(process.cast_signed()), Signal::SIGKILL);
        }
    }

    /// The user of its programs, where that is not the launcher's.
    pub(super) fn user(&self) -> Option<u32> {
        match self.inner {
            Inner::User(user) => Some(user),
            Inner::Same => None,
        }
    }

    fn membership(&self) -> Membership {
        match (self.mode, self.inner) {
            (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, _) => Membership::Everybody,
            (_, Inner::User(user)) => Membership::User(user),
            (_, Inner::Same) => Membership::Descendants,
        }
    }
}

fn c_strings(environment: &[ByteBuf]) -> Result<Vec<CString>, SandboxError> {
    environment.iter().map(|entry| c_string(entry, "the environment")).collect()
}

pub(super) fn open_for_writing(path: &str) -> Option<File> {
    std::fs::OpenOptions::new().write(true).open(path).step("open a setting").ok()
}

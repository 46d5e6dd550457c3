//! Turn in the launcher: start the program, watch it, leave nothing of it behind, report.
//!
//! Every system call here is paid for by every turn of every bot, so there are
//! few: files stay open, nothing is looked at that cannot have changed.

use std::cell::RefCell;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::pwrite;
use nix::unistd::Pid;

use super::account::{FilePages, Kills, Usage, nothing};
use super::capture::{CHUNK, Capture};
use super::connections::Connections;
use super::counters::Counters;
use super::identity::Inner;
use super::idleness::Idleness;
use super::queues::Queues;
use super::sampling::{self, Membership, Others, Sample, Stalls};
use super::scratch::Scratch;
use super::server::WarmStarts;
use super::set_up::{c_string, path};
use super::watch::{Cause, Running, Watched};
use crate::error::{SandboxError, Step};
use crate::sys::{self, ChildStack, IpcKind, ProcessGroup, Reaped, StartFailure, TurnStart};
use crate::wire::{Done, Mode, SetUp, TurnRequest};
use crate::{Ending, LimitHit, LimitsHit, Pipes, SeatLimits, Start};

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
    /// Where the kernel says how long the launcher was without a processor, and what it said when
    /// the turn began.
    schedule: Option<File>,
    own_stall_before: Duration,
    /// The processes of the last look.
    pub(super) members: Vec<u32>,
    /// When the times of the processes have to be looked at again.
    pub(super) times_due: Option<Instant>,
    /// Processes of the host that a look can leave out.
    pub(super) others: Others,
    pub(super) out_of_descriptors: bool,
    pub(super) mode: Mode,
    pub(super) inner: Inner,
    pub(super) scratch: Scratch,
    /// Where calls are heard of that the kernel does not do itself.
    pub(super) asked: Option<OwnedFd>,
    pub(super) connections: Connections,
    /// What waits in sockets of the seat's own network.
    pub(super) queues: Queues,
    pub(super) idleness: Idleness,
    pub(super) children_refused: u32,
    pub(super) made_objects: bool,
    /// How many processes the programs' user may have, where that is not the launcher's limit.
    pub(super) processes: Option<u64>,
    pub(super) environment: Vec<CString>,
    pub(super) warm: WarmStarts,
    /// Whether the program of this turn is a copy of the server.
    pub(super) start: Start,
    pub(super) stack: RefCell<ChildStack>,
    score_file: Option<File>,
    score: Score,
    /// The launcher's own out-of-memory score.
    own_score: Vec<u8>,
    pub(super) last_process: Option<File>,
    /// Whether the last program had much of the seat's memory.
    pub(super) was_filled: bool,
    /// Memory the launcher itself takes.
    pub(super) own_memory: u64,
    /// Files the kernel had in memory for the group when they were last counted.
    pub(super) files: FilePages,
    /// The group's peak at the start of the turn, where it cannot start anew; else 0.
    pub(super) peak_before: u64,
    pub(super) before: Usage,
    pub(super) kills_before: Kills,
    pub(super) refusals_before: u64,
}

/// Settings of the kernel that turns write to, opened before `/proc` is one that cannot be written.
pub(super) struct Settings {
    pub(super) last_process: Option<File>,
    pub(super) score: Option<File>,
    pub(super) schedule: Option<File>,
}

/// Membership out-of-memory score the launcher has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    /// That of programs.
    Expendable,
    /// Its own.
    Own,
}

/// A turn that gave no report.
pub(super) enum TurnFailure {
    /// The other end is gone.
    Abandoned,
    /// A step of ours failed.
    Failed(SandboxError),
}

impl From<SandboxError> for TurnFailure {
    fn from(error: SandboxError) -> Self {
        Self::Failed(error)
    }
}

/// The program's ends of its pipes to the caller, and which of its descriptors they are.
pub(super) struct ProgramPipes {
    pub(super) ends: [OwnedFd; 2],
    pub(super) are: Pipes,
}

impl ProgramPipes {
    fn beside_streams(&self) -> Option<[BorrowedFd<'_>; 2]> {
        (self.are == Pipes::Two).then(|| self.ends.each_ref().map(AsFd::as_fd))
    }

    fn as_streams(&self) -> Option<[BorrowedFd<'_>; 2]> {
        (self.are == Pipes::Streams).then(|| self.ends.each_ref().map(AsFd::as_fd))
    }
}

fn duplicate(descriptor: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let copy = descriptor.try_clone_to_owned();
    copy.map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))
}

/// A program that runs.
pub(super) struct Started {
    pub(super) main: i32,
    pub(super) at: Instant,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
}

impl Started {
    /// What has to be known to watch it.
    pub(super) fn running<'a>(
        &'a mut self,
        request: &'a TurnRequest,
        link: BorrowedFd<'a>,
    ) -> Running<'a> {
        Running {
            main: self.main,
            started: self.at,
            kill_after: request.kill_after(),
            limits: &request.limits,
            link,
            stdout: &mut self.stdout,
            stderr: &mut self.stderr,
        }
    }
}

/// What became of the left-overs.
#[derive(Clone, Copy, Default)]
pub(super) struct Cleared {
    pub(super) processes: u32,
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
        let everywhere = || std::thread::available_parallelism().map_or(1, usize::from);
        let mut seat = Self {
            limits: request.limits.clone(),
            cores: if request.cores.is_empty() { everywhere() } else { request.cores.len() },
            buffer: vec![1; CHUNK],
            largest_process: 0,
            sampled: Sample::default(),
            stalls: Stalls::default(),
            schedule: settings.schedule,
            own_stall_before: Duration::ZERO,
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
            kills_before: Kills::count(&counters),
            refusals_before: counters.process_refusals(),
            counters,
        };
        seat.before = seat.usage();
        Ok(seat)
    }

    /// Gives every program from now on this environment.
    pub(super) fn set_environment(&mut self, entries: &[Vec<u8>]) -> Result<(), SandboxError> {
        self.environment = c_strings(entries)?;
        self.renew_warm();
        Ok(())
    }

    /// Runs one program to its end and removes all that is left of it.
    pub(super) fn run(
        &mut self,
        request: &TurnRequest,
        link: BorrowedFd<'_>,
    ) -> Result<Done, TurnFailure> {
        let stdout_hard = self.limits.stdout.0;
        self.prepare_warm(request);
        let mut started = match self.start(request, stdout_hard, None)? {
            Ok(started) => started,
            Err(done) => return Ok(done),
        };
        let request = self.warm.allowing(request, &self.start);
        let watched = self.watch(&mut started.running(&request, link));
        self.bury(&request, started, &watched)
    }

    /// Starts a program; gives the report when that did not work.
    pub(super) fn start(
        &mut self,
        request: &TurnRequest,
        stdout_hard: u64,
        pipes: Option<&ProgramPipes>,
    ) -> Result<Result<Started, Done>, TurnFailure> {
        self.forget_last_turn();
        self.await_memory();
        let command = command(request)?;
        // Programs inherit where the launcher is. A folder of the same name may be another one now.
        if let Err(errno) = nix::unistd::chdir(path(&request.folder)) {
            return Ok(Err(Done { ending: Ending::NotStarted(errno as i32), ..nothing() }));
        }
        let (stdout, stderr, streams) = match self.open_streams(stdout_hard, pipes) {
            Ok(streams) => streams,
            Err(Errno::ENOMEM) => return Ok(Err(self.out_of_memory())),
            Err(errno) => return Err(SandboxError::new("open the streams of a turn", errno).into()),
        };
        self.set_score(Score::Expendable);
        let at = Instant::now();
        let warm = if pipes.is_none() { self.start_warm(request, &streams) } else { None };
        self.start = self.warm.start(warm);
        let main = match warm {
            Some(main) => Ok(main),
            None => self.start_cold(&command, &streams, pipes),
        };
        drop(streams);
        match main {
            Ok(main) => Ok(Ok(Started { main, at, stdout, stderr })),
            Err((child, failure)) => self.not_started(child, failure).map(Err),
        }
    }

    fn start_cold(
        &self,
        command: &[CString],
        streams: &[OwnedFd; 3],
        pipes: Option<&ProgramPipes>,
    ) -> Result<i32, (Option<i32>, StartFailure)> {
        let pipes = pipes.and_then(ProgramPipes::beside_streams);
        let start = TurnStart { pipes, ..self.program_start(command, streams) };
        sys::start_turn(&start, &mut self.stack.borrow_mut())
    }

    /// What the starts of all programs of the seat have in common.
    pub(super) fn program_start<'a>(
        &'a self,
        command: &'a [CString],
        streams: &'a [OwnedFd; 3],
    ) -> TurnStart<'a> {
        TurnStart {
            user: self.user(),
            processes: self.processes,
            streams: streams.each_ref().map(AsFd::as_fd),
            pipes: None,
            server: None,
            command,
            environment: &self.environment,
            group: self.process_group(),
            entry: self.counters.entry(),
        }
    }

    /// Removes all that is left of a program and reports.
    pub(super) fn bury(
        &mut self,
        request: &TurnRequest,
        started: Started,
        watched: &Watched,
    ) -> Result<Done, TurnFailure> {
        let Started { at, mut stdout, mut stderr, .. } = started;
        let cleared = self.clear(&mut stdout, &mut stderr);
        stdout.finish(&mut self.buffer);
        stderr.finish(&mut self.buffer);
        if watched.cause == Cause::Abandoned {
            return Err(TurnFailure::Abandoned);
        }
        let done = self.report(&request.limits, at, watched, cleared, stdout, stderr);
        self.note_memory(&done);
        Ok(done)
    }

    fn forget_last_turn(&mut self) {
        self.largest_process = 0;
        self.children_refused = 0;
        self.made_objects = false;
        self.connections.begin();
        self.queues.begin();
        self.idleness.begin();
        self.sampled = Sample::default();
        self.stalls.clear();
        self.own_stall_before = self.own_stall();
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

    pub(super) fn open_streams(
        &self,
        stdout_hard: u64,
        pipes: Option<&ProgramPipes>,
    ) -> Result<(Capture, Capture, [OwnedFd; 3]), Errno> {
        let limits = &self.limits;
        let hard = limits.stderr_hard.0.max(limits.stderr.0);
        let (stderr, to_stderr) = Capture::open(limits.stderr.0, hard)?;
        if let Some([stdin, to_stdout]) = pipes.and_then(ProgramPipes::as_streams) {
            let streams = [duplicate(stdin)?, duplicate(to_stdout)?, to_stderr];
            return Ok((Capture::nothing(), stderr, streams));
        }
        let (stdout, to_stdout) = Capture::open(limits.stdout.0, stdout_hard)?;
        // New in every turn: flags set on a shared one would outlive the turn.
        let stdin = nix::fcntl::open(
            c"/dev/null",
            nix::fcntl::OFlag::O_RDONLY | nix::fcntl::OFlag::O_CLOEXEC,
            nix::sys::stat::Mode::empty(),
        )?;
        Ok((stdout, stderr, [stdin, to_stdout, to_stderr]))
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

    fn process_group(&self) -> ProcessGroup {
        match self.mode {
            Mode::Root | Mode::Subordinate | Mode::UserNameSpace => ProcessGroup::Launchers,
            Mode::Container | Mode::Plain => ProcessGroup::Own,
        }
    }

    /// Ends every process of the seat. What they had written by then is read first.
    fn clear(&mut self, stdout: &mut Capture, stderr: &mut Capture) -> Cleared {
        let mut cleared = Cleared::default();
        // No child at all: whoever is left would be a child of this process or of one of them.
        loop {
            match sys::reap_any() {
                Err(Errno::ECHILD) => return cleared,
                Ok(Some(one)) => cleared.processes += self.note_reaped(one),
                Ok(None) | Err(_) => break,
            }
        }
        if self.warm.is_only_child() {
            return cleared;
        }
        stdout.drain(&mut self.buffer);
        stderr.drain(&mut self.buffer);
        super::kill::kill_tree(self.mode, self.inner);
        loop {
            match self.reap_next() {
                Ok(reaped) => cleared.processes += self.note_reaped(reaped),
                Err(Errno::ECHILD) if super::kill::is_empty(self.mode, self.inner) => {
                    return cleared;
                }
                Err(_) => super::kill::kill_tree(self.mode, self.inner),
            }
        }
    }

    /// Reaps one process that was killed. Without a name space more may have
    /// been made meanwhile, so that mode never waits for ever.
    fn reap_next(&mut self) -> Result<Reaped, Errno> {
        match self.mode {
            Mode::Root | Mode::Subordinate | Mode::UserNameSpace => sys::reap_one(-1),
            Mode::Container | Mode::Plain => {
                sys::wait_child_signal(Duration::from_millis(1));
                sys::reap_any()?.ok_or(Errno::EAGAIN)
            }
        }
    }

    /// Notes an ended process; gives how many of the program it was.
    pub(super) fn note_reaped(&mut self, reaped: Reaped) -> u32 {
        if self.warm.note_reaped(reaped.pid) {
            return 0;
        }
        self.largest_process = self.largest_process.max(reaped.peak_bytes);
        1
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

    fn not_started(
        &mut self,
        child: Option<i32>,
        failure: StartFailure,
    ) -> Result<Done, TurnFailure> {
        if let Some(child) = child {
            let _ = sys::reap_one(child);
        }
        match failure {
            StartFailure::Clone(Errno::ENOMEM) | StartFailure::Child(_, Errno::ENOMEM) => {
                Ok(self.out_of_memory())
            }
            // Its arguments found no room in the seat's memory.
            StartFailure::Child("start the program", Errno::E2BIG) if self.is_filled() => {
                Ok(self.out_of_memory())
            }
            StartFailure::Child("start the program", errno) => {
                Ok(Done { ending: Ending::NotStarted(errno as i32), ..nothing() })
            }
            StartFailure::Child(step, errno) => Err(SandboxError::new(step, errno).into()),
            StartFailure::Clone(errno) => {
                Err(SandboxError::new("make a process for a turn", errno).into())
            }
        }
    }

    /// What earlier turns left in the seat's writable folders fills its memory.
    fn out_of_memory(&mut self) -> Done {
        let mut hits = LimitsHit::default();
        hits.insert(LimitHit::Memory);
        Done { ending: Ending::MemoryLimit, hits, ..nothing() }
    }

    /// System V objects outlive their makers; there must be none in the next turn.
    pub(super) fn remove_ipc(&self) {
        let kinds = [IpcKind::Memory, IpcKind::Semaphores, IpcKind::Messages];
        if kinds.into_iter().any(|kind| sys::ipc_in_use(kind) != Ok(0)) {
            super::kill::remove_ipc(self.mode, self.inner);
        }
    }

    /// Looks at the memory of the group, whose peak may be that of an earlier turn.
    pub(super) fn sample_group(&mut self) {
        self.sampled.memory = self.sampled.memory.max(self.group_memory());
    }

    /// The memory of the group now, without what is the launcher's and files.
    pub(super) fn group_memory(&self) -> u64 {
        let now = self.counters.memory().unwrap_or(0);
        now.saturating_sub(self.own_memory + self.files.since_the_start())
    }

    /// Looks at the memory of all processes, and at their times when these can matter.
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
        self.sampled.stall = self.stalls.sum();
    }

    fn own_stall(&self) -> Duration {
        self.schedule.as_ref().and_then(sampling::own_stall).unwrap_or_default()
    }

    /// How long the launcher itself has waited for a processor in this turn: a program may have ended
    /// meanwhile, and what it did was not seen.
    pub(super) fn own_stall_of_turn(&self) -> Duration {
        self.own_stall().saturating_sub(self.own_stall_before)
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

fn c_strings(environment: &[Vec<u8>]) -> Result<Vec<CString>, SandboxError> {
    environment.iter().map(|entry| c_string(entry, "the environment")).collect()
}

fn command(request: &TurnRequest) -> Result<Vec<CString>, SandboxError> {
    if request.command.is_empty() || !path(&request.command[0]).is_absolute() {
        return Err(SandboxError::because(
            "read the command",
            "the program is not an absolute path",
        ));
    }
    request.command.iter().map(|argument| c_string(argument, "the command")).collect()
}

pub(super) fn open_for_writing(path: &str) -> Option<File> {
    std::fs::OpenOptions::new().write(true).open(path).step("open a setting").ok()
}
